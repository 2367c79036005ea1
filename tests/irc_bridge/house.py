"""A whole house for a scene: a store, a bridge on a real network, its MCP server, a model."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio

from terrarium_mcp.chat.records import Message
from terrarium_mcp.irc_bridge.bridge import Bridge
from terrarium_mcp.irc_bridge.llm import LLM
from terrarium_mcp.irc_bridge.network.timing import Timing
from terrarium_mcp.irc_bridge.toolbox import Toolbox, spawned
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import Store, open_store
from tests.servers.beside import beside
from tests.servers.ircd import Ircd
from tests.servers.person import Person

CHANNELS = ("#tea", "#mate")
NOBODY = "http://127.0.0.1:9"  # the discard port: refused at once


class WatchedBridge(Bridge):
    """Tells when it has come into all of its channels, again after each connection."""

    at_home: anyio.Event

    def joined(self, channel: str) -> None:
        super().joined(channel)
        if len(self.network.joined_channels()) == len(self._settings.irc_channels):
            self.at_home.set()

    def lost(self, why: str) -> None:
        super().lost(why)
        self.at_home = anyio.Event()


@dataclass(frozen=True)
class House:
    """What a scene holds on to."""

    store: Store
    bridge: WatchedBridge
    toolbox: Toolbox
    settings: Settings

    async def lines(self, channel: str = "") -> list[Message]:
        """Every line of speech, oldest first."""
        rooms = [room for room in await self.store.rooms.all() if channel in ("", room.channel)]
        return list((await self.store.messages.recent(rooms, 100_000)).messages)

    async def has_heard(self, person: Person, channel: str = "#tea") -> None:
        """Return once everything that `person` said before is on disk."""
        await person.types(f"PRIVMSG {channel} :!ping")
        await person.sees(f"PRIVMSG {channel} :{person.nick}: pong")
        await self.bridge.flush()


def settings_for(ircd: Ircd, folder: Path, agent_url: str = NOBODY, **more: object) -> Settings:
    """Settings of a house whose network is a test server."""
    return Settings.model_validate(
        {
            "db_path": folder / "irc_logs.db",
            "irc_server": "127.0.0.1",
            "irc_port": ircd.port,
            "irc_use_ssl": False,
            "irc_channels": CHANNELS,
            "agent_api_url": agent_url,
            "agent_model": "scripted",
            "agent_timeout": 10.0,
            **more,
        }
    )


@asynccontextmanager
async def living(
    settings: Settings, *, mcp_url: str = "", quick: bool = True
) -> AsyncIterator[House]:
    """A house that is at home inside the block: its bot sits in its channels."""
    timing = Timing(burst=50, per_line=0.01, backoff=(0.1, 0.3, 1.0)) if quick else Timing()
    llm = LLM(
        base_url=settings.agent_api_url,
        api_key=settings.agent_api_key,
        model=settings.agent_model,
        temperature=settings.agent_temperature,
        max_tokens=settings.agent_max_tokens,
        timeout=settings.agent_timeout,
    )
    async with open_store(settings.db_path, settings) as store:
        toolbox = Toolbox(lambda: mcp_url or spawned(settings.db_path, os.environ))
        bridge = WatchedBridge(store, settings, toolbox, llm, timing)
        bridge.at_home = anyio.Event()
        house = House(store, bridge, toolbox, settings)
        try:
            async with beside(bridge.run):
                with anyio.fail_after(15):
                    await bridge.at_home.wait()
                yield house
        finally:
            await llm.aclose()
