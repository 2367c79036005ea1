"""All that was said in rooms within a time: counted by day, and read at the edges of days.

Who said it is counted by month and day (index/talk_counts.py), and read where it is not.
"""

# ruff: noqa: S608 -- every statement is made of constants and our own ids

import json
from bisect import bisect_left
from collections.abc import Sequence
from datetime import timedelta
from itertools import accumulate, pairwise

from terrarium_mcp.chat.times.timestamps import BEGINNING, EVERY_LINE, Position
from terrarium_mcp.store.records.figures import MOST_COUNTED, MOST_TALLIED
from terrarium_mcp.store.search.scope import MOST_ROOMS, SearchScope
from terrarium_mcp.store.search.talk_counts import (
    CountedLine,
    RoomTalk,
    TalkPeriod,
    gaps_between,
    largest_within,
)
from terrarium_mcp.store.sqlite.engine.rooms import within
from terrarium_mcp.store.sqlite.engine.sql_expressions import BEFORE_CUTOFF
from terrarium_mcp.store.sqlite.engine.voices_sql import JOINED
from terrarium_mcp.store.sqlite.index.counter_sql import SAID
from terrarium_mcp.store.sqlite.index.counters import Counters
from terrarium_mcp.store.sqlite.index.indexer import Indexer
from terrarium_mcp.store.sqlite.index.talk_counts import (
    COLUMNS,
    GROUPED,
    GROUPS,
    TalkCounts,
    grouped_line,
    talk_count,
)
from terrarium_mcp.store.sqlite.index.watermarks import current_sql
from terrarium_mcp.store.sqlite.search.matching_lines import LINE_COLUMNS, counted_line
from terrarium_mcp.store.sqlite.search.scope_where import scope_params


class RoomLines:
    """Counts and reads the speech of the rooms and the time of a scope, whatever its words."""

    def __init__(self, indexer: Indexer, scope: SearchScope) -> None:
        self._indexer = indexer
        self._scope = scope

    async def read(self, most: int) -> tuple[int, list[CountedLine] | None]:
        """How many lines there are; and the lines, in no order, if these are at most `most`."""
        (total,) = await self.between([self._scope.since])
        if total > most:
            return total, None
        rows = await self._indexer.rows(
            f"SELECT {LINE_COLUMNS} FROM messages m"
            f" WHERE {current_sql()} AND {within(self._scope.rooms, 'm.room')} AND {_IN_TIME}",
            scope_params(self._scope),
        )
        return len(rows), [counted_line(row, counts_asides=False) for row in rows]

    async def talk(self, total: int) -> RoomTalk | None:
        """Who said all of them: from counted periods, and the rest in groups."""
        if total > MOST_COUNTED:
            return None
        periods, counted = await self._counted_periods()
        if total - counted > MOST_TALLIED:
            return None
        gaps = gaps_between(periods, [room.id for room in self._scope.rooms], *self._time)
        rows = await self._indexer.rows(
            _TALK,
            scope_params(self._scope) | {"periods": json.dumps(periods), "gaps": json.dumps(gaps)},
            uses=[TalkCounts.name],
        )
        counts = [talk_count(row) for row in rows if row["period"]]
        if len(counts) < len(periods):  # a line of one was removed just now
            return None
        return RoomTalk([grouped_line(row) for row in rows if not row["period"]], counts)

    async def _counted_periods(self) -> tuple[list[TalkPeriod], int]:
        """The counted periods that are whole within the time, and how many lines these have."""
        since, until = self._time
        rows = await self._indexer.rows(
            f"SELECT room, period, lines FROM talk_counts WHERE {within(self._scope.rooms)}"
            f" AND period >= substr(:since, 1, 7) AND period < :until AND {_CURRENT}"
            f" UNION ALL SELECT NULL, '', 0 WHERE {_CURRENT}",
            {"since": since, "until": until.timestamp},
            uses=[TalkCounts.name],
        )
        lines = {TalkPeriod(row[0], row[1]): row[2] for row in rows if row[1]}
        periods = largest_within([*lines], since, until)
        return periods, sum(lines[period] for period in periods)

    @property
    def _time(self) -> tuple[str, Position]:
        return self._scope.since, self._scope.until

    async def between(self, starts: Sequence[str]) -> list[int]:
        """How many lines are in each of the periods that begin at these timestamps, ascending.

        Each is the difference of the lines before two moments. Those of whole days are counted;
        those of the day of a moment are read.
        """
        begun = [max(Position(start), Position(self._scope.since)) for start in starts]
        bounds = [min(bound, self._scope.until) for bound in (*begun, EVERY_LINE)]
        within_days = {n: bound for n, bound in enumerate(bounds) if not _begins_a_day(bound)}
        rows = await self._indexer.rows(
            f"""
SELECT NULL AS bound, day, sum(lines) AS lines FROM day_counts
WHERE {self._of_rooms(bounds[0], bounds[-1])} AND {_COMPLETE}
  AND day >= substr(:first, 1, 10) AND day < substr(:last, 1, 10)
GROUP BY day
UNION ALL
SELECT value ->> 0, NULL, (
  SELECT count(*) FROM messages m
  WHERE {within(self._scope.rooms, "m.room")} AND {SAID}
    AND m.timestamp >= substr(value ->> 1, 1, 10) AND m.timestamp <= value ->> 1
    AND (m.timestamp, m.id) < (value ->> 1, value ->> 2)
) FROM json_each(:within_days) WHERE {_COMPLETE}
UNION ALL SELECT NULL, NULL, 0 WHERE {_COMPLETE}
ORDER BY day""",
            {
                "first": bounds[0].timestamp,
                "last": bounds[-1].timestamp,
                "within_days": json.dumps(
                    [(n, bound.timestamp, bound.id) for n, bound in within_days.items()]
                ),
            },
            uses=[Counters.name],
        )
        counted = [row for row in rows if row["day"]]
        days = [row["day"] for row in counted]
        sums = [0, *accumulate(row["lines"] for row in counted)]
        rest = {row["bound"]: row["lines"] for row in rows if row["bound"] is not None}
        before = [
            sums[bisect_left(days, bound.timestamp[:10])] + rest.get(number, 0)
            for number, bound in enumerate(bounds)
        ]
        return [later - earlier for earlier, later in pairwise(before)]

    def _of_rooms(self, first: Position, last: Position) -> str:
        """The SQL condition for the rooms of the counts by day between two positions.

        It also decides how these are read. They lie in the order of time, and a long time of many
        rooms is read in that order, which the `+` demands; by room, each day costs a seek.
        """
        is_long = first == BEGINNING or last.moment - first.moment > _LONG
        is_scanned = is_long and len(self._scope.rooms) > MOST_ROOMS
        return within(self._scope.rooms, "+room" if is_scanned else "room")

    async def ends(self) -> tuple[str, str]:
        """The timestamps of the first and the last line, if there is any."""
        rows = await self._indexer.rows(
            f"SELECT min(first), max(last) FROM"
            f" (SELECT {_end('ASC')} AS first, {_end('DESC')} AS last FROM json_each(:rooms))"
            f" WHERE {current_sql()}",
            scope_params(self._scope)
            | {"rooms": json.dumps([room.id for room in self._scope.rooms])},
        )
        return rows[0][0] or "", rows[0][1] or ""


_LONG = timedelta(days=120)
"""From this time on, the counts of 400 rooms are read as quickly in their order (10 M lines)."""

_COMPLETE = current_sql(Counters.name)

_IN_TIME = f"m.timestamp >= :since AND m.timestamp <= :until AND {BEFORE_CUTOFF} AND {SAID}"


_CURRENT = current_sql(TalkCounts.name)

_TALK = f"""
SELECT {COLUMNS}, NULL AS timestamp, NULL AS nick, NULL AS lines
FROM json_each(:periods) p
CROSS JOIN talk_counts c ON c.room = p.value ->> 0 AND c.period = p.value ->> 1
WHERE {_CURRENT}
UNION ALL
SELECT room, NULL, NULL, NULL, NULL, timestamp, nick, lines FROM (
  {GROUPED} FROM json_each(:gaps) g
  CROSS JOIN {JOINED}
  WHERE {_CURRENT} AND m.room = g.value ->> 0
    AND m.timestamp >= g.value ->> 1 AND m.timestamp <= g.value ->> 2
    AND {BEFORE_CUTOFF} AND {SAID}
  {GROUPS})"""
"""The counted periods `:periods`, and in groups the lines of the times `:gaps`."""


def _begins_a_day(bound: Position) -> bool:
    """Whether only whole days lie before a position."""
    return bound.timestamp[10:] in ("", " 00:00:00.000") and not bound.id


def _end(order: str) -> str:
    """The SQL expression for the time of the first (ASC) or last (DESC) line of a room."""
    return (
        f"(SELECT m.timestamp FROM messages m WHERE m.room = value AND {_IN_TIME}"
        f" ORDER BY m.timestamp {order} LIMIT 1)"
    )
