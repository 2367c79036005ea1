"""The only module that uses private names of the MCP SDK.

Each function says which private name it uses and why. `tests/test_sdk.py` fails with that name
when a new SDK moves it; until then the dependency is pinned to one minor release.
"""
# ruff: noqa: SLF001  # using private names is this module's whole purpose

from collections.abc import Collection
from typing import TYPE_CHECKING, Any, TypeAlias

from mcp.server import MCPServer, Server
from mcp.server._streamable_http_modern import handle_modern_request
from mcp.server.runner import serve_dual_era_loop
from mcp.server.subscriptions import ListenHandler
from starlette.types import Receive, Scope, Send

if TYPE_CHECKING:  # types only: a private module that nothing here needs in order to run
    from mcp.shared._stream_protocols import ReadStream, WriteStream
    from mcp.shared.message import SessionMessage

Incoming: TypeAlias = "ReadStream[SessionMessage | Exception]"
Outgoing: TypeAlias = "WriteStream[SessionMessage]"


def lowlevel(server: MCPServer[Any]) -> Server[Any]:
    """The protocol engine inside an `MCPServer`.

    Uses `MCPServer._lowlevel_server`: custom request handlers and transports need it, and
    `MCPServer` offers a way to neither.
    """
    return server._lowlevel_server


def input_schema(server: MCPServer[Any], tool: str) -> dict[str, Any] | None:
    """The input schema of a tool; None if the server has none of that name.

    Uses `MCPServer._tool_input_schema`: `list_tools` copies every tool, a tenth of a call's time.
    """
    return server._tool_input_schema(tool)


def expect_no_parameter_headers(server: MCPServer[Any]) -> None:
    """Check no header of a call against its arguments: a tool would have to declare it.

    Sets `Server.get_tool_input_schema`, which only that check calls: it searches a tool's whole
    schema for such a declaration, twice in each call over HTTP.
    """
    lowlevel(server).get_tool_input_schema = lambda _: None


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


async def answer_in_json(
    server: MCPServer[Any], scope: Scope, receive: Receive, send: Send
) -> None:
    """Answer a request of the modern era in JSON, without a stream or a task of its own.

    Uses `handle_modern_request` and `StreamableHTTPSessionManager._lifespan_state`: the manager
    chooses once between JSON and streams, for all requests and both eras.
    """
    await handle_modern_request(
        lowlevel(server),
        security_settings=None,  # `HostCheck` comes first
        json_response=True,
        lifespan_state=server.session_manager._lifespan_state,
        scope=scope,
        receive=receive,
        send=send,
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


def open_sessions(server: MCPServer[Any]) -> Collection[str]:
    """The ids of the sessions of the older protocol era.

    Uses `StreamableHTTPSessionManager._server_instances`, as the other functions about sessions.
    """
    return server.session_manager._server_instances.keys()


async def end_session(server: MCPServer[Any], name: str) -> None:
    """End a session now, so that it counts no more and its id is answered with 404.

    Uses `StreamableHTTPSessionManager._discard_session`: a session that is only terminated counts
    until its task has ended.
    """
    manager = server.session_manager
    await manager._discard_session(name, manager._server_instances[name])
