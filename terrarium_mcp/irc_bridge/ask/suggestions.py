"""`Did you mean !search?`: the reply to a command that is nearly one of ours.

A near miss is not executed, and is no question either: the person decides. In the log it is a
command to the bot, and no evidence of anything.
"""

from dataclasses import dataclass, field

from terrarium_mcp.bounded_dict import BoundedDict
from terrarium_mcp.chat.commands import COMMANDS, QUESTIONS
from terrarium_mcp.chat.near_misses import nearest_command
from terrarium_mcp.irc_bridge.ask.command_context import CommandContext
from terrarium_mcp.irc_bridge.ask.commands import Command, PersonKey

SILENT_FOR = 600.0
"""Seconds in which a person is not told again about the same word."""

MOST_TOLD = 1_000
"""Persons and words remembered: those told last."""


async def suggestion(context: CommandContext) -> list[str]:
    """The command that a near miss was probably meant for; of our nick, the one that asks us."""
    meant = nearest_command(context.command.rest, COMMANDS) or QUESTIONS[0]
    return [f"Did you mean {context.settings.command_prefix}{meant}?"]


@dataclass(slots=True)
class SuggestionMemory:
    """Who was told lately about which word."""

    _told: BoundedDict[tuple[PersonKey, str], float] = field(
        default_factory=lambda: BoundedDict(MOST_TOLD)
    )

    def take_due(self, near_miss: Command, now: float) -> bool:
        """Count its asker as told if they are to be told now; whether they are."""
        key = (near_miss.person, near_miss.rest)
        last = self._told.get(key)
        is_due = last is None or now - last >= SILENT_FOR
        self._told[key] = now if last is None or is_due else last
        return is_due
