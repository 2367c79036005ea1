"""The only module that uses private names of the MCP SDK.

Each function says which private name it uses and why. `tests/test_sdk.py` fails with that name
when a new SDK moves it; until then the dependency is pinned to one minor release.
"""
# ruff: noqa: SLF001  # using private names is this module's whole purpose

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


class LineReader(Protocol):
    """What `over_lines` reads: one JSON-RPC message per line, until the end of the stream."""

    def __aiter__(self) -> "LineReader": ...
    async def __anext__(self) -> str: ...


class LineWriter(Protocol):
    """What `over_lines` writes to."""

    async def write(self, text: str, /) -> None:
        """Write the next piece of a line."""

    async def flush(self) -> None:
        """Wait until more can be written."""


def lowlevel(server: MCPServer[Any]) -> Server[Any]:
    """The protocol engine inside an `MCPServer`.

    Uses `MCPServer._lowlevel_server`: custom request handlers and transports need it, and
    `MCPServer` offers a way to neither.
    """
    return server._lowlevel_server


async def serve_only_client(server: MCPServer[Any], incoming: Incoming, outgoing: Outgoing) -> None:
    """Serve the only client of this process, entering the server's lifespan for it."""
    engine = lowlevel(server)
    await engine.run(incoming, outgoing, engine.create_initialization_options())


async def serve_http_client(server: MCPServer[Any], incoming: Incoming, outgoing: Outgoing) -> None:
    """Serve one client inside the lifespan that the HTTP application has entered for all of them.

    Uses `StreamableHTTPSessionManager._lifespan_state`: `Server.run` would enter the lifespan,
    and so open the store, again for every connection.
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
    """End every open `subscriptions/listen` stream with its final message.

    Uses the `ListenHandler` that `MCPServer` registers and does not expose: until it is closed
    these streams stay open, and an HTTP server that waits for its requests never stops.
    """
    entry = lowlevel(server).get_request_handler("subscriptions/listen")
    if entry is not None and isinstance(entry.handler, ListenHandler):
        entry.handler.close()


async def end_sessions(server: MCPServer[Any]) -> None:
    """End every session of the older protocol era and cancel its calls, as its client could.

    Uses `StreamableHTTPSessionManager._server_instances`: there a call outlives its request, and
    the manager's own way to end one waits a second for a stream that no longer has a reader.
    """
    for session in list(server.session_manager._server_instances.values()):
        await session.terminate()


def over_lines(
    reader: LineReader, writer: LineWriter
) -> AbstractAsyncContextManager[tuple[Incoming, Outgoing]]:
    """The SDK's stdio transport over other line streams than files.

    Relies on `stdio_server`, typed for files, using no more of its two ends than `LineReader` and
    `LineWriter` offer.
    """
    return stdio_server(
        cast("anyio.AsyncFile[str]", reader),
        cast("anyio.AsyncFile[str]", writer),
    )
