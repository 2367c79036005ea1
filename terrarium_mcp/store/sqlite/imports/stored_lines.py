"""The stored lines that lines of a log may be: read by ranges of time, not line by line."""

# ruff: noqa: S608 -- every statement is made of constants

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from datetime import datetime, time, timedelta, tzinfo
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from terrarium_mcp.chat.identity import fold
from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.chat.times.timestamps import from_text, local, to_text
from terrarium_mcp.store.recognition.clock_offset import FARTHEST
from terrarium_mcp.store.recognition.comparison import (
    ComparableLine,
    comparable,
    milliseconds,
    moment_of,
)
from terrarium_mcp.store.recognition.once import JITTER
from terrarium_mcp.store.sqlite.engine.functions import as_text
from terrarium_mcp.store.sqlite.engine.reads import Row
from terrarium_mcp.store.sqlite.engine.writes import Writer
from terrarium_mcp.store.sqlite.ingest.prepared_lines import PreparedLines

PAGE = 10_000
"""Rows that one statement reads."""

MOST_STRETCHES = 16
"""Stretches of time in which lines of one group are looked up: a log of a few lines a day should
not read what others wrote between them, and a clock that jumped should not read ten years."""

WORTH_A_STRETCH = timedelta(hours=1) // timedelta(milliseconds=1)

COARSEST = timedelta(minutes=1) // timedelta(milliseconds=1)
"""The coarsest stamp that a stored line may have."""

PRIVATE = 0
"""In place of a room's id: the private messages."""


class LogPlace(NamedTuple):
    """Where lines belong: a room by its id, or `PRIVATE` with `target`, the nick of the other."""

    room: int
    network: str
    target: str
    casemapping: str

    @property
    def is_private(self) -> bool:
        """Whether they are private messages."""
        return self.room == PRIVATE


class TimeSpan(NamedTuple):
    """A time from one timestamp to another, both included."""

    first: str
    last: str

    def meets(self, other: "TimeSpan") -> bool:
        """Whether the two have a moment in common."""
        return self.first <= other.last and other.first <= self.last

    def joined(self, other: "TimeSpan") -> "TimeSpan":
        """From the beginning of the first of the two to the end of the last."""
        return TimeSpan(min(self.first, other.first), max(self.last, other.last))


class LineGroup:
    """Lines of a log in one place. They are made comparable only if something is stored there.

    Attributes:
        resolution: how exact their times are, in milliseconds.
        margin: as in `recognised`.
    """

    def __init__(
        self, place: LogPlace, messages: PreparedLines, resolution: int, margin: int
    ) -> None:
        self.place = place
        self.resolution = resolution
        self.margin = margin
        self._messages = messages

    @cached_property
    def said(self) -> TimeSpan:
        """From the earliest to the latest."""
        return TimeSpan(*self._messages.said)

    @cached_property
    def near(self) -> TimeSpan:
        """The time of which the stored lines are that they may be."""
        return self.around(*map(_moment, self.said))

    def around(self, first: int, last: int) -> TimeSpan:
        """The time of the stored lines that those between two moments may be."""
        return _widened(first, last, self._before, self._after)

    def numbers_near(self, stored: TimeSpan) -> Sequence[int]:
        """Which of them, counted from 0, may be lines that are stored within a time."""
        first, last = map(_moment, stored)
        return self._numbers_within(_widened(first, last, self._after, self._before))

    def may_share_a_line(self, later: "LineGroup") -> bool:
        """Whether a line of a later group may be one of these, once these are stored."""
        if not (self.place == later.place and self.said.meets(later.near)):
            return False
        own, theirs = self._numbers_within(later.near), later.numbers_near(self.said)
        if not _may_be_one(self._nicks_at(own), later._nicks_at(theirs)):  # noqa: SLF001 -- of this class
            return False  # nearly always: nothing is made comparable
        of_own, of_theirs = self.at(own).nicks, later.at(theirs).nicks
        return any(
            _may_be_one(of_own[words], of_theirs[words])
            for words in of_own.keys() & of_theirs.keys()
        )

    def _nicks_at(self, numbers: Iterable[int]) -> set[str]:
        """Who said those of them with these numbers, folded."""
        block, begin, _ = self._messages.cut  # of a small log, no other column is needed
        nicks = {block.columns.nick[begin + number] for number in numbers}
        return {fold(nick, self.place.casemapping) for nick in nicks}

    def at(self, numbers: Sequence[int]) -> "LineGroup":
        """Those of them with these numbers, counted from 0."""
        return LineGroup(self.place, self._messages.at(numbers), self.resolution, self.margin)

    def _numbers_within(self, time: TimeSpan) -> Sequence[int]:
        """Which of them, counted from 0, were said within a time."""
        first, last = time
        timestamps = self._messages.timestamps
        if self._messages.are_in_order:
            return range(bisect_left(timestamps, first), bisect_right(timestamps, last))
        return [number for number, at in enumerate(timestamps) if first <= at <= last]

    @property
    def _before(self) -> int:
        """By how many milliseconds a stored line that is one of them may be earlier."""
        return COARSEST + JITTER + self.margin

    @property
    def _after(self) -> int:
        """By how many milliseconds it may be later."""
        return self.resolution + JITTER + self.margin

    @cached_property
    def moments(self) -> list[int]:
        """When each was said, in milliseconds since 1970."""
        return [line.at for line in self.lines]

    @cached_property
    def lines(self) -> list[ComparableLine]:
        """How they compare."""
        return comparables(self._messages, self.resolution, self.place.casemapping)

    @cached_property
    def nicks(self) -> Mapping[tuple[str, str], set[str]]:
        """By their kinds and texts, as far as no program may have lost any, who said these."""
        nicks = defaultdict[tuple[str, str], set[str]](set)
        for line in self.lines:
            nicks[line.kind, line.skeleton].add(line.nick)
        return nicks


def _may_be_one(some: set[str], others: set[str]) -> bool:
    """Whether one of some nicks may be one of others; an empty one equals any."""
    return "" in some or "" in others or not some.isdisjoint(others)


class StoredLine(NamedTuple):
    """A stored message, and how it compares."""

    id: int
    line: ComparableLine


async def stored_between(writer: Writer, room: int, between: TimeSpan) -> TimeSpan | None:
    """From the first to the last stored line of a room within a time; None if there is none."""
    ((first, last),) = await writer.rows(_ENDS, {"room": room, **between._asdict()})
    return TimeSpan(first, last) if first else None


async def unclaimed_lines(writer: Writer, source: int | None, group: LineGroup) -> list[StoredLine]:
    """The stored lines that lines of a log may be, by kind, text and time, and that it has not.

    Args:
        writer: the transaction.
        source: the row of the log; None if it has none.
        group: lines of the log; at least one.
    """
    if not await _page(writer, source, group.place, group.near, after_id=0, most=1):
        return []
    found = []
    for first, last in stretches(group.moments):
        async for row in _rows(writer, source, group.place, group.around(first, last)):
            stored = StoredLine(row["id"], compared(row, group.place.casemapping))
            if stored.line.is_redacted or (stored.line.kind, stored.line.skeleton) in group.nicks:
                found.append(stored)
    return found


def stretches(moments: Iterable[int]) -> list[tuple[int, int]]:
    """The first and last of moments, in stretches with long times between them."""
    ordered = sorted(moments)
    gaps = sorted(
        ((after - before, n) for n, (before, after) in enumerate(pairwise(ordered), 1)),
        reverse=True,
    )
    cuts = sorted(n for length, n in gaps[: MOST_STRETCHES - 1] if length > WORTH_A_STRETCH)
    bounds = [0, *cuts, len(ordered)]
    return [(ordered[begin], ordered[end - 1]) for begin, end in pairwise(bounds)]


async def _rows(
    writer: Writer, source: int | None, place: LogPlace, between: TimeSpan
) -> AsyncIterator[Row]:
    """The rows of a place within a time that a log has not, page by page."""
    after_id = 0
    while True:
        rows = await _page(writer, source, place, between, after_id=after_id, most=PAGE)
        for row in rows:
            if not place.is_private or fold(as_text(row["target"]), place.casemapping) == (
                place.target
            ):
                yield row
        if len(rows) < PAGE:
            return
        between, after_id = between._replace(first=rows[-1]["timestamp"]), rows[-1]["id"]


async def _page(
    writer: Writer,
    source: int | None,
    place: LogPlace,
    between: TimeSpan,
    *,
    after_id: int,
    most: int,
) -> list[Row]:
    """The first of these rows, at the first moment those behind an id; private ones of anybody."""
    return await writer.rows(
        _PRIVATE if place.is_private else _IN_ROOM,
        {
            "room": place.room,
            "network": place.network,
            "source": source,
            "after_id": after_id,
            "most": most,
            **between._asdict(),
        },
    )


def around(timestamps: Sequence[str], farthest: int = FARTHEST) -> TimeSpan:
    """The first and last timestamp that lines have by a clock that was wrong by some milliseconds.

    As long as nothing is known of it, that is by any clock that is considered.
    """
    return _widened(_moment(min(timestamps)), _moment(max(timestamps)), farthest, farthest)


def day_around(moment: datetime, zone: tzinfo) -> TimeSpan:
    """The day on a clock of `zone` that a moment is of."""
    day = local(moment, zone).date()
    first, last = (datetime.combine(day, clock, zone) for clock in (time.min, time.max))
    return _widened(milliseconds(first), milliseconds(last), 0, 0)


def _widened(first: int, last: int, before: int, after: int) -> TimeSpan:
    """From some milliseconds before a moment to some after another."""
    return TimeSpan(to_text(moment_of(first - before)), to_text(moment_of(last + after)))


def _moment(timestamp: str) -> int:
    return milliseconds(from_text(timestamp))


def comparables(messages: PreparedLines, resolution: int, casemapping: str) -> list[ComparableLine]:
    """How lines of a log compare; `resolution` of its stamps, in milliseconds."""
    of = messages.columns
    return [
        comparable(_moment(timestamp), resolution, nick, MessageType(kind), text, casemapping)
        for timestamp, nick, kind, text in zip(
            of.timestamp, of.nick, of.message_type, of.message, strict=True
        )
    ]


def columns(*, private: bool = False) -> str:
    """The columns of a message `m` that `compared` needs, among them the resolution of its log."""
    return f"""
m.id, m.timestamp, m.nick, m.message, m.message_type,
{"NULL AS redacted_at" if private else "m.redacted_at"}, (
  SELECT CASE WHEN r.last >= m.id THEN s.resolution END
  FROM import_ranges r INDEXED BY import_ranges_added
    CROSS JOIN import_sources s ON s.id = r.source
  WHERE r.is_added AND r.is_private = {private:d} AND r.first <= m.id
  ORDER BY r.first DESC LIMIT 1) AS resolution"""


def compared(row: Row, casemapping: str) -> ComparableLine:
    """How a row of `columns` compares."""
    line = comparable(
        milliseconds(from_text(row["timestamp"])),
        row["resolution"] or 0,
        as_text(row["nick"]),
        MessageType.parse(as_text(row["message_type"])),
        as_text(row["message"]),
        casemapping,
    )
    return line._replace(is_redacted=True) if row["redacted_at"] else line


def _unclaimed(table: str, more_columns: str, where: str, *, private: bool) -> str:
    return f"""
SELECT {columns(private=private)}{more_columns} FROM {table} m
WHERE {where} AND m.timestamp BETWEEN :first AND :last
  AND (m.timestamp, m.id) > (:first, :after_id)
  AND ifnull((
    SELECT r.last FROM import_ranges r
    WHERE r.source = :source AND r.is_private = {private:d} AND r.first <= m.id
    ORDER BY r.first DESC LIMIT 1), -1) < m.id
ORDER BY m.timestamp, m.id LIMIT :most"""


_IN_ROOM = _unclaimed("messages", "", "m.room = :room", private=False)
_PRIVATE = _unclaimed("private_messages", ", m.target", "m.network = :network", private=True)

_ENDS = """
SELECT (
  SELECT timestamp FROM messages WHERE room = :room AND timestamp BETWEEN :first AND :last
  ORDER BY timestamp LIMIT 1
), (
  SELECT timestamp FROM messages WHERE room = :room AND timestamp BETWEEN :first AND :last
  ORDER BY timestamp DESC LIMIT 1
)"""
