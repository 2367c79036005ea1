"""The private names of the MCP SDK that we use still exist and do what we expect.

A failing test here is named after what has moved: see `terrarium_mcp/sdk.py`.
"""

import importlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest
from mcp.client.client import Client
from mcp.server import MCPServer, Server
from mcp.server.streamable_http import StreamableHTTPServerTransport
from mcp.server.subscriptions import ListenHandler
from starlette.types import Message

from terrarium_mcp import sdk
from tests.patience import PATIENCE

RESERVED = "io.modelcontextprotocol"


@asynccontextmanager
async def lifespan(_: MCPServer) -> AsyncIterator[str]:
    yield "what the lifespan gives"


def new_server() -> MCPServer[Any]:
    return MCPServer("sdk", version="1", lifespan=lifespan)


async def lowlevel_server() -> None:
    engine = sdk.lowlevel(new_server())
    assert isinstance(engine, Server)
    assert engine.create_initialization_options().server_name == "sdk"


async def tool_input_schema() -> None:
    server = new_server()

    @server.tool()
    async def echo(text: str) -> str:
        return text

    schema = sdk.input_schema(server, "echo")
    assert schema is not None
    assert [*schema["properties"]] == ["text"]
    assert sdk.input_schema(server, "ohce") is None


async def get_tool_input_schema() -> None:
    server = new_server()

    @server.tool()
    async def echo(text: str) -> str:
        return text

    look_up = sdk.lowlevel(server).get_tool_input_schema
    assert look_up is not None
    assert look_up("echo") == sdk.input_schema(server, "echo")
    sdk.expect_no_parameter_headers(server)
    look_up = sdk.lowlevel(server).get_tool_input_schema
    assert look_up is not None
    assert look_up("echo") is None


async def listen_handler() -> None:
    server = new_server()
    entry = sdk.lowlevel(server).get_request_handler("subscriptions/listen")
    assert entry is not None
    assert isinstance(entry.handler, ListenHandler)
    async with (
        Client(server, mode="2026-07-28") as client,
        client.listen(tools_list_changed=True) as events,
    ):
        sdk.end_subscriptions(server)
        assert [event async for event in events] == []


async def lifespan_state() -> None:
    server = new_server()
    server.streamable_http_app()
    async with server.session_manager.run():
        assert server.session_manager._lifespan_state == "what the lifespan gives"  # noqa: SLF001


async def server_instances() -> None:
    server = new_server()
    server.streamable_http_app()
    session = StreamableHTTPServerTransport("1")
    server.session_manager._server_instances["1"] = session  # noqa: SLF001
    await sdk.end_sessions(server)
    assert session.is_terminated


async def discard_session() -> None:
    server = new_server()
    server.streamable_http_app()
    session = StreamableHTTPServerTransport("1")
    server.session_manager._server_instances["1"] = session  # noqa: SLF001
    assert [*sdk.open_sessions(server)] == ["1"]
    await sdk.end_session(server, "1")
    assert session.is_terminated
    assert not sdk.open_sessions(server)


async def modern_request() -> None:
    server = new_server()

    @server.tool()
    async def is_of_the_caller(task: int) -> bool:
        return anyio.get_current_task().id == task

    server.streamable_http_app()
    meta = {f"{RESERVED}/protocolVersion": "2026-07-28", f"{RESERVED}/clientCapabilities": {}}
    task = anyio.get_current_task().id
    params = {"name": "is_of_the_caller", "arguments": {"task": task}, "_meta": meta}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    headers = {
        "accept": "application/json, text/event-stream",
        "content-type": "application/json",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "is_of_the_caller",
    }
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": json.dumps(message).encode(), "more_body": False}

    async def send(part: Message) -> None:
        sent.append(part)

    fields = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": "POST", "path": "/mcp", "headers": fields}
    async with server.session_manager.run():
        await sdk.answer_in_json(server, scope, receive, send)
    assert json.loads(sent[1]["body"])["result"]["structuredContent"] == {"result": True}


async def stream_protocols() -> None:
    module = importlib.import_module("mcp.shared._stream_protocols")
    assert {"ReadStream", "WriteStream"} <= set(vars(module))


INNER_NAMES: dict[str, Callable[[], Awaitable[None]]] = {
    "MCPServer._lowlevel_server": lowlevel_server,
    "MCPServer._tool_input_schema": tool_input_schema,
    "Server.get_tool_input_schema": get_tool_input_schema,
    "ListenHandler at subscriptions/listen": listen_handler,
    "StreamableHTTPSessionManager._lifespan_state": lifespan_state,
    "StreamableHTTPSessionManager._server_instances": server_instances,
    "StreamableHTTPSessionManager._discard_session": discard_session,
    "mcp.server._streamable_http_modern.handle_modern_request": modern_request,
    "mcp.shared._stream_protocols": stream_protocols,
}


@pytest.mark.parametrize("name", INNER_NAMES)
async def test_the_sdk_still_has(name: str) -> None:
    with anyio.fail_after(PATIENCE):
        await INNER_NAMES[name]()
