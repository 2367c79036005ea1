"""Bulk append: a past of any length goes in beside whoever records, and memory stays flat.

The lines go in by groups, each one transaction that ends early once somebody waits, and between two
groups is a pause in which others write.
"""

from collections.abc import AsyncGenerator, AsyncIterable, Callable, Iterable
from contextlib import aclosing
from dataclasses import dataclass
from datetime import MAXYEAR, MINYEAR

import anyio

from terrarium_mcp.chat.records import Heard
from terrarium_mcp.chat.when import to_text
from terrarium_mcp.store.appending import Appending, Saved
from terrarium_mcp.store.errors import BadLine, Locked
from terrarium_mcp.store.lock import BatchSizer

SMALLEST, USUAL, LARGEST = 100, 1_000, 10_000
"""Lines of a group: at least, at first, at most. The larger, the less often a page is written: with
1.3 million lines before it, a line costs 85 us of CPU in groups of 1,000, and 50 in groups of
10,000."""

PATIENT = 60.0
"""Seconds for which a group is tried again while others hold the lock."""

LONG = 200
"""Characters from which on a line counts for several."""

Report = Callable[[int], None]
"""Hears how many lines are done. May raise to stop: what it heard of stays."""


@dataclass(frozen=True, slots=True)
class Appended:
    """How many lines a bulk append was given, and how many of them were known already."""

    lines: int
    known: int


async def append_by_groups(
    appending: Appending, heard: AsyncIterable[Heard] | Iterable[Heard], report: Report
) -> Appended:
    """Save lines by groups, with pauses.

    Raises:
        BadLine: a line has no time that can be stored. All before it are stored.
    """
    groups = _Groups(appending, report)
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

    def __init__(self, appending: Appending, report: Report) -> None:
        self.lines = self.known = 0
        self._appending = appending
        self._report = report
        self._group: list[Heard] = []
        self._weight = 0.0
        self._pace = BatchSizer(SMALLEST, USUAL, LARGEST)

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
        saved = await self._saved(until=anyio.current_time() + PATIENT)
        self._pace.record(self._weight, saved.longest)
        self.lines += len(saved.ids)
        self.known += saved.ids.count(0)
        self._group, self._weight = [], 0.0
        self._report(self.lines)
        await self._appending.make_room(saved)

    async def _saved(self, until: float) -> Saved:
        """Save the group's lines. Where others write all the time, they go first."""
        while True:
            try:
                return await self._appending.append_beside_others(self._group)
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
