"""A call that expects only its answer is served by one task, and owed no less for that."""

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.server import MCPServer
from mcp.types import LOG_LEVEL_META_KEY
from starlette.types import ASGIApp, Message

from terrarium_mcp.serving.address import Listening
from terrarium_mcp.serving.application import build_application
from terrarium_mcp.serving.shutdown import Shutdown
from tests.patience import PATIENCE
from tests.serving.house import build, healthy
from tests.serving.processes import HttpHouse
from tests.serving.raw import (
    MODERN,
    MODERN_META,
    STREAM,
    answer_of,
    connected,
    last_event,
    modern_request,
    read_to_end,
)


def message(method: str, *, meta: object = MODERN_META, **params: object) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params | {"_meta": meta}}


def call(tool: str, *, meta: object = MODERN_META, **arguments: object) -> dict[str, Any]:
    return message("tools/call", meta=meta, name=tool, arguments=arguments)


class Request:
    """One request, by a client in this process that stays until it is answered."""

    def __init__(self, message: dict[str, Any]) -> None:
        self._message = message
        self._is_sent = False
        self.is_watched = False
        self.received: list[Message] = []

    async def receive(self) -> Message:
        if self._is_sent:
            self.is_watched = True
            await anyio.sleep_forever()
        self._is_sent = True
        body = json.dumps(self._message).encode()
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(self, part: Message) -> None:
        self.received.append(part)

    async def to(self, app: ASGIApp) -> list[Message]:
        """What an application answers."""
        names = {"mcp-method": self._message["method"]}
        names |= {"mcp-name": self._message["params"].get("name", "-")}
        headers = STREAM | MODERN | {"host": "127.0.0.1"} | names
        scope = {
            "type": "http",
            "method": "POST",
            "path": "/mcp",
            "raw_path": b"/mcp",
            "query_string": b"",
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        }
        with anyio.fail_after(PATIENCE):
            await app(scope, self.receive, self.send)
        return self.received


def application(server: MCPServer) -> ASGIApp:
    return build_application(server, Listening("127.0.0.1", 80), healthy, Shutdown())


async def test_a_quick_call_is_served_by_one_task() -> None:
    server = MCPServer("house")

    @server.tool()
    async def task() -> int:
        return anyio.get_current_task().id

    app = application(server)
    request = Request(call("task"))
    async with server.session_manager.run():
        _, body = await request.to(app)
    ours = {"result": anyio.get_current_task().id}
    assert json.loads(body["body"])["result"]["structuredContent"] == ours
    assert not request.is_watched


REQUESTS = {
    "a call": call("echo", text="grüße"),
    "a call without what it needs": call("echo"),
    "a call of no tool": call("ohce"),
    "a list": message("tools/list"),
    "no method": message("tools/serve"),
    "no meta": message("tools/list", meta={}),
    "a meta that is none": message("tools/list", meta=1),
    "a wish to hear of progress": call("take", meta=MODERN_META | {"progressToken": 1}, seconds=0),
    "a wish for the log": call("echo", meta=MODERN_META | {LOG_LEVEL_META_KEY: "info"}, text="tea"),
}


@pytest.mark.parametrize("what", REQUESTS)
async def test_it_is_answered_as_the_sdk_would(tmp_path: Path, what: str) -> None:
    server = build(tmp_path / "ledger")
    app = application(server)
    async with server.session_manager.run():
        by_sdk = await Request(REQUESTS[what]).to(server.session_manager.handle_request)
        assert await Request(REQUESTS[what]).to(app) == by_sdk


async def test_one_that_its_client_leaves_is_cancelled(
    http_house_without_haste: HttpHouse,
) -> None:
    house = http_house_without_haste
    with connected(house) as client:
        client.sendall(modern_request(house, "take", seconds=3600))
        await house.has_noted("taken")
    with anyio.fail_after(PATIENCE):
        ended = await house.stop()
    assert ended.well()


async def test_one_that_takes_too_long_at_the_end_is_told_so(doomed_http_house: HttpHouse) -> None:
    house = doomed_http_house
    with connected(house) as client:
        client.sendall(modern_request(house, "take", seconds=3600))
        await house.has_noted("taken")
        ended = await house.stop()
        status, _, text = answer_of(client)
    assert (status, text) == (503, b"The server is stopping.")
    assert ended.well()


async def test_one_that_is_silent_for_long_shows_that_it_lives(tmp_path: Path) -> None:
    bounds = {"direct_answers__SILENT_SECONDS": 0.2}
    with closing(HttpHouse(tmp_path / "ledger", **bounds)) as house, connected(house) as client:
        client.sendall(modern_request(house, "take", seconds=1))
        status, headers, events = answer_of(client)
        events += read_to_end(client)
    assert (status, headers["content-type"]) == (200, "text/event-stream")
    assert events.count(b": ping\r\n\r\n") > 1
    assert last_event(events)["result"]["content"][0]["text"] == "done"
