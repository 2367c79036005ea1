"""Pacing: who writes much does so in steps of a moment, and makes room for others between them.

SQLite's lock is not fair: commits back to back keep another process from writing for seconds. And
a transaction has its price: the fewer the better, as long as nobody waits for its end.
"""

from collections.abc import Callable

import anyio

LASTING = 0.08
"""Seconds that one step should take. A live line waits for two of them and a commit at most, and is
to be on disk within 0.25 s."""

PAUSE = 0.005
"""Seconds between two transactions. Who waits for the lock looks more often than that."""

ROOM = 0.02
"""Seconds for which to stay away after a transaction that ended because somebody waits."""


class Pace:
    """How many rows one step takes, so that it lasts as long as it should."""

    def __init__(self, smallest: int, usual: int, largest: int) -> None:
        self.rows = usual
        self._smallest = smallest
        self._largest = largest

    def took(self, rows: float, seconds: float) -> None:
        """Go half-way from this size to the one that the last step shows to fit."""
        fitting = rows * LASTING / max(seconds, 0.001)
        self.rows = round(min(max((self.rows + fitting) / 2, self._smallest), self._largest))


class Turn:
    """One transaction of several steps. It is over, between two of them, once it is wanted.

    `longest` is how many seconds the longest of its steps took.
    """

    def __init__(self, wanted: Callable[[], bool], least: float = LASTING / 2) -> None:
        self.longest = 0.0
        self._wanted = wanted
        self._least = least
        self._began = self._stepped = anyio.current_time()

    def step(self) -> None:
        """A step is done."""
        now = anyio.current_time()
        self.longest = max(self.longest, now - self._stepped)
        self._stepped = now

    @property
    def is_over(self) -> bool:
        """Whether somebody waits, and has waited for long enough to make a commit worth it."""
        lasted = self._stepped - self._began
        return self.longest > 0 and lasted >= self._least and self._wanted()
