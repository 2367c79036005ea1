"""A connection to a server: TCP or verified TLS, and its bytes cut into lines."""

import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
from anyio.abc import ByteStream

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

    def __init__(self, stream: ByteStream, *, hostname: str, send_timeout: float) -> None:
        self.hostname = hostname
        self.connected = True
        self._stream = stream
        self._framing = Framing()
        self._send_timeout = send_timeout
        self._sending = anyio.Lock()

    async def receive(self) -> list[bytes]:
        """The lines that arrived; empty if none is complete yet."""
        try:
            return self._framing.feed(await self._stream.receive(_CHUNK))
        except anyio.EndOfStream:
            raise ConnectionError("the server closed the connection") from None
        except (anyio.BrokenResourceError, anyio.ClosedResourceError) as error:
            raise ConnectionError(f"the connection broke: {error.__cause__ or error}") from error

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
    connection = Connection(stream, hostname=config.host, send_timeout=timeouts.send)
    try:
        yield connection
    finally:
        connection.connected = False
        with anyio.CancelScope(shield=True):
            await anyio.aclose_forcefully(stream)  # a clean close would hang on a dead peer


async def _connect(config: ServerConfig, timeouts: Timeouts) -> ByteStream:
    try:
        with anyio.fail_after(timeouts.connect):
            if not config.tls:
                return await anyio.connect_tcp(config.host, config.port)
            return await anyio.connect_tcp(
                config.host,
                config.port,
                ssl_context=_tls_context(config),
                tls_standard_compatible=False,  # IRC servers hang up without a closing handshake
            )
    except TimeoutError:
        raise TimeoutError(f"no answer from {config.host}:{config.port}") from None
    except UnicodeError as error:  # raised for a name that no DNS label can hold
        raise OSError(f"{config.host} is not a host name") from error
    except (anyio.BrokenResourceError, anyio.EndOfStream) as error:
        raise ConnectionError("the server hung up during the TLS handshake") from error


def _tls_context(config: ServerConfig) -> ssl.SSLContext:
    """Verify the certificate and its host name, unless the operator switched that off."""
    context = ssl.create_default_context()
    if config.tls_cafile:
        context.load_verify_locations(cafile=config.tls_cafile)
    if not config.tls_verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context
