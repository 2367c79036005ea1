"""An outage: a time in which nothing can be written, logged again and again, ever more rarely."""

import logging
from datetime import UTC, datetime

import anyio

from terrarium_mcp.backoff import Reminder

log = logging.getLogger(__name__)


class Outage:
    """One outage, from the first write that failed. `why` is the reason given last."""

    def __init__(self) -> None:
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
        if self._reminder.is_due(anyio.current_time()):
            log.error("%d lines wait to be recorded%s. %s", waiting, since, why)

    def ended(self, waiting: int) -> None:
        """Log that writing works again."""
        seconds = (datetime.now(UTC) - self.since).total_seconds()
        log.warning(
            "recording continues after %.0f s; %d lines are still to be written", seconds, waiting
        )
