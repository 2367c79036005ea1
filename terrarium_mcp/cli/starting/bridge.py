"""The bridge, with an MCP server of its own or another."""

import os
from collections.abc import Sequence
from pathlib import Path

from terrarium_mcp.cli.starting.talking import (
    bridge_of,
    check_settings,
    check_tools,
    until_a_signal,
)
from terrarium_mcp.irc_bridge.toolbox import Toolbox, spawned
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import open_store


async def talk(settings: Settings, mcp_url: str | None, flags: Sequence[str]) -> None:
    """Record and answer until a signal comes. `flags` are for the server we start.

    Raises:
        BadSetting: there is no server, channel or contact, or that server would refuse to start.
    """
    check_settings(settings)
    if not mcp_url:
        check_tools(settings)
    database = Path.cwd() / settings.db_path
    ours = spawned(database, os.environ)
    ours = ours.model_copy(update={"args": [*ours.args, *flags]})
    toolbox = Toolbox(lambda: mcp_url or ours, offered=settings.bridge_tools)
    async with (
        open_store(database, settings, adopt=True) as store,
        bridge_of(store, settings, toolbox) as bridge,
    ):
        await until_a_signal(bridge)
