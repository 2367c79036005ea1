"""The bridge and the HTTP server in one process."""

from collections.abc import Callable

import anyio
from anyio.abc import TaskStatus

from terrarium_mcp.cli.starting.bridge_checks import check_settings, check_tools
from terrarium_mcp.cli.starting.bridge_runner import (
    claimed_channels,
    open_bridges,
    run_until_signal,
)
from terrarium_mcp.cli.starting.health import LiveReports, health_of
from terrarium_mcp.cli.starting.loading import load_what_calls_need
from terrarium_mcp.irc_bridge.bridges import Bridges
from terrarium_mcp.irc_bridge.toolbox import Toolbox
from terrarium_mcp.server import build_server
from terrarium_mcp.serving.address import Listening
from terrarium_mcp.serving.http import serve_http
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import Store, open_store


async def serve_in_task(
    store: Store,
    settings: Settings,
    host: str,
    port: int,
    live: LiveReports,
    *,
    task_status: TaskStatus[Listening],
) -> None:
    """Serve HTTP until cancelled; reports the address to the task group's `start`.

    `live` returns the reports of this process's bridges.
    """
    await serve_http(
        build_server(store, settings),
        host,
        port,
        health=health_of(store, live),
        announce=task_status.started,
        install_signal_handlers=False,
    )


async def run_bridge_and_server(
    settings: Settings,
    load: Callable[[], Settings],
    host: str,
    port: int,
    announce: Callable[[Listening], None],
) -> int:
    """Record, answer and serve until SIGINT or SIGTERM; returns the exit status.

    `load` reads the settings again, for SIGHUP.

    Raises:
        AlreadyRecorded: another process records one of the channels into the same database.
        BadSetting: no server, channel or contact is set, or a tool does not exist.
    """
    check_settings(settings)
    check_tools(settings)
    async with (
        open_store(settings.db_path, settings, adopt=True) as store,
        claimed_channels(store, settings),
        anyio.create_task_group() as tasks,
    ):
        bridges: list[Bridges] = []  # not running yet
        listening: Listening = await tasks.start(
            serve_in_task,
            store,
            settings,
            host,
            port,
            lambda: [report for one in bridges for report in one.reports()],
        )
        announce(listening)
        tasks.start_soon(load_what_calls_need)
        toolbox = Toolbox(
            lambda: listening.mcp_url, offered=settings.bridge_tools, mounts=settings.mcp_servers
        )
        async with open_bridges(store, settings, toolbox) as running:
            bridges.append(running)
            status = await run_until_signal(running, store, settings, load)
        tasks.cancel_scope.cancel()
    return status
