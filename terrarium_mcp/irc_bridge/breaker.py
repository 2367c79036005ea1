"""A circuit breaker: after some failures in a row, the endpoint is left alone for a while."""

from dataclasses import dataclass

FAILURES = 5
PAUSE = 60.0


@dataclass(frozen=True, slots=True)
class Breaker:
    """How often in a row the endpoint has failed, and until when it is left alone.

    After the pause one failure is enough to open it again, and one success closes it.
    """

    failures: int = 0
    closed_again_at: float = 0.0

    def seconds_open(self, now: float) -> float:
        """How long nobody should ask; 0 when asking is fine."""
        return max(self.closed_again_at - now, 0.0)

    def failed(self, now: float) -> "Breaker":
        """One failure more."""
        failures = self.failures + 1
        return Breaker(failures, now + PAUSE if failures >= FAILURES else 0.0)
