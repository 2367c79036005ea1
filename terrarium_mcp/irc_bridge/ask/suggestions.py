"""`Did you mean !search?`: the reply to a command that is nearly one of ours.

A near miss is not executed, and is no question either: the person decides. In the log it is a
command to the bot, and no evidence of anything.
"""

from terrarium_mcp.chat.commands import COMMANDS, QUESTIONS
from terrarium_mcp.chat.near_misses import nearest_command
from terrarium_mcp.irc_bridge.ask.command_context import CommandContext
from terrarium_mcp.irc_bridge.ask.commands import Command, PersonKey
from terrarium_mcp.irc_bridge.ask.repeat_limit import RepeatLimit

SILENT_FOR = 600.0
"""Seconds in which a person is not told again about the same word."""

MOST_TOLD = 1_000
"""Persons and words remembered: those told last."""


async def suggestion(context: CommandContext) -> list[str]:
    """The command that a near miss was probably meant for; of our nick, the one that asks us."""
    meant = nearest_command(context.command.rest, COMMANDS) or QUESTIONS[0]
    return [f"Did you mean {context.settings.command_prefix}{meant}?"]


class SuggestionMemory:
    """Who was told lately about which word."""

    def __init__(self) -> None:
        self._told = RepeatLimit[tuple[PersonKey, str]](SILENT_FOR, MOST_TOLD)

    def take_due(self, near_miss: Command, now: float) -> bool:
        """Count its asker as told if they are to be told now; whether they are."""
        return self._told.take_due((near_miss.person, near_miss.rest), now)
