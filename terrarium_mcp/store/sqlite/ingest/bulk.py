"""Bulk append: any number of messages goes in beside a live recorder, in constant memory.

They go in by groups. Each group is one transaction, which ends early if another writer waits, and
after each comes a pause in which others write.
"""

from collections.abc import AsyncIterable, AsyncIterator, Callable

import anyio

from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.store.errors import Locked
from terrarium_mcp.store.sqlite.engine.fts_merge import IN_BULK, MERGED_AT_ONCE
from terrarium_mcp.store.sqlite.engine.write_lock import STEP_SECONDS, BatchSizer
from terrarium_mcp.store.sqlite.ingest.append import Appender, Insert, SaveResult
from terrarium_mcp.store.sqlite.ingest.prepared_lines import PreparedLines, joined

SMALLEST, USUAL, LARGEST = 100, 1_000, 20_000
"""Messages in a group: at least, at first, at most. Larger groups write each page less often: in a
file of four million messages one costs 45 us of CPU in groups of 1,800, 29 in groups of 8,000 and
26 in groups of 20,000. Still larger ones save nothing more."""

ALONE_SECONDS = 0.25
"""Seconds that a step may take where nobody else writes. The first writer who comes after all waits
for one such group, and nobody for a second one."""

PIECE = 50
"""Messages by which a group grows, at most."""

MANY = 3
"""Groups after which a bulk append is taken for a large one."""

PATIENCE = 60.0
"""Seconds for which a group is retried while others hold the lock."""

LONG = 200
"""A message longer than this many characters counts as several."""

ReportStored = Callable[[int], None]
"""Called with how many messages are done. May raise to stop: what was reported is stored."""


async def append_in_groups(
    appender: Appender,
    blocks: AsyncIterable[PreparedLines],
    report: ReportStored,
    insert: Insert[PreparedLines],
    is_keeper: Callable[[], bool],
) -> int:
    """Save messages by groups, with pauses; returns how many there were.

    Args:
        appender: the way into the database.
        blocks: the messages, several at a time.
        report: called after each group.
        insert: makes rows of a group.
        is_keeper: whether this process is the keeper. Then it had the file open before any other
            that uses it now, and nobody else writes until one is met.

    Raises:
        TerrariumError: as `blocks` does. All messages before it are stored.
        StoreFailed: the messages that were reported are stored, and no others.
    """
    groups = _Groups(appender, report, insert, is_keeper)
    each = aiter(blocks)
    try:
        while (block := await _next_block(each, groups)) is not None:
            await groups.add(block)
        await groups.save()
    finally:
        if groups.count >= MANY:
            await appender.merge_at_once(MERGED_AT_ONCE)
    return groups.lines


class _Groups:
    """The group being filled, the count of those saved, and that of their messages."""

    def __init__(
        self,
        appender: Appender,
        report: ReportStored,
        insert: Insert[PreparedLines],
        is_keeper: Callable[[], bool],
    ) -> None:
        self.count = self.lines = 0
        self._is_keeper = is_keeper
        self._has_met_writer = False
        self._appender = appender
        self._report = report
        self._insert: Insert[PreparedLines] = insert
        self._group: list[PreparedLines] = []
        self._weight = 0.0
        self._size = BatchSizer(SMALLEST, USUAL, LARGEST)

    async def add(self, block: PreparedLines) -> None:
        """Add messages to the group; save the group whenever it is full.

        A block stays whole if a group can take it: what was tallied of it counts for no part.
        """
        if not block:
            return
        weight = _weight(block)
        if self._weight + weight > self._size.rows:
            await self.save()
        if weight <= self._size.rows:
            await self._take(block, weight)
            return
        size = min(PIECE, self._size.rows)
        for begin in range(0, len(block), size):
            piece = block[begin : begin + size]
            await self._take(piece, _weight(piece))

    async def _take(self, piece: PreparedLines, weight: float) -> None:
        """Take messages into the group, which is saved if they fill it."""
        self._group.append(piece)
        self._weight += weight
        if self._weight >= self._size.rows:
            await self.save()

    async def save(self) -> None:
        """Save the group, and let others write."""
        if not self._group:
            return
        result = await self._insist(until=anyio.current_time() + PATIENCE)
        self.count += 1
        if self.count == MANY:
            await self._appender.merge_at_once(IN_BULK)
        if not (result.is_indexed or self._has_met_writer):
            self._has_met_writer = True
            self._size = BatchSizer(SMALLEST, USUAL, LARGEST)  # nobody waits for a second large one
        is_alone = self._is_keeper() and not self._has_met_writer
        self._size.record(self._weight, result.longest, ALONE_SECONDS if is_alone else STEP_SECONDS)
        self.lines += len(result.ids)
        self._group, self._weight = [], 0.0
        self._report(self.lines)
        await self._appender.yield_lock(result)

    async def _insist(self, until: float) -> SaveResult:
        """Save the group's messages, again and again while others keep the lock."""
        messages = joined(self._group)
        while True:
            try:
                return await self._appender.append_yielding(messages, self._insert)
            except Locked:
                if anyio.current_time() > until:
                    raise


async def _next_block(
    blocks: AsyncIterator[PreparedLines], groups: _Groups
) -> PreparedLines | None:
    """The next block, None after the last; before a failure of theirs, all so far are saved."""
    try:
        return await anext(blocks, None)
    except TerrariumError:
        await groups.save()
        raise


def _weight(piece: PreparedLines) -> float:
    """How many messages of ordinary length these are worth: a long one counts for several."""
    long = (length for length in map(len, piece.texts) if length > LONG)
    return len(piece) + sum(length / LONG - 1 for length in long)
