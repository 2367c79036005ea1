"""Fills the gaps in the record with what the network replays, and says how far it got.

A bouncer or server may replay history when we join; another sends it in pages, as requested. The
recorder saves the lines like all others. This decides which time they cover: a gap closes only as
far as the replay proves that nothing is missing.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from terrarium_mcp.chat.coverage import EVENT_PLAYBACK, PLAYBACK
from terrarium_mcp.chat.identity import fold
from terrarium_mcp.chat.irctext import action
from terrarium_mcp.irc_bridge.network.chathistory import HistoryLine, HistoryPage, HistoryPoint
from terrarium_mcp.irc_bridge.record.message_filter import AHEAD
from terrarium_mcp.store import KnownLine, Store

LOOK_BACK = timedelta(hours=24)
"""How far back a known line is searched for in a replay that nobody requested."""

_ROUNDING = timedelta(seconds=1)
"""How much earlier a replay may date a line than it was dated live: it may carry whole seconds."""


class Backfill:
    """The gaps of one network's channels. All methods run in the recorder's order.

    `fetch` requests the history of a channel after a point; `reach` is how far back it may go, zero
    if no history is to be requested.
    """

    def __init__(
        self,
        store: Store,
        network: str,
        fetch: Callable[[str, HistoryPoint], None],
        reach: timedelta,
    ) -> None:
        self._store = store
        self._network = network
        self._fetch = fetch
        self._reach = reach
        self._known: dict[str, KnownLine | None] = {}
        self._unfinished: dict[str, HistoryPoint] = {}

    async def begin(self, channel: str) -> None:
        """We joined `channel`: find the newest line recorded before, and request what followed.

        A fetch that the last connection did not finish goes on where it was.
        """
        now = datetime.now(UTC)
        known = await self._store.messages.newest_known(
            self._network, channel, now - (self._reach or LOOK_BACK), now + AHEAD
        )
        self._known[fold(channel)] = known
        if self._reach:
            earliest = HistoryPoint(now - self._reach)
            start = HistoryPoint(known.said_at, known.msgid) if known else earliest
            start = self._unfinished.setdefault(fold(channel), start)
            self._fetch(channel, max(start, earliest))

    async def add(self, page: HistoryPage, at: datetime) -> None:
        """A page was replayed `at` some moment, and its lines are saved: the record covers it."""
        span = covered(page, self._known.get(fold(page.channel)), at)
        if span:
            source = EVENT_PLAYBACK if page.has_events else PLAYBACK
            await self._store.spans.filled(self._network, page.channel, *span, source)
        if page.is_last:
            self._unfinished.pop(fold(page.channel), None)
        elif page.lines:
            self._unfinished[fold(page.channel)] = page.lines[-1].point

    def is_unheard(self, channel: str, at: datetime) -> bool:
        """Whether a line said at `at` may be new to us: neither heard live nor replayed before.

        In private ("") or where nothing is recorded, it is new if it is so to every channel.
        """
        folded = fold(channel)
        if folded in self._unfinished:
            return at > self._unfinished[folded].at - _ROUNDING
        known = [self._known[folded]] if folded in self._known else self._known.values()
        return all(one is None or at > one.said_at - _ROUNDING for one in known)


def covered(
    page: HistoryPage, known: KnownLine | None, at: datetime
) -> tuple[datetime, datetime] | None:
    """The time of which a page, replayed `at` a moment, is the whole record; None if of none.

    It begins at the point that the page continues, or at the line of ours that it goes back to, or
    else at its own first line: what was said before that is unknown.
    """
    if not (page.lines or page.is_last):
        return None
    if page.follows:
        began = page.follows.at
    elif known and _goes_back_to(page, known):
        began = known.said_at
    elif page.lines:
        began = page.lines[0].at
    else:
        return None
    ended = at if page.is_last else min(page.lines[-1].at, at)
    return (began, ended) if began < ended else None


def _goes_back_to(page: HistoryPage, known: KnownLine) -> bool:
    """Whether a page holds a line of ours, or one from before it."""
    if any(_is_same(line, known) for line in page.lines):
        return True
    return bool(page.lines) and page.lines[0].at < known.said_at - _ROUNDING


def _is_same(line: HistoryLine, known: KnownLine) -> bool:
    if line.msgid and known.msgid:
        return line.msgid == known.msgid
    does = action(line.text)
    text = line.text if does is None else does
    same_second = line.at.replace(microsecond=0) == known.said_at.replace(microsecond=0)
    return same_second and (line.nick, text) == (known.nick, known.text)
