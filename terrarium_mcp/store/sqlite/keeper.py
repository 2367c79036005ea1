"""The keeper: the one process of a deployment that does what must be done by exactly one.

It migrates, checkpoints, merges the segments of the full-text indexes, counts the lines with
frequent words and who said those of whole months, removes what is too old, and indexes what other
processes left behind. It holds the lock file beside the database. The operating system releases the
lock of a keeper that dies, and another process takes over at its next attempt.
"""

import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import NamedTuple

import anyio

from terrarium_mcp.backoff import Reminder
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.store.errors import StoreFailed
from terrarium_mcp.store.sqlite.engine import checkpoints
from terrarium_mcp.store.sqlite.engine.checkpoints import Checkpoints
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.file_lock import (
    acquire_now,
    lock_beside,
    record_in,
    write_record,
)
from terrarium_mcp.store.sqlite.engine.files import beside
from terrarium_mcp.store.sqlite.engine.fts_merge import LOOK_EVERY, SegmentMerger
from terrarium_mcp.store.sqlite.index import (
    clock_ahead,
    rolling_windows,
    talk_counts,
    word_blocks,
)
from terrarium_mcp.store.sqlite.index.clock_ahead import ClockAheadWatch
from terrarium_mcp.store.sqlite.index.grouped_indexing import GroupedIndexing
from terrarium_mcp.store.sqlite.index.indexer import Indexer
from terrarium_mcp.store.sqlite.index.rolling_windows import RollingWindows
from terrarium_mcp.store.sqlite.index.talk_counts import TalkCounter
from terrarium_mcp.store.sqlite.index.word_blocks import WordBlockCounter

TRY_EVERY = 1.0
"""Seconds between two rounds of indexing, and between two looks for a damaged index."""

CLAIM_EVERY = 1.0
"""Seconds, at least, between two claims for a duty where another process is the keeper: each takes
1 ms of CPU, and an idle server beside a bridge does little else."""

_ENDING = ".keeper"

log = logging.getLogger(__name__)


class KeeperRecord(NamedTuple):
    """The contents of the lock file, for people: which process is the keeper, and since when."""

    pid: int
    command: str
    since: str

    @classmethod
    def read(cls, lock: Path) -> "KeeperRecord | None":
        """The record in a lock file, perhaps of a keeper that is gone; None if there is none."""
        try:
            return cls(**record_in(lock))
        except (OSError, ValueError, TypeError, KeyError):
            return None


def lock_file(path: Path) -> Path:
    """The lock file beside a database."""
    return beside(path, _ENDING)


class Keeper:
    """This process's claim to the lock."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = lock_beside(path, _ENDING)

    @property
    def is_us(self) -> bool:
        """Whether this process is the keeper."""
        return bool(self._lock.is_locked)

    def claim(self) -> bool:
        """Become the keeper unless another process is; never waits. Whether this process is it.

        Raises:
            StoreFailed: this account may not lock the file, or there can be none.
        """
        if not self.is_us:
            self._lock = lock_beside(self._path, _ENDING)  # a link may lead elsewhere than before
            lock = Path(self._lock.lock_file)
            try:
                if not acquire_now(self._lock, self._path):
                    return False
            except OSError as error:
                raise unusable_lock(lock, self._path, error) from error
            try:
                write_record(lock)
            except OSError as error:  # without permission there is no record
                log.debug("no keeper record in %s: %s", lock, error)
        return True

    def release(self) -> None:
        """Stop being the keeper."""
        self._lock.release()

    async def serve(self, database: Database, indexer: Indexer) -> None:
        """Run the keeper's duties, for ever; each round only while this process is the keeper."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._repeat, GroupedIndexing(indexer).index, TRY_EVERY)
            tasks.start_soon(self.empty_wal, database)
            tasks.start_soon(self._repeat, SegmentMerger(database).merge, LOOK_EVERY)
            tasks.start_soon(
                self._repeat, RollingWindows(database).advance, rolling_windows.LOOK_EVERY
            )
            tasks.start_soon(self._repeat, ClockAheadWatch(database).look, clock_ahead.LOOK_EVERY)
            tasks.start_soon(self._repeat, WordBlockCounter(database).count, word_blocks.LOOK_EVERY)
            tasks.start_soon(self._repeat, TalkCounter(database).count, talk_counts.LOOK_EVERY)
            tasks.start_soon(_schedule_repairs, indexer)

    async def empty_wal(self, database: Database) -> None:
        """Keep the WAL small, while this process is the keeper."""
        await self._repeat(Checkpoints(database).empty_wal, checkpoints.LOOK_EVERY)

    async def _repeat(self, duty: Callable[[], Awaitable[None]], every: float) -> None:
        reminder = Reminder()
        while True:
            try:
                if self.claim():
                    await duty()
            except TerrariumError as error:  # a full disk, a lock: the next round may succeed
                if reminder.take_due(anyio.current_time()):
                    log.warning("%s", error)
            else:
                reminder = Reminder()
            await anyio.sleep(every if self.is_us else max(every, CLAIM_EVERY))


def unusable_lock(lock: Path, database: Path, error: OSError) -> StoreFailed:
    """The error that this account cannot lock the file, or make it where it is missing."""
    if not _is_there(lock):
        return StoreFailed(
            f"The folder {lock.parent} cannot be written: {error.strerror}. Name a database"
            " elsewhere with DB_PATH or --db."
        )
    needed = (
        f"{lock} cannot be used: {error.strerror}. Every account that uses the database must be"
        " able to write it"
    )
    if not _is_there(database):
        return StoreFailed(f"{needed}; or name a database elsewhere with DB_PATH or --db.")
    return StoreFailed(
        f"{needed}: make it like the database itself (chown --reference={database} {lock} && chmod"
        f" --reference={database} {lock})."
    )


def _is_there(path: Path) -> bool:
    try:
        path.stat()
    except OSError:  # not there, or in a folder that may not be looked into
        return False
    return True


async def _schedule_repairs(indexer: Indexer) -> None:
    """Have the keeper, whichever process it is, rebuild what a read of this one found damaged.

    A round in which there was nothing to do ends no trouble: each read may find the damage again.
    """
    reminder = Reminder()
    while True:
        try:
            await indexer.rebuild_if_damaged()
        except TerrariumError as error:  # it cannot be written now; the next read finds it again
            if reminder.take_due(anyio.current_time()):
                log.warning("%s", error)
        await anyio.sleep(TRY_EVERY)
