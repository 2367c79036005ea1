"""The bridge, with an MCP server of its own or another."""

import os
from pathlib import Path

from terrarium_mcp.cli.starting.talking import bridge_of, until_a_signal
from terrarium_mcp.irc_bridge.toolbox import Toolbox, spawned
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import open_store


async def talk(settings: Settings, mcp_url: str | None) -> None:
    """Record and answer until a signal comes."""
    database = Path.cwd() / settings.db_path
    toolbox = Toolbox(
        lambda: mcp_url or spawned(database, os.environ), offered=settings.bridge_tools
    )
    async with (
        open_store(database, settings) as store,
        bridge_of(store, settings, toolbox) as bridge,
    ):
        await until_a_signal(bridge)
