"""Bulk append: any number of messages goes in beside a live recorder, in constant memory.

They go in by groups. Each group is one transaction, which ends early if another writer waits, and
after each comes a pause in which others write.
"""

from collections.abc import AsyncGenerator, AsyncIterable, Callable, Iterable
from contextlib import aclosing
from datetime import MAXYEAR, MINYEAR
from typing import TypeVar

import anyio

from terrarium_mcp.chat.records import NewMessage
from terrarium_mcp.chat.times.timestamps import to_text
from terrarium_mcp.store.errors import Locked, UnstorableMessage
from terrarium_mcp.store.records import AppendTotals
from terrarium_mcp.store.sqlite.engine.write_lock import BatchSizer
from terrarium_mcp.store.sqlite.ingest.append import Appender, Insert, SaveResult
from terrarium_mcp.store.sqlite.ingest.insert import insert

SMALLEST, USUAL, LARGEST = 100, 1_000, 10_000
"""Messages in a group: at least, at first, at most. Larger groups write each page less often: in a
database of 1.3 million messages, one costs 85 us of CPU in groups of 1,000, and 50 in groups of
10,000."""

PATIENCE = 60.0
"""Seconds for which a group is retried while others hold the lock."""

LONG = 200
"""A message longer than this many characters counts as several."""

T = TypeVar("T")

ReportStored = Callable[[int], None]
"""Called with how many messages are done. May raise to stop: what was reported is stored."""


async def append_in_groups(
    appender: Appender,
    messages: AsyncIterable[NewMessage] | Iterable[NewMessage],
    report: ReportStored,
    insert: Insert = insert,
) -> AppendTotals:
    """Save messages by groups, with pauses; `insert` makes rows of each group.

    Raises:
        UnstorableMessage: its time cannot be stored. All messages before it are stored.
        StoreFailed: the messages that were reported are stored, and no others.
    """
    groups = _Groups(appender, report, insert)
    async with aclosing(each_of(messages)) as each:
        async for message in each:
            if problem := _problem(message):
                await groups.save()
                raise UnstorableMessage(groups.lines + 1, problem)
            await groups.add(message)
    await groups.save()
    return AppendTotals(groups.lines, groups.left_out)


class _Groups:
    """The group being filled, and the totals of those saved."""

    def __init__(self, appender: Appender, report: ReportStored, insert: Insert) -> None:
        self.lines = self.left_out = 0
        self._appender = appender
        self._report = report
        self._insert = insert
        self._group: list[NewMessage] = []
        self._weight = 0.0
        self._size = BatchSizer(SMALLEST, USUAL, LARGEST)

    async def add(self, message: NewMessage) -> None:
        """Add a message to the group; save the group once it is full."""
        self._group.append(message)
        self._weight += max(1.0, len(message.text) / LONG)
        if self._weight >= self._size.rows:
            await self.save()

    async def save(self) -> None:
        """Save the group, and let others write."""
        if not self._group:
            return
        result = await self._insist(until=anyio.current_time() + PATIENCE)
        self._size.record(self._weight, result.longest)
        self.lines += len(result.ids)
        self.left_out += result.ids.count(0)
        self._group, self._weight = [], 0.0
        self._report(self.lines)
        await self._appender.yield_lock(result)

    async def _insist(self, until: float) -> SaveResult:
        """Save the group's messages, again and again while others keep the lock."""
        while True:
            try:
                return await self._appender.append_yielding(self._group, self._insert)
            except Locked:
                if anyio.current_time() > until:
                    raise


async def each_of(values: AsyncIterable[T] | Iterable[T]) -> AsyncGenerator[T, None]:
    """The values one by one, whichever kind of iterable has them."""
    if isinstance(values, AsyncIterable):
        async for value in values:
            yield value
    else:
        for value in values:
            yield value


def _problem(message: NewMessage) -> str:
    """Why a message cannot be stored; empty if it can."""
    if message.said_at.tzinfo is None:
        return f"its time, {message.said_at}, has no time zone"
    if message.said_at.year in (MINYEAR, MAXYEAR):  # in UTC it may be the year before, or after
        try:
            to_text(message.said_at)
        except OverflowError:
            return f"its time, {message.said_at}, is outside of the calendar in UTC"
    return ""
