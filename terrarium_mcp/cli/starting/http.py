"""The history as an MCP server over HTTP."""

from collections.abc import Callable

from terrarium_mcp.cli.starting.health import health_of
from terrarium_mcp.server import build_server
from terrarium_mcp.serving.http import Listening, serve_http
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import open_store


async def serve_over_http(
    settings: Settings, host: str, port: int, announce: Callable[[Listening], None]
) -> None:
    """Serve until SIGINT or SIGTERM."""
    async with open_store(settings.db_path, settings, adopt=True) as store:
        server = build_server(store, settings)
        await serve_http(server, host, port, health=health_of(store), announce=announce)
