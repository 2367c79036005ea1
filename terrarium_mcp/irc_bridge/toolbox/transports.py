"""How a mounted server is started or reached."""

import logging
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from typing import Any, TextIO

import anyio
import httpx2
from mcp import StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from terrarium_mcp.errors import shown
from terrarium_mcp.settings import Mount

STDERR_LINES = 20
"""Lines on stderr that are logged of each start of a server; the rest is read and dropped."""

_LONGEST_LINE = 300  # characters of each
_CHUNK = 65_536  # bytes; a pipe of Linux holds as many

_TIMEOUT = httpx2.Timeout(30, read=300)
"""As the SDK's own client; calls have a shorter one."""

log = logging.getLogger(__name__)

Transport = AbstractAsyncContextManager[Any]


def transport_to(mount: Mount) -> Transport:
    """What mcp's client connects through."""
    return _started(mount) if mount.command else _reached(mount)


@asynccontextmanager
async def _reached(mount: Mount) -> AsyncIterator[Any]:
    """A server that runs, over Streamable HTTP."""
    async with (
        httpx2.AsyncClient(headers=dict(mount.headers), timeout=_TIMEOUT) as http,
        streamable_http_client(mount.url, http_client=http) as streams,
    ):
        yield streams


@asynccontextmanager
async def _started(mount: Mount) -> AsyncIterator[Any]:
    """A server that is started, over stdio.

    Of our environment it gets what the SDK passes on (PATH, HOME and the like), so no secret.
    """
    server = StdioServerParameters(
        command=mount.command[0],
        args=list(mount.command[1:]),
        env=dict(mount.env),
        cwd=mount.folder,
    )
    with _pipe() as (reading, stderr):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_log_stderr, reading, mount.name)
            async with stdio_client(server, stderr) as streams:
                stderr.close()  # the server has its own
                yield streams
            tasks.cancel_scope.cancel()


@contextmanager
def _pipe() -> Iterator[tuple[int, TextIO]]:
    """Both ends of a pipe: a descriptor to read from, and a file for a process to write to."""
    reading, writing = os.pipe()
    try:
        with open(writing, "w") as file:  # noqa: PTH123 -- a descriptor has no path
            yield reading, file
    finally:
        os.close(reading)


async def _log_stderr(reading: int, name: str) -> None:
    """Log what a server says on stderr, up to STDERR_LINES, and read on, or it would block."""
    left, begun = STDERR_LINES, b""
    while True:
        await anyio.wait_readable(reading)
        if not (chunk := os.read(reading, _CHUNK)):
            return
        if not left:
            continue
        *lines, begun = (begun + chunk).split(b"\n")
        begun = begun[:_CHUNK]
        for line in lines[:left]:
            log.info(
                "the MCP server %s: %s", name, shown(line.decode(errors="replace"), _LONGEST_LINE)
            )
        left -= min(left, len(lines))
        if not left:
            log.info("the MCP server %s: (what else it writes on stderr is left out)", name)
