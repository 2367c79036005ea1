"""Where the contents of an import are read: large files in a process of their own, others in this.

Reading and preparing a line takes about as much CPU as storing it (27 and 26 us, 600,000 lines of
WeeChat). A process takes 0.8 s to start (wall, on a loaded machine).
"""

import pickle
import subprocess
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from queue import SimpleQueue
from threading import Thread
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

    def __init__(self, process: "ReadingProcess | None") -> None:
        self._process = process
        self._found: list[LogContent] = []
        """What is likely to be read, and not ordered yet."""

    def foresee(self, rules: Mapping[str, VoiceRules], contents: Iterable[LogContent]) -> None:
        """Let the process begin with the next contents that are likely to be read.

        To find 5,000 logs takes 1 s, in which it would wait. If others turn out to be read, or by
        other rules, a new process does that.
        """
        if self._process is None:
            return
        self._found += contents
        if len(self._found) >= _TOGETHER:
            self._process.order(self._found, rules)
            self._found = []

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
        if not self._process.begins_with(contents, rules):
            self._process.end()
            self._process = ReadingProcess()
        process = self._process
        process.order(contents[process.ordered :], rules)
        process.order_no_more()
        into, parts = anyio.create_memory_object_stream[ReadParts | ReadingStopped](AHEAD)
        try:
            with plainly():
                async with parts, anyio.create_task_group() as tasks:
                    tasks.start_soon(_receive, process, into)
                    yield _received(parts)
                    tasks.cancel_scope.cancel()
        finally:
            process.end()  # what waits for its next parts ends with it

    def end(self) -> None:
        """End the process, whatever it does."""
        if self._process:
            self._process.end()


@contextmanager
def reading(files: Iterable[LogFile]) -> Iterator[LogReading]:
    """Where the contents of these files will be read.

    If they are large, it is a process, which starts while this one looks at the files.
    """
    is_much = sum({one.stored: one.size for one in files}.values()) >= MANY
    read = LogReading(ReadingProcess() if is_much else None)
    try:
        yield read
    finally:
        read.end()


async def _here(
    contents: Sequence[LogContent], rules: Mapping[str, VoiceRules]
) -> AsyncGenerator[ReadPart, None]:
    for parts in reading_child.prepared_parts(contents, rules):
        for part in _usable(parts):
            yield part


class ReadingProcess:
    """A process that reads what it is ordered to, in this order.

    Ctrl-C is for this one, which ends it: told itself, it would print a traceback of whatever it is
    loading. So it has a session of its own, and on Windows a group.
    """

    def __init__(self) -> None:
        self._process = subprocess.Popen(  # noqa: S603 -- ours
            [sys.executable, "-m", reading_child.__name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
        self._parts = cast("IO[bytes]", self._process.stdout)
        self._contents: list[LogContent] = []
        self._rules: Mapping[str, VoiceRules] | None = None
        self._orders = SimpleQueue[Mapping[str, VoiceRules] | Sequence[LogContent] | None]()
        self._sender = Thread(target=self._send)
        self._sender.start()

    @property
    def ordered(self) -> int:
        """How many contents were ordered."""
        return len(self._contents)

    def begins_with(self, contents: Sequence[LogContent], rules: Mapping[str, VoiceRules]) -> bool:
        """Whether all that was ordered are the first of contents, and by these rules."""
        return self._rules in (None, rules) and [*map(id, self._contents)] == [
            *map(id, contents[: self.ordered])
        ]

    def order(self, contents: Sequence[LogContent], rules: Mapping[str, VoiceRules]) -> None:
        """Order the next contents; the rules are the same each time."""
        if self._rules is None:
            self._rules = rules
            self._orders.put(rules)
        for begin in range(0, len(contents), _TOGETHER):
            self._orders.put(contents[begin : begin + _TOGETHER])
        self._contents += contents

    def order_no_more(self) -> None:
        """Say that those were all contents."""
        self._orders.put(None)

    def next_parts(self) -> ReadParts:
        """The next parts that it has read; none are the end.

        Raises:
            ReadingStopped: it ended before that.
        """
        try:
            parts: ReadParts = pickle.load(self._parts)  # noqa: S301 -- our own process
        except (EOFError, OSError, pickle.UnpicklingError) as error:
            raise ReadingStopped from error
        return parts

    def end(self) -> None:
        """End it, whatever it does; afterwards it is gone."""
        self._process.kill()
        self.order_no_more()
        self._sender.join()
        self._process.wait()
        self._parts.close()

    def _send(self) -> None:
        """Send the orders: it takes them while it reads, and this one must not wait for that."""
        with suppress(OSError), cast("IO[bytes]", self._process.stdin) as pipe:  # it has ended
            for order in iter(self._orders.get, None):
                pickle.dump(order, pipe)
                pipe.flush()


async def _receive(
    process: ReadingProcess, into: MemoryObjectSendStream[ReadParts | ReadingStopped]
) -> None:
    """Receive all parts while others are stored: that waits for the disk, and for other writers."""
    async with into:
        try:
            # Cancelled, it ends with the process.
            while parts := await to_thread.run_sync(process.next_parts, abandon_on_cancel=True):
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
