"""Checkpoints: the WAL moves into the file when it is large, when nobody writes, or at last by age.

A page that was written fifty times since the last checkpoint is copied once, so seldom is cheaper;
but a copy of the file alone (`cp irc_logs.db`) holds only what was checkpointed.
"""

from collections.abc import Callable

import anyio

from terrarium_mcp.store.sqlite.engine.database import Database

LOOK_EVERY = 0.25
"""Seconds between two looks at the WAL. A bulk append adds some 30 MB a second."""

LARGE = 16_000 * 4_096
"""The WAL is emptied once it has this many bytes: 16,000 pages. Pages that change often are then
copied seldom: at 4,000 pages a message of a bulk append costs 8 us more of CPU."""

QUIET = 15.0
"""Seconds without a write after which it is emptied: less than the recorder's heartbeat, 20 s."""

OLD = 600.0
"""Seconds after which it is emptied even while lines are written."""


class Checkpoints:
    """The keeper's duty to keep the WAL small.

    Most of it is copied while others write; the pages that they add meanwhile, under the lock that
    keeps them out. Without that second checkpoint a WAL in constant use would never start over. It
    also leaves almost no chance to the WAL-reset bug (wal_reset_bug.py), which needs a checkpoint
    of a fully copied WAL at the very moment in which another process starts it over: this one
    empties the file as soon as all of it is copied.
    """

    def __init__(self, database: Database, clock: Callable[[], float] = anyio.current_time) -> None:
        self._database = database
        self._clock = clock
        self._seen = database.wal_state()
        self._began = self._changed = clock()

    async def empty_wal(self) -> None:
        """Checkpoint if it is time. A reader that is in the way is tried again after `QUIET`.

        Raises:
            StoreFailed: the file cannot be written.
        """
        now, seen = self._clock(), self._database.wal_state()
        if seen != self._seen:
            self._seen, self._changed = seen, now
        if not seen.size:
            self._began = now
        elif seen.size >= LARGE or now >= self._changed + QUIET or now >= self._began + OLD:
            await self._database.checkpoint("PASSIVE")
            await self._database.checkpoint("TRUNCATE")
            self._seen = self._database.wal_state()
            self._began = self._changed = self._clock()
