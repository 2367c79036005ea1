"""An outage: a time in which nothing can be written, logged again and again, ever more rarely."""

import logging
from datetime import UTC, datetime

import anyio

from terrarium_mcp.backoff import Reminder
from terrarium_mcp.wording import quantity

log = logging.getLogger(__name__)


class Outage:
    """One outage of a network's record, from the first write that failed.

    `why` is the reason given last.
    """

    def __init__(self, network: str) -> None:
        self._network = network
        self.since = datetime.now(UTC)
        self.why = ""
        self._reminder = Reminder()

    def failed(self, why: str, waiting: int) -> None:
        """Note another write that failed, and log it if it is time.

        Args:
            why: what happened, and what the operator can do about it.
            waiting: lines in memory that wait to be written.
        """
        self.why = why
        since = "" if self._reminder.is_first else f" since {self.since:%Y-%m-%d %H:%M:%S} UTC"
        if self._reminder.take_due(anyio.current_time()):
            log.error("%s: %s%s. %s", self._network, _what_waits(waiting), since, why)

    def ended(self, waiting: int) -> None:
        """Log that writing works again."""
        seconds = (datetime.now(UTC) - self.since).total_seconds()
        left = f"; {quantity(waiting, 'line')} still to be written" if waiting else ""
        log.warning("%s: recording continues after %.0f s%s", self._network, seconds, left)


def _what_waits(lines: int) -> str:
    """What cannot be written: lines, or only that we are here, and in which channels."""
    if not lines:
        return "nothing can be recorded"
    return f"{quantity(lines, 'line')} {'waits' if lines == 1 else 'wait'} to be recorded"
