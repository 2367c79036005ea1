"""What people decide about the record of themselves: opting out and in, and having it forgotten."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from functools import partial

import anyio

from terrarium_mcp.bounded_dict import BoundedDict
from terrarium_mcp.chat.identity import Identity, fold
from terrarium_mcp.chat.irc_message import IrcMessage
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.irc_bridge.ask.commands import Command
from terrarium_mcp.irc_bridge.record.recorder import Recorder
from terrarium_mcp.store import PersonTraces, PurgeResult, PurgeTarget, Store

SETTLED_WITHIN = 5.0
"""Seconds to wait until a decision is on disk; a full disk must not silence the bot."""

CONFIRMED_WITHIN = 120.0
"""Seconds in which a removal must be confirmed."""

MOST_UNCONFIRMED = 200
"""Removals that wait for a confirmation; of more the oldest lapse."""

MOST_DECISIONS = 1_000
"""Decisions whose moment is remembered, to tell older ones from them that come later."""

ASKED_BY = "!forget"

FOLLOWED = frozenset(("CHGHOST", "ACCOUNT", "NICK"))
"""IRC commands that show a new identity of a person, although no recorded line may show it."""

log = logging.getLogger(__name__)


class Consent:
    """The decisions of the people on one network.

    They take effect in the recorder's queue, in the order of the network: what a person said before
    `!optout` is recorded, what they say behind it is not, whenever the disk accepts either.
    `on_change` is called when somebody who was left out may be written again, or the reverse.
    """

    def __init__(
        self, store: Store, network: str, recorder: Recorder, on_change: Callable[[], None]
    ) -> None:
        self._store = store
        self._network = network
        self._recorder = recorder
        self._on_change = on_change
        self._unsettled: list[Identity] = []
        self._decided = BoundedDict[Identity, datetime](MOST_DECISIONS)
        self._unconfirmed = BoundedDict[Identity, float](MOST_UNCONFIRMED)
        self._removing = anyio.Lock()
        self._acts: Mapping[str, Callable[[Identity, datetime], Awaitable[None]]] = {
            "optout": self._store.opt_outs.add,
            "optin": self._store.opt_outs.remove,
        }

    async def has_opted_out(self, who: Identity) -> bool:
        """Whether this person opted out.

        Raises:
            StoreFailed: the history cannot be read.
        """
        return (await self._store.opt_outs.current()).covers(who)

    async def is_off_record(self, command: Command) -> bool:
        """Whether neither a command nor its answer is recorded."""
        if command.off_record or command.traits.is_consent:
            return True
        who = command.identity(self._network)
        if self._is_unsettled(who) and not await self.is_settled():
            return True
        try:
            return await self.has_opted_out(who)
        except TerrariumError as error:  # rather too little is recorded than too much
            log.warning("cannot read who opted out at the moment: %s", error)
            return True

    def heed(self, command: Command, said_at: datetime) -> None:
        """Let `!optout` and `!optin` take effect, in their place among the lines."""
        who = command.identity(self._network)
        if command.only_speaks_of_recording:
            return
        if who.is_proven and (act := self._acts.get(command.name)):
            self._decided[who] = said_at
            self._enqueue(partial(act, who, said_at), who)

    def heed_late(
        self, command: Command, said_at: datetime, is_unheard: Callable[[], bool]
    ) -> None:
        """Let an `!optout` take effect that was said long ago, or is replayed.

        Not if its person decided something since, nor if it is not `is_unheard`, which is asked in
        its place among the lines. Other commands have to be repeated: rather too little is recorded
        than too much, and nothing is removed by what a person wanted once.
        """
        who = command.identity(self._network)

        async def opt_out() -> None:
            if is_unheard():
                await self._store.opt_outs.add(who, said_at)

        if command.name == "optout" and who.is_proven and not self._has_decided(who, said_at):
            self._enqueue(opt_out, who)

    def follow(self, message: IrcMessage) -> None:
        """Let an opt-out follow its person to a new host, account or nick (`FOLLOWED`)."""
        network, source = self._network, message.source
        if source is None or not message.params:
            return
        before = Identity(network, source.nick, source.user, source.host)
        match message.command, message.params:
            case "CHGHOST", (user, host, *_):
                after = Identity(network, source.nick, user, host)
            case "ACCOUNT", (account, *_) if account != "*":
                after = Identity(network, source.nick, source.user, source.host, account)
            case "NICK", (nick, *_):
                after = Identity(network, nick, source.user, source.host)
            case _:
                return
        self._recorder.afterwards(partial(self._store.opt_outs.follow, before, after))

    async def is_settled(self) -> bool:
        """Whether all decisions so far are on disk; waits for SETTLED_WITHIN."""
        with anyio.move_on_after(SETTLED_WITHIN):
            await self._recorder.flush()
            return True
        return False

    async def traces(self, who: Identity) -> PersonTraces:
        """What is stored of this person; from now on they may confirm that it be removed.

        Raises:
            StoreFailed, BacklogFailed: it cannot be read.
        """
        async with self._removing:  # it reads every message
            traces = await self._store.removal.traces(PurgeTarget.asking(who))
        now = anyio.current_time()
        for one in [one for one, until in self._unconfirmed.items() if until <= now]:
            del self._unconfirmed[one]
        if traces.total or traces.backlog.quoting:
            self._unconfirmed[who] = now + CONFIRMED_WITHIN
        return traces

    async def forget(self, who: Identity) -> PurgeResult | None:
        """Remove what this person asked to have removed; None if they did not ask, or too long ago.

        Raises:
            StoreFailed, BacklogFailed: not everything could be removed. The same person may confirm
                it again.
        """
        async with self._removing:
            asked = next((one for one in self._unconfirmed if one.is_same(who)), None)
            if asked is None or self._unconfirmed[asked] < anyio.current_time():
                return None
            result = await self._store.removal.purge(
                PurgeTarget.asking(who), asked_by=ASKED_BY, at=datetime.now(UTC)
            )
            self._unconfirmed.pop(asked, None)
        return result

    def _is_unsettled(self, who: Identity) -> bool:
        """Whether a decision of this person may still wait for the disk.

        Rather too little is recorded than too much: who shares a nick or a host with them counts.
        """
        return any(
            one.is_same(who)
            or fold(one.nick) == fold(who.nick)
            or one.folded_user_host == who.folded_user_host
            for one in self._unsettled
        )

    def _has_decided(self, who: Identity, since: datetime) -> bool:
        """Whether this person decided something then or later, perhaps after a login or logout."""
        logged_out = who._replace(account="")
        return any(
            at >= since and (one.is_same(who) or one._replace(account="").is_same(logged_out))
            for one, at in self._decided.items()
        )

    def _enqueue(self, act: Callable[[], Awaitable[None]], who: Identity) -> None:
        self._unsettled.append(who)
        self._recorder.afterwards(partial(self._apply, act, who))

    async def _apply(self, act: Callable[[], Awaitable[None]], who: Identity) -> None:
        await act()
        self._unsettled.remove(who)
        self._on_change()
