"""The whole tendril, on real servers: a line said is recorded, found, and an answer."""

import anyio

from tests.irc_bridge.house import living, settings_for
from tests.servers.agent import calls, says, strict_agent
from tests.servers.ircd import Ircd
from tests.servers.person import person

from pathlib import Path


async def test_a_question_is_answered_with_what_a_tool_found(ircd: Ircd, tmp_path: Path) -> None:
    async with strict_agent() as agent, person("ada", ircd.port) as ada:
        agent.will(
            calls("search_irc_history", query="gate fixed"),
            says("bo fixed the garden gate on Tuesday."),
        )
        await ada.joins("#tea")
        async with living(settings_for(ircd, tmp_path, agent.url)) as house:
            with anyio.fail_after(20):
                await ada.types("PRIVMSG #tea :bo fixed the garden gate, I saw it")
                await ada.types("PRIVMSG #tea :!terrarium who fixed the gate?")
                reply = await ada.sees("PRIVMSG #tea :ada: [LLM] bo fixed the garden gate")
        assert "Tuesday" in reply
        first, second = agent.requests
        print(first, second)
