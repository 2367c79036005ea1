"""How long to wait before connecting again."""

import secrets

from terrarium_mcp.irc_bridge.network.timing import Timing

_DICE = secrets.SystemRandom()


class Backoff:
    """Pauses that grow, with some jitter so that a thousand clients do not return as one."""

    def __init__(self, timing: Timing) -> None:
        self._timing = timing
        self._failures = 0

    def pause_after(self, lived: float) -> float:
        """The pause after a connection that lived for so many seconds."""
        self._failures = 1 if lived >= self._timing.settled else self._failures + 1
        pauses = self._timing.backoff
        pause = pauses[min(self._failures, len(pauses)) - 1]
        return pause * _DICE.uniform(1 - self._timing.jitter, 1 + self._timing.jitter)
