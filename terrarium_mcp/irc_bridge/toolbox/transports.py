"""How a mounted server is started or reached."""

import logging
import math
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from typing import Any, TextIO

import anyio
import httpx2
from mcp import StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from terrarium_mcp.bounded_body import ACCEPT_ENCODING, bound_body
from terrarium_mcp.http_clients import tls_context, usable_environment
from terrarium_mcp.irc_bridge.toolbox.repairs import Complain, RepairedStream
from terrarium_mcp.settings import Mount
from terrarium_mcp.wording import shown

STDERR_LINES = 20
"""Lines of a server's stderr that are logged in STDERR_EVERY; what is beyond is left out."""

STDERR_EVERY = 600.0
"""Seconds, however often the server is started in them."""

MOST_BYTES = 16 * 2**20
"""Bytes of a body over HTTP. Of an event stream the SDK reads 1 MiB of each event."""

_LONGEST_LINE = 300  # characters of each
_CHUNK = 65_536  # bytes; a pipe of Linux holds as many

_TIMEOUT = httpx2.Timeout(30, read=300)
"""As the SDK's own client; calls have a shorter one."""

log = logging.getLogger(__name__)

# It logs each line that is no message, with a traceback. We log the first, and what else it finds
# wrong comes as an error.
logging.getLogger("mcp.client").setLevel(logging.CRITICAL)

Transport = AbstractAsyncContextManager[Any]


class SessionLost(httpx2.RemoteProtocolError):
    """The server does not know our session any more, as after its restart."""


def transport_to(mount: Mount, stderr: "StderrLog", complain: Complain) -> Transport:
    """What mcp's client connects through."""
    return _repaired(_started(mount, stderr) if mount.command else _reached(mount), complain)


class StderrLog:
    """Logs what a server writes on stderr, within bounds."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._left = STDERR_LINES
        self._since = float("-inf")

    async def read(self, stderr: int) -> None:
        """Read a descriptor to its end, or the server would block."""
        begun = b""
        while True:
            await anyio.wait_readable(stderr)
            if not (chunk := os.read(stderr, _CHUNK)):
                return
            *lines, begun = (begun[:_CHUNK] + chunk).split(b"\n")
            for line in lines if self._may_log() else ():
                self._log(shown(line.decode(errors="replace"), _LONGEST_LINE))
                if not self._left:
                    break

    def _may_log(self) -> bool:
        if anyio.current_time() - self._since > STDERR_EVERY:
            self._since, self._left = anyio.current_time(), STDERR_LINES
        return self._left > 0

    def _log(self, line: str) -> None:
        log.info("the MCP server %s: %s", self._name, line)
        self._left -= 1
        if not self._left:
            log.info("the MCP server %s writes more to stderr, which is left out", self._name)


@asynccontextmanager
async def _repaired(transport: Transport, complain: Complain) -> AsyncIterator[Any]:
    async with transport as (incoming, outgoing):
        yield RepairedStream(incoming, complain), outgoing


@asynccontextmanager
async def _reached(mount: Mount) -> AsyncIterator[Any]:
    """A server that runs, over Streamable HTTP."""
    with usable_environment():
        client = httpx2.AsyncClient(
            verify=tls_context(),
            headers={"Accept-Encoding": ACCEPT_ENCODING, **mount.headers},
            timeout=_TIMEOUT,
            event_hooks={"response": [_require_session, _bound]},
        )
    async with (
        client as http,
        streamable_http_client(mount.url, http_client=http) as streams,
    ):
        yield streams


@asynccontextmanager
async def _started(mount: Mount, stderr: StderrLog) -> AsyncIterator[Any]:
    """A server that is started, over stdio.

    Of our environment it gets what the SDK passes on (PATH, HOME and the like), so no secret.
    """
    server = StdioServerParameters(
        command=mount.command[0],
        args=list(mount.command[1:]),
        env=dict(mount.env),
        cwd=mount.folder,
    )
    with _pipe() as (reading, writing):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(stderr.read, reading)
            # A process whose start is cancelled would be left behind, killed and never waited for.
            with anyio.CancelScope(shield=True) as starting:
                async with stdio_client(server, writing) as streams:
                    starting.shield = False
                    writing.close()  # the server has its own
                    yield streams
            tasks.cancel_scope.cancel()


async def _require_session(response: httpx2.Response) -> None:
    """End the connection with its session: a new one must begin (MCP, "Session Management").

    The SDK keeps the old one, with which every call fails.
    """
    if response.status_code == 404 and "mcp-session-id" in response.request.headers:
        raise SessionLost("it does not know our session any more")


async def _bound(response: httpx2.Response) -> None:
    """Have no more than MOST_BYTES read of a body, unless it is an event stream."""
    is_stream = response.headers.get("content-type", "").startswith("text/event-stream")
    bound_body(response, math.inf if is_stream else MOST_BYTES)


@contextmanager
def _pipe() -> Iterator[tuple[int, TextIO]]:
    """Both ends of a pipe: a descriptor to read from, and a file for a process to write to."""
    reading, writing = os.pipe()
    try:
        with open(writing, "w") as file:  # noqa: PTH123 -- a descriptor has no path
            yield reading, file
    finally:
        os.close(reading)
