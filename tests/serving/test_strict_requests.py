"""What is read of a request, and which requests are refused, over real sockets."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio
import pytest
import uvicorn
from anyio.abc import SocketStream
from starlette.types import Receive, Scope, Send
from uvicorn.server import ServerState

from terrarium_mcp.serving.strict_requests import (
    LONGEST_HEAD,
    MOST_AHEAD,
    MOST_FIELDS,
    StrictRequests,
)
from tests.patience import PATIENCE

HOST = b"host: here\r\n"
CHUNKED = b"POST /a HTTP/1.1\r\n" + HOST + b"transfer-encoding: chunked\r\n\r\n"
POST = b"POST /a?b#c HTTP/1.1\r\n" + HOST + b"content-length: 3\r\n\r\ntea"
TOO_LONG = b"The head of the request is too long."
OFFER = b"connection: Upgrade, HTTP2-Settings\r\nhttp2-settings: \r\n"


@dataclass
class Heard:
    """What an application was asked: each request with its body, and who hung up."""

    port: int = 0
    requests: list[tuple[Scope, bytes]] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    begun: anyio.Event = field(default_factory=anyio.Event)
    waiting: anyio.Event = field(default_factory=anyio.Event)
    left: anyio.Event = field(default_factory=anyio.Event)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with `ok` what was read whole; a path `/wait` only hears the end."""
        self.begun.set()
        body, more = b"", True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            body += message.get("body", b"")
            more = message.get("more_body", False)
        self.requests.append((scope, body))
        if scope["path"] == "/wait":
            self.waiting.set()
            while (await receive())["type"] != "http.disconnect":
                pass
            self.gone.append(scope["path"])
            self.left.set()
            return
        head = [(b"content-length", b"2")]
        await send({"type": "http.response.start", "status": 200, "headers": head})
        await send({"type": "http.response.body", "body": b"ok"})


@asynccontextmanager
async def heard() -> AsyncIterator[Heard]:
    """An application that is served on a free port."""
    app, state = Heard(), ServerState()
    config = uvicorn.Config(app, log_config=None, lifespan="off", ws="none")
    config.load()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        lambda: StrictRequests(config=config, server_state=state, app_state={}), "127.0.0.1", 0
    )
    app.port = server.sockets[0].getsockname()[1]
    try:
        yield app
    finally:
        server.close()


async def answer(client: SocketStream, until: bytes = b"") -> bytes:
    """What arrives up to some bytes, or else to the end of the connection."""
    said = b""
    with anyio.fail_after(PATIENCE):
        while not (until and said.endswith(until)):
            try:
                said += await client.receive()
            except (anyio.EndOfStream, anyio.BrokenResourceError):
                break
    return said


async def told(app: Heard, request: bytes, until: bytes = b"ok") -> bytes:
    async with await anyio.connect_tcp("127.0.0.1", app.port) as client:
        await client.send(request)
        return await answer(client, until)


async def test_a_request_is_read_as_it_was_sent() -> None:
    async with heard() as app:
        assert (await told(app, POST)).startswith(b"HTTP/1.1 200 ")
        ((scope, body),) = app.requests
        assert (scope["path"], scope["raw_path"], scope["query_string"]) == ("/a", b"/a", b"b#c")
        assert (scope["method"], body) == ("POST", b"tea")


@pytest.mark.parametrize(
    ("target", "path"),
    [
        (b"http://there/%C3%A9?q", "http://there/\u00e9"),
        (b"//there/a", "//there/a"),
        (b"*", "*"),
        (b"/a/../b", "/a/../b"),
    ],
)
async def test_the_target_is_that_of_the_client(target: bytes, path: str) -> None:
    async with heard() as app:
        await told(app, b"OPTIONS " + target + b" HTTP/1.1\r\n" + HOST + b"\r\n")
        ((scope, _),) = app.requests
        assert scope["path"] == path
        assert scope["raw_path"] == target.partition(b"?")[0]


@pytest.mark.parametrize(
    "request_",
    [
        pytest.param(b"GET / HTTP/1.1\r\n\r\n", id="no Host"),
        pytest.param(b"GET / HTTP/1.1\r\n" + HOST + HOST + b"\r\n", id="two Hosts"),
        pytest.param(b"GET / HTTP/1.0\r\n" + HOST + HOST + b"\r\n", id="two Hosts of HTTP/1.0"),
        pytest.param(b"CONNECT a:1 HTTP/1.1\r\n" + HOST + b"\r\n", id="a tunnel"),
        pytest.param(b"GET /\xff HTTP/1.1\r\n" + HOST + b"\r\n", id="a target beyond ASCII"),
        pytest.param(b"GET / HTTP/1.1\nhost: here\n\n", id="bare line feeds"),
        pytest.param(
            b"GET / HTTP/1.1\r\n" + HOST + b"a : b\r\n\r\n", id="a blank before the colon"
        ),
        pytest.param(b"GET / HTTP/1.1\r\n" + HOST + b"a: b\0c\r\n\r\n", id="NUL"),
        pytest.param(
            POST.replace(b"content-length: 3", b"content-length: 3\r\ncontent-length: 4"),
            id="two lengths",
        ),
        pytest.param(
            CHUNKED.replace(b"\r\n\r\n", b"\r\ncontent-length: 3\r\n\r\n") + b"0\r\n\r\n",
            id="a length and chunks",
        ),
        pytest.param(CHUNKED.replace(b"chunked", b"chunked, gzip"), id="chunks within gzip"),
        pytest.param(CHUNKED + b"fffffffffffffffff\r\n", id="an endless chunk"),
    ],
)
async def test_a_request_that_breaks_the_rules_is_refused(request_: bytes) -> None:
    async with heard() as app:
        said = await told(app, request_, until=b"")
        assert said.startswith(b"HTTP/1.1 400 ")
        assert b"\r\nconnection: close\r\n" in said
        assert not app.requests


@pytest.mark.parametrize("beginning", [b"GET / HTTP/1.1\r\n" + HOST + b"a: ", b"GET /"])
async def test_a_head_without_an_end_is_refused(beginning: bytes) -> None:
    async with heard() as app:
        said = await told(app, beginning + b"b" * LONGEST_HEAD, until=b"")
        assert said.startswith(b"HTTP/1.1 400 ")
        assert said.endswith(TOO_LONG)
        assert not app.requests


async def test_a_trailer_without_an_end_is_refused() -> None:
    async with heard() as app, await anyio.connect_tcp("127.0.0.1", app.port) as client:
        await client.send(CHUNKED)
        with anyio.fail_after(PATIENCE):
            await app.begun.wait()
        await client.send(b"0\r\na: " + b"b" * LONGEST_HEAD)
        assert (await answer(client)).endswith(TOO_LONG)
        assert not app.requests


async def test_the_fields_of_a_head_and_of_a_trailer_are_bounded() -> None:
    most, trailer = b"a: b\r\n" * (MOST_FIELDS - 1), CHUNKED + b"0\r\na: b\r\n"
    async with heard() as app:
        for some in (b"GET / HTTP/1.1\r\n" + HOST, trailer):
            assert (await told(app, some + most + b"\r\n")).startswith(b"HTTP/1.1 200 ")
            assert (await told(app, some + most + b"a: b\r\n\r\n", until=b"")).endswith(TOO_LONG)
        assert len(app.requests) == 2


async def test_a_long_body_follows_a_short_head_and_may_come_in_pieces() -> None:
    async with heard() as app, await anyio.connect_tcp("127.0.0.1", app.port) as client:
        await client.send(CHUNKED)
        for _ in range(40):
            await client.send(b"1000;note=x\r\n" + b"t" * 0x1000 + b"\r\n")
        await client.send(b"0\r\n\r\n")
        assert (await answer(client, until=b"ok")).startswith(b"HTTP/1.1 200 ")
        ((_, body),) = app.requests
        assert body == b"t" * 40 * 0x1000


async def test_a_trailer_is_no_header() -> None:
    async with heard() as app:
        await told(app, CHUNKED + b"3\r\ntea\r\n0\r\norigin: http://evil.example\r\n\r\n")
        ((scope, body),) = app.requests
        assert body == b"tea"
        assert [name for name, _ in scope["headers"]] == [b"host", b"transfer-encoding"]


@pytest.mark.parametrize("offered", [b"h2c", b"websocket"])
@pytest.mark.parametrize("at_once", [True, False])
async def test_a_request_that_offers_another_protocol_is_served_with_its_body(
    offered: bytes, at_once: bool, caplog: pytest.LogCaptureFixture
) -> None:
    offer = POST.replace(HOST, HOST + OFFER + b"upgrade: " + offered + b"\r\n")
    async with heard() as app, await anyio.connect_tcp("127.0.0.1", app.port) as client:
        if at_once:
            await client.send(offer + POST)
        else:
            for byte in offer + POST:
                await client.send(bytes([byte]))
        said = b""
        while said.count(b"HTTP/1.1 200 ") < 2:
            said += await answer(client, until=b"ok")
        assert [body for _, body in app.requests] == [b"tea", b"tea"]
        assert not caplog.records


async def test_requests_in_a_row_are_answered_in_their_order_and_all_see_that_the_client_left() -> (
    None
):
    waiting = b"GET /wait HTTP/1.1\r\n" + HOST + b"\r\n"
    async with heard() as app:
        async with await anyio.connect_tcp("127.0.0.1", app.port) as client:
            await client.send(POST + waiting + POST)
            with anyio.fail_after(PATIENCE):
                await app.waiting.wait()
            assert (await answer(client, until=b"ok")).count(b"HTTP/1.1 200 ") == 1
        with anyio.fail_after(PATIENCE):
            await app.left.wait()
        assert app.gone == ["/wait"]


async def test_requests_that_are_sent_ahead_are_bounded() -> None:
    waiting = b"GET /wait HTTP/1.1\r\n" + HOST + b"\r\n"
    async with heard() as app:
        async with await anyio.connect_tcp("127.0.0.1", app.port) as client:
            await client.send(POST * MOST_AHEAD)
            said = b""
            while said.count(b"HTTP/1.1 200 ") < MOST_AHEAD:
                said += await answer(client, until=b"ok")
        said = await told(app, waiting + POST * MOST_AHEAD, until=b"")
        assert said.startswith(b"HTTP/1.1 400 ")
        assert b"More than 32 requests are unanswered." in said
        with anyio.fail_after(PATIENCE):
            await app.left.wait()
        assert [scope["path"] for scope, _ in app.requests] == ["/a"] * MOST_AHEAD + ["/wait"]
