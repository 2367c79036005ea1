"""Who is in our channels, brought to the store whenever it may have changed."""

import logging
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import anyio

from terrarium_mcp.chat.records import Present
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.irc_bridge.network.membership import ChannelMember
from terrarium_mcp.store import Store

CHANGES = frozenset(
    ("JOIN", "PART", "QUIT", "NICK", "KICK", "MODE", "AWAY", "ACCOUNT", "353", "366", "315")
)
"""The lines after which somebody may be elsewhere, somebody else, away, or of another rank.

315 ends the answer to WHO, which tells of accounts and absence some time after 366."""

PAUSE = 0.2
"""Seconds in which further changes (a netsplit brings hundreds) are gathered into one."""

TRY_AGAIN = 5.0
"""Seconds until a list that could not be written is tried again."""

log = logging.getLogger(__name__)


class Attendance:
    """Brings the member lists of one network to the store."""

    def __init__(
        self,
        store: Store,
        network: str,
        channels: Callable[[], Sequence[str]],
        members: Callable[[str], Sequence[ChannelMember]],
    ) -> None:
        self._store = store
        self._network = network
        self._channels = channels
        self._members = members
        self._written: dict[str, Sequence[Present]] = {}
        self._changed = anyio.Event()

    def may_have_changed(self) -> None:
        """Note that the lists should be looked at."""
        self._changed.set()

    def begins(self, channel: str) -> None:
        """Note that the list of a channel we came into is new, whatever it holds."""
        self._written.pop(channel, None)
        self.may_have_changed()

    async def run(self) -> None:
        """Write the lists down after each change, for ever."""
        while True:
            await self._changed.wait()
            self._changed = anyio.Event()
            await anyio.sleep(PAUSE)
            try:
                await self._write()
            except TerrariumError as why:  # a store that cannot write must not end the rest of us
                log.warning("the lists of who is here wait. %s", why)
                self.may_have_changed()
                await anyio.sleep(TRY_AGAIN)

    async def _write(self) -> None:
        """Write the lists that differ from what was written last."""
        for channel in self._channels():
            people = [
                Present(one.nick, one.rank, one.away, one.account) for one in self._members(channel)
            ]
            if people != self._written.get(channel):
                now = datetime.now(UTC)
                await self._store.presence.replace(self._network, channel, people, now)
                self._written[channel] = people
