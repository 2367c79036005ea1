"""The conversations of a time, each by the line that opens it.

For a question that names a time and nothing else ("what happened on 6 August?"). A long time is
sampled: the talk at the beginning of equal parts of it. Lines that nobody answered are in none.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from operator import attrgetter, itemgetter
from typing import NamedTuple

from terrarium_mcp.chat.disentanglement import (
    Utterance,
    conversations_in,
    lines_before,
    links_of_period,
    without_silences,
)
from terrarium_mcp.chat.irctext import plain
from terrarium_mcp.chat.opening_line import opening_line
from terrarium_mcp.chat.times.timestamps import BEGINNING, Position, from_text, to_text
from terrarium_mcp.store.search.scope import SearchScope
from terrarium_mcp.store.sqlite.engine.reads import Row
from terrarium_mcp.store.sqlite.engine.rows import said_by
from terrarium_mcp.store.sqlite.search.exact import ExactQuery, ExactSearch
from terrarium_mcp.store.sqlite.search.order import NEWEST, OLDEST, position_of

PAGE = 20
"""The largest conversations of all parts of the time lead, this many at a time in the order of
time: one page of hits."""

_WINDOW = 200
"""Lines of a room that are disentangled together, in 7 ms."""

_OF_WINDOW_BEFORE = 100
"""Lines of a room that are known before each further window of it, which costs no read."""

_ALL = 6 * _WINDOW
"""Up to this many lines a time is read as a whole."""

_PARTS, _OF_EACH = 6, 100
"""Of a longer time, how many parts are sampled, and how many lines of each."""

_ALONE = 2
"""A conversation has at least this many lines."""


@dataclass(frozen=True, slots=True)
class _OpenedTalk:
    """A conversation: the line that opens it, how many lines it has, and of how many people."""

    opener: Row
    lines: int
    people: int

    @property
    def weight(self) -> tuple[bool, int]:
        """How much it matters: talk between people before anybody's monologue, then its length."""
        return self.people > 1, self.lines


class _RoomWindow(NamedTuple):
    """Lines of a room that are disentangled together, and those right before them."""

    before: Sequence[Row]
    lines: Sequence[Row]


class OpeningLines(NamedTuple):
    """The ids of the lines that open conversations, of so many `lines` of a time, as far as known.

    So many of those read are `apart`, in no conversation. It `is_sample` if not all were read.
    """

    ids: Sequence[int] = ()
    lines: int = 0
    apart: int = 0
    is_sample: bool = False


_RANK = itemgetter(0)
_WEIGHT = attrgetter("weight")


class ConversationOpeners:
    """Finds the lines that open the conversations of a scope without words."""

    def __init__(self, exact: ExactSearch) -> None:
        self._exact = exact

    async def opening_lines(self, query: ExactQuery, most: int, few: int) -> OpeningLines:
        """At most `most` of these lines; none of a time with `few` lines or less.

        So few are better shown themselves than a part of them.
        """
        stretches = await self._stretches(query)
        if len(stretches) == 1 and len(stretches[0]) <= few:
            return OpeningLines()
        ranked: list[tuple[int, _OpenedTalk]] = []
        apart = 0
        for stretch in stretches:
            for window in await self._windows(query, stretch):
                largest = _largest(window)
                ranked += enumerate(largest)
                apart += len(window.lines) - sum(one.lines for one in largest)
        ranked.sort(key=_RANK)  # the largest of each window before the second of any
        leading = [one for _, one in ranked[:most]]
        pages = (leading[start : start + PAGE] for start in range(0, len(leading), PAGE))
        openers = (OLDEST.arranged(one.opener for one in page) for page in pages)
        ids = [row["id"] for page in openers for row in page]
        if len(stretches) > 1:
            return OpeningLines(ids, _ALL, apart, is_sample=True)
        return OpeningLines(ids, len(stretches[0]), apart)

    async def _stretches(self, query: ExactQuery) -> list[Sequence[Row]]:
        """All lines of a scope in order, or the lines with which equal parts of it begin."""
        lines = (await self._exact.first(query, _ALL + 1, OLDEST)).rows
        if len(lines) <= _ALL:
            return [lines]
        parts = [
            ExactQuery(scope, query.snapshot)
            for scope in _parts(query.scope, position_of(lines[0]))
        ]
        return [(await self._exact.first(part, _OF_EACH, OLDEST)).rows for part in parts]

    async def _windows(self, query: ExactQuery, stretch: Sequence[Row]) -> list[_RoomWindow]:
        """The lines of each room in a stretch, a window at a time."""
        by_room: dict[int, list[Row]] = {}
        for row in stretch:
            by_room.setdefault(row["room"], []).append(row)
        earlier = await self._earlier(query, by_room)
        windows = list[_RoomWindow]()
        for room, said in by_room.items():
            lines = [*earlier.get(room, ()), *said]
            for start in range(len(lines) - len(said), len(lines), _WINDOW):
                before = lines[max(0, start - _OF_WINDOW_BEFORE) : start]
                windows.append(_RoomWindow(before, lines[start : start + _WINDOW]))
        return windows

    async def _earlier(
        self, query: ExactQuery, by_room: Mapping[int, Sequence[Row]]
    ) -> dict[int, list[Row]]:
        """The lines right before those of each room that the scope has but for its beginning."""
        rooms = {room.id: room for room in query.scope.rooms}
        earlier = dict[int, list[Row]]()
        for room, most in lines_before(by_room).items():
            scope = replace(
                query.scope,
                rooms=[rooms[room]],
                all_rooms=False,
                since=BEGINNING.timestamp,
                until=position_of(by_room[room][0]),
            )
            before = ExactQuery(scope, query.snapshot)
            found = await self._exact.first(before, most, NEWEST, wants_total=False)
            earlier[room] = OLDEST.arranged(found.rows)
        return earlier


def _parts(scope: SearchScope, first: Position) -> Iterator[SearchScope]:
    """Equal parts of the scope's time from its first line on."""
    since, until = first.moment, scope.until.moment
    length: timedelta = (until - since) / _PARTS
    for number in range(_PARTS):
        yield replace(
            scope,
            since=to_text(since + number * length),
            until=min(scope.until, Position.at(since + (number + 1) * length)),
        )


def _largest(window: _RoomWindow) -> list[_OpenedTalk]:
    """The conversations of a window, the largest first."""
    return sorted(_in_window(window), key=_WEIGHT, reverse=True)


def _in_window(window: _RoomWindow) -> Iterator[_OpenedTalk]:
    rows = {row["id"]: row for row in window.lines}
    before, said = (list(map(_utterance, lines)) for lines in window)
    times = {utterance.id: utterance.at for utterance in said}
    for links in conversations_in(links_of_period(before, said)):
        for talk in without_silences(links, times):
            if len(talk) >= _ALONE:
                lines = [rows[link.line] for link in talk]
                people, texts = zip(*map(_said_by, lines), strict=True)
                yield _OpenedTalk(lines[opening_line(texts)], len(lines), len({*people}))


def _utterance(row: Row) -> Utterance:
    at = from_text(row["timestamp"]).timestamp()
    who, text = _said_by(row)
    return Utterance(row["id"], at, who, plain(text))


def _said_by(row: Row) -> tuple[str, str]:
    """Who speaks, and what."""
    return said_by(row["nick"], row["message"], row["voice"])
