"""A circuit breaker: after consecutive failures the endpoint gets no requests for a while.

Nor does one that asked for a pause, before that is over.
"""

from dataclasses import dataclass, replace

FAILURES = 5
"""Consecutive failures that open the breaker."""

PAUSE = 60.0
"""Seconds that the breaker stays open."""


_LONGEST = 900.0
"""Seconds for which an endpoint gets no requests at most, whatever it asked for: its clock, or the
proxy before it, may be wrong, and a request now and then is no burden."""


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

    @property
    def is_tripped(self) -> bool:
        """Whether there were as many failures as open it, whatever the endpoint asked for."""
        return self.failures >= FAILURES

    def failed(self, now: float, pause: float | None = None) -> "Breaker":
        """The breaker after one more failure; the endpoint asked for a `pause` in seconds."""
        after = Breaker(self.failures + 1)
        seconds = max(PAUSE if after.is_tripped else 0.0, granted(pause))
        return replace(after, closed_again_at=now + seconds if seconds else 0.0)


def granted(pause: float | None) -> float:
    """Of the seconds of a pause that an endpoint asked for, if it did, those that are kept."""
    return min(pause or 0.0, _LONGEST)
