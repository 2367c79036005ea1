"""Statistics of a search scope: how many lines it holds, when they were said, and by whom.

Every number is exact, or there is none: a count that takes too long ends in `TookTooLong`.
"""

# ruff: noqa: S608 -- every statement is made of constants and our own ids

from collections.abc import Sequence
from datetime import date
from typing import Protocol

from terrarium_mcp.chat.query.parsed_query import Query
from terrarium_mcp.chat.records import Room
from terrarium_mcp.chat.times.hours_of_day import hours_in_zone
from terrarium_mcp.chat.times.periods import CalendarPeriods, calendar_periods
from terrarium_mcp.chat.times.timestamps import Position, from_text, to_text
from terrarium_mcp.offload import offload
from terrarium_mcp.store.records.figures import (
    MOST_PERIODS,
    MOST_READ,
    ScopeDetails,
    ScopeStats,
)
from terrarium_mcp.store.search.hits import Search
from terrarium_mcp.store.search.line_tally import details_of, lines_by_local_hour, lines_by_period
from terrarium_mcp.store.search.talk_counts import CountedLine, RoomTalk
from terrarium_mcp.store.sqlite.engine.database import DEADLINE, Database
from terrarium_mcp.store.sqlite.engine.failures import deadline
from terrarium_mcp.store.sqlite.engine.read_cache import ReadCache
from terrarium_mcp.store.sqlite.engine.rooms import within
from terrarium_mcp.store.sqlite.index.counters import Counters
from terrarium_mcp.store.sqlite.index.indexer import Indexer
from terrarium_mcp.store.sqlite.index.voices import Voices
from terrarium_mcp.store.sqlite.index.watermarks import current_sql
from terrarium_mcp.store.sqlite.search.exact import ExactQuery, ExactSearch
from terrarium_mcp.store.sqlite.search.index_scan import IndexScan
from terrarium_mcp.store.sqlite.search.matching_lines import MatchingLines
from terrarium_mcp.store.sqlite.search.room_lines import RoomLines
from terrarium_mcp.store.sqlite.search.snapshot import SEARCHED, current_snapshot, search_scope
from terrarium_mcp.wording import shown


class ScopeLines(Protocol):
    """The lines of one scope, as they are counted and read."""

    async def read(self, most: int) -> tuple[int, list[CountedLine] | None]:
        """How many lines there are; and the lines, in no order, if these are at most `most`."""
        ...

    async def talk(self, total: int) -> RoomTalk | None:
        """Who said all of them, which are `total`, where that takes less than to read each."""
        ...

    async def between(self, starts: Sequence[str]) -> list[int]:
        """How many lines are in each of the periods that begin at these timestamps, ascending."""
        ...

    async def ends(self) -> tuple[str, str]:
        """The timestamps of the first and the last line, if there is any."""
        ...


class ScopeCounter:
    """Counts what search scopes hold, in all rooms."""

    def __init__(self, database: Database, indexer: Indexer) -> None:
        self._database = database
        self._indexer = indexer
        self._asides_before = ReadCache[tuple[tuple[Room, ...], Position], int](
            database, self._read_asides
        )

    async def __call__(self, search: Search, per: str = "") -> ScopeStats:
        """The statistics of what a search looks for, by its words as typed: no ladder.

        Args:
            search: the query, rooms and time; `zone` is that of the periods.
            per: `day`, `week` or `month` to count each of these too; "" for none.

        Raises:
            TookTooLong: it cannot be counted within the deadline.
            StillOpening, StoreFailed: what waits to be indexed cannot be yet. That is no part of
                the counting, and no shorter time would help.
        """
        query = await self._exact_query(search)
        if query is None:
            return ScopeStats(0)
        with deadline(DEADLINE, _too_long(search.query)):
            return await self._counted(search, query, per)

    async def asides(self, rooms: Sequence[Room], until: Position) -> int:
        """How many asides are among the lines of rooms before a position.

        Raises:
            TookTooLong: the deadline passed.
        """
        return await self._asides_before.get((tuple(rooms), until))

    async def _read_asides(self, before: tuple[tuple[Room, ...], Position]) -> int:
        rooms, until = before
        query = await self._exact_query(Search(query=Query(), rooms=rooms, limit=1, until=until))
        return 0 if query is None else await self._asides(query)

    async def _counted(self, search: Search, query: ExactQuery, per: str) -> ScopeStats:
        stats = await self._tallied(search, per, self._lines(query))
        asides = await self._asides(query)
        if search.query.is_only_timed:  # then asides are lines too
            return stats._replace(asides=asides)
        return stats._replace(left_out=asides)

    async def _tallied(self, search: Search, per: str, lines: ScopeLines) -> ScopeStats:
        """The statistics of these lines, without the asides."""
        total, read = await lines.read(MOST_READ)
        if not total:
            return ScopeStats(0)
        if read is not None:
            read.sort()
            first, last = read[0].timestamp, read[-1].timestamp
        else:
            first, last = await lines.ends()
        begin, end = from_text(first), from_text(last)
        details = await self._details(search, total, lines, read)
        if details:
            by_hour = hours_in_zone(details.hours, search.zone, begin, end)
            if by_hour is None and read is not None:
                by_hour = lines_by_local_hour(read, search.zone)
            details = details._replace(local_hours=by_hour or ())
        stats = ScopeStats(total, begin, end, details)
        if not per:
            return stats
        if read is not None:
            busy, most = {line.timestamp[:10] for line in read}, 2 * len(read)  # all of them
        else:
            busy, most = await self._busy_days(search.rooms, first, last), MOST_PERIODS
        days = map(date.fromisoformat, busy)
        calendar = calendar_periods(per, days, begin, end, search.zone, most)
        starts = [to_text(moment) for moment in calendar.moments]
        counts = lines_by_period(read, starts) if read is not None else await lines.between(starts)
        periods = _newest_first(calendar, counts)[:MOST_PERIODS]
        is_cut = sum(lines for _, lines in periods) < total
        return stats._replace(periods=periods, is_cut=is_cut)

    async def _details(
        self, search: Search, total: int, lines: ScopeLines, read: list[CountedLine] | None
    ) -> ScopeDetails | None:
        """Who said the lines, where and when, from those that were read or else as counted."""
        if read is not None:
            return details_of(read, search.rooms)
        talk = await lines.talk(total)
        if talk is None:
            return None
        return await offload(lambda: details_of(sorted(talk.lines), search.rooms, talk.counts))

    async def _busy_days(self, rooms: Sequence[Room], first: str, last: str) -> set[str]:
        """The days, in UTC, between two timestamps on which these rooms have any message."""
        rows = await self._indexer.rows(
            f"SELECT DISTINCT day FROM day_counts WHERE {within(rooms)}"
            f" AND day BETWEEN substr(:first, 1, 10) AND substr(:last, 1, 10)"
            f" AND {current_sql(Counters.name)}",
            {"first": first, "last": last},
            uses=[Counters.name],
        )
        return {row[0] for row in rows}

    async def _exact_query(self, search: Search) -> ExactQuery | None:
        """A search as a query of the index; None if there is no history, or no room.

        Once it is known who speaks: while the voice rules change, some lines have their old voice.
        """
        await self._indexer.ensure_current(*SEARCHED, Voices.name)
        snapshot = await current_snapshot(self._indexer, search)
        if snapshot is None or not search.rooms:
            return None
        return ExactQuery(search_scope(search, snapshot), snapshot)

    async def _asides(self, query: ExactQuery) -> int:
        return await ExactSearch(IndexScan(self._database)).count_left_out(query)

    def _lines(self, exact: ExactQuery) -> ScopeLines:
        if exact.scope.query.is_only_timed:
            return RoomLines(self._indexer, exact.scope)
        return MatchingLines(self._database, exact)


def _too_long(query: Query) -> str:
    """That it could not be counted, what to ask for instead, and why `:)` takes so long."""
    unindexed = next((term for term in query.terms if not term.words), None)
    because = (
        f" No index has {shown(unindexed.text)}, which is without a letter or a digit: every line"
        " is read for it."
        if unindexed
        else ""
    )
    return (
        f"The history could not count this within {DEADLINE:g} s. Name a channel or a shorter"
        f" time.{because}"
    )


def _newest_first(calendar: CalendarPeriods, counts: Sequence[int]) -> list[tuple[date, int]]:
    """The periods with any line, by their first day."""
    pairs = zip(calendar.days, counts, strict=True)
    return [(day, lines) for day, lines in pairs if lines][::-1]
