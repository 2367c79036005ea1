"""Which history to request next, from what came back (IRCv3 draft/chathistory). Pure.

A server sends history in pages: `CHATHISTORY AFTER #tea msgid=... 100` asks for the next hundred
messages after a known one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import NamedTuple

from terrarium_mcp.chat.times.timestamps import to_iso
from terrarium_mcp.irc_bridge.network.isupport import Isupport

CAPABILITIES = ("chathistory", "draft/chathistory")

EVENT_CAPABILITIES = ("event-playback", "draft/event-playback")
"""With one of these history holds joins, kicks and other events as well."""

PAGE = 100
"""Messages to request at once, if the server allows as many."""

MOST_PAGES = 100
"""Pages for one channel: with one line in 2 s, a gap takes at most 200 s of what we may send."""

_OVERLAP = timedelta(seconds=1)
"""How much earlier than a known moment to ask: replays may carry whole seconds (inspircd)."""

_WITHIN_PAGES = timedelta(milliseconds=1)
"""How much earlier than the end of a page to ask for the next: the server's own times need no more,
but a page may end amid the messages of one millisecond."""

_POINTLESS = frozenset(("INVALID_TARGET", "NEED_MORE_PARAMS", "UNKNOWN_COMMAND"))
"""Failures that naming the same point by its time would not mend."""


class HistoryPoint(NamedTuple):
    """A known message in a channel's history: when it was said, and its msgid if it has one."""

    at: datetime
    msgid: str = ""


class HistoryLine(NamedTuple):
    """What identifies a replayed line: its msgid, else its time, nick and text."""

    at: datetime
    msgid: str
    nick: str
    text: str

    @property
    def point(self) -> HistoryPoint:
        """The place of the line in the history."""
        return HistoryPoint(self.at, self.msgid)


@dataclass(frozen=True, slots=True)
class HistoryPage:
    """Consecutive lines of a channel's history, as replayed: none between them is missing.

    `follows` is the point that the page continues without a gap; None if that is not known.
    `is_last` if nothing was said between its last line and now; `has_events` if what happened is
    among the lines, and not only what was said.
    """

    channel: str
    lines: Sequence[HistoryLine]
    follows: HistoryPoint | None = None
    is_last: bool = True
    has_events: bool = False


@dataclass(frozen=True, slots=True)
class HistoryRequest:
    """A request for the messages of `channel` after a point; the `page`th for one gap."""

    channel: str
    after: HistoryPoint
    limit: int
    by_msgid: bool
    page: int = 1
    seen: frozenset[HistoryLine] = frozenset()
    """The lines of the page before it."""

    @property
    def names_msgid(self) -> bool:
        """Whether it names the point by a msgid: one that a parameter can hold."""
        msgid = self.after.msgid
        return self.by_msgid and msgid.isprintable() and msgid != "" and " " not in msgid

    @property
    def params(self) -> tuple[str, ...]:
        """The parameters of the command CHATHISTORY."""
        if self.names_msgid:
            point = f"msgid={self.after.msgid}"
        else:
            overlap = _OVERLAP if self.page == 1 else _WITHIN_PAGES
            point = f"timestamp={to_iso(self.after.at - overlap)}"
        return "AFTER", self.channel, point, str(self.limit)

    def answered(self, lines: Sequence[HistoryLine]) -> HistoryPage:
        """The page that these lines are, as the answer to this request.

        A server that knows a msgid continues from it. By time, only the second page does: whether
        the first goes back to the point shows in its lines.
        """
        follows = self.after if self.page > 1 or self.names_msgid else None
        return HistoryPage(self.channel, lines, follows, is_last=len(lines) < self.limit)


def first_request(channel: str, after: HistoryPoint, isupport: Isupport) -> HistoryRequest:
    """The first request for what was said since a point, as the server can read it."""
    limit = min(isupport.chathistory or PAGE, PAGE)
    return HistoryRequest(channel, after, limit, by_msgid=isupport.names_messages_by_msgid)


def next_request(request: HistoryRequest, lines: Sequence[HistoryLine]) -> HistoryRequest | None:
    """The request for the page after one that holds `lines`; None after the last page.

    The last page has fewer lines than requested, or none that the one before it did not have.
    """
    page = frozenset(lines)
    if len(lines) < request.limit or page <= request.seen or request.page >= MOST_PAGES:
        return None
    return replace(request, after=lines[-1].point, page=request.page + 1, seen=page)


def request_after_failure(request: HistoryRequest, code: str) -> HistoryRequest | None:
    """The request by time after one by msgid failed; None if nothing else can be tried.

    `code` is that of the standard reply: `FAIL CHATHISTORY CODE ...`.
    """
    if not request.names_msgid or code in _POINTLESS:
        return None
    return replace(request, by_msgid=False)
