"""Where the contents of an import are read: large files in a process of their own, others in this.

Reading and preparing a line takes about as much CPU as storing it (27 and 26 us, 600,000 lines of
WeeChat). A process takes 0.8 s to start (wall, on a loaded machine).
"""

import pickle
import subprocess
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import IO, cast

import anyio
from anyio import to_thread
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

from terrarium_mcp.chat.voices import VoiceRules
from terrarium_mcp.errors import TerrariumError, plainly
from terrarium_mcp.logformats import reading_child
from terrarium_mcp.logformats.contents import LogContent
from terrarium_mcp.logformats.files import LogFile, UnusableFile
from terrarium_mcp.logformats.read_parts import ReadPart
from terrarium_mcp.logformats.reading_child import ReadParts

MANY = 2 * 1024 * 1024
"""Bytes of files that are worth a process: 27,000 lines of WeeChat, 0.8 s of reading."""


AHEAD = 10
"""Lists of parts that are received before they are asked for: as many as are stored together."""

_TOGETHER = 100
"""Contents that are ordered at once. The process begins to read when it has the first of them: to
order 5,000 takes 0.2 s."""


class ReadingStopped(TerrariumError):
    """The process that reads the logs ended before it had read them."""

    def __init__(self) -> None:
        super().__init__(
            "The process that reads the logs ended unexpectedly: the system may have run out of"
            " memory, or it was killed. Run the same import again: it continues from there."
        )


class LogReading:
    """The reading of logs, in a process that has been started, or in this one."""

    def __init__(self, process: subprocess.Popen[bytes] | None) -> None:
        self._process = process

    @asynccontextmanager
    async def parts(
        self, contents: Sequence[LogContent], rules: Mapping[str, VoiceRules]
    ) -> AsyncIterator[AsyncIterator[ReadPart]]:
        """The parts of contents, one content after the other, their messages as prepared lines.

        They can be asked for once. The parts raise UnusableFile where a content cannot be read to
        its end, and ReadingStopped.
        """
        if self._process is None:
            yield _here(contents, rules)
            return
        into, parts = anyio.create_memory_object_stream[ReadParts | ReadingStopped](AHEAD)
        try:
            with plainly():
                async with parts, anyio.create_task_group() as tasks:
                    tasks.start_soon(_receive, self._process, contents, rules, into)
                    yield _received(parts)
                    tasks.cancel_scope.cancel()
        finally:
            self._process.kill()  # what waits for its next parts ends with it


@contextmanager
def reading(files: Iterable[LogFile]) -> Iterator[LogReading]:
    """Where the contents of these files will be read.

    If they are large, it is a process, which starts while this one looks at the files.
    """
    if sum({one.stored: one.size for one in files}.values()) < MANY:
        yield LogReading(None)
        return
    with _reading_process() as process:
        yield LogReading(process)


async def _here(
    contents: Sequence[LogContent], rules: Mapping[str, VoiceRules]
) -> AsyncGenerator[ReadPart, None]:
    for parts in reading_child.prepared_parts(contents, rules):
        for part in _usable(parts):
            yield part


@contextmanager
def _reading_process() -> Iterator[subprocess.Popen[bytes]]:
    """A process that does not outlive the block.

    Ctrl-C is for this one, which ends it: told itself, it would print a traceback of whatever it is
    loading. So it has a session of its own, and on Windows a group.
    """
    command = [sys.executable, "-m", reading_child.__name__]
    with subprocess.Popen(  # noqa: S603 -- ours
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
        creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
    ) as process:
        try:
            yield process
        finally:
            process.kill()


async def _receive(
    process: subprocess.Popen[bytes],
    contents: Sequence[LogContent],
    rules: Mapping[str, VoiceRules],
    into: MemoryObjectSendStream[ReadParts | ReadingStopped],
) -> None:
    """Receive all parts while others are stored: that waits for the disk, and for other writers."""
    async with into:
        try:
            with plainly():
                async with anyio.create_task_group() as tasks:
                    order = partial(_order, process, contents, rules)
                    # Cancelled, both end with the process.
                    tasks.start_soon(partial(to_thread.run_sync, order, abandon_on_cancel=True))
                    while parts := await to_thread.run_sync(_next, process, abandon_on_cancel=True):
                        await into.send(parts)
        except ReadingStopped as error:
            await into.send(error)


async def _received(
    received: MemoryObjectReceiveStream[ReadParts | ReadingStopped],
) -> AsyncGenerator[ReadPart, None]:
    async for parts in received:
        if isinstance(parts, ReadingStopped):
            raise parts
        for part in _usable(parts):
            yield part


def _usable(parts: ReadParts) -> Iterator[ReadPart]:
    """The parts.

    Raises:
        UnusableFile: the content behind them cannot be read to its end.
    """
    for part in parts:
        if isinstance(part, UnusableFile):
            raise part
        yield part


def _order(
    process: subprocess.Popen[bytes],
    contents: Sequence[LogContent],
    rules: Mapping[str, VoiceRules],
) -> None:
    try:
        with cast("IO[bytes]", process.stdin) as pipe:
            pickle.dump(rules, pipe)
            for begin in range(0, len(contents), _TOGETHER):
                pickle.dump(contents[begin : begin + _TOGETHER], pipe)
    except OSError as error:
        raise ReadingStopped from error


def _next(process: subprocess.Popen[bytes]) -> ReadParts:
    try:
        parts: ReadParts = pickle.load(cast("IO[bytes]", process.stdout))  # noqa: S301 -- our own process
    except (EOFError, OSError, pickle.UnpicklingError) as error:
        raise ReadingStopped from error
    return parts
