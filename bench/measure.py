"""How things are measured: CPU and wall time of each call, in several passes over all questions.

A call's CPU is told twice: that of the whole process, and that of the store, which is all but the
event loop's: its connections have threads, and a brief read is counted although it is in none.
"""

import math
import resource
import statistics
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

from terrarium_mcp.store.errors import TookTooLong
from terrarium_mcp.store.sqlite.engine.brief_reads import BriefReads
from terrarium_mcp.store.sqlite.engine.reads import Result, WholeRead

T = TypeVar("T")

PASSES = 3
"""Times that all questions are asked. The median pass counts."""

LONG = 15.0
"""Seconds of a warming up after which no more questions are asked."""


@dataclass(frozen=True)
class Measured:
    """The median of many rounds and the 99th of a hundred; a single figure has no `p99`."""

    p50: float
    p99: float | None = None

    @classmethod
    def of(cls, rounds: Sequence[float]) -> "Measured":
        """Summarise the rounds of one pass."""
        ordered = sorted(rounds)
        return cls(statistics.median(ordered), ordered[math.ceil(0.99 * len(ordered)) - 1])

    @classmethod
    def of_passes(cls, passes: Sequence[Sequence[float]]) -> "Measured":
        """Summarise several passes, so that what else the machine did in one does not count."""
        each = [cls.of(rounds) for rounds in passes]
        return cls(
            statistics.median(one.p50 for one in each),
            statistics.median(one.p99 for one in each if one.p99 is not None),
        )


@dataclass(frozen=True)
class Timed:
    """Milliseconds of a call: CPU of the store and of the whole process, and wall."""

    store: Measured
    whole: Measured
    wall: Measured


_brief_reads = 0.0
"""Seconds of CPU of the event loop's thread that were the store's."""

_uncounted = BriefReads.read


def _counted(reads: BriefReads, read: WholeRead[Result]) -> Result:
    global _brief_reads  # noqa: PLW0603 -- a clock
    began = time.thread_time()
    try:
        return _uncounted(reads, read)
    finally:
        _brief_reads += time.thread_time() - began


BriefReads.read = _counted  # type: ignore[assignment, method-assign]  # the product has no such clock


@dataclass(frozen=True)
class Clocks:
    """A moment on the three clocks, in seconds. Read in the event loop's thread."""

    whole: float = field(default_factory=time.process_time)
    loop: float = field(default_factory=lambda: time.thread_time() - _brief_reads)
    wall: float = field(default_factory=time.perf_counter)

    def until(self, later: "Clocks") -> tuple[float, float, float]:
        """Milliseconds from here to `later`: the store, whole process, wall."""
        whole = (later.whole - self.whole) * 1e3
        return whole - (later.loop - self.loop) * 1e3, whole, (later.wall - self.wall) * 1e3


@dataclass
class Passes(Generic[T]):
    """Passes over the same questions, between which others may come."""

    ask: Callable[[T], Awaitable[object]]
    questions: Sequence[T]
    _passes: list[list[tuple[float, float, float]]] = field(default_factory=list)

    async def one_more(self) -> None:
        """Ask every question to warm up, and once more; only some where they take too long."""
        asked, until = 0, time.perf_counter() + LONG
        while asked < len(self.questions) and time.perf_counter() < until:
            await _round(self.ask, self.questions[asked])
            asked += 1
        self._passes.append([await _round(self.ask, one) for one in self.questions[:asked]])

    @property
    def timed(self) -> Timed:
        """What all passes took."""
        store, whole, wall = (
            Measured.of_passes([[spent[clock] for spent in rounds] for rounds in self._passes])
            for clock in range(3)
        )
        return Timed(store, whole, wall)


async def timed(*several: Passes[Any]) -> list[Timed]:
    """Ask everything PASSES times, pass by pass."""
    for _ in range(PASSES):
        for passes in several:
            await passes.one_more()
    return [passes.timed for passes in several]


async def _round(ask: Callable[[T], Awaitable[object]], question: T) -> tuple[float, float, float]:
    began = Clocks()
    with suppress(TookTooLong):  # then its deadline is what it took
        await ask(question)
    return began.until(Clocks())


def cpu_of(call: Callable[[T], object], questions: Sequence[T]) -> Measured:
    """CPU milliseconds of this thread, and of processes that a call waits for. One pass."""
    rounds = []
    for question in questions:
        began = _own()
        call(question)
        rounds.append((_own() - began) * 1e3)
    return Measured.of(rounds)


def _own() -> float:
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.thread_time() + ended.ru_utime + ended.ru_stime


@dataclass
class Stopwatch:
    """Seconds of CPU (this thread) and of wall, added up over the times it ran."""

    cpu: float = 0.0
    wall: float = 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        """Measure what happens inside."""
        cpu, wall = time.thread_time(), time.perf_counter()
        try:
            yield
        finally:
            self.cpu += time.thread_time() - cpu
            self.wall += time.perf_counter() - wall


def cpu_of_process(process: int) -> float:
    """Seconds of CPU that all threads of another process have spent. Linux only."""
    # clock_getcpuclockid(3), as Linux numbers the clocks of other processes.
    return time.clock_gettime(~process << 3 | 2)


def children(process: int) -> list[int]:
    """The processes that another one has started and that still live. Linux only."""
    started = Path(f"/proc/{process}/task").glob("*/children")
    return [int(child) for task in started for child in task.read_text("ascii").split()]


def memory(what: str = "VmRSS", process: int | str = "self") -> float:
    """Megabytes a process holds now (VmRSS), or held at most (VmHWM). Linux only."""
    # getrusage would tell the peak of whatever process started this one.
    status = Path(f"/proc/{process}/status").read_text("ascii")
    return int(status.partition(f"{what}:")[2].split()[0]) / 1024
