"""A command with everything needed to serve it."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from terrarium_mcp.chat.identity import Identity
from terrarium_mcp.irc_bridge.ask.commands import Command
from terrarium_mcp.irc_bridge.ask.consent import Consent
from terrarium_mcp.irc_bridge.toolbox import Toolbox, ViewMeta
from terrarium_mcp.settings import Settings


@dataclass(frozen=True, slots=True)
class CommandContext:
    """A command, what it may see, and whom it may ask."""

    command: Command
    view: ViewMeta
    toolbox: Toolbox
    settings: Settings
    consent: Consent

    @property
    def present_view(self) -> ViewMeta:
        """The view without its cutoff, for commands that report the present."""
        return {key: value for key, value in self.view.items() if key != "as_of"}

    @property
    def asker(self) -> Identity:
        """Who gave the command."""
        return self.consent.identity(self.command)


CommandHandler = Callable[[CommandContext], Awaitable[Sequence[str]]]
"""Serves a command that needs no model: returns the lines to say."""
