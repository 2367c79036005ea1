"""The stdio transport on asyncio's own pipes, without a thread (POSIX).

The SDK's transport reads in a worker thread that nothing can interrupt: with it a process
survives Ctrl-C, and the death of its client, for as long as stdin stays open. Here every ending
is made to look like the one that MCP prescribes, the end of stdin: calls are cancelled, the
lifespan is left in peace, and what has been answered is still delivered.
"""

import asyncio
import fcntl
import os
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import IO, Any, cast

import anyio
from mcp.server import MCPServer

from terrarium_mcp import sdk

LONGEST_LINE = 8 * 2**20  # twice what the HTTP transports accept
FAREWELL = 0.25  # seconds for a client to take what has been answered, once all is over


async def serve_pipes(server: MCPServer[Any]) -> None:
    """Serve fds 0 and 1, which must be pipes, sockets or a terminal."""
    with _private_wire() as (stdin, stdout):
        async with (
            _connected(stdin, stdout) as (hearing, saying),
            _watched(hearing, saying),
            sdk.over_lines(hearing, saying) as (incoming, outgoing),
        ):
            await sdk.serve(server, incoming, outgoing)


class Hearing(asyncio.Protocol):
    """The lines that the client sends, until it or we have had enough."""

    def __init__(self) -> None:
        self.over = anyio.Event()
        self._lines = asyncio.StreamReader(limit=LONGEST_LINE)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The pipe is ours."""
        self._pipe = transport
        self._lines.set_transport(transport)

    def data_received(self, data: bytes) -> None:
        """The client has said a piece of a line, or many lines."""
        self._lines.feed_data(data)

    def connection_lost(self, _: Exception | None) -> None:
        """The client has closed its end, or we have closed ours; lines may still be waiting."""
        self._lines.feed_eof()
        self.over.set()

    def __aiter__(self) -> "Hearing":
        return self

    async def __anext__(self) -> str:
        try:
            line = await self._lines.readline()
        except ValueError:  # longer than LONGEST_LINE: one more line that makes no sense
            return ""
        if not line:
            raise StopAsyncIteration
        return line.decode("utf-8", "replace")

    def end(self) -> None:
        """Hear nothing more: the reader finds the end of the stream."""
        self._pipe.close()


class Saying(asyncio.BaseProtocol):
    """The lines that we send; and whether there is still somebody to read them."""

    def __init__(self) -> None:
        self.over = anyio.Event()
        self._room = anyio.Event()
        self._room.set()
        self._hurried = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The pipe is ours."""
        self._pipe = cast("asyncio.WriteTransport", transport)

    def connection_lost(self, _: Exception | None) -> None:
        """The client has closed its end, or we have closed ours."""
        self.over.set()
        self._room.set()

    def pause_writing(self) -> None:
        """The client reads more slowly than we answer."""
        if not self._hurried:
            self._room = anyio.Event()

    def resume_writing(self) -> None:
        """It has caught up."""
        self._room.set()

    async def write(self, text: str) -> None:
        """Say this, unless nobody is there any more."""
        if not self.over.is_set():
            self._pipe.write(text.encode())

    async def flush(self) -> None:
        """Wait for a slow reader."""
        await self._room.wait()

    def hurry(self) -> None:
        """Wait for nobody from now on."""
        self._hurried = True
        self._room.set()

    async def end(self) -> None:
        """Close our end, after a short while even if the client does not read the rest."""
        self._pipe.close()
        with anyio.move_on_after(FAREWELL):
            await self.over.wait()
        if not self.over.is_set():
            self._pipe.abort()


@contextmanager
def _private_wire() -> Iterator[tuple[int, int]]:
    """Move the wire to descriptors that nobody else knows.

    0 and 1 do not get it back: what Python still holds in the buffer of `sys.stdout` was never
    meant for the client.
    """
    # 3 and above, so that none of them lands on a standard descriptor that happens to be closed.
    stdin, stdout = (fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 3) for fd in (0, 1))
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    try:
        with _modes_kept(stdin, stdout):
            yield stdin, stdout
    finally:
        os.close(stdin)
        os.close(stdout)


@contextmanager
def _modes_kept(*fds: int) -> Iterator[None]:
    """Undo what asyncio does to a descriptor: a terminal is shared with the shell."""
    blocking = {fd: os.get_blocking(fd) for fd in fds}
    try:
        yield
    finally:
        for fd, mode in blocking.items():
            os.set_blocking(fd, mode)


@asynccontextmanager
async def _connected(stdin: int, stdout: int) -> AsyncIterator[tuple[Hearing, Saying]]:
    loop = asyncio.get_running_loop()
    _, hearing = await loop.connect_read_pipe(Hearing, _opened(stdin, "rb"))
    _, saying = await loop.connect_write_pipe(Saying, _opened(stdout, "wb"))
    try:
        yield hearing, saying
    finally:
        hearing.end()
        await saying.end()


def _opened(fd: int, mode: str) -> IO[bytes]:
    return os.fdopen(fd, mode, buffering=0, closefd=False)


@asynccontextmanager
async def _watched(hearing: Hearing, saying: Saying) -> AsyncIterator[None]:
    async with anyio.create_task_group() as watch:
        watch.start_soon(_end_at_a_signal, hearing)
        watch.start_soon(_end_when_nobody_reads, hearing, saying)
        watch.start_soon(_hurry_at_the_end, hearing, saying)
        yield
        watch.cancel_scope.cancel()


async def _end_at_a_signal(hearing: Hearing) -> None:
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for _ in signals:
            hearing.end()


async def _end_when_nobody_reads(hearing: Hearing, saying: Saying) -> None:
    await saying.over.wait()
    hearing.end()


async def _hurry_at_the_end(hearing: Hearing, saying: Saying) -> None:
    await hearing.over.wait()
    saying.hurry()
