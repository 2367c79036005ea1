"""The stdio transport on asyncio's own pipes, without a thread (POSIX).

The SDK's transport reads in a worker thread that nothing can interrupt: such a process survives
Ctrl-C and the death of its client for as long as stdin stays open. Here every way to stop becomes
the one that MCP prescribes, the end of stdin: calls are cancelled, the lifespan is left normally,
and answers already given are still delivered.

At the end of stdin alone, calls have `LAST_CALLS` seconds to be answered first: requests that a
shell pipes in end so, and their answers are read, by some programs slowly. A client that has died
has closed stdout too, and one that waits for this process sends a signal, or reads nothing for
`LAST_READS` seconds: then nothing is waited for.
"""

import asyncio
import fcntl
import os
import signal
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import IO, Any, cast

import anyio
from mcp.server import MCPServer

from terrarium_mcp import sdk
from terrarium_mcp.serving.lines import over_lines
from terrarium_mcp.serving.open_calls import LAST_CALLS, OpenCalls, bounded
from terrarium_mcp.serving.unreadable import UnreadableMessage

assert sys.platform != "win32"  # noqa: S101 -- stdio.py has seen to it, unknown to mypy

LONGEST_LINE = 8 * 2**20
"""Bytes of the longest line that is read. It holds up nobody but the client that sends it."""

_KEPT = 4_096
"""Bytes kept of a longer line: its id is among the first."""
LAST_READS = 0.25  # seconds for the client to read on at the end before the pipe is cut


async def serve_pipes(server: MCPServer[Any]) -> None:
    """Serve fds 0 and 1, which must be pipes, sockets or a terminal."""
    with _private_pipes() as (stdin, stdout):
        async with (
            _connected(stdin, stdout) as (reader, writer),
            _watched(reader, writer),
        ):
            streams = bounded(OpenCalls(), *over_lines(reader, writer), too_late=reader.too_late)
            await sdk.serve_only_client(server, *streams)
            await writer.has_written()


class StdinLines(asyncio.Protocol):
    """The lines that the client sends, until either end closes the pipe."""

    def __init__(self) -> None:
        self.closed = anyio.Event()
        self.is_over = anyio.Event()
        self._lines = asyncio.StreamReader(limit=LONGEST_LINE)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Called by asyncio at the start."""
        self._pipe = transport
        self._lines.set_transport(transport)

    def data_received(self, data: bytes) -> None:
        """Called by asyncio with a piece of a line, or many lines."""
        self._lines.feed_data(data)

    def connection_lost(self, _: Exception | None) -> None:
        """Called when either end has closed the pipe; lines may still be waiting."""
        self._lines.feed_eof()
        self.closed.set()

    async def read(self) -> bytes:
        """The next line with its end; empty at the end of the stream, and after `close`.

        Raises:
            UnreadableMessage: the line was longer than `LONGEST_LINE`; the next call goes on.
        """
        beginning = b""
        while not self.is_over.is_set():  # else calls that still wait in memory would be begun
            try:
                line = await self._lines.readuntil()
            except asyncio.IncompleteReadError as end:
                line = end.partial
            except asyncio.LimitOverrunError as overrun:
                beginning = (beginning + await self._lines.readexactly(overrun.consumed))[:_KEPT]
                continue
            if beginning:
                raise UnreadableMessage.too_long(beginning, LONGEST_LINE)
            return line
        return b""

    def close(self) -> None:
        """Read nothing more, and wait for no call: the stream ends."""
        self.is_over.set()
        self._pipe.close()

    async def too_late(self) -> None:
        """Wait for `close`, or from the end of stdin on for `LAST_CALLS` seconds."""
        await self.closed.wait()
        with anyio.move_on_after(LAST_CALLS):
            await self.is_over.wait()


class StdoutLines(asyncio.BaseProtocol):
    """The lines sent to the client, and whether it still reads them."""

    def __init__(self) -> None:
        self.closed = anyio.Event()
        self._writable = anyio.Event()
        self._writable.set()
        self._never_waits = False
        self._written = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Called by asyncio at the start."""
        self._pipe = cast("asyncio.WriteTransport", transport)
        self._pipe.set_write_buffer_limits(high=0)  # else lines wait that count as written

    def connection_lost(self, _: Exception | None) -> None:
        """Called when either end has closed the pipe."""
        self.closed.set()
        self._writable.set()

    def pause_writing(self) -> None:
        """Called when the client reads more slowly than the server answers."""
        if not self._never_waits:
            self._writable = anyio.Event()

    def resume_writing(self) -> None:
        """Called when the client has caught up."""
        self._writable.set()

    async def write(self, line: bytes) -> None:
        """Write a line, once a slow client has read enough, unless it is gone."""
        while not self._writable.is_set():  # another that waited may have written meanwhile
            await self._writable.wait()
        if not self.closed.is_set():
            self._written += len(line)
            self._pipe.write(line)

    async def has_written(self) -> None:
        """Wait until the pipe has taken every line, unless nothing is waited for any more."""
        await self._writable.wait()

    async def is_unread(self) -> None:
        """Wait until the client has read nothing for `LAST_READS` seconds, though it could."""
        taken = -1
        while self._writable.is_set() or taken < self._taken:
            taken = self._taken
            await anyio.sleep(LAST_READS)  # asyncio does not say when it has written a part

    def stop_waiting(self) -> None:
        """From now on never wait for the client."""
        self._never_waits = True
        self._writable.set()

    async def close(self) -> None:
        """Close the pipe; after `LAST_READS` seconds drop what the client has not read."""
        self._pipe.close()
        with anyio.move_on_after(LAST_READS):
            await self.closed.wait()
        if not self.closed.is_set():
            self._pipe.abort()

    @property
    def _taken(self) -> int:
        """How many bytes the pipe has taken."""
        return self._written - self._pipe.get_write_buffer_size()


@contextmanager
def _private_pipes() -> Iterator[tuple[int, int]]:
    """Move the pipes from descriptors 0 and 1 to others that no other code knows.

    They are not moved back: what Python still holds in the buffer of `sys.stdout` was never meant
    for the client.
    """
    # At least 3, so that none becomes a standard descriptor that happens to be closed.
    stdin, stdout = (fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 3) for fd in (0, 1))
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    try:
        with _modes_restored(stdin, stdout):
            yield stdin, stdout
    finally:
        os.close(stdin)
        os.close(stdout)


@contextmanager
def _modes_restored(*fds: int) -> Iterator[None]:
    """Undo the non-blocking mode that asyncio sets: the shell shares a terminal with us."""
    blocking = {fd: os.get_blocking(fd) for fd in fds}
    try:
        yield
    finally:
        for fd, mode in blocking.items():
            os.set_blocking(fd, mode)


@asynccontextmanager
async def _connected(stdin: int, stdout: int) -> AsyncIterator[tuple[StdinLines, StdoutLines]]:
    loop = asyncio.get_running_loop()
    _, reader = await loop.connect_read_pipe(StdinLines, _opened(stdin, "rb"))
    _, writer = await loop.connect_write_pipe(StdoutLines, _opened(stdout, "wb"))
    try:
        yield reader, writer
    finally:
        reader.close()
        await writer.close()


def _opened(fd: int, mode: str) -> IO[bytes]:
    return os.fdopen(fd, mode, buffering=0, closefd=False)


@asynccontextmanager
async def _watched(reader: StdinLines, writer: StdoutLines) -> AsyncIterator[None]:
    async with anyio.create_task_group() as watch:
        watch.start_soon(_close_at_a_signal, reader)
        watch.start_soon(_close_with_stdout, reader, writer)
        watch.start_soon(_close_when_unread, reader, writer)
        watch.start_soon(_stop_waiting_when_over, reader, writer)
        yield
        watch.cancel_scope.cancel()


async def _close_at_a_signal(reader: StdinLines) -> None:
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for _ in signals:
            reader.close()


async def _close_with_stdout(reader: StdinLines, writer: StdoutLines) -> None:
    await writer.closed.wait()
    reader.close()


async def _close_when_unread(reader: StdinLines, writer: StdoutLines) -> None:
    await reader.closed.wait()
    await writer.is_unread()
    reader.close()


async def _stop_waiting_when_over(reader: StdinLines, writer: StdoutLines) -> None:
    await reader.is_over.wait()
    writer.stop_waiting()
