"""The one place that reaches behind the public names of the MCP SDK.

Each function says which inner name it leans on and why. `tests/test_sdk.py` fails by that name
when a new SDK moves it; until then the dependency is pinned to one minor release.
"""
# ruff: noqa: SLF001  # reaching for private names is this module's whole purpose

from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, cast

from mcp.server import MCPServer, Server
from mcp.server.runner import serve_dual_era_loop
from mcp.server.stdio import stdio_server
from mcp.server.subscriptions import ListenHandler

if TYPE_CHECKING:  # types only: a private module that nothing here needs in order to run
    import anyio
    from mcp.shared._stream_protocols import ReadStream, WriteStream
    from mcp.shared.message import SessionMessage

Incoming: TypeAlias = "ReadStream[SessionMessage | Exception]"
Outgoing: TypeAlias = "WriteStream[SessionMessage]"


class Lines(Protocol):
    """What `over_lines` reads: one JSON-RPC message a line, until there are no more."""

    def __aiter__(self) -> "Lines": ...
    async def __anext__(self) -> str: ...


class Paper(Protocol):
    """What `over_lines` writes to."""

    async def write(self, text: str, /) -> None:
        """Put down the next piece of a line."""

    async def flush(self) -> None:
        """Wait until there is room for more."""


def lowlevel(server: MCPServer[Any]) -> Server[Any]:
    """The protocol engine inside an `MCPServer`.

    Uses `MCPServer._lowlevel_server`: custom request handlers and transports of our own hang on
    it, and `MCPServer` passes on neither.
    """
    return server._lowlevel_server


async def serve(server: MCPServer[Any], incoming: Incoming, outgoing: Outgoing) -> None:
    """Serve the only client of this process, in a lifespan of its own."""
    engine = lowlevel(server)
    await engine.run(incoming, outgoing, engine.create_initialization_options())


async def serve_one_of_many(server: MCPServer[Any], incoming: Incoming, outgoing: Outgoing) -> None:
    """Serve one client inside the lifespan that the HTTP application has entered for all.

    Uses `StreamableHTTPSessionManager._lifespan_state`: `Server.run` would enter the lifespan,
    and so open the store, once more for every connection.
    """
    engine = lowlevel(server)
    await serve_dual_era_loop(
        engine,
        incoming,
        outgoing,
        lifespan_state=server.session_manager._lifespan_state,
        init_options=engine.create_initialization_options(),
    )


def end_subscriptions(server: MCPServer[Any]) -> None:
    """Tell every open `subscriptions/listen` stream that it ends here, on purpose.

    Uses the `ListenHandler` that `MCPServer` registers and keeps to itself: until it is closed
    these streams stay open, and an HTTP server that waits for its requests waits for ever.
    """
    entry = lowlevel(server).get_request_handler("subscriptions/listen")
    if entry is not None and isinstance(entry.handler, ListenHandler):
        entry.handler.close()


async def end_sessions(server: MCPServer[Any]) -> None:
    """End every session of the older era, and cancel its calls, as if its client had asked to.

    Uses `StreamableHTTPSessionManager._server_instances`: a call outlives its request there, and
    the manager's own way to end one waits a second for a stream that nobody reads any more.
    """
    for session in list(server.session_manager._server_instances.values()):
        await session.terminate()


def over_lines(
    lines: Lines, paper: Paper
) -> AbstractAsyncContextManager[tuple[Incoming, Outgoing]]:
    """The SDK's stdio transport over line streams of our own.

    Uses that `stdio_server`, typed for files, asks its two ends for no more than `Lines` and
    `Paper` offer.
    """
    return stdio_server(
        cast("anyio.AsyncFile[str]", lines),
        cast("anyio.AsyncFile[str]", paper),
    )
