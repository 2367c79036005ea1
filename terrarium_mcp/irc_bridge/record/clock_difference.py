"""Says in the log that the server's clock and ours differ: one of them is wrong."""

import logging
from datetime import timedelta

from terrarium_mcp.irc_bridge.record.message_filter import AHEAD

WORTH_MENTIONING = timedelta(seconds=20)
"""Clocks that are set by NTP differ by less than a second; a slow connection adds a few."""

log = logging.getLogger(__name__)


class ClockDifference:
    """The difference of the clocks in one connection, which is logged once."""

    def __init__(self, network: str) -> None:
        self._network = network
        self._is_logged = False

    def look(self, ahead: timedelta) -> None:
        """Note by how much the server's clock is ahead of ours now, as far as that is known."""
        if self._is_logged or abs(ahead) <= WORTH_MENTIONING:
            return
        self._is_logged = True
        log.warning(
            "%s: the clock of the server is %.0f s %s ours: lines are recorded with %s times."
            " Set the one that is wrong; ours is that of this machine.",
            self._network,
            abs(ahead).total_seconds(),
            "ahead of" if ahead > timedelta() else "behind",
            "our" if ahead > AHEAD else "the server's",
        )
