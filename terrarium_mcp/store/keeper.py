"""The keeper: the one process of a deployment that migrates, checkpoints and indexes.

Whoever holds the lock file beside the database is it. The lock belongs to the operating system, so
a keeper that dies lets go of it, and another takes over at its next try.
"""

import logging
from pathlib import Path

import anyio
from filelock import FileLock, Timeout

from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.store.database import Database
from terrarium_mcp.store.upkeep import Upkeep

TRY_EVERY = 1.0
"""Seconds between two tries to become the keeper, and between two rounds of its duties."""

CHECKPOINT_AT = 4_000 * 4_096
"""Bytes of WAL (4,000 pages) from which the keeper moves it into the file."""

log = logging.getLogger(__name__)


class Keeper:
    """This process's claim to the lock."""

    def __init__(self, path: Path) -> None:
        self._wal = path.with_name(path.name + "-wal")
        # The lock is tried in the event loop's thread and let go wherever the loop ends.
        self._lock = FileLock(path.with_name(path.name + ".keeper"), thread_local=False)

    @property
    def is_us(self) -> bool:
        """Whether this process is the keeper."""
        return bool(self._lock.is_locked)

    def ask(self) -> bool:
        """Become the keeper if nobody is; never waits."""
        if not self.is_us:
            try:
                self._lock.acquire(blocking=False)
            except Timeout:
                return False
        return True

    def let_go(self) -> None:
        """Leave the duties to another process."""
        self._lock.release()

    async def serve(self, database: Database, upkeep: Upkeep) -> None:
        """Do the keeper's duties as long as we are it, for ever."""
        while True:
            if self.ask():
                await self._round(database, upkeep)
            await anyio.sleep(TRY_EVERY)

    async def _round(self, database: Database, upkeep: Upkeep) -> None:
        try:
            await upkeep.catch_up()
            if self._wal.exists() and self._wal.stat().st_size >= CHECKPOINT_AT:
                await database.checkpoint("PASSIVE")
        except TerrariumError as why:  # a full disk, a lock: the next round may succeed
            log.warning("%s", why)
