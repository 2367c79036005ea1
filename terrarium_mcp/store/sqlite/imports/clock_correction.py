"""Clock correction: lines of a log whose clock was wrong get the times of the room's own lines.

Only messages count that were stored before a line of the log was first read, and that the log did
not bring itself. So a log that is read again, after an interruption or since it grew, is corrected
from the same line on by as much.
"""

# ruff: noqa: S608 -- every statement is made of constants

import json
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from datetime import timedelta
from functools import cached_property
from itertools import compress
from typing import NamedTuple

from terrarium_mcp.chat.identity import fold, is_channel
from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.chat.times.timestamps import from_text, to_text
from terrarium_mcp.store.recognition.clock_offset import (
    FARTHEST,
    FEWEST,
    LONG,
    NO_OFFSET,
    ClockOffset,
    distinctive,
    offset_between,
)
from terrarium_mcp.store.recognition.comparison import (
    ComparableLine,
    comparable_text,
    milliseconds,
    moment_of,
)
from terrarium_mcp.store.recognition.once import recognised
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
    TimeSpan,
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


class ClockCorrection:
    """Corrects the times of one log.

    Attributes:
        found: the offset; that of no line as long as nothing showed one.
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

    @property
    def clock(self) -> object:
        """What stands for the clock of the log: the files of a series have the same."""
        return self._log.series or self

    @property
    def offset(self) -> timedelta:
        """By how much the clock of the log was fast."""
        return timedelta(milliseconds=self.found.milliseconds)

    async def corrected(self, block: PreparedLines) -> PreparedLines:
        """The next block, with corrected times once one of the blocks shows the offset."""
        if self.found.lines or not (block and is_channel(self._log.channel)):
            return self._moved(block)
        position, self._position = self._position, self._position + len(block)
        self._began = self._began or min(block.columns.timestamp)
        if not await self._has_beside(block):  # every block of a log that is alone, or of a series
            return block
        parts = []
        for source, lines in await self._by_source(block, position):
            part = block[lines]
            if not self.found.lines:
                self.found = await self._look(part, source) or NO_OFFSET
            parts.append(self._moved(part))
        return joined(parts)

    def _moved(self, lines: PreparedLines) -> PreparedLines:
        """Lines with their times corrected by the offset."""
        return lines.earlier_by(self.offset) if self.offset else lines

    async def _has_beside(self, block: PreparedLines) -> bool:
        """Whether the room may have lines of others at the time of a block, stored or brought."""
        is_stored = await self._has_others(around(block.columns.timestamp))
        return is_stored or self._recent.has_beside(self.clock)

    async def _by_source(self, block: PreparedLines, position: int) -> list[LinesOfSource]:
        """A block by the earlier sources of the log: what each had is compared by itself."""
        if self._sources is None and await self._has_others(around(block.columns.timestamp)):
            began = around([self._began])
            self._sources = await earlier_sources(self._database, self._log, began)
        return [*lines_by_source(self._sources or (), position, len(block))]

    async def _has_others(self, time: TimeSpan) -> bool:
        """Whether the room may have lines at a time that this import did not bring lately."""
        await self._recent.look_at(self._database, self._room)
        return self._recent.has_others(self._room, time)

    def room_of(self, place: PlaceName) -> FoldedRoom:
        """The room of a place that lines of the log name."""
        network, channel = map(storable, place)
        return FoldedRoom(network, fold(channel, self._casemapping))

    @cached_property
    def _room(self) -> FoldedRoom:
        return self.room_of((self._log.network, self._log.channel))

    async def _look(self, block: PreparedLines, source: EarlierSource | None) -> ClockOffset | None:
        """Compare lines with what the room had before the log; None if that shows nothing.

        Args:
            block: the lines.
            source: the first that had them; None if they are new.
        """
        time = around(block.columns.timestamp)
        is_stored = await self._has_others(time)
        sample = _sample(block.columns.message, self._is_here(block))
        if len(sample) < FEWEST:
            return None
        texts = _texts(block, sample, self._casemapping)
        if not is_stored and self._recent.count(texts, self.clock, time) < FEWEST:
            return None
        since, until = around([block.columns.timestamp[number] for number in sample])
        near = source_params(self._log) | {
            "folded": self._room.folded,
            "newest": source.newest_before if source else self.newest_before,
            "own": json.dumps([one.id for one in self._sources or ()]),
            "since": since,
            "until": until,
        }
        rows = await self._rows(_SAME_TEXTS, near | {"texts": json.dumps([*texts])})
        stored = [compared(row, self._casemapping) for row in rows]
        unsaved = [] if source else self._unsaved_near(since, until)
        for one in unsaved:
            stored += _new_lines(one, texts, stored, self._casemapping)
        if len(stored) < FEWEST:
            return None
        some = comparables(block.at(sample), resolution_of(self._log), self._casemapping)
        return offset_between(distinctive(some), stored, await self._covered(near, unsaved))

    def _is_here(self, block: PreparedLines) -> list[bool]:
        """Of each line of a block, whether it is one of the log's channel."""
        here, channels = self._folded(self._log), block.columns.channel
        is_here = {name: fold(name, self._casemapping) == here for name in {*channels}}
        return [is_here[name] for name in channels]

    def _unsaved_near(self, since: str, until: str) -> list[UnsavedLines]:
        """The unsaved lines of the logs before this one, as far as some are of that time."""
        return [one for one in self._earlier() if self._is_near(one, since, until)]

    def _is_near(self, other: UnsavedLines, since: str, until: str) -> bool:
        """Whether lines of another log are of the same room, and some between two timestamps."""
        timestamps = other.messages.columns.timestamp
        return (
            since <= timestamps[-1]
            and timestamps[0] <= until
            and storable(other.log.network) == storable(self._log.network)
            and self._folded(other.log) == self._folded(self._log)
        )

    async def _covered(
        self, near: Mapping[str, object], unsaved: Sequence[UnsavedLines]
    ) -> tuple[int, int]:
        """From when to when the room has lines near the block, in milliseconds."""
        ((first, last),) = await self._rows(_COVERED, near)
        ends = [moment for moment in (first, last) if moment]
        ends += [one.messages.columns.timestamp[end] for one in unsaved for end in (0, -1)]
        covered = [milliseconds(from_text(moment)) for moment in ends]
        return min(covered), max(covered)

    def _folded(self, log: LogSource) -> str:
        return fold(storable(log.channel), self._casemapping)

    async def _rows(self, sql: str, params: Mapping[str, object]) -> list[Row]:
        return await self._database.rows(sql, params, deadline=PATIENCE)


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
    same = said.at([at for at, text in enumerate(said.columns.message) if text in texts])
    lines = comparables(same, resolution_of(unsaved.log), casemapping)
    known = recognised(lines, stored, unsaved.margin)
    return [line for line, index in zip(lines, known, strict=True) if index is None]


def _texts(lines: PreparedLines, numbers: Iterable[int], casemapping: str) -> set[str]:
    """What the lines with these numbers say, in the form in which it compares."""
    kinds, messages = lines.columns.message_type, lines.columns.message
    return {comparable_text(MessageType(kinds[n]), messages[n], casemapping) for n in numbers}


def around(timestamps: Sequence[str]) -> TimeSpan:
    """The first and last timestamp that lines have by any clock that is considered."""
    first, last = (milliseconds(from_text(at)) for at in (min(timestamps), max(timestamps)))
    return TimeSpan(to_text(moment_of(first - FARTHEST)), to_text(moment_of(last + FARTHEST)))


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
