"""When the server was heard last, on a machine that may sleep or have its clock set."""

import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import NamedTuple

from terrarium_mcp.store import HEARTBEAT

JUMP = HEARTBEAT
"""Difference between two clocks that means that one was set: NTP slews 10 ms in a heartbeat."""

PAUSE = 2 * HEARTBEAT
"""Time without a look at the clocks that means that the process was suspended."""

BUFFERED = HEARTBEAT
"""How long after a pause a line may still have arrived before it: the kernel keeps what arrives,
at most 6 MB on Linux, which the recorder takes in 4 s."""

if sys.platform == "win32":  # whose monotonic clock goes on while the machine sleeps
    _elapsed = time.monotonic
else:
    # CLOCK_MONOTONIC of Linux stops while the machine sleeps; that of macOS does not.
    _elapsed = partial(time.clock_gettime, getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


class Clocks(NamedTuple):
    """The time of day, and the time elapsed since some moment, which nobody sets."""

    now: datetime
    elapsed: timedelta


def machine_clocks() -> Clocks:
    """The clocks of this machine; sleep counts as elapsed."""
    return Clocks(datetime.now(UTC), timedelta(seconds=_elapsed()))


class ServerContact:
    """The last moment at which the server was surely heard, as `last_heard`.

    Between two moments at which it was heard on one connection nothing is lost: TCP repeats. After
    the last one, everything may be.
    """

    def __init__(self, clocks: Callable[[], Clocks] = machine_clocks) -> None:
        self._clocks = clocks
        self._seen = clocks()
        self._unsure_until = timedelta()
        self.last_heard = self._seen.now

    def now(self) -> datetime:
        """The time of day."""
        return self._clocks().now

    def hear(self) -> None:
        """The server was heard, unless this may be from before the process was suspended."""
        if self._seen.elapsed >= self._unsure_until:
            self.last_heard = self._seen.now

    def look(self) -> bool:
        """Look at the clocks, at least every `HEARTBEAT`. Whether the time of day was set since.

        If so, the server counts as heard now, by the new time.
        """
        before, self._seen = self._seen, self._clocks()
        elapsed = self._seen.elapsed - before.elapsed
        if elapsed >= PAUSE:
            self._unsure_until = self._seen.elapsed + BUFFERED
        if was_set := abs(self._seen.now - before.now - elapsed) >= JUMP:
            self.last_heard = self._seen.now
        return was_set
