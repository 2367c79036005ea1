"""A small HTTP/1.1 server for stand-ins, which can also break the rules of the wire."""

import json
import socket
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import anyio
from anyio.abc import SocketAttribute, SocketStream

from tests.servers.beside import beside

PIECE = 65_536


@dataclass(frozen=True)
class HttpRequest:
    """A request; the names of its headers are in lower case."""

    method: str
    path: str
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Answer:
    """What a stand-in sends back once.

    `wire` is sent instead of a proper response, if it is given; then `flood` every `pause` seconds
    without an end, if it is given; then the connection is closed, or reset.
    """

    status: int = 200
    body: bytes = b""
    content_type: str = "application/json"
    waits: bool = False
    headers: tuple[tuple[str, str], ...] = ()
    wire: bytes | None = None
    flood: bytes = b""
    pause: float = 0.0
    resets: bool = False


@asynccontextmanager
async def serving(respond: Callable[[HttpRequest], Awaitable[Answer]]) -> AsyncIterator[str]:
    """An HTTP server on a port of its own; the value is its URL."""
    listener = await anyio.create_tcp_listener(local_host="127.0.0.1", local_port=0)
    async with listener:
        port = listener.extra(SocketAttribute.local_port)  # noqa: S610 -- not Django's

        async def serve_one(stream: SocketStream) -> None:
            # The client may go at any time, as after a timeout.
            with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.EndOfStream):
                async with stream:
                    await _send(stream, await respond(await _received(stream)))

        async with beside(listener.serve, serve_one):
            yield f"http://127.0.0.1:{port}"


async def _received(stream: SocketStream) -> HttpRequest:
    heard = b""
    while b"\r\n\r\n" not in heard:
        heard += await stream.receive()
        if not heard[:1].isalpha():  # TLS, for example
            raise anyio.EndOfStream
    head, _, body = heard.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (x.partition(":") for x in lines)}
    while len(body) < int(headers.get("content-length", 0)):
        body += await stream.receive()
    method, path, _ = first.split(" ")
    return HttpRequest(method, path, headers, body)


async def _send(stream: SocketStream, answer: Answer) -> None:
    await stream.send(response_bytes(answer) if answer.wire is None else answer.wire)
    while answer.flood:
        await stream.send(answer.flood)
        await anyio.sleep(answer.pause)
    if answer.resets:
        raw = stream.extra(SocketAttribute.raw_socket)  # noqa: S610 -- not Django's
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def response_bytes(answer: Answer) -> bytes:
    """The response as it should be on the wire."""
    headers = {
        "content-type": answer.content_type,
        "content-length": str(len(answer.body)),
        "connection": "close",
        **dict(answer.headers),
    }
    lines = [f"HTTP/1.1 {answer.status} Whatever", *(f"{k}: {v}" for k, v in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode() + answer.body
