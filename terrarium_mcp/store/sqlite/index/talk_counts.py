"""Talk counts: who said how many lines of each room in whole months and days, and at which hours.

To read a line takes 3 to 8 us, and a busy channel has 43,000 a month (10 M lines). So the keeper
counts each month once it is over; where a month has more lines than are read, each of its days; and
those of the month at hand until it is over. What is not counted is read, so a period whose lines
changed is deleted, and counted again.
"""

# ruff: noqa: S608 -- every statement is made of constants

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import NamedTuple

import anyio

from terrarium_mcp.store.records.figures import MOST_TALLIED
from terrarium_mcp.store.search.talk_counts import (
    CountedLine,
    TalkCount,
    TalkPeriod,
    counted_talk,
    joined_talk,
)
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.functions import as_text
from terrarium_mcp.store.sqlite.engine.id_lists import AMONG_IDS, ids_params
from terrarium_mcp.store.sqlite.engine.reads import Reads, Row
from terrarium_mcp.store.sqlite.engine.voices_sql import JOINED, JOINED_SPEAKER
from terrarium_mcp.store.sqlite.engine.write_lock import PAUSE
from terrarium_mcp.store.sqlite.engine.writes import Writer
from terrarium_mcp.store.sqlite.index.counter_sql import SAID
from terrarium_mcp.store.sqlite.index.counters import Counters
from terrarium_mcp.store.sqlite.index.index_texts import IndexTexts

LOOK_EVERY = 600.0
"""Seconds between two looks for periods to count: each takes 40 ms of CPU (10 M lines)."""

OVER = timedelta(hours=1)
"""So long after its end a period is over: playback has mostly brought what was missing by then."""

MANY = MOST_TALLIED
"""Lines of a month of which the days are counted too: a part of any other month can be read.

Days of all months would take 6.5 bytes a line, and these take 1."""

MANY_AT_HAND = 1_500
"""Lines of the month at hand of which the days are counted: people ask for it most, and to read so
many takes 10 ms. Its days are deleted once it is counted, unless it has MANY."""

_LINES_AT_ONCE = 2_000
"""Lines that one transaction counts, or one busier period: 10 to 40 ms."""

_PATIENCE = 60.0
"""Seconds for a look: from a cold disk the days of ten million lines take more than two."""

GROUPED = f"""
SELECT max(m.timestamp) AS timestamp, m.room,
  CASE WHEN v.aside IS NULL THEN CAST({JOINED_SPEAKER} AS BLOB) END AS nick, count(*) AS lines"""
"""The columns of lines that are grouped, those by one nick in one room at one hour of day together.

An aside is by no person: it is a line, but nobody talks."""

GROUPS = "GROUP BY m.room, substr(m.timestamp, 12, 2), 3"
"""The groups."""


def grouped_line(row: Row) -> CountedLine:
    """What is counted of a row that has these columns."""
    return CountedLine(row["timestamp"], row["room"], as_text(row["nick"]), row["lines"])


class TalkCounts:
    """The counted periods. No message is added: the keeper counts whole periods."""

    name = "talk_counts"
    tables = ("talk_counts",)

    async def add(self, writer: Writer, first: int, last: int) -> None:
        """Delete the periods that these messages belong to."""
        await _delete_periods(
            writer, "m.id BETWEEN :first AND :last", {"first": first, "last": last}
        )

    async def add_texts(self, writer: Writer, texts: IndexTexts) -> None:
        """Delete the periods that messages belong to, by what was tallied of them."""
        if not await writer.rows("SELECT 1 FROM talk_counts LIMIT 1"):
            return
        days = {(texts.rooms[hour.place], hour.hour[:10]) for hour in texts.tallies.hours}
        await writer.many(
            "DELETE FROM talk_counts WHERE room = ? AND period IN (?, ?)",
            [(room, day, day[:7]) for room, day in days],
        )

    async def remove(self, writer: Writer, ids: Sequence[int]) -> None:
        """Delete the periods of these messages."""
        await _delete_periods(writer, AMONG_IDS, ids_params(ids))

    async def restore(self, writer: Writer, ids: Sequence[int]) -> None:
        """Delete the periods of these messages, which may be in another room now."""
        await self.remove(writer, ids)

    async def clear(self, writer: Writer) -> None:
        """Delete every period."""
        await writer.run("DELETE FROM talk_counts")

    async def differences(self, writer: Writer) -> list[str]:
        """Count every period once more."""
        rows = await writer.rows(f"SELECT {COLUMNS} FROM talk_counts c")
        wrong = [
            count.period
            for count in map(talk_count, rows)
            if count != await _counted_from_lines(writer, count.period)
        ]
        if not wrong:
            return []
        return [f"{self.name}: {len(wrong)} differ from a recount, such as {tuple(wrong[0])}."]


COLUMNS = "c.room, c.period, c.hours, c.spellings, c.people"
"""The columns of a `TalkCount`."""


def talk_count(row: Row) -> TalkCount:
    """The count that a row of these columns holds."""
    period = TalkPeriod(row["room"], row["period"])
    return TalkCount(period, row["hours"], row["spellings"], row["people"])


async def _delete_periods(writer: Writer, which: str, params: Mapping[str, object]) -> None:
    """Delete the periods of the messages that meet a condition; mostly none is counted."""
    found = await writer.rows(
        f"""
SELECT DISTINCT c.room, c.period
FROM (SELECT DISTINCT m.room, substr(m.timestamp, 1, 10) AS day FROM messages m WHERE {which}) said
CROSS JOIN talk_counts c
ON c.room = said.room AND c.period IN (said.day, substr(said.day, 1, 7))""",
        params,
    )
    await writer.many(
        "DELETE FROM talk_counts WHERE room = ? AND period = ?", [tuple(row) for row in found]
    )


class _PeriodToCount(NamedTuple):
    """A period to count: the effort, in lines; whether from its days."""

    period: TalkPeriod
    effort: int
    by_days: bool


class TalkCounter:
    """The keeper's duty to count periods. `clock` returns the present."""

    def __init__(
        self, database: Database, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._database = database
        self._clock = clock

    async def count(self) -> None:
        """Count all periods that are over, the newest first, in short transactions with pauses.

        Raises:
            StoreFailed: the file cannot be written; what is counted stays so.
        """
        today = (self._clock() - OVER).astimezone(UTC).date().isoformat()
        look = partial(_wanted, today=today)
        for some in _at_once(await self._database.read_whole(look, deadline=_PATIENCE)):
            await self._database.write_whole(partial(_count, wanted=some), patiently=True)
            await anyio.sleep(PAUSE)


async def _wanted(reads: Reads, today: str) -> list[_PeriodToCount]:
    """The periods before a day that are to be counted; the days of a month come before it."""
    params = {"today": today, "many": MANY, "many_at_hand": MANY_AT_HAND}
    rows = await reads.rows(_WANTED, params)
    return [_PeriodToCount(TalkPeriod(row[0], row[1]), row[2], bool(row[3])) for row in rows]


def _at_once(wanted: Sequence[_PeriodToCount]) -> Iterator[list[_PeriodToCount]]:
    """The periods in parts that one transaction counts."""
    some: list[_PeriodToCount] = []
    for one in wanted:
        if some and sum(other.effort for other in some) + one.effort > _LINES_AT_ONCE:
            yield some
            some = []
        some.append(one)
    if some:
        yield some


async def _count(writer: Writer, wanted: Sequence[_PeriodToCount]) -> None:
    for period, _, by_days in wanted:
        if not await writer.value(_IS_HELD, _span(period)):
            continue
        if by_days:
            count = await _counted_from_days(writer, period)
        else:
            count = await _counted_from_lines(writer, period)
            if period.is_month:
                await writer.run(_DELETE_DAYS, _span(period))
        if count is not None:
            await writer.run(
                "INSERT OR IGNORE INTO talk_counts (room, period, lines, hours, spellings, people)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (*period, sum(count.by_hour), count.hours, count.spellings, count.people),
            )


async def _counted_from_lines(writer: Writer, period: TalkPeriod) -> TalkCount:
    rows = await writer.rows(_LINES, _span(period))
    return counted_talk(period, map(grouped_line, rows))


async def _counted_from_days(writer: Writer, month: TalkPeriod) -> TalkCount | None:
    """A month, if all of its days are counted."""
    days = [talk_count(row) for row in await writer.rows(_DAYS, _span(month))]
    lines = sum(sum(day.by_hour) for day in days)
    if lines != await writer.value(_LINES_OF_DAYS, _span(month)):
        return None
    return joined_talk(month, days)


def _span(period: TalkPeriod) -> dict[str, object]:
    return {"room": period.room, "begin": period.begin, "end": period.end}


_IS_COUNTED = "EXISTS (SELECT 1 FROM talk_counts c WHERE (c.room, c.period) = ({}, {}))"
_OF_MONTH = "d.room = m.room AND d.day > m.month AND d.day < min(m.month || '~', :today)"
# A seek for each month of each room: to group all days by months takes ten times as long. The days
# of a counted month are counted too, since no period is deleted without its month.
_WANTED = f"""
WITH RECURSIVE months (room, month) AS (
  SELECT id, (SELECT substr(min(day), 1, 7) FROM day_counts WHERE room = id) FROM rooms
  UNION ALL
  SELECT m.room, (
    SELECT substr(min(d.day), 1, 7) FROM day_counts d
    WHERE d.room = m.room AND d.day > m.month || '~'
  ) FROM months m WHERE m.month NOT NULL
),
uncounted AS MATERIALIZED (
  SELECT m.room, m.month, sum(d.lines) AS lines
  FROM months m CROSS JOIN day_counts d ON {_OF_MONTH}
  WHERE NOT {_IS_COUNTED.format("m.room", "m.month")}
  GROUP BY 1, 2 HAVING sum(d.lines) > 0
)
SELECT room, month AS period, min(lines, :many), lines > :many
FROM uncounted WHERE month < substr(:today, 1, 7)
UNION ALL
SELECT d.room, d.day, d.lines, false
FROM uncounted m CROSS JOIN day_counts d ON {_OF_MONTH}
WHERE m.lines > iif(m.month < substr(:today, 1, 7), :many, :many_at_hand)
  AND d.lines > 0 AND NOT {_IS_COUNTED.format("d.room", "d.day")}
ORDER BY period DESC"""

_WITHIN = "m.room = :room AND m.timestamp >= :begin AND m.timestamp < :end"
_LINES = f"{GROUPED} FROM {JOINED} WHERE {_WITHIN} AND {SAID} {GROUPS}"
_DAYS = f"""
SELECT {COLUMNS} FROM talk_counts c
WHERE c.room = :room AND c.period >= :begin AND c.period < substr(:end, 1, 7) ORDER BY c.period"""
_DELETE_DAYS = """
DELETE FROM talk_counts WHERE room = :room AND period >= :begin AND period < substr(:end, 1, 7)"""
_LINES_OF_DAYS = """
SELECT sum(lines) FROM day_counts WHERE room = :room AND day >= :begin AND day < :end"""

_IS_HELD = f"""
SELECT count(*) = 2 AND min(upto) >= (SELECT max(m.id) FROM messages m WHERE {_WITHIN})
FROM derived WHERE name IN ('{TalkCounts.name}', '{Counters.name}')"""
"""A period is counted once removals, and what is added to it later, reach it here."""
