"""An IRC server whose replies a test decides, over a real socket."""

import ssl
import struct
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from socket import SO_LINGER, SOL_SOCKET, socket
from typing import Any

import anyio
from anyio.abc import ByteStream, Listener, SocketAttribute
from anyio.streams.buffered import BufferedByteReceiveStream
from anyio.streams.tls import TLSAttribute, TLSListener

from terrarium_mcp.bell import Bell
from tests.servers.beside import beside

ISUPPORT = "NETWORK=Fake CHANTYPES=# PREFIX=(ov)@+ WHOX"

Answer = Callable[[str], Sequence[str | bytes] | None]
"""What to reply to a client's line; None for the usual reply."""


_GONE = (
    anyio.BrokenResourceError,
    anyio.ClosedResourceError,
    anyio.EndOfStream,
    anyio.IncompleteRead,
)


class FakeIrcd:
    """Accepts every registration and JOIN, and remembers each line it received."""

    def __init__(self, isupport: str, caps: Sequence[str], answer: Answer | None) -> None:
        self.port = 0
        self.isupport = isupport
        self.caps = caps
        self.answer = answer
        self.connections = 0
        self.certificate: bytes | None = None
        """The client's, of the last connection, if it was asked for one."""
        self.lines: list[str] = []
        self._guests: list[_Guest] = []
        self.news = Bell()

    async def says(self, *lines: str | bytes) -> None:
        """Send lines to the client that connected last."""
        await self._guests[-1].send(*lines)

    async def hears(self, start: str, times: int = 1) -> list[str]:
        """Wait until clients have sent `times` lines that begin with `start`."""
        while len(found := self.heard(start)) < times:
            await self.news.wait()
        return found

    def heard(self, start: str) -> list[str]:
        """The lines that begin with `start`, of all connections."""
        return [line for line in self.lines if line.startswith(start)]

    async def settles(self) -> None:
        """Wait until the client has handled every line sent so far, and answers to its PINGs."""
        known = len(self.lines)
        token = f"settled-{known}"
        await self.says(f"PING {token}")
        await self.hears(f"PONG {token}")
        if any(line.startswith("PING") for line in self.lines[known:]):
            await self.settles()

    async def drops(self) -> None:
        """Hang up."""
        await self._guests[-1].stream.aclose()

    async def resets(self) -> None:
        """Hang up so that the client sees a connection reset."""
        raw: socket = self._guests[-1].stream.extra(SocketAttribute.raw_socket)  # noqa: S610 - no Django here
        raw.setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))
        await anyio.aclose_forcefully(self._guests[-1].stream)

    async def welcome(self, stream: ByteStream) -> None:
        """Serve one client until it leaves."""
        self.connections += 1
        guest = _Guest(self, stream)
        self._guests.append(guest)
        self.certificate = stream.extra(TLSAttribute.peer_certificate_binary, None)  # noqa: S610 - as above
        with suppress(*_GONE):
            async with stream:
                received = BufferedByteReceiveStream(stream)
                while True:
                    line = (await received.receive_until(b"\r\n", 65_536)).decode()
                    self.lines.append(line)
                    await guest.answer(line)
                    self.news.ring()


class _Guest:
    """One client, from its first line to its last."""

    def __init__(self, server: FakeIrcd, stream: ByteStream) -> None:
        self.stream = stream
        self._server = server
        self._nick = ""
        self._one_at_a_time = anyio.Lock()
        self._waiting_for = {"NICK", "USER"}

    async def send(self, *lines: str | bytes) -> None:
        raw = [line if isinstance(line, bytes) else line.encode() for line in lines]
        async with self._one_at_a_time:
            await self.stream.send(b"".join(line + b"\r\n" for line in raw))

    async def answer(self, line: str) -> None:
        told = self._server.answer(line) if self._server.answer else None
        await self.send(*(self._usual(line) if told is None else told))

    def _usual(self, line: str) -> list[str]:
        match line.split(" "):
            case ["CAP", "LS", *_]:
                self._waiting_for.add("CAP")
                *more, last = self._server.caps or [""]
                return [*(f":srv CAP * LS * :{caps}" for caps in more), f":srv CAP * LS :{last}"]
            case ["CAP", "REQ", *_]:
                return [f":srv CAP * ACK :{line.removeprefix('CAP REQ ').removeprefix(':')}"]
            case ["CAP", "END"]:
                return self._arrived("CAP")
            case ["NICK", nick]:
                before, self._nick = self._nick, nick
                return self._arrived("NICK") or [f":{before}!u@host.example NICK {nick}"]
            case ["USER", *_]:
                return self._arrived("USER")
            case ["PING", token]:
                return [f":srv PONG srv {token}"]
            case ["JOIN", channels, *_]:
                return [said for channel in channels.split(",") for said in self._joined(channel)]
            case ["WHO", channel, *_]:
                return [f":srv 315 {self._nick} {channel} :End"]
            case ["PART", channel, *_]:
                return [f":{self._nick}!u@host.example PART {channel}"]
            case ["QUIT", *_]:
                return ["ERROR :Closing link"]
        return []

    def _arrived(self, step: str) -> list[str]:
        """The welcome, if this was the last step of registration."""
        if not self._waiting_for:
            return []
        self._waiting_for.discard(step)
        if self._waiting_for:
            return [":srv NOTICE * :one moment"]
        return [
            f":srv 001 {self._nick} :Welcome",
            f":srv 004 {self._nick} srv fake io biklmnopstv",
            f":srv 005 {self._nick} {self._server.isupport} :are supported by this server",
            f":srv 375 {self._nick} :motd",
            f":srv 372 {self._nick} :- hello",
            f":srv 376 {self._nick} :end",
        ]

    def _joined(self, channel: str) -> list[str]:
        return [
            f":{self._nick}!u@host.example JOIN {channel}",
            f":srv 353 {self._nick} = {channel} :{self._nick} @ada",
            f":srv 366 {self._nick} {channel} :End",
        ]


@asynccontextmanager
async def fake_ircd(
    *,
    isupport: str = ISUPPORT,
    caps: Sequence[str] = (),
    answer: Answer | None = None,
    port: int = 0,
    keys: Path | None = None,
    wants_certificate: bool = False,
) -> AsyncIterator[FakeIrcd]:
    """A fake server beside the block. `caps` are the lines of its CAP LS; `keys` make it TLS."""
    server = FakeIrcd(isupport, caps, answer)
    listener = await anyio.create_tcp_listener(local_host="127.0.0.1", local_port=port)
    server.port = listener.extra(SocketAttribute.local_port)  # noqa: S610 - no Django here
    serving: Listener[Any] = (
        TLSListener(listener, _tls(keys, wants_certificate), standard_compatible=False)
        if keys
        else listener
    )
    async with serving, beside(serving.serve, server.welcome):
        yield server


def _tls(keys: Path, wants_certificate: bool) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(keys / "cert.pem", keys / "key.pem")
    if wants_certificate:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(keys / "cert.pem")
    return context
