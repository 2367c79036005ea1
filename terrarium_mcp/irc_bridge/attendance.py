"""Who is in our channels, brought to the store whenever it may have changed."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import anyio

from terrarium_mcp.chat.records import Present
from terrarium_mcp.irc_bridge.network.client import Member
from terrarium_mcp.store import Store

CHANGES = frozenset(("JOIN", "PART", "QUIT", "NICK", "KICK", "MODE", "AWAY", "ACCOUNT", "366"))
"""The lines after which somebody may be elsewhere, somebody else, or of another rank."""

PAUSE = 0.2
"""Seconds in which further changes (a netsplit brings hundreds) are gathered into one."""


class Attendance:
    """Brings the member lists of one network to the store."""

    def __init__(
        self,
        store: Store,
        network: str,
        channels: Callable[[], Sequence[str]],
        members: Callable[[str], Sequence[Member]],
    ) -> None:
        self._store = store
        self._network = network
        self._channels = channels
        self._members = members
        self._changed = anyio.Event()

    def may_have_changed(self) -> None:
        """Note that the lists should be looked at."""
        self._changed.set()

    async def run(self) -> None:
        """Write the lists down after each change, for ever."""
        while True:
            await self._changed.wait()
            self._changed = anyio.Event()
            await anyio.sleep(PAUSE)
            for channel in self._channels():
                people = [
                    Present(one.nick, one.rank, one.away, one.account)
                    for one in self._members(channel)
                ]
                await self._store.presence.replace(
                    self._network, channel, people, datetime.now(UTC)
                )
