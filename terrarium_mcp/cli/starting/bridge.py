"""The bridge, with an MCP server that it starts, or with one that already runs."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from terrarium_mcp.cli.starting.bridge_checks import check_settings, check_tools
from terrarium_mcp.cli.starting.bridge_runner import (
    claimed_channels,
    open_bridges,
    run_until_signal,
)
from terrarium_mcp.irc_bridge.toolbox import Toolbox, stdio_server
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import open_store


async def run_bridge(
    settings: Settings, load: Callable[[], Settings], mcp_url: str | None, flags: Sequence[str]
) -> int:
    """Record and answer until a signal arrives; returns the exit status.

    Args:
        settings: those to start with.
        load: reads them again, for SIGHUP.
        mcp_url: the MCP server to use; None: start one.
        flags: words for the command line of the MCP server that is started.

    Raises:
        AlreadyRecorded: another process records one of the channels into the same database.
        BadSetting: no server, channel or contact is set, or the MCP server would refuse to start.
    """
    check_settings(settings)
    if not mcp_url:
        check_tools(settings)
    database = Path.cwd() / settings.db_path
    child = stdio_server(database, os.environ, flags)
    toolbox = Toolbox(
        lambda: mcp_url or child,
        advice=f"Check whether terrarium-mcp serve --http runs at {mcp_url}" if mcp_url else "",
        offered=settings.bridge_tools,
        mounts=settings.mcp_servers,
    )
    async with (
        open_store(database, settings, adopt=True) as store,
        claimed_channels(store, settings),
        open_bridges(store, settings, toolbox) as bridges,
    ):
        return await run_until_signal(bridges, store, settings, load)
