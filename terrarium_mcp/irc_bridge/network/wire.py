"""One connection to a server: lines come in, lines go out, and TLS is what it claims to be."""

import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
from anyio.abc import ByteStream

from terrarium_mcp.irc_bridge.network.framing import Framing
from terrarium_mcp.irc_bridge.network.login import Login
from terrarium_mcp.irc_bridge.network.timing import Timing

_CHUNK = 65_536


class Wire:
    """Every failure of the network is an OSError, as in the standard library."""

    throttle = False  # pydle sets it, and nothing reads it

    def __init__(self, stream: ByteStream, *, hostname: str, tls: bool, patience: float) -> None:
        self.hostname = hostname
        self.tls = tls
        self.connected = True
        self._stream = stream
        self._framing = Framing()
        self._patience = patience
        self._one_at_a_time = anyio.Lock()

    async def receive(self) -> list[bytes]:
        """The lines that came; perhaps none is complete yet."""
        try:
            return self._framing.feed(await self._stream.receive(_CHUNK))
        except anyio.EndOfStream:
            raise ConnectionError("the server closed the connection") from None
        except (anyio.BrokenResourceError, anyio.ClosedResourceError) as error:
            raise ConnectionError(f"the connection broke: {error.__cause__ or error}") from error

    async def send(self, text: str) -> None:
        """Send one line; slow peers have a limited time to take it."""
        try:
            async with self._one_at_a_time:
                with anyio.fail_after(self._patience):
                    await self._stream.send(text.encode("utf-8", "replace") + b"\r\n")
        except TimeoutError:
            raise TimeoutError("the server takes no more lines") from None
        except (anyio.BrokenResourceError, anyio.ClosedResourceError) as error:
            raise ConnectionError(f"the connection broke: {error.__cause__ or error}") from error


@asynccontextmanager
async def open_wire(login: Login, timing: Timing) -> AsyncIterator[Wire]:
    """Connect, and hang up at the end whatever happened."""
    stream = await _connect(login, timing.connect)
    wire = Wire(stream, hostname=login.host, tls=login.tls, patience=timing.send)
    try:
        yield wire
    finally:
        wire.connected = False
        with anyio.CancelScope(shield=True):
            await anyio.aclose_forcefully(stream)  # a dead peer would let a polite goodbye hang


async def _connect(login: Login, patience: float) -> ByteStream:
    try:
        with anyio.fail_after(patience):
            if not login.tls:
                return await anyio.connect_tcp(login.host, login.port)
            return await anyio.connect_tcp(
                login.host,
                login.port,
                ssl_context=tls_context(login),
                tls_standard_compatible=False,  # IRC servers hang up without a closing handshake
            )
    except TimeoutError:
        raise TimeoutError(f"no answer from {login.host}:{login.port}") from None
    except UnicodeError as error:  # raised for a name that no DNS label can hold
        raise OSError(f"{login.host} is not a host name") from error
    except anyio.BrokenResourceError as error:
        raise ConnectionError("the server hung up during the TLS handshake") from error


def tls_context(login: Login) -> ssl.SSLContext:
    """Verify the certificate and the name in it, unless the operator switched that off."""
    context = ssl.create_default_context()
    if login.tls_cafile:
        context.load_verify_locations(cafile=login.tls_cafile)
    if not login.tls_verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context
