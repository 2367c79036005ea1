"""A command with everything needed to serve it."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from terrarium_mcp.chat.identity import Identity
from terrarium_mcp.irc_bridge.ask.commands import Command
from terrarium_mcp.irc_bridge.ask.consent import Consent
from terrarium_mcp.irc_bridge.dialogue.access import DialogueHere
from terrarium_mcp.irc_bridge.toolbox import Toolbox, ViewMeta
from terrarium_mcp.settings import ChannelWays, Settings
from terrarium_mcp.store import BridgeReport


@dataclass(frozen=True, slots=True)
class CommandContext:
    """A command, what it may see, whom it may ask, and the ways of the place it was given in.

    `asker` is who gave it, as its line shows. `report` returns the state of the bridge now.
    `is_admin` is whether TERRARIUM_ADMINS names the asker. `text_bytes` is how many bytes of text a
    line of the reply holds at least.
    """

    command: Command
    asker: Identity
    view: ViewMeta
    toolbox: Toolbox
    settings: Settings
    consent: Consent
    ways: ChannelWays
    dialogue: DialogueHere
    report: Callable[[], BridgeReport]
    is_admin: bool
    text_bytes: int


CommandHandler = Callable[[CommandContext], Awaitable[Sequence[str]]]
"""Serves a command that is no question: returns the lines to say."""
