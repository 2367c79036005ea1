"""Growing pauses before the next attempt to connect, or the next message; and trying again."""

import logging
import secrets
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

import anyio

from terrarium_mcp.errors import TerrariumError

TRY_AGAIN = 5.0
"""Seconds before what failed is tried again."""

REMINDED = (60.0, 120.0, 300.0, 600.0)
"""Seconds between one message about a trouble and the next; the last pause repeats."""

ActResult = TypeVar("ActResult")

_RANDOM = secrets.SystemRandom()


def nth_pause(pauses: Sequence[float], before: int) -> float:
    """The pause after which to go on where there were so many before it; the last one repeats."""
    return pauses[min(before, len(pauses) - 1)]


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
        pause = nth_pause(self._pauses, self._failures - 1)
        return pause * _RANDOM.uniform(1 - self._jitter, 1 + self._jitter)


class Reminder:
    """Says when a message about a trouble that goes on is due again, ever more rarely."""

    def __init__(self) -> None:
        self._given = 0
        self._due = float("-inf")

    @property
    def is_first(self) -> bool:
        """Whether no message was due so far."""
        return not self._given

    def take_due(self, now: float) -> bool:
        """Count a message as given if one is due at `now`, in seconds; whether one was.

        The next one is due later.
        """
        if now < self._due:
            return False
        self._due = now + nth_pause(REMINDED, self._given)
        self._given += 1
        return True


async def until_it_succeeds(
    act: Callable[[], Awaitable[ActResult]], what: str, log: logging.Logger
) -> ActResult:
    """Do `act`, and again every TRY_AGAIN seconds while it raises a TerrariumError.

    `what` says to the reader of `log` what could not be done: "save the member lists".
    """
    reminder = Reminder()
    while True:
        try:
            return await act()
        except TerrariumError as error:
            if reminder.take_due(anyio.current_time()):
                log.warning("could not %s, will retry: %s", what, error)
            await anyio.sleep(TRY_AGAIN)
