"""Clock correction: lines of a log whose clock was wrong get the times of the room's own lines.

Only messages count that were stored before a line of the log was first read, and that the log did
not bring itself. So a log that is read again, after an interruption or since it grew, is corrected
from the same line on by as much.

A clock may be set between any two lines, so every block is compared: first at the offset that is
known by then, and only if some of its lines are not in the room then, with 28 hours of the room.
"""

# ruff: noqa: S608 -- every statement is made of constants

import json
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from datetime import timedelta
from functools import cached_property, lru_cache
from itertools import compress
from typing import NamedTuple

from terrarium_mcp.chat.identity import fold, is_channel
from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.chat.times.timestamps import from_text
from terrarium_mcp.store.recognition.clock_offset import (
    FEWEST,
    LONG,
    NO_OFFSET,
    ClockOffset,
    ClockStretch,
    distinctive,
    offsets_along,
)
from terrarium_mcp.store.recognition.comparison import (
    ComparableLine,
    comparable_text,
    milliseconds,
)
from terrarium_mcp.store.recognition.once import JITTER, recognised
from terrarium_mcp.store.records.imports import LogSource
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.functions import storable
from terrarium_mcp.store.sqlite.engine.reads import Row
from terrarium_mcp.store.sqlite.imports.earlier_sources import (
    EarlierSource,
    LinesOfSource,
    earlier_sources,
    lines_by_source,
)
from terrarium_mcp.store.sqlite.imports.recent_texts import FoldedRoom, RecentTexts
from terrarium_mcp.store.sqlite.imports.source_rows import (
    READ_BEFORE,
    resolution_of,
    source_params,
)
from terrarium_mcp.store.sqlite.imports.stored_lines import (
    COARSEST,
    TimeSpan,
    around,
    columns,
    comparables,
    compared,
)
from terrarium_mcp.store.sqlite.index.line_tallies import PlaceName
from terrarium_mcp.store.sqlite.ingest.prepared_lines import PreparedLines, joined

SAMPLE = 100
"""Lines of a block, at least half and at most this many, that are looked for in the room."""

PATIENCE = 60.0
"""Seconds that one comparison may take: a block of a quiet channel may span years of it."""


class UnsavedLines(NamedTuple):
    """The lines of an earlier log that are not in the tables yet: at least one.

    `margin` as in `recognised`.
    """

    log: LogSource
    margin: int
    messages: PreparedLines


class _RoomNear(NamedTuple):
    """What a room had at a time: the parameters of `_NEAR`, and the unsaved lines."""

    params: Mapping[str, object]
    unsaved: Sequence[UnsavedLines]


class ClockCorrection:
    """Corrects the times of one log.

    Attributes:
        found: the offset by now; that of no line as long as nothing showed one.
        margin: milliseconds by which the corrected times may be farther off, as in `recognised`.
        was_set: whether the offset changed.
        newest_before: the newest message when the log was first read; None if only its row in the
            tables would tell, if it has one.
    """

    def __init__(
        self,
        database: Database,
        log: LogSource,
        casemapping: str,
        recent: RecentTexts,
        earlier: Callable[[], Iterable[UnsavedLines]],
    ) -> None:
        """Start without an offset.

        Args:
            database: where the room's lines are.
            log: the log.
            casemapping: that of its network.
            recent: tells whether they need to be asked for.
            earlier: returns the unsaved lines of the logs before it.
        """
        self.found = NO_OFFSET
        self.margin = 0
        self.was_set = False
        self.newest_before: int | None = None
        self._database = database
        self._log = log
        self._casemapping = casemapping
        self._recent = recent
        self._earlier = earlier
        self._sources: list[EarlierSource] | None = None
        """The rows of the log from before it grew; None as long as they were not asked for."""
        self._began = ""
        """The timestamp of its first line."""
        self._position = 0
        """How many of its lines were looked at."""
        self._farthest = NO_OFFSET
        """Of the offsets that lines were corrected by, the one that differs most from none."""

    @property
    def clock(self) -> object:
        """What stands for the clock of the log: the files of a series have the same."""
        return self._log.series or self

    @property
    def offset(self) -> timedelta:
        """By how much the clock of the log was fast, at most."""
        return timedelta(milliseconds=self._farthest.milliseconds)

    async def corrected(self, block: PreparedLines) -> PreparedLines:
        """The next block, with corrected times once one of the blocks shows the offset."""
        if not (block and is_channel(self._log.channel)):
            return block
        position, self._position = self._position, self._position + len(block)
        self._began = self._began or block.said[0]
        if not await self._has_beside(block):  # every block of a log that is alone, or of a series
            return self._moved(block)
        parts: list[PreparedLines] = []
        for source, lines in await self._by_source(block, position):
            parts += await self._by_stretches(block[lines], source)
        return joined(parts)

    async def _by_stretches(
        self, lines: PreparedLines, source: EarlierSource | None
    ) -> list[PreparedLines]:
        """The next lines with corrected times, cut where the clock was set.

        Args:
            lines: the lines.
            source: the first that had them; None if they are new.
        """
        parts: list[PreparedLines] = []
        begin = may_change = 0
        for first, last, offset in await self._look(lines, source):
            if self.found.lines and offset.milliseconds != self.found.milliseconds:
                between = lines[may_change:first]
                end = may_change + await self._kept_by(between, source, offset)
                parts.append(self._moved(lines[begin:end]))
                begin, self.was_set = end, True
            self.found = offset
            self.margin = max(self.margin, offset.margin)
            may_change = last + 1
        return [*parts, self._moved(lines[begin:])]

    async def _kept_by(
        self, lines: PreparedLines, source: EarlierSource | None, later: ClockOffset
    ) -> int:
        """How many lines were said before the clock was set: so the room has the most of them.

        Args:
            lines: those between which it was set.
            source: as in `_by_stretches`.
            later: its offset behind them.
        """
        if not lines:
            return 0
        texts = _texts(lines, range(len(lines)), self._casemapping)
        time = around(lines.said)
        stored = await self._same_lines(texts, self._near(source, time))
        before, after = (
            [index is not None for index in recognised(some, stored, self.margin)]
            for some in map(self._comparables, (self._moved(lines), _earlier(lines, later)))
        )
        return max(range(len(lines) + 1), key=lambda n: sum(before[:n]) + sum(after[n:]))

    def _moved(self, lines: PreparedLines) -> PreparedLines:
        """Lines with their times corrected by the offset."""
        if lines and abs(self.found.milliseconds) > abs(self._farthest.milliseconds):
            self._farthest = self.found
        return _earlier(lines, self.found)

    async def _has_beside(self, block: PreparedLines) -> bool:
        """Whether the room may have lines of others at the time of a block, stored or brought."""
        is_stored = await self._has_others(block)
        return is_stored or self._recent.has_beside(self.clock)

    async def _by_source(self, block: PreparedLines, position: int) -> list[LinesOfSource]:
        """A block by the earlier sources of the log: what each had is compared by itself."""
        if self._sources is None and await self._has_others(block):
            began = around([self._began])
            self._sources = await earlier_sources(self._database, self._log, began)
        return [*lines_by_source(self._sources or (), position, len(block))]

    async def _has_others(self, block: PreparedLines) -> bool:
        """Whether the room may have lines at its time that this import did not bring lately."""
        await self._recent.look_at(self._database, self._room)
        return self._recent.has_others(self._room, TimeSpan(*block.said))

    def room_of(self, place: PlaceName) -> FoldedRoom:
        """The room of a place that lines of the log name."""
        return _folded_room(*place, self._casemapping)

    @cached_property
    def _room(self) -> FoldedRoom:
        return self.room_of((self._log.network, self._log.channel))

    async def _look(
        self, block: PreparedLines, source: EarlierSource | None
    ) -> Sequence[ClockStretch]:
        """Compare lines with what the room had before the log; by their numbers in the block.

        Args:
            block: the lines.
            source: the first that had them; None if they are new.
        """
        is_stored = await self._has_others(block)
        sample = _sample(block.texts, self._is_here(block))
        if len(sample) < FEWEST:
            return []
        texts = _texts(block, sample, self._casemapping)
        if not is_stored and self._recent.count(texts, self.clock, around(block.said)) < FEWEST:
            return []
        its_sample = block.at(sample)
        if await self._goes_on(its_sample, texts, source):
            return []
        room = self._near(source, around(its_sample.said))
        stored = await self._same_lines(texts, room)
        if len(stored) < FEWEST:
            return []
        some = self._comparables(its_sample)
        lines = distinctive(some)
        number_of = {line.text: number for number, line in zip(sample, some, strict=True)}
        return [
            ClockStretch(number_of[lines[first].text], number_of[lines[last].text], offset)
            for first, last, offset in offsets_along(lines, stored, await self._covered(room))
        ]

    async def _goes_on(
        self, lines: PreparedLines, texts: Iterable[str], source: EarlierSource | None
    ) -> bool:
        """Whether the room has nearly all of some lines at the offset that is known."""
        if not self.found.lines:
            return False
        then = _earlier(lines, self.found)
        at_that_time = around(then.said, COARSEST + JITTER + self.margin)
        stored = await self._same_lines(texts, self._near(source, at_that_time))
        return recognised(self._comparables(then), stored, self.margin).count(None) < FEWEST

    def _comparables(self, lines: PreparedLines) -> list[ComparableLine]:
        return comparables(lines, resolution_of(self._log), self._casemapping)

    def _near(self, source: EarlierSource | None, time: TimeSpan) -> _RoomNear:
        """What the room had at a time, before a source of the log, or before all of it."""
        params = source_params(self._log) | {
            "folded": self._room.folded,
            "newest": source.newest_before if source else self.newest_before,
            "own": json.dumps([one.id for one in self._sources or ()]),
            "since": time.first,
            "until": time.last,
        }
        unsaved = [] if source else [one for one in self._earlier() if self._is_near(one, time)]
        return _RoomNear(params, unsaved)

    async def _same_lines(self, texts: Iterable[str], room: _RoomNear) -> list[ComparableLine]:
        """The lines of the room with these texts."""
        rows = await self._rows(_SAME_TEXTS, {**room.params, "texts": json.dumps([*texts])})
        stored = [compared(row, self._casemapping) for row in rows]
        for one in room.unsaved:
            stored += _new_lines(one, {*texts}, stored, self._casemapping)
        return stored

    def _is_here(self, block: PreparedLines) -> list[bool]:
        """Of each line of a block, whether it is one of the log's channel."""
        here, channels = self._room.folded, block.columns.channel
        is_here = {name: fold(name, self._casemapping) == here for name in {*channels}}
        return [is_here[name] for name in channels]

    def _is_near(self, other: UnsavedLines, time: TimeSpan) -> bool:
        """Whether lines of another log are of the same room, and of a time."""
        is_here = self.room_of((other.log.network, other.log.channel)) == self._room
        return is_here and TimeSpan(*other.messages.said).meets(time)

    async def _covered(self, room: _RoomNear) -> tuple[int, int]:
        """From when to when the room has lines near the block, in milliseconds."""
        ((first, last),) = await self._rows(_COVERED, room.params)
        ends = [moment for moment in (first, last) if moment]
        ends += [moment for one in room.unsaved for moment in one.messages.said]
        covered = [milliseconds(from_text(moment)) for moment in ends]
        return min(covered), max(covered)

    async def _rows(self, sql: str, params: Mapping[str, object]) -> list[Row]:
        return await self._database.rows(sql, params, deadline=PATIENCE)


@lru_cache  # 5,000 logs of days are of one
def _folded_room(network: str, channel: str, casemapping: str) -> FoldedRoom:
    return FoldedRoom(storable(network), fold(storable(channel), casemapping))


def _sample(texts: Sequence[str], is_here: Iterable[bool]) -> list[int]:
    """Some long lines of those that `is_here` selects, which occur once, from beginning to end.

    Returns:
        Their numbers.
    """
    here = list(compress(enumerate(texts), is_here))
    times = Counter(text for _, text in here if len(text) >= LONG)
    once = [at for at, text in here if times[text] == 1]
    return once[:: len(once) // SAMPLE + 1]


def _new_lines(
    unsaved: UnsavedLines,
    texts: Container[str],
    stored: Sequence[ComparableLine],
    casemapping: str,
) -> list[ComparableLine]:
    """The unsaved lines with certain texts that are none of the stored lines."""
    said = unsaved.messages
    same = said.at([at for at, text in enumerate(said.texts) if text in texts])
    lines = comparables(same, resolution_of(unsaved.log), casemapping)
    known = recognised(lines, stored, unsaved.margin)
    return [line for line, index in zip(lines, known, strict=True) if index is None]


def _texts(lines: PreparedLines, numbers: Iterable[int], casemapping: str) -> set[str]:
    """What the lines with these numbers say, in the form in which it compares."""
    kinds, messages = lines.columns.message_type, lines.texts
    return {comparable_text(MessageType(kinds[n]), messages[n], casemapping) for n in numbers}


def _earlier(lines: PreparedLines, offset: ClockOffset) -> PreparedLines:
    """Lines with their times corrected by an offset."""
    fast = timedelta(milliseconds=offset.milliseconds)
    return lines.earlier_by(fast) if fast else lines


_NEAR = f"""
m.room = (SELECT id FROM rooms WHERE network = :network AND folded = :folded)
AND m.timestamp BETWEEN :since AND :until
AND m.id <= coalesce(:newest, ({READ_BEFORE}), (SELECT max(id) FROM messages))
AND (:own = '[]' OR NOT ifnull((
  SELECT r.last >= m.id AND r.source IN (SELECT value FROM json_each(:own))
  FROM import_ranges r INDEXED BY import_ranges_added
  WHERE r.is_added AND r.is_private = 0 AND r.first <= m.id
  ORDER BY r.first DESC LIMIT 1), 0))"""

_COVERED = f"SELECT min(m.timestamp), max(m.timestamp) FROM messages m WHERE {_NEAR}"

_SAME_TEXTS = f"""
SELECT {columns()} FROM messages m
WHERE {_NEAR} AND m.message IN (SELECT value FROM json_each(:texts))"""
