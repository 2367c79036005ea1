"""The history as an MCP server over HTTP."""

from collections.abc import Callable

import anyio

from terrarium_mcp.cli.starting.empty_history import log_if_empty
from terrarium_mcp.cli.starting.health import health_of
from terrarium_mcp.cli.starting.loading import load_what_calls_need
from terrarium_mcp.server import build_server
from terrarium_mcp.serving.address import Listening
from terrarium_mcp.serving.http import serve_http
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import open_store


async def serve_over_http(
    settings: Settings, host: str, port: int, announce: Callable[[Listening], None]
) -> None:
    """Serve until SIGINT or SIGTERM."""
    async with (
        open_store(settings.db_path, settings, adopt=True) as store,
        anyio.create_task_group() as tasks,
    ):

        def listens(listening: Listening) -> None:
            announce(listening)
            tasks.start_soon(log_if_empty, store)
            tasks.start_soon(load_what_calls_need)

        server = build_server(store, settings)
        await serve_http(server, host, port, health=health_of(store), announce=listens)
        tasks.cancel_scope.cancel()
