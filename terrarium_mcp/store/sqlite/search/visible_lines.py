"""The lines that one search may see: the newest of them that match, and how many there are.

What a view hides must not show in the order of hits or in what is taken for a misspelling. So under
a view nothing is taken from counts of the whole history. Which lines are hidden only decides how
long a look-up takes, never what it returns.
"""

# ruff: noqa: S608 -- every statement is made of constants and our own ids

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from terrarium_mcp.chat.records import Room
from terrarium_mcp.chat.times.timestamps import BEGINNING, EVERY_LINE, Position
from terrarium_mcp.store.search.scope import MOST_ROOMS, SearchScope
from terrarium_mcp.store.sqlite.engine.index_words import events_word, room_word
from terrarium_mcp.store.sqlite.engine.reads import Reads, Row
from terrarium_mcp.store.sqlite.engine.rooms import within
from terrarium_mcp.store.sqlite.engine.sql_expressions import BEFORE_CUTOFF, position_params
from terrarium_mcp.store.sqlite.index.counter_sql import SAID, WORDS
from terrarium_mcp.store.sqlite.index.counters import Counters
from terrarium_mcp.store.sqlite.index.fts_syntax import one_of
from terrarium_mcp.store.sqlite.index.structure import watermark_sql
from terrarium_mcp.store.sqlite.search.id_ranges import RunSlice, coalesced, run_slices
from terrarium_mcp.store.sqlite.search.index_scan import IndexScan
from terrarium_mcp.store.sqlite.search.order import NEWEST
from terrarium_mcp.store.sqlite.search.scan_plans import (
    ALL_OF_THEM,
    ScanSpec,
    in_ranges,
    range_params,
)
from terrarium_mcp.store.sqlite.search.scope_where import scope_params, scope_where
from terrarium_mcp.store.sqlite.search.snapshot import Snapshot

_COUNTED_TODAY = 10_000
"""Lines of the cutoff's own day that are counted one by one, which takes 10 ms."""

_COUNTED_LATER = 100
"""Hidden lines of that day that are counted instead, where they are so few: after a question, which
is the cutoff of what is looked up for it, hardly anything was said yet. The totals are the same."""

_BEFORE_CUTOFF = """
  SELECT lines, words, iif(first < :until, first, NULL) AS first FROM room_counts WHERE {rooms}
  UNION ALL
  SELECT -lines, -words, NULL FROM day_counts
  WHERE {rooms} AND day {days} substr(:until, 1, 10)"""


class VisibleTotals(NamedTuple):
    """Lines and words that a search may see, and the timestamp of the first of these lines."""

    lines: int
    words: int
    first: str


class NewestLines(NamedTuple):
    """The `most` newest lines that an FTS5 expression finds, between two timestamps (inclusive)."""

    match: str
    most: int
    since: str = BEGINNING.timestamp
    until: str = EVERY_LINE.timestamp


class VisibleLines:
    """The lines of a scope in a snapshot."""

    def __init__(self, reads: Reads, snapshot: Snapshot, scope: SearchScope) -> None:
        self._reads = reads
        self._snapshot = snapshot
        self._scope = scope
        self._index = _SnapshotScan(reads)
        self._totals: VisibleTotals | None = None

    @property
    def rooms(self) -> Sequence[Room]:
        """The rooms of the scope."""
        return self._scope.rooms

    @property
    def has_cutoff(self) -> bool:
        """Whether the later lines of these rooms are hidden."""
        return self._scope.until != EVERY_LINE

    @property
    def in_rooms(self) -> str:
        """The FTS5 expression for speech in the rooms; "" if they are too many for one, or all."""
        if len(self.rooms) > MOST_ROOMS or len(self.rooms) == self._snapshot.room_count:
            return ""
        return one_of(room_word(room.id) for room in self.rooms)

    async def newest(self, wanted: Sequence[NewestLines], columns: str) -> list[Sequence[Row]]:
        """For each wish these columns of the lines, the newest first.

        They are exact, unlike those of a `CandidateScan`: which of many lines that finds depends on
        what was recorded beside them.
        """
        return await self._index.newest_of_each(
            [(self._spec(one, columns), one.most) for one in wanted]
        )

    async def totals(self) -> VisibleTotals:
        """How much these rooms hold before the end of the scope.

        All days before that of the cutoff are counted by the counters, so the hidden lines of later
        days cancel out; of the cutoff's own day at most `_COUNTED_TODAY` lines count.
        """
        if self._totals is None:
            self._totals = await self._totals_but_for_later() or await self._totals_line_by_line()
        return self._totals

    async def _totals_but_for_later(self) -> VisibleTotals | None:
        """The totals if few of the cutoff's day are hidden: all of that day, without these.

        None where these are too many, or the others, of which not all would count. What was said
        since the counters counted is not in them.
        """
        rows = await self._reads.rows(
            f"""
WITH later AS MATERIALIZED (
  SELECT {WORDS} AS words FROM messages m
  WHERE {within(self.rooms, "m.room")}
    AND m.timestamp BETWEEN :until AND substr(:until, 1, 10) || '~' AND NOT {BEFORE_CUTOFF}
    AND m.id <= {watermark_sql(Counters.name)} AND {SAID}
  LIMIT {_COUNTED_LATER + 1})
SELECT total(lines), total(words), min(first), (SELECT count(*) FROM later),
  (SELECT total(lines) FROM day_counts
   WHERE {within(self.rooms)} AND day = substr(:until, 1, 10))
FROM (
  {_BEFORE_CUTOFF.format(rooms=within(self.rooms), days=">")}
  UNION ALL SELECT -1, -words, NULL FROM later)""",
            scope_params(self._scope),
        )
        lines, words, first, later, today = rows[0]
        if later > _COUNTED_LATER or today - later > _COUNTED_TODAY:
            return None
        return _totals(lines, words, first)

    async def _totals_line_by_line(self) -> VisibleTotals:
        """The totals with the lines of the cutoff's day counted one by one."""
        rows = await self._reads.rows(
            f"""
SELECT total(lines), total(words), min(first) FROM (
  {_BEFORE_CUTOFF.format(rooms=within(self.rooms), days=">=")}
  UNION ALL
  SELECT 1, words, NULL FROM (
    SELECT {WORDS} AS words FROM messages m
    WHERE {within(self.rooms, "m.room")} AND m.timestamp >= substr(:until, 1, 10)
      AND {BEFORE_CUTOFF} AND {SAID} LIMIT {_COUNTED_TODAY}))""",
            scope_params(self._scope),
        )
        return _totals(*rows[0])

    def _spec(self, wanted: NewestLines, columns: str) -> ScanSpec:
        until = min(self._scope.until, NEWEST.just_before(wanted.until))
        scope = replace(self._scope, since=wanted.since, until=until)
        return ScanSpec(
            wanted.match,
            scope_where(scope),
            scope_params(scope),
            self._snapshot,
            scope.since,
            scope.until.timestamp,
            ALL_OF_THEM,
            columns=columns,
        )


def _totals(lines: float, words: float, first: str | None) -> VisibleTotals:
    return VisibleTotals(max(int(lines), 1), max(int(words), 1), first or BEGINNING.timestamp)


async def last_visible_id(
    reads: Reads, snapshot: Snapshot, rooms: Sequence[Room], until: Position
) -> int:
    """The greatest id among the messages of these rooms before a position; 0 if there is none.

    A cursor carries it in place of the last id of all, which would show how much is hidden.
    """
    slices = await run_slices(reads, snapshot, until=until.timestamp)
    visible = f"{within(rooms, 'm.room')} AND {BEFORE_CUTOFF}"
    words = [word for room in rooms for word in (room_word(room.id), events_word(room.id))]
    params = {"match": one_of(words), **position_params("until", until)}
    for ids in coalesced(one.ids for one in slices)[::-1]:
        found = in_ranges(1, NEWEST)
        sql = (
            f"SELECT m.id FROM ({found}) found CROSS JOIN messages m ON m.id = -found.rowid"
            f" WHERE {visible} LIMIT 1"
            if len(rooms) <= MOST_ROOMS
            else f"SELECT m.id FROM messages m WHERE m.id BETWEEN -:high_0 AND -:low_0"
            f" AND {visible} ORDER BY m.id DESC LIMIT 1"
        )
        if number := await reads.value(sql, {**params, **range_params([ids])}):
            return int(number)
    return 0


class _SnapshotScan(IndexScan):
    """A scan of one snapshot, which works out each span of time once."""

    def __init__(self, reads: Reads) -> None:
        super().__init__(reads)
        self._slices_of: dict[tuple[str, str], list[RunSlice]] = {}

    async def _slices(self, spec: ScanSpec, since: str, until: str) -> list[RunSlice]:
        span = since, until
        if span not in self._slices_of:
            self._slices_of[span] = await super()._slices(spec, since, until)
        return self._slices_of[span]
