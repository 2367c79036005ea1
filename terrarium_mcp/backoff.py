"""Pauses before the next attempt to connect, for every connection that is kept up."""

import secrets
from collections.abc import Sequence

_RANDOM = secrets.SystemRandom()


class Backoff:
    """Pauses that grow with each failure in a row; the last one repeats.

    Args:
        pauses: seconds, for the first failure, the second ...
        settled: a connection that lasted this many seconds ends the row.
        jitter: the share by which a pause may vary, so that a thousand clients do not return at the
            same time.
    """

    def __init__(self, pauses: Sequence[float], *, settled: float, jitter: float = 0) -> None:
        self._pauses = pauses
        self._settled = settled
        self._jitter = jitter
        self._failures = 0

    def pause_after(self, lasted: float) -> float:
        """The pause, in seconds, after a connection that lasted this many seconds."""
        self._failures = 1 if lasted >= self._settled else self._failures + 1
        pause = self._pauses[min(self._failures, len(self._pauses)) - 1]
        return pause * _RANDOM.uniform(1 - self._jitter, 1 + self._jitter)
