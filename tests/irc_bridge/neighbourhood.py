"""A house on several networks: one bridge for each, over one store, toolbox and model."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import anyio

from terrarium_mcp.irc_bridge.bridges import Bridges
from terrarium_mcp.irc_bridge.network.timeouts import Timeouts
from terrarium_mcp.irc_bridge.toolbox import Toolbox
from terrarium_mcp.server import build_server
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import Store, open_store
from tests.irc_bridge.house import NOBODY, QUICK, WatchedBridge, model_of
from tests.patience import PATIENCE
from tests.servers.beside import beside
from tests.store.beginnings import begin

BRIEF = replace(QUICK, backoff=(0.01,), jitter=0, settled=3600)
"""Pauses of hundredths of a second, so that five minutes of a bad line pass in a few seconds."""


@dataclass(frozen=True)
class Neighbourhood:
    """What a scene on several networks holds on to."""

    store: Store
    bridges: Bridges
    by_name: dict[str, WatchedBridge]
    ended: anyio.Event = field(default_factory=anyio.Event)

    async def run(self) -> None:
        """Run the bridges, and tell when they have ended."""
        await self.bridges.run()
        self.ended.set()

    async def flush(self) -> None:
        """Return once everything recorded on every network is on disk."""
        for bridge in self.by_name.values():
            await bridge.flush()

    async def texts(self, network: str, channel: str = "#dev") -> list[str]:
        """Every line of speech in a room, oldest first."""
        rooms = [
            room
            for room in await self.store.rooms.all()
            if (room.network, room.channel) == (network, channel)
        ]
        found = (await self.store.messages.newest(rooms, 100_000)).messages
        return [message.text for message in found]


def network(name: str, port: int, **more: Any) -> Settings:
    """The settings of one network on loopback, with #dev."""
    given = {"irc_server": "127.0.0.1", "irc_use_ssl": False, "irc_channels": ["#dev"]}
    return Settings.model_validate({**given, "network": name, "irc_port": port, **more})


@asynccontextmanager
async def neighbourhood(
    folder: Path,
    *networks: Settings,
    agent_url: str = NOBODY,
    timeouts: Timeouts = BRIEF,
    restart: float = 0.05,
    at_home: tuple[str, ...] | None = None,
) -> AsyncIterator[Neighbourhood]:
    """Bridges on all networks beside the block, at home in those named (all, if none is named)."""
    shared = Settings(
        db_path=folder / "irc_logs.db", agent_api_url=agent_url, agent_model="scripted"
    ).with_networks(networks)
    llm = model_of(shared)
    begin(shared.db_path)
    async with open_store(shared.db_path, shared) as store:
        toolbox = Toolbox(lambda: build_server(store, shared), backoff=(0.05,))
        home = shared.network_name
        by_name = dict[str, WatchedBridge]()

        def build(one: Settings) -> WatchedBridge:
            bridge = WatchedBridge(store, one, toolbox, llm, home=home, timeouts=timeouts)
            by_name[one.network_name] = bridge
            return bridge

        bridges = Bridges(shared.networks, build, toolbox, llm, restart=(restart,))
        house = Neighbourhood(store, bridges, by_name)
        try:
            async with beside(house.run):
                with anyio.fail_after(PATIENCE):
                    for name in by_name if at_home is None else at_home:
                        await by_name[name].at_home.wait()
                yield house
        finally:
            await llm.aclose()
