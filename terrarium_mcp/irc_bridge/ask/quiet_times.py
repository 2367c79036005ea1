"""Until when the bot keeps silent in which channel. Survives a restart."""

import logging
from collections.abc import Callable, Iterable
from datetime import timedelta
from functools import partial

from terrarium_mcp.backoff import until_it_succeeds
from terrarium_mcp.chat.identity import fold
from terrarium_mcp.irc_bridge.record.server_contact import Clocks, machine_clocks
from terrarium_mcp.store import Store

LONGEST = timedelta(days=30)

log = logging.getLogger(__name__)


class QuietTimes:
    """The quiet channels of one network. Channels are in their folded form.

    What is stored counts from the moment it has been read. A clock that is set meanwhile changes
    nothing: how long a channel is quiet is measured by the time elapsed.
    """

    def __init__(
        self, store: Store, network: str, clocks: Callable[[], Clocks] = machine_clocks
    ) -> None:
        self._store = store
        self._network = network
        self._clocks = clocks
        self._until: dict[str, timedelta] = {}
        """By the clock of the time elapsed."""

    def covers(self, channel: str) -> bool:
        """Whether nothing is said in a channel now."""
        until = self._until.get(channel)
        return until is not None and self._clocks().elapsed < until

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

    async def load(self) -> None:
        """Read what is stored; what was said since then counts more.

        A time that is further away than LONGEST was stored by a wrong clock.
        """
        now, elapsed = self._clocks()
        stored = await until_it_succeeds(
            partial(self._store.quiet_channels.current, self._network, now),
            "read which channels are quiet",
            log,
        )
        left = {channel: min(until - now, LONGEST) for channel, until in stored.items()}
        self._until = {channel: elapsed + time for channel, time in left.items()} | self._until

    def begin(self, channel: str, duration: timedelta) -> None:
        """Keep silent in a channel for so long from now on."""
        self._until[channel] = self._clocks().elapsed + duration

    def end(self, channel: str) -> None:
        """Speak again."""
        self._until[channel] = self._clocks().elapsed

    async def save(self, channel: str, asked_by: str) -> None:
        """Store what holds for a channel, for the next start.

        Raises:
            TerrariumError: it could not be stored.
        """
        stored = self._store.quiet_channels
        now, elapsed = self._clocks()
        if self.covers(channel):
            until = now + self._until[channel] - elapsed
            await stored.begin(self._network, channel, until, asked_by)
        else:
            await stored.end(self._network, channel)
