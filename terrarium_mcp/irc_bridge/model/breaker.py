"""A circuit breaker: after consecutive failures the endpoint gets no requests for a while."""

from dataclasses import dataclass

FAILURES = 5
"""Consecutive failures that open the breaker."""

PAUSE = 60.0
"""Seconds that the breaker stays open."""


@dataclass(frozen=True, slots=True)
class Breaker:
    """How often the endpoint failed in a row, and until when it gets no requests.

    After the pause one failure opens the breaker again; a success closes it.
    """

    failures: int = 0
    closed_again_at: float = 0.0

    def seconds_open(self, now: float) -> float:
        """Seconds until the next request is allowed; 0 when it is allowed now."""
        return max(self.closed_again_at - now, 0.0)

    def failed(self, now: float) -> "Breaker":
        """The breaker after one more failure."""
        failures = self.failures + 1
        return Breaker(failures, now + PAUSE if failures >= FAILURES else 0.0)
