"""The write lock: how processes take turns on it, and how large a turn may be.

SQLite's lock is not fair (back-to-back commits can keep another process from writing for seconds),
and a process holding it cannot see who is waiting. So a waiter holds a second lock file beside the
database while it waits, and a long transaction checks that file between its steps. The operating
system releases the file of a process that dies. Every transaction has a cost, so they should be few
as long as nobody waits.
"""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import monotonic

from terrarium_mcp.store.sqlite.engine.file_lock import acquire_now, lock_beside

STEP_SECONDS = 0.08
"""Seconds that one step of a transaction should take. A live message waits for at most two steps
and a commit, and must be on disk within 0.25 s."""

PAUSE = 0.005
"""Seconds between two transactions. A process waiting for the lock retries more often than that."""

BACKOFF = 0.02
"""Seconds to stay away from the lock after yielding it to a waiter."""


class LockWaiters:
    """The processes that wait for a database's write lock, this one and the others."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = lock_beside(path, ".waiting")

    def announce(self) -> None:
        """Announce that this process waits.

        Repeat it while waiting: if another process holds the announcement, it may end first.
        """
        with suppress(OSError):  # without permission it waits unannounced
            if not self._lock.is_locked:
                acquire_now(self._lock, self._path)

    def withdraw(self) -> None:
        """End this process's announcement."""
        self._lock.release(force=True)

    def has_others(self) -> bool:
        """Whether another process waits. Only the holder of the write lock may ask."""
        if not Path(self._lock.lock_file).exists():  # no process has ever waited
            return False
        try:
            return not acquire_now(self._lock, self._path)
        except OSError:  # without permission to open the file we cannot know
            return False
        finally:
            self._lock.release()


class BatchSizer:
    """Adapts how many rows one step handles, so that a step takes as long as it should."""

    def __init__(self, smallest: int, initial: int, largest: int) -> None:
        self.rows = initial
        self._smallest = smallest
        self._largest = largest

    def record(self, rows: float, seconds: float, meant: float = STEP_SECONDS) -> None:
        """Record a step's duration: move half-way from this size to the one that would have fit.

        Args:
            rows: what the step handled.
            seconds: how long it took.
            meant: how long it should have taken.
        """
        fitting = rows * meant / max(seconds, 0.001)
        self.rows = round(min(max((self.rows + fitting) / 2, self._smallest), self._largest))


class YieldingTransaction:
    """One transaction of several steps, which ends early between two of them to yield the lock.

    Attributes:
        longest: seconds that its longest step took so far.
    """

    def __init__(self, has_waiters: Callable[[], bool], minimum: float = STEP_SECONDS / 2) -> None:
        """Start timing.

        Args:
            has_waiters: whether another writer waits.
            minimum: seconds that the transaction lasts even so, to be worth its commit.
        """
        self.longest = 0.0
        self._has_waiters = has_waiters
        self._minimum = minimum
        self._began = self._stepped = monotonic()

    def step(self) -> None:
        """Mark the end of a step."""
        now = monotonic()
        self.longest = max(self.longest, now - self._stepped)
        self._stepped = now

    @property
    def is_over(self) -> bool:
        """Whether to commit now: a writer waits, and the transaction has lasted long enough."""
        lasted = self._stepped - self._began
        return self.longest > 0 and lasted >= self._minimum and self._has_waiters()
