"""Appending: messages go to the disk, and into everything derived from them.

By how many messages there are, an append is one of three cases:

- fewer than `SEVERAL`, as nearly always: saved now, with their voices, and indexed later: by the
  keeper, together with others (index/grouped_indexing.py), or by the next read;
- from `SEVERAL` on: indexed by the transaction that saves them;
- from `FLOOD` on, as after an outage: saved and normalised first, since more are queued behind
  them, and indexed right after, by transactions of their own.

A bulk append (an import) indexes within its transaction until another writer waits for the lock.
"""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import anyio

from terrarium_mcp.chat.records import NewMessage
from terrarium_mcp.store.errors import IndexDamaged, Locked, StoreFailed
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.fts_merge import set_merging
from terrarium_mcp.store.sqlite.engine.write_lock import BACKOFF, PAUSE, YieldingTransaction
from terrarium_mcp.store.sqlite.engine.writes import Writer
from terrarium_mcp.store.sqlite.index.indexer import INDEXED_BY_READ, Indexer
from terrarium_mcp.store.sqlite.ingest.insert import Inserted, insert
from terrarium_mcp.store.sqlite.ingest.opt_out_reader import OptOutReader
from terrarium_mcp.store.sqlite.ingest.prepared_lines import PreparedLines

SEVERAL = 20
"""An append of this many messages or more is indexed at once: they share most pages that it writes,
and where so much is said, a search should not have to index first."""

FLOOD = 500
"""An append of this many messages or more is indexed later: more are queued behind them, and they
reach the disk in a third of the time. They are normalised at once, so that few messages are ever
above that watermark: every later append reads these (index/live_clock.py)."""

LARGE_WAL = 128 * 1024 * 1024
"""Once the WAL has this many bytes, a bulk append pauses long enough for the keeper to empty it."""

LONG_PAUSE = 0.25
"""Seconds. SQLite retries every tenth of a second once it has waited for as long."""

T = TypeVar("T")

Lines = TypeVar("Lines", bound=Sequence[NewMessage])

Insert = Callable[[Writer, Lines, OptOutReader], Awaitable[Inserted]]
"""Makes rows of messages inside a transaction. It may be called again for the same messages, when
the transaction could not be committed."""


@dataclass(frozen=True, slots=True)
class SaveResult:
    """What one transaction of a bulk append did.

    Attributes:
        ids: the id of each message, 0 for one that was left out.
        is_indexed: whether every derived structure holds them.
        longest: seconds that the longest of its steps took.
    """

    ids: Sequence[int]
    is_indexed: bool
    longest: float


class Appender:
    """The way of messages into the database."""

    def __init__(self, database: Database, indexer: Indexer, opt_out_reader: OptOutReader) -> None:
        self._database = database
        self._indexer = indexer
        self._opt_out_reader = opt_out_reader

    async def append(self, messages: Sequence[NewMessage]) -> list[int]:
        """Save messages in one transaction; returns their ids, 0 for one that was left out."""
        return await self._despite_damage(partial(self._append, messages))

    async def append_yielding(
        self, messages: PreparedLines, write: Insert[PreparedLines]
    ) -> SaveResult:
        """Save messages in one transaction that stops indexing them once another writer waits."""
        return await self._despite_damage(
            partial(self._save_and_index, messages, write, self._database.has_waiters)
        )

    async def merge_at_once(self, segments: int) -> None:
        """Have FTS5 merge so many segments at once, if that can be written: it only saves time."""
        with anyio.CancelScope(shield=True), suppress(StoreFailed):
            await self._database.write_whole(lambda writer: set_merging(writer, segments))

    async def yield_lock(self, result: SaveResult) -> None:
        """Let other processes write, longer while the WAL is large; then index what was left."""
        if not result.is_indexed:
            await anyio.sleep(BACKOFF)
            await self._catch_up()
        await anyio.sleep(LONG_PAUSE if self._database.wal_bytes() >= LARGE_WAL else PAUSE)

    async def _append(self, messages: Sequence[NewMessage]) -> list[int]:
        if SEVERAL <= len(messages) < FLOOD:
            return [*(await self._save_and_index(messages, insert, lambda: False)).ids]
        is_flood = len(messages) >= FLOOD

        async def save(writer: Writer) -> list[int]:
            ids = [*(await insert(writer, messages, self._opt_out_reader)).ids]
            if is_flood:
                await self._indexer.normalise(writer, max(ids))
            elif added := [number for number in ids if number]:
                await self._indexer.determine_voices(writer, added[0], added[-1])
            return ids

        ids = await self._database.write_whole(save)
        if is_flood and await self._indexer.lag() > INDEXED_BY_READ:
            await self._catch_up()
        return ids

    async def _catch_up(self) -> None:
        """Index what was left behind, unless others keep the lock: then the keeper will."""
        with suppress(Locked, IndexDamaged):  # of a damaged index the rebuild is scheduled
            await self._indexer.catch_up()

    async def _despite_damage(self, save: Callable[[], Awaitable[T]]) -> T:
        """Save once more where an index was damaged: new messages must not wait for its rebuild."""
        try:
            return await save()
        except IndexDamaged:
            await self._indexer.rebuild_if_damaged()
            return await save()

    async def _save_and_index(
        self, messages: Lines, write: Insert[Lines], has_waiters: Callable[[], bool]
    ) -> SaveResult:
        async def save(writer: Writer) -> tuple[Sequence[int], bool, YieldingTransaction]:
            transaction = YieldingTransaction(has_waiters)
            ids, texts, _ = await write(writer, messages, self._opt_out_reader)
            transaction.step()
            added = [number for number in ids if number]
            is_indexed = not added or await self._indexer.index_appended(
                writer, added[0], added[-1], transaction, texts
            )
            return ids, is_indexed, transaction

        ids, is_indexed, transaction = await self._database.write_whole(save)
        transaction.step()  # the commit takes longer the more pages were changed
        return SaveResult(ids, is_indexed, transaction.longest)
