"""A desk: where commands that need no model are served, without a network.

The history behind it is a real store, asked through MCP.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from terrarium_mcp.chat.irc_message import Source
from terrarium_mcp.chat.records import NewMessage
from terrarium_mcp.irc_bridge.ask.command_context import CommandContext
from terrarium_mcp.irc_bridge.ask.commands import Command
from terrarium_mcp.irc_bridge.ask.consent import Consent
from terrarium_mcp.irc_bridge.ask.handlers import HANDLERS
from terrarium_mcp.irc_bridge.dialogue.access import DialogueHere
from terrarium_mcp.irc_bridge.dialogue.memory import DialogueMemory
from terrarium_mcp.irc_bridge.dialogue.summaries import Summarizer
from terrarium_mcp.irc_bridge.record.recorder import Recorder
from terrarium_mcp.irc_bridge.toolbox import Toolbox
from terrarium_mcp.settings import ChannelWays, Settings
from terrarium_mcp.store import BridgeReport, DialoguePlace, Store
from tests.irc_bridge.house import NOBODY, model_of, study

TEXT_BYTES = 400
"""What a line of a reply holds on most networks."""


def report(**more: Any) -> BridgeReport:
    """The report of a bridge that was started three days ago, and connected two hours ago."""
    now = datetime.now(UTC)
    usual = {
        "network": "local",
        "version": "1",
        "connected": True,
        "since": now - timedelta(hours=2, seconds=1),
        "started": now - timedelta(days=3, seconds=1),
        "model": "scripted",
    }
    return BridgeReport(**{**usual, **more})


@dataclass(frozen=True)
class Desk:
    """Serves the commands of one person at a time."""

    toolbox: Toolbox
    settings: Settings
    store: Store
    state: BridgeReport

    async def asks(
        self,
        text: str,
        *,
        asker: str = "ada",
        channel: str = "#tea",
        shared: Sequence[str] = (),
        is_admin: bool = False,
    ) -> list[str]:
        """What is said to `!search tea`; in private (channel ""), `shared` channels are read."""
        name, _, rest = text.removeprefix(self.settings.command_prefix).partition(" ")
        place = {"channel": channel} if channel else {"channels": list(shared)}
        command = Command(name, rest.strip(), Source(asker, "u", "host"), "", channel)
        context = CommandContext(
            command,
            command.identity("local"),
            {"network": "local", "asker": asker, **place},
            self.toolbox,
            self.settings,
            Consent(self.store, "local", Recorder(self.store, "local"), lambda: None),
            ways=ChannelWays(),
            dialogue=self._dialogue(DialoguePlace("local", channel, "" if channel else asker)),
            report=lambda: self.state,
            is_admin=is_admin,
            text_bytes=TEXT_BYTES,
        )
        return list(await HANDLERS[name](context))

    def _dialogue(self, place: DialoguePlace) -> DialogueHere:
        """An empty dialogue, whose summaries nobody makes."""
        memory = DialogueMemory(self.store, "local", lambda: self.settings.stale_after)
        llm = model_of(self.settings)
        summarizer = Summarizer(memory, llm, lambda: self.settings)
        return DialogueHere(place, memory, summarizer, breakdown=())

    def at(self, **facts: Any) -> "Desk":
        """The same desk of a bridge in another state."""
        return replace(self, state=report(**facts))


@asynccontextmanager
async def desk(
    folder: Path, lines: Sequence[NewMessage] = (), **settings: Any
) -> AsyncIterator[Desk]:
    """A desk before this history, inside the block."""
    async with study(folder, NOBODY, lines, **settings) as behind:
        yield Desk(behind.toolbox, behind.settings, behind.store, report())
