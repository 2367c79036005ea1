"""A web search service over real HTTP on loopback, with the moods that such services have."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

import anyio
from anyio.abc import SocketAttribute, SocketStream
from anyio.streams.buffered import BufferedByteReceiveStream

from tests.servers.beside import beside

HEAD_END = b"\r\n\r\n"


@dataclass(frozen=True)
class Asked:
    """A request as it came."""

    path: str
    params: dict[str, list[str]]
    headers: dict[str, str]


@dataclass
class SearchService:
    """Answers every request in the way it was last told to."""

    url: str
    requests: list[Asked] = field(default_factory=list)
    _answer: bytes = b""
    _drips: bool = False

    def finds(self, body: Any) -> None:
        """Answer with JSON."""
        self.sends(json.dumps(body))

    def sends(self, body: str | bytes, *, status: str = "200 OK", **headers: str) -> None:
        """Answer with any body at all."""
        more = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        sent = body.encode() if isinstance(body, str) else body
        size = len(sent)
        head = f"HTTP/1.1 {status}\r\ncontent-length: {size}\r\nconnection: close\r\n{more}\r\n"
        self._answer = head.encode() + sent

    def hangs_up(self) -> None:
        """Close the connection without a word."""
        self._answer = b""

    def drips(self) -> None:
        """Begin an answer, then send a byte now and then, for ever."""
        self._drips = True

    async def serve(self, stream: SocketStream) -> None:
        """One connection, one request."""
        async with stream:
            try:
                head = await BufferedByteReceiveStream(stream).receive_until(HEAD_END, 65_536)
                self.requests.append(_asked(head.decode()))
                await self._reply(stream)
            except (anyio.BrokenResourceError, anyio.IncompleteRead):
                return  # the client has lost its patience

    async def _reply(self, stream: SocketStream) -> None:
        if not self._drips:
            await stream.send(self._answer)
            return
        await stream.send(b"HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n")
        while True:
            await stream.send(b" ")
            await anyio.sleep(0.01)


@asynccontextmanager
async def search_service() -> AsyncIterator[SearchService]:
    """A running service."""
    listener = await anyio.create_tcp_listener(local_host="127.0.0.1", local_port=0)
    port = listener.extra(SocketAttribute.local_port)  # noqa: S610 - no Django here
    service = SearchService(f"http://127.0.0.1:{port}/search")
    async with listener, beside(listener.serve, service.serve):
        yield service


def _asked(head: str) -> Asked:
    request, *lines = head.splitlines()
    address = urlsplit(request.split()[1])
    headers = (line.partition(":") for line in lines if line)
    return Asked(
        address.path,
        parse_qs(address.query),
        {name.lower(): value.strip() for name, _, value in headers},
    )
