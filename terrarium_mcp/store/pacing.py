"""Pacing: who writes much does so in transactions of a moment each, with pauses between them.

SQLite's lock is not fair: commits back to back keep another process from writing for seconds.
"""

LASTING = 0.08
"""Seconds that one transaction should take. A live line waits for one of them at most, and is to be
on disk within 0.25 s."""

PAUSE = 0.005
"""Seconds between two of them. Who waits for the lock looks more often than that."""


class Pace:
    """How many rows one transaction takes, so that it lasts as long as it should."""

    def __init__(self, smallest: int, usual: int, largest: int) -> None:
        self.rows = usual
        self._smallest = smallest
        self._largest = largest

    def took(self, rows: float, seconds: float) -> None:
        """Go half-way from this size to the one that the last transaction shows to fit."""
        fitting = rows * LASTING / max(seconds, 0.001)
        self.rows = round(min(max((self.rows + fitting) / 2, self._smallest), self._largest))
