"""Copies channel member lists to the store whenever they may have changed."""

import logging
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import anyio

from terrarium_mcp.backoff import until_it_succeeds
from terrarium_mcp.bell import Bell
from terrarium_mcp.chat.records import Member
from terrarium_mcp.errors import surviving
from terrarium_mcp.store import Store

PRESENCE_COMMANDS = frozenset(
    ("JOIN", "PART", "QUIT", "NICK", "KICK", "MODE", "AWAY", "ACCOUNT", "353", "366", "315")
)
"""IRC commands after which a member list may differ: membership, nick, rank, away or account.

315 (RPL_ENDOFWHO) ends the WHO reply, which brings accounts and away states some time after 366
(RPL_ENDOFNAMES)."""

PAUSE = 0.2
"""Seconds during which further changes are merged into one write: a netsplit brings hundreds."""

LOOK_EVERY = 60.0
"""Seconds between two looks for stored lists from which another process removed somebody: a purge
of a nick does, and its owner may be there."""

log = logging.getLogger(__name__)


class PresenceSync:
    """Keeps the stored member lists of one network current."""

    def __init__(
        self,
        store: Store,
        network: str,
        channels: Callable[[], Sequence[str]],
        members: Callable[[str], Sequence[Member]],
        fold: Callable[[str], str],
    ) -> None:
        """What is written of `network`.

        Args:
            store: where it is written.
            network: its name.
            channels: the channels whose lists are written, those that we are in.
            members: who is in a channel.
            fold: folds a channel as the network compares names now.
        """
        self._store = store
        self._network = network
        self._channels = channels
        self._members = members
        self._fold = fold
        self._written: dict[str, Sequence[Member]] = {}
        self._lengths: dict[str, int] = {}
        """How long each list was as it was stored: without those who opted out."""
        self._storing = anyio.Lock()
        """A list that is being stored has no length yet that could be compared."""
        self._incomplete: set[str] = set()
        self._bell = Bell()

    def schedule_check(self) -> None:
        """Schedule a comparison of the member lists with what was written."""
        self._bell.ring()

    def channel_joined(self, channel: str) -> None:
        """Schedule a write for a channel just joined, whatever its list holds, once it is complete.

        Until then it holds few of those who are there, and the record of the others is better.
        """
        self._written.pop(channel, None)
        self._incomplete.add(channel)
        self.schedule_check()

    def members_complete(self, channel: str) -> None:
        """The member list of a channel has come in as a whole."""
        folded = self._fold(channel)
        self._incomplete = {one for one in self._incomplete if self._fold(one) != folded}
        self.schedule_check()

    def write_all(self) -> None:
        """Schedule a write of every list, also of those that did not change."""
        self._written.clear()
        self.schedule_check()

    async def run(self) -> None:
        """Write changed lists until cancelled."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._watch_stored)
            await self._write_changed()

    async def _write_changed(self) -> None:
        while True:
            await self._bell.wait()
            await anyio.sleep(PAUSE)
            # Neither a store that cannot write nor a bug must end the bridge.
            with surviving("saving the member lists", log):
                await until_it_succeeds(self._write, "save the member lists", log)

    async def _write(self) -> None:
        """Write the lists that differ from the last write."""
        for channel in self._channels():
            if self._is_incomplete(channel) or channel not in self._channels():
                continue  # a channel lost during the write before has a stale list, no empty one
            people = self._members(channel)
            if people != self._written.get(channel):
                async with self._storing:
                    await self._store_list(channel, people)

    async def _store_list(self, channel: str, people: Sequence[Member]) -> None:
        self._written[channel] = people  # before the write: it may be joined meanwhile
        try:
            self._lengths[channel] = await self._store.presence.replace(
                self._network, channel, people, datetime.now(UTC)
            )
        except Exception:
            self._written.pop(channel, None)
            raise

    async def _watch_stored(self) -> None:
        """Look for lists that are no longer stored as they were written, until cancelled."""
        while True:
            await anyio.sleep(LOOK_EVERY)
            with surviving("looking at the stored member lists", log):
                await until_it_succeeds(self._look, "look at the stored member lists", log)

    async def _look(self) -> None:
        """Schedule a write of each list that has another length than when it was written."""
        for channel in self._channels():
            async with self._storing:
                stored = await self._store.presence.length(self._network, channel)
                if stored != self._lengths.get(channel, stored):
                    self._written.pop(channel, None)
                    self.schedule_check()

    def _is_incomplete(self, channel: str) -> bool:
        return self._fold(channel) in map(self._fold, self._incomplete)
