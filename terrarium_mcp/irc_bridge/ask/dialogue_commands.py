"""!clear and !compact: what people may do about the bot's memory of its own talk."""

import anyio

from terrarium_mcp.irc_bridge.ask.command_context import CommandContext
from terrarium_mcp.irc_bridge.dialogue.summary_prompt import KEPT_TURNS
from terrarium_mcp.wording import quantity

COMPACTED_WITHIN = 120.0
"""Seconds that `!compact` waits for a model that others ask."""

_KEPT = f"I keep the newest {KEPT_TURNS} word for word"


async def clear(context: CommandContext) -> list[str]:
    """!clear: the talk with the bot starts over here; what was recorded stays."""
    turns = await context.dialogue.clear()
    if not turns:
        return ["There is nothing to clear: we have not talked here for a while."]
    return [f"Cleared: {quantity(turns, 'turn')} of our talk here. The record of the lines stays."]


async def compact(context: CommandContext) -> list[str]:
    """!compact: the older turns here become a summary now."""
    dialogue = await context.dialogue.current()
    if len(dialogue.turns) <= KEPT_TURNS:
        long = f"our talk here is {quantity(dialogue.length, 'turn')} long"
        told = dialogue.length - len(dialogue.turns)
        older = f"the {'oldest is' if told == 1 else f'older {told} are'} a summary already"
        return [
            f"There is nothing to summarise: {long}, {f'{older}, ' if told else ''}and {_KEPT}."
        ]
    summary = None
    with anyio.move_on_after(COMPACTED_WITHIN):
        summary = await context.dialogue.compact()
    if summary is None:
        return ["The model gave no summary. Nothing has changed, and nothing is lost."]
    return [f"Summarised: turns {summary.first} to {summary.last} of our talk here; {_KEPT}."]
