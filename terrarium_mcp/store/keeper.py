"""The keeper: the one process of a deployment that migrates, checkpoints and indexes.

Whoever holds the lock file beside the database is it. The lock belongs to the operating system, so
a keeper that dies lets go of it, and another takes over at its next try.
"""

import json
import logging
import os
import sys
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

import anyio
from filelock import FileLock, Timeout

from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.store.database import Database
from terrarium_mcp.store.derived import windows
from terrarium_mcp.store.derived.windows import Windows
from terrarium_mcp.store.merging import LOOK_EVERY, Merging
from terrarium_mcp.store.upkeep import Upkeep

TRY_EVERY = 1.0
"""Seconds between two rounds of indexing what others appended."""

LOOK_AT_WAL_EVERY = 0.25
"""Seconds. A bulk append adds some 30 MB a second."""

CHECKPOINT_AT = 16_000 * 4_096
"""Bytes of WAL (16,000 pages) from which the keeper moves it into the file. What changes again and
again is so copied seldom: from 4,000 pages on, a line of a bulk append costs 8 us of CPU more."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Note:
    """What the keeper writes into its lock file, for people: which process it is, since when."""

    pid: int
    command: str
    since: str

    @classmethod
    def read(cls, lock: Path) -> "Note | None":
        """The note in a lock file, also of a keeper that is gone; None where there is none."""
        try:
            return cls(**json.loads(lock.read_text("utf-8")))
        except (OSError, ValueError, TypeError):
            return None

    def write(self, lock: Path) -> None:
        """Leave the note. Whoever cannot (Windows locks the very bytes) is keeper without one."""
        try:
            lock.write_text(json.dumps(asdict(self)) + "\n", "utf-8")
        except OSError as why:
            log.debug("no note in %s: %s", lock, why)


def lock_file(path: Path) -> Path:
    """The lock file beside a database."""
    return path.with_name(path.name + ".keeper")


class Keeper:
    """This process's claim to the lock."""

    def __init__(self, path: Path) -> None:
        # The lock is tried in the event loop's thread and let go wherever the loop ends.
        self._lock = FileLock(lock_file(path), thread_local=False)

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
            command = " ".join([Path(sys.argv[0]).name, *sys.argv[1:]])
            since = datetime.now(UTC).isoformat(" ", "seconds")
            Note(os.getpid(), command, since).write(Path(self._lock.lock_file))
        return True

    def let_go(self) -> None:
        """Leave the duties to another process."""
        self._lock.release()

    async def serve(self, database: Database, upkeep: Upkeep) -> None:
        """Do the keeper's duties as long as we are it, for ever."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._again_and_again, upkeep.catch_up, TRY_EVERY)
            tasks.start_soon(self.empty_wal, database)
            tasks.start_soon(self._again_and_again, Merging(database).merge, LOOK_EVERY)
            tasks.start_soon(self._again_and_again, Windows(database).move_on, windows.LOOK_EVERY)
            tasks.start_soon(_report_damage, upkeep)

    async def empty_wal(self, database: Database) -> None:
        """Keep the WAL from growing for ever, as long as we are the keeper.

        Most of it is copied while others write; what they add meanwhile, under the lock that keeps
        them out. Without that second part a WAL that somebody always writes to never begins anew.
        It also leaves next to no room for the WAL-reset bug (`store/wal_reset.py`), which needs a
        checkpoint of a WAL that was copied to its end before, in the very moment in which another
        process begins it anew: ours empties the file as soon as all of it is copied.
        """

        async def duty() -> None:
            if database.wal_bytes() >= CHECKPOINT_AT:
                await database.checkpoint("PASSIVE")
                await database.checkpoint("TRUNCATE")

        await self._again_and_again(duty, LOOK_AT_WAL_EVERY)

    async def _again_and_again(self, duty: Callable[[], Awaitable[None]], every: float) -> None:
        while True:
            if self.ask():
                try:
                    await duty()
                except TerrariumError as why:  # a full disk, a lock: the next round may succeed
                    log.warning("%s", why)
            await anyio.sleep(every)


async def _report_damage(upkeep: Upkeep) -> None:
    """Let the keeper, whoever it is, make again what a read of this process found damaged."""
    while True:
        try:
            await upkeep.rebuild_if_damaged()
        except TerrariumError as why:  # it cannot be written now; whoever reads next finds it again
            log.warning("%s", why)
        await anyio.sleep(TRY_EVERY)
