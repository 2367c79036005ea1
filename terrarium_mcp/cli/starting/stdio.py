"""The history as an MCP server over stdio."""

import anyio

from terrarium_mcp.cli.starting.empty_history import log_if_empty
from terrarium_mcp.server import build_server
from terrarium_mcp.serving.stdio import serve_stdio
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import open_store


async def serve_over_stdio(settings: Settings) -> None:
    """Serve until the client disconnects, or until SIGINT or SIGTERM."""
    async with (
        open_store(settings.db_path, settings, adopt=True) as store,
        anyio.create_task_group() as tasks,
    ):
        server = build_server(store, settings)
        if store.opening.is_done:
            await log_if_empty(store)  # a client that leaves at once would cancel a task
        else:
            tasks.start_soon(log_if_empty, store)
        await serve_stdio(server)
        tasks.cancel_scope.cancel()
