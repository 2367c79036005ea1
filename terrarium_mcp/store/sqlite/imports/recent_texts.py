"""Recent texts: whether the tables may hold lines with which the clock of a log can be compared.

To ask them takes 1 ms a log, of which a folder may have 5,000, and nearly always nobody else kept a
log. So what an import brought lately is remembered, and of the other lines of a room from when to
when they are.
"""

from collections import Counter, deque
from collections.abc import Callable, Collection, Container, Sequence
from functools import lru_cache
from typing import NamedTuple

from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.writes import Writer
from terrarium_mcp.store.sqlite.imports.stored_lines import TimeSpan, around
from terrarium_mcp.store.sqlite.index.line_tallies import PlaceName
from terrarium_mcp.store.sqlite.ingest.prepared_lines import PreparedLines

KEPT = 20_000
"""Stored lines that are remembered, at most: the last two groups of an import."""


class FoldedRoom(NamedTuple):
    """A room by its network, as it is stored, and its folded name."""

    network: str
    folded: str


class RecentBlock(NamedTuple):
    """Lines of a log that this import brought.

    Attributes:
        clock: what stands for the clock of the log.
        time: from the first to the last of them.
        end: the position behind the last among the lines of all logs.
        rooms: those in which they were said.
        texts: what each says.
    """

    clock: object
    time: TimeSpan
    end: int
    rooms: Collection[FoldedRoom]
    texts: Sequence[str]

    def count(self, texts: Container[str]) -> int:
        """How many of the lines say one of these texts."""
        return sum(text in texts for text in self.texts)


class RecentTexts:
    """What one import knows of the rooms into which it brings logs.

    Attributes:
        newest: the newest message when this import stored something last, or began; None before
            the first room is looked at.
    """

    def __init__(self) -> None:
        self.newest: int | None = None
        self._recent = deque[RecentBlock]()
        self._clocks = Counter[object]()
        """How many of the recent blocks are of each clock."""
        self._said = set[str]()
        """What recent lines say, and some that are no longer recent; without `_not_gathered`."""
        self._not_gathered = deque[Sequence[str]]()
        """What those say that were added since somebody asked: nobody does while all logs are of
        one clock."""
        self._others: dict[FoldedRoom, TimeSpan | None] = {}
        """Of each room that was looked at, the time of its lines that are not recent."""

    async def look_at(self, database: Database, room: FoldedRoom) -> None:
        """Ask once from when to when a room has lines."""
        if room in self._others:
            return
        ((newest, first, last),) = await database.rows(_TIME_OF_ROOM, room._asdict())
        self._others[room] = TimeSpan(first, last) if first else None
        if self.newest is None:
            self.newest = newest

    def has_others(self, room: FoldedRoom, time: TimeSpan) -> bool:
        """Whether the tables may have lines of a room, not recent, at a time by any likely clock.

        The room was looked at.
        """
        others = self._others[room]
        return others is not None and _near(others).meets(time)

    def has_beside(self, clock: object) -> bool:
        """Whether any recent line is of a log with another clock."""
        return len(self._clocks) > (clock in self._clocks)

    def count(self, texts: Collection[str], clock: object, time: TimeSpan) -> int:
        """How many recent lines by other clocks say one of these texts, about at a time."""
        while self._not_gathered:
            self._said.update(self._not_gathered.popleft())
        if self._said.isdisjoint(texts):
            return 0
        near = [one for one in self._recent if one.clock != clock and one.time.meets(time)]
        return sum(one.count(texts) for one in near)

    def add(
        self,
        clock: object,
        lines: PreparedLines,
        end: int,
        room_of: Callable[[PlaceName], FoldedRoom],
    ) -> None:
        """Remember the next lines: at least one, with their corrected times.

        Args:
            clock: what stands for the clock of their log.
            lines: the lines.
            end: the position behind the last.
            room_of: the room of a place that they name.
        """
        rooms = {room_of(place) for place in lines.places}
        self._recent.append(RecentBlock(clock, TimeSpan(*lines.said), end, rooms, lines.texts))
        self._clocks[clock] += 1
        self._not_gathered.append(lines.texts)

    def saved(self, position: int, newest: int) -> None:
        """Take note that the lines up to a position are stored, and of the newest message."""
        if newest:
            self.newest = newest
        while self._recent and self._recent[0].end <= position - KEPT:
            one = self._recent.popleft()
            self._clocks[one.clock] -= 1
            if not self._clocks[one.clock]:
                del self._clocks[one.clock]
            for room in one.rooms:
                self._extend(room, one.time)
        while len(self._not_gathered) > len(self._recent):
            self._not_gathered.popleft()
        if len(self._said) > 3 * KEPT:
            self._said = {text for one in self._recent for text in one.texts}
            self._not_gathered.clear()

    async def note_others(self, writer: Writer, before: int) -> None:
        """Take note of what others stored behind the newest message, and before an id."""
        if self.newest is None or before <= self.newest + 1:
            return
        for network, folded, began, ended in await writer.rows(_STORED, (self.newest, before)):
            self._extend(FoldedRoom(network, folded), TimeSpan(began, ended))

    def _extend(self, room: FoldedRoom, time: TimeSpan) -> None:
        if room in self._others:
            self._others[room] = time.joined(self._others[room] or time)


@lru_cache  # each log asks, and the times of others change once a group
def _near(others: TimeSpan) -> TimeSpan:
    """The time of lines, by any clock that is considered."""
    return around(others)


_TIME_OF_ROOM = """
WITH room AS (SELECT id FROM rooms WHERE network = :network AND folded = :folded)
SELECT (SELECT ifnull(max(id), 0) FROM messages),
  (SELECT min(timestamp) FROM messages WHERE room = (SELECT id FROM room)),
  (SELECT max(timestamp) FROM messages WHERE room = (SELECT id FROM room))"""

_STORED = """
SELECT r.network, r.folded, min(m.timestamp), max(m.timestamp)
FROM messages m JOIN rooms r ON r.id = m.room
WHERE m.id > ? AND m.id < ? GROUP BY r.id"""
