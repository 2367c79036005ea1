"""Bulk append: a past of any length goes in beside whoever records, and memory stays flat.

The lines go in by groups, each one transaction of a moment, and between two groups is a pause in
which others write.
"""

from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable, Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from datetime import MAXYEAR, MINYEAR

import anyio

from terrarium_mcp.chat.records import Heard
from terrarium_mcp.chat.when import to_text
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.store.database import Locked
from terrarium_mcp.store.pacing import PAUSE, Pace

SMALLEST, USUAL, LARGEST = 100, 1_000, 4_000
"""Lines of a group: at least, at first, at most. The larger, the less it costs to index a line."""

CROWDED = 128 * 1024 * 1024
"""Bytes of WAL from which the pauses are long enough for the keeper to empty it."""

LONG_PAUSE = 0.25
"""Seconds. SQLite looks every tenth of a second, once it has waited for as long."""

PATIENT = 60.0
"""Seconds for which a group is tried again while others hold the lock."""

LONG = 200
"""Characters from which on a line counts for several."""

Append = Callable[[Sequence[Heard]], Awaitable[Sequence[int]]]
"""Saves lines in one transaction; gives their ids, 0 for a line that was known."""

Report = Callable[[int], None]
"""Hears how many lines are done. May raise to stop: what it heard of stays."""


class BadLine(TerrariumError):
    """A line that cannot be stored, the one at `position` (from 1)."""

    def __init__(self, position: int, why: str) -> None:
        super().__init__(
            f"Line {position:,} cannot be stored: {why}. All lines before it are stored."
            " Mend it or leave it out, and go on from there."
        )
        self.position = position


@dataclass(frozen=True, slots=True)
class Appended:
    """How many lines a bulk append was given, and how many of them were known already."""

    lines: int
    known: int


async def append_by_groups(
    append: Append,
    heard: AsyncIterable[Heard] | Iterable[Heard],
    report: Report,
    wal_bytes: Callable[[], int],
) -> Appended:
    """Hand lines to `append` by groups, with pauses; longer ones while the WAL is large.

    Raises:
        BadLine: a line has no time that can be stored. All before it are stored.
    """
    groups = _Groups(append, report, wal_bytes)
    async with aclosing(_each(heard)) as lines:
        async for line in lines:
            if why := _trouble(line):
                await groups.save()
                raise BadLine(groups.lines + 1, why)
            await groups.take(line)
    await groups.save()
    return Appended(groups.lines, groups.known)


class _Groups:
    """Lines on their way."""

    def __init__(self, append: Append, report: Report, wal_bytes: Callable[[], int]) -> None:
        self.lines = self.known = 0
        self._append = append
        self._report = report
        self._wal_bytes = wal_bytes
        self._group: list[Heard] = []
        self._weight = 0.0
        self._pace = Pace(SMALLEST, USUAL, LARGEST)

    async def take(self, line: Heard) -> None:
        """Put a line into the group; save the group once it is full."""
        self._group.append(line)
        self._weight += max(1.0, len(line.text) / LONG)
        if self._weight >= self._pace.rows:
            await self.save()

    async def save(self) -> None:
        """Save the group, and let others write."""
        if not self._group:
            return
        began = anyio.current_time()
        ids = await self._saved(began + PATIENT)
        self._pace.took(self._weight, anyio.current_time() - began)
        self.lines += len(ids)
        self.known += ids.count(0)
        self._group, self._weight = [], 0.0
        self._report(self.lines)
        await anyio.sleep(LONG_PAUSE if self._wal_bytes() >= CROWDED else PAUSE)

    async def _saved(self, until: float) -> Sequence[int]:
        """The ids of the group's lines. Where others write all the time, they go first."""
        while True:
            try:
                return await self._append(self._group)
            except Locked:
                if anyio.current_time() > until:
                    raise


async def _each(heard: AsyncIterable[Heard] | Iterable[Heard]) -> AsyncGenerator[Heard, None]:
    if isinstance(heard, AsyncIterable):
        async for line in heard:
            yield line
    else:
        for line in heard:
            yield line


def _trouble(line: Heard) -> str:
    """Why a line cannot be stored; empty when it can."""
    if line.said_at.tzinfo is None:
        return f"its time, {line.said_at}, names no zone"
    if line.said_at.year in (MINYEAR, MAXYEAR):  # in UTC it may be the year before, or after
        try:
            to_text(line.said_at)
        except OverflowError:
            return f"its time, {line.said_at}, is outside of the calendar in UTC"
    return ""
