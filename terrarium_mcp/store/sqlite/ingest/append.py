"""Appending: messages go to the disk, and into everything derived from them.

A small group is indexed by the transaction that saves it. A flood is saved first, and indexed later
by the keeper or by the next read. A bulk append does both until another writer waits for the lock.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

import anyio

from terrarium_mcp.chat.records import NewMessage
from terrarium_mcp.store.errors import IndexDamaged, Locked
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.write_lock import BACKOFF, PAUSE, YieldingTransaction
from terrarium_mcp.store.sqlite.index.indexer import INDEXED_BY_READ, Indexer, index_rows
from terrarium_mcp.store.sqlite.ingest.insert import insert

FLOOD = 500
"""An append of this many messages or more is indexed later: more are queued behind them, and they
reach the disk in a third of the time."""

LARGE_WAL = 128 * 1024 * 1024
"""Once the WAL has this many bytes, a bulk append pauses long enough for the keeper to empty it."""

LONG_PAUSE = 0.25
"""Seconds. SQLite retries every tenth of a second once it has waited for as long."""


@dataclass(frozen=True, slots=True)
class SaveResult:
    """What one transaction did.

    Attributes:
        ids: the id of each message, 0 for one that was already stored.
        is_indexed: whether every derived structure holds them.
        longest: seconds that the longest of its steps took.
    """

    ids: list[int]
    is_indexed: bool
    longest: float


class Appender:
    """The way of messages into the database."""

    def __init__(self, database: Database, indexer: Indexer) -> None:
        self._database = database
        self._indexer = indexer

    async def append(self, messages: Sequence[NewMessage]) -> list[int]:
        """Save messages in one transaction; returns their ids, 0 for one already stored."""
        flood = len(messages) >= FLOOD
        result = await self._save(messages, lambda: YieldingTransaction(lambda: flood, minimum=0))
        if flood and await self._indexer.lag() > INDEXED_BY_READ:
            await self._catch_up()
        return result.ids

    async def append_yielding(self, messages: Sequence[NewMessage]) -> SaveResult:
        """Save messages in one transaction that stops indexing them once another writer waits."""
        return await self._save(messages, lambda: YieldingTransaction(self._database.has_waiters))

    async def yield_lock(self, result: SaveResult) -> None:
        """Let other processes write, longer while the WAL is large; then index what was left."""
        if not result.is_indexed:
            await anyio.sleep(BACKOFF)
            await self._catch_up()
        await anyio.sleep(LONG_PAUSE if self._database.wal_bytes() >= LARGE_WAL else PAUSE)

    async def _catch_up(self) -> None:
        """Index what was left behind, unless others keep the lock: then the keeper will."""
        with suppress(Locked):
            await self._indexer.catch_up()

    async def _save(
        self, messages: Sequence[NewMessage], begin: Callable[[], YieldingTransaction]
    ) -> SaveResult:
        try:
            return await self._save_once(messages, begin)
        except IndexDamaged:  # new messages must not wait for the rebuild
            await self._indexer.rebuild_if_damaged()
            return await self._save_once(messages, begin)

    async def _save_once(
        self, messages: Sequence[NewMessage], begin: Callable[[], YieldingTransaction]
    ) -> SaveResult:
        async with self._database.writing() as writer:
            turn = begin()
            ids = await insert(writer, messages)
            turn.step()
            added = [number for number in ids if number]
            is_indexed = not added or await index_rows(writer, added[0], added[-1], turn)
        turn.step()  # the commit takes longer the more pages were changed
        return SaveResult(ids, is_indexed, turn.longest)
