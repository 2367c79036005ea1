"""The process that makes the talk, and prepares it as an import's reading process prepares logs.

Making the talk takes as long as storing it, and is not measured. It is made by slices; each is
prepared while what is ready of it is stored.
"""

import pickle
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime
from enum import StrEnum
from itertools import islice
from typing import IO, Any, cast

import anyio
from anyio import to_thread
from anyio.abc import ObjectReceiveStream, ObjectSendStream

from bench.bed import PAST
from bench.corpus import Vocabulary, lasting, talk
from bench.questions import Listener, Questions
from bench.vocabulary import spoken
from terrarium_mcp.chat.records import NewMessage
from terrarium_mcp.logformats.reading_child import private_output, rarely_collecting
from terrarium_mcp.store import LINES_IN_BLOCK, PreparedLines, prepared

SLICE = 200_000
"""Lines that each writes in its turn."""

_AHEAD = 10
"""Blocks that are received before they are stored, as an import does."""


class _Order(StrEnum):
    """What the process is told to do: the next slice, its blocks, questions about everything."""

    MAKE = "make"
    PREPARE = "prepare"
    ASK = "ask"


class Talk:
    """The talk that such a process makes.

    Attributes:
        spent: seconds of CPU in which it has prepared lines.
    """

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.spent = 0.0
        self._process = process

    def make(self) -> int:
        """Have the next slice made; returns how many lines it has, 0 after the last one."""
        return int(self._told(_Order.MAKE))

    @asynccontextmanager
    async def blocks(self) -> AsyncIterator[ObjectReceiveStream[PreparedLines]]:
        """Have the slice prepared, and receive it."""
        into, blocks = anyio.create_memory_object_stream[PreparedLines](_AHEAD)
        async with blocks, anyio.create_task_group() as tasks:
            tasks.start_soon(self._receive, into)
            yield blocks

    def questions(self) -> Questions:
        """What to ask about all of it."""
        return cast("Questions", self._told(_Order.ASK))

    async def _receive(self, into: ObjectSendStream[PreparedLines]) -> None:
        async with into:
            answer = await to_thread.run_sync(self._told, _Order.PREPARE)
            while isinstance(answer, PreparedLines):
                await into.send(answer)
                answer = await to_thread.run_sync(self._next)
            self.spent += answer

    def _told(self, order: _Order) -> Any:
        pipe = cast("IO[bytes]", self._process.stdin)
        pipe.write(f"{order}\n".encode())
        pipe.flush()
        return self._next()

    def _next(self) -> Any:
        return pickle.load(cast("IO[bytes]", self._process.stdout))  # noqa: S301 -- our own process


@contextmanager
def talking(lines: int) -> Iterator[Talk]:
    """A process that makes so many lines of talk. It does not outlive the block."""
    command = [sys.executable, "-m", __name__, str(lines)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:  # noqa: S603 -- ours
        try:
            yield Talk(process)
        finally:
            process.kill()


def _slices(count: int, vocabulary: Vocabulary) -> Iterator[Sequence[NewMessage]]:
    """The recorded lines up to the present, then those from before."""
    past = count // PAST
    now = datetime.now(UTC)
    began = now - lasting(count - past)
    recorded = talk(count - past, ended=now, vocabulary=vocabulary)
    imported = talk(past, ended=began, vocabulary=vocabulary, seed=1)
    for lines in (recorded, imported):
        while heard := list(islice(lines, SLICE)):
            yield heard


def _main(count: int) -> None:
    """Do what standard input says, and write what comes of it to standard output, as pickles."""
    vocabulary = spoken()
    listener = Listener(count, vocabulary.english.alone.words)
    slices = _slices(count, vocabulary)
    made: Sequence[NewMessage] = ()
    pipe = private_output()
    for told in sys.stdin:
        match told.strip():
            case _Order.MAKE:
                made = next(slices, ())
                listener.hear(made)
                _write(len(made), pipe)
            case _Order.PREPARE:
                _write(_prepare(made, pipe), pipe)
            case _Order.ASK:
                _write(listener.questions(), pipe)


def _prepare(made: Sequence[NewMessage], pipe: IO[bytes]) -> float:
    """Write the blocks of a slice; returns the seconds of CPU that it took."""
    began = time.process_time()
    with rarely_collecting():
        for at in range(0, len(made), LINES_IN_BLOCK):
            _write(prepared(made[at : at + LINES_IN_BLOCK]), pipe)
    return time.process_time() - began


def _write(answer: object, pipe: IO[bytes]) -> None:
    pickle.dump(answer, pipe, pickle.HIGHEST_PROTOCOL)
    pipe.flush()


if __name__ == "__main__":
    _main(int(sys.argv[1]))
