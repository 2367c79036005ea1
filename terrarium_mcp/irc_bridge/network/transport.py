"""A connection to a server: TCP or verified TLS, and its bytes cut into lines."""

import ssl
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

import anyio
from anyio.abc import ByteStream
from anyio.streams.tls import TLSStream

from terrarium_mcp.irc_bridge.network.diagnosis import (
    foreign_greeting,
    handshake_failed,
    unconnected,
    unusable_certificate,
)
from terrarium_mcp.irc_bridge.network.server_config import ServerConfig
from terrarium_mcp.irc_bridge.network.timeouts import Timeouts

_CHUNK = 65_536
MAX_LINE = 16_384  # 8,191 bytes of tags (IRCv3 message-tags) and a body far beyond any LINELEN


class Framing:
    """Cuts a stream of bytes into lines. A line longer than `MAX_LINE` is discarded."""

    def __init__(self) -> None:
        self._rest = b""
        self._discarding = False

    def feed(self, received: bytes) -> list[bytes]:
        """The lines that `received` completes, without blank ones."""
        *lines, self._rest = (self._rest + received).split(b"\n")
        if lines and self._discarding:
            del lines[0]
            self._discarding = False
        if len(self._rest) > MAX_LINE:
            self._rest = b""
            self._discarding = True
        return [line for line in lines if len(line) <= MAX_LINE and line.strip(b"\r ")]


class Connection:
    """Lines in and out. Every failure of the network is an OSError, as in the standard library."""

    throttle = False  # pydle sets it, and nothing reads it

    def __init__(self, stream: ByteStream, config: ServerConfig, *, send_timeout: float) -> None:
        self.hostname = config.host
        self.connected = True
        self.heard = False
        """Whether the server has sent anything."""
        self._config = config
        self._stream = stream
        self._framing = Framing()
        self._send_timeout = send_timeout
        self._sending = anyio.Lock()

    async def receive(self) -> list[bytes]:
        """The lines that arrived; empty if none is complete yet."""
        try:
            received = await self._stream.receive(_CHUNK)
        except anyio.EndOfStream:
            raise ConnectionError("the server closed the connection") from None
        except (anyio.BrokenResourceError, anyio.ClosedResourceError) as error:
            raise ConnectionError(f"the connection broke: {error.__cause__ or error}") from error
        foreign = "" if self.heard else foreign_greeting(self._config, received)
        self.heard = True
        if foreign:
            raise ConnectionError(foreign)
        return self._framing.feed(received)

    async def send(self, text: str) -> None:
        """Send one line; a peer has `send_timeout` seconds to accept it."""
        try:
            async with self._sending:
                with anyio.fail_after(self._send_timeout):
                    await self._stream.send(text.encode("utf-8", "replace") + b"\r\n")
        except TimeoutError:
            raise TimeoutError("the server accepts no more lines") from None
        except (anyio.BrokenResourceError, anyio.ClosedResourceError) as error:
            raise ConnectionError(f"the connection broke: {error.__cause__ or error}") from error


@asynccontextmanager
async def open_connection(config: ServerConfig, timeouts: Timeouts) -> AsyncIterator[Connection]:
    """Connect, and hang up at the end of the block, however it ends.

    Raises:
        OSError: there is no connection; its text says why.
    """
    stream = await _connect(config, timeouts)
    connection = Connection(stream, config, send_timeout=timeouts.send)
    try:
        yield connection
    finally:
        connection.connected = False
        with anyio.CancelScope(shield=True):
            await anyio.aclose_forcefully(stream)  # a clean close would hang on a dead peer


async def _connect(config: ServerConfig, timeouts: Timeouts) -> ByteStream:
    """A connection, after the TLS handshake if there is one."""
    context = tls_context(config) if config.tls else None
    try:
        with anyio.fail_after(timeouts.connect):
            stream = await anyio.connect_tcp(config.host, config.port)
    except (OSError, UnicodeError) as error:
        raise ConnectionError(unconnected(config, error)) from error
    if not context:
        return stream
    beneath = _BeneathTls(stream)
    try:
        with anyio.fail_after(timeouts.handshake):
            return await TLSStream.wrap(
                beneath,
                hostname=config.host,
                ssl_context=context,
                standard_compatible=False,  # IRC servers hang up without a closing handshake
            )
    except BaseException as error:
        await anyio.aclose_forcefully(stream)
        if isinstance(error, OSError | anyio.BrokenResourceError | anyio.EndOfStream):
            raise handshake_failed(config, error, beneath.first) from error
        raise


class _BeneathTls(ByteStream):
    """The bytes of a TLS connection. It keeps the first ones from the server."""

    def __init__(self, stream: ByteStream) -> None:
        self.first = b""
        self._stream = stream

    async def receive(self, max_bytes: int = _CHUNK) -> bytes:
        received = await self._stream.receive(max_bytes)
        self.first = self.first or received
        return received

    async def send(self, item: bytes) -> None:
        await self._stream.send(item)

    async def send_eof(self) -> None:
        await self._stream.send_eof()

    async def aclose(self) -> None:
        await self._stream.aclose()

    @property
    def extra_attributes(self) -> Mapping[Any, Callable[[], Any]]:
        return self._stream.extra_attributes


def tls_context(config: ServerConfig) -> ssl.SSLContext:
    """The context of a connection that verifies the certificate and its host name.

    Raises:
        ConnectionError: the file of a certificate or key cannot be used; the text says why.
    """
    context = ssl.create_default_context()
    if config.tls_cafile:
        try:
            context.load_verify_locations(cafile=config.tls_cafile)
        except OSError as error:
            raise ConnectionError(
                f"TERRARIUM_TLS_CAFILE names {config.tls_cafile}, which cannot be used:"
                f" {error.strerror or error}. Name the PEM file of the server's certificate"
                " authority."
            ) from error
    if config.tls_certfile:
        try:
            context.load_cert_chain(config.tls_certfile, config.tls_keyfile or None, _no_password)
        except (OSError, ValueError) as error:
            raise ConnectionError(unusable_certificate(config, error)) from error
    return context


def _no_password() -> str:
    """Called for a key with a password, for which OpenSSL would else ask on the terminal."""
    raise ValueError("the key has a password")
