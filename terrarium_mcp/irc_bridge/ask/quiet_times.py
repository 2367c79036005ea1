"""Until when the bot keeps silent in which channel. Survives a restart."""

import logging
from collections.abc import Iterable
from datetime import datetime, timedelta
from functools import partial

from terrarium_mcp.backoff import until_it_succeeds
from terrarium_mcp.chat.identity import fold
from terrarium_mcp.store import Store

LONGEST = timedelta(days=30)

log = logging.getLogger(__name__)


class QuietTimes:
    """The quiet channels of one network. Channels are in their folded form.

    What is stored counts from the moment it has been read.
    """

    def __init__(self, store: Store, network: str) -> None:
        self._store = store
        self._network = network
        self._until: dict[str, datetime] = {}

    def covers(self, channel: str, now: datetime) -> bool:
        """Whether nothing is said in a channel at a moment."""
        until = self._until.get(channel)
        return until is not None and now < until

    def refold(self, before: str, casemapping: str, channels: Iterable[str]) -> None:
        """Keep channels quiet where names compare by another CASEMAPPING from here on.

        Args:
            before: that by which they compared.
            casemapping: that by which they do now.
            channels: those that may be quiet, as they are spelled.
        """
        spelt: dict[str, list[str]] = {}
        for channel in channels:
            spelt.setdefault(fold(channel, before), []).append(channel)
        self._until = {
            fold(channel, casemapping): until
            for folded, until in self._until.items()
            for channel in spelt.get(folded, [folded])
        }

    async def load(self, now: datetime) -> None:
        """Read what is stored; what was said since then counts more."""
        stored = await until_it_succeeds(
            partial(self._store.quiet_channels.current, self._network, now),
            "read which channels are quiet",
            log,
        )
        self._until = {**stored, **self._until}

    def begin(self, channel: str, until: datetime) -> None:
        """Keep silent in a channel from now on."""
        self._until[channel] = until

    def end(self, channel: str, now: datetime) -> None:
        """Speak again."""
        self._until[channel] = now

    async def save(self, channel: str, asked_by: str, now: datetime) -> None:
        """Store what holds for a channel, for the next start.

        Raises:
            TerrariumError: it could not be stored.
        """
        stored = self._store.quiet_channels
        if self.covers(channel, now):
            await stored.begin(self._network, channel, self._until[channel], asked_by)
        else:
            await stored.end(self._network, channel)
