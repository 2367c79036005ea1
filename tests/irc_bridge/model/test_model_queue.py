"""Questions take turns with the model, and one that is alone does not wait."""

import asyncio

from terrarium_mcp.irc_bridge.model.model_queue import ModelQueue


async def test_a_question_that_is_alone_takes_no_turn_of_the_event_loop() -> None:
    turns: list[str] = []
    asyncio.get_running_loop().call_soon(turns.append, "another task")
    async with ModelQueue().question():
        assert turns == []
