"""A command with everything needed to serve it."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from terrarium_mcp.chat.identity import Identity
from terrarium_mcp.irc_bridge.ask.commands import Command
from terrarium_mcp.irc_bridge.ask.consent import Consent
from terrarium_mcp.irc_bridge.dialogue.memory import DialogueMemory
from terrarium_mcp.irc_bridge.dialogue.summaries import Summarizer
from terrarium_mcp.irc_bridge.toolbox import Toolbox, ViewMeta
from terrarium_mcp.settings import ChannelWays, Settings
from terrarium_mcp.store import DialoguePlace, DialogueSummary, StoredDialogue


@dataclass(frozen=True, slots=True)
class DialogueHere:
    """The dialogue that a command belongs to."""

    place: DialoguePlace
    dialogues: DialogueMemory
    summarizer: Summarizer

    async def current(self) -> StoredDialogue:
        """What is part of the talk now."""
        return await self.dialogues.current(self.place)

    def history_changed(self) -> None:
        """Lines were removed: nothing that waits to be written may bring them back."""
        self.dialogues.history_changed()

    async def clear(self) -> int:
        """Begin a new window; returns how many turns are no longer part of the talk."""
        return await self.dialogues.clear(self.place)

    async def compact(self) -> DialogueSummary | None:
        """Summarise the older turns now; None if that failed."""
        return await self.summarizer.compact(self.place)


@dataclass(frozen=True, slots=True)
class CommandContext:
    """A command, what it may see, whom it may ask, and the ways of the place it was given in."""

    command: Command
    view: ViewMeta
    toolbox: Toolbox
    settings: Settings
    consent: Consent
    ways: ChannelWays
    dialogue: DialogueHere

    @property
    def asker(self) -> Identity:
        """Who gave the command."""
        return self.consent.identity(self.command)


CommandHandler = Callable[[CommandContext], Awaitable[Sequence[str]]]
"""Serves a command that needs no model: returns the lines to say."""
