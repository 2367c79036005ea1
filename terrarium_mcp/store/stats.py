"""Figures: how much was said, by whom, and when. Counters answer where they can."""

# ruff: noqa: S608 -- every statement is made of constants and ids of ours

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from terrarium_mcp.chat.records import Room
from terrarium_mcp.chat.when import EVERY_LINE, Position, to_text
from terrarium_mcp.store import figures
from terrarium_mcp.store.database import Database, Row
from terrarium_mcp.store.derived.counters import Counters
from terrarium_mcp.store.derived.counting import groups, of_days
from terrarium_mcp.store.derived.windows import moments
from terrarium_mcp.store.disk import bytes_of, wal_of
from terrarium_mcp.store.errors import StoreFailed
from terrarium_mcp.store.rooms import within
from terrarium_mcp.store.rows import moment
from terrarium_mcp.store.upkeep import Upkeep

LATELY = timedelta(days=30)
"""The time from which growth is projected."""


@dataclass(frozen=True, slots=True)
class Tally:
    """What is counted besides lines. Words, questions and links are those of lines."""

    words: int = 0
    questions: int = 0
    links: int = 0
    actions: int = 0
    joins: int = 0
    parts: int = 0
    quits: int = 0
    kicks: int = 0
    nicks: int = 0
    topics: int = 0


class Figures(NamedTuple):
    """What was said in a room up to a place: all counts are lines of speech.

    The last three are told of a single room only; `hours` are 24 counts by hour of day, UTC.
    An overview makes hundreds of these, and a frozen dataclass takes three times as long to make.
    """

    room: Room
    lines: int = 0
    people: int = 0
    first: datetime | None = None
    last: datetime | None = None
    last_day: int = 0
    last_week: int = 0
    talkers: Sequence[tuple[str, int]] = ()
    hours: Sequence[int] = ()
    tally: Tally | None = None


@dataclass(frozen=True, slots=True)
class Day:
    """What was said in a room on a day (UTC)."""

    day: date
    lines: int
    tally: Tally


@dataclass(frozen=True, slots=True)
class Size:
    """What the history takes on disk, and how it grows."""

    file: int
    wal: int
    messages: int
    messages_a_day: float
    bytes_a_year: int


SIZE = """
SELECT total(lines + events) AS messages, (
    SELECT total(lines + events) FROM day_counts
    WHERE room IN (SELECT room FROM room_counts) AND day >= substr(:since, 1, 10)
  ) AS lately,
  (SELECT page_count * page_size FROM pragma_page_count, pragma_page_size) AS file
FROM room_counts"""
"""What the size is made of; `:since` is the time from which lately counts."""


def size_since(now: datetime) -> dict[str, str]:
    """The parameters of SIZE."""
    return {"since": to_text(now - LATELY)}


def size_of(row: Row, path: Path) -> Size:
    """The size of the database at `path`, from the row that SIZE gives."""
    messages, lately, file = row
    a_day = lately / LATELY.days
    return Size(
        file=file,
        wal=bytes_of(wal_of(path)),
        messages=int(messages),
        messages_a_day=a_day,
        bytes_a_year=round(a_day * 365 * file / messages) if messages else 0,
    )


class Stats:
    """The figures of rooms, and of the file."""

    def __init__(self, database: Database, upkeep: Upkeep) -> None:
        self._database = database
        self._upkeep = upkeep

    async def of(self, room: Room, *, until: Position, now: datetime) -> Figures:
        """Everything about one room."""
        found = await self._read([room], until, now, details=True)
        return _detailed(room, found.get(room.id))

    async def overview(
        self, rooms: Sequence[Room], *, until: Position, now: datetime
    ) -> list[Figures]:
        """The totals of each room."""
        found = await self._read(rooms, until, now, details=False)
        return [_totals(room, found.get(room.id)) for room in rooms]

    async def days(
        self, room: Room, since: date, until: date, *, cutoff: Position = EVERY_LINE
    ) -> list[Day]:
        """The days from `since` to `until` on which there was anything before the cutoff."""
        rows = await self._upkeep.rows(
            f"SELECT * FROM (SELECT {_DAY} FROM day_counts"
            " WHERE room = :room AND day < substr(:until, 1, 10)"
            f" UNION ALL SELECT {_DAY} FROM ({_CUT_DAY}))"
            f" WHERE {figures.COMPLETE} AND day BETWEEN :first AND :last ORDER BY day",
            {"room": room.id, "sign": 1, "first": f"{since}", "last": f"{until}"} | _place(cutoff),
            uses=[Counters.name],
        )
        return [Day(date.fromisoformat(row[0]), row[1], Tally(*row[2:])) for row in rows]

    async def busiest(self, room: Room, most: int = 3) -> list[tuple[date, int]]:
        """The days with the most lines, and how many."""
        rows = await self._upkeep.rows(
            f"SELECT day, lines FROM day_counts WHERE {figures.COMPLETE} AND room = :room"
            " AND lines > 0 ORDER BY lines DESC, day LIMIT :most",
            {"room": room.id, "most": most},
            uses=[Counters.name],
        )
        return [(date.fromisoformat(row[0]), row[1]) for row in rows]

    async def size(self, now: datetime) -> Size:
        """How large the file is, and how large it will be in a year if this goes on."""
        await self._upkeep.ensure_current(Counters.name)
        rows = await self._database.rows(SIZE, size_since(now))
        return size_of(rows[0], self._database.path)

    async def parts(self, *, deadline: float = 60.0) -> dict[str, int]:
        """The bytes of each table and index, largest first; nothing where SQLite cannot tell.

        It reads every page of the file.
        """
        try:
            rows = await self._database.rows(
                "SELECT name, pgsize FROM dbstat WHERE aggregate = TRUE ORDER BY pgsize DESC, name",
                deadline=deadline,
            )
        except StoreFailed:  # built without SQLITE_ENABLE_DBSTAT_VTAB
            return {}
        return {row[0]: row[1] for row in rows}

    async def _read(
        self, rooms: Sequence[Room], until: Position, now: datetime, *, details: bool
    ) -> dict[int, Row]:
        params = moments(now) | _place(until) | ({"room": rooms[0].id} if details else {})
        if until == EVERY_LINE and not details:
            sql = figures.as_counted(rooms)
        elif until == EVERY_LINE:
            sql = figures.from_counters(rooms, figures.NOWHERE, details=details)
        elif await self._mostly_before(rooms, until):
            sql = figures.from_counters(rooms, figures.AFTER, details=details)
        else:
            sql = figures.line_by_line(rooms, figures.BEFORE, details=details)
        rows = await self._upkeep.rows(sql, params, uses=[Counters.name])
        return {row[0]: row for row in rows}

    async def _mostly_before(self, rooms: Sequence[Room], until: Position) -> bool:
        """Whether fewer messages lie after a place than before it (by whole days)."""
        named = within(rooms)
        return bool(
            await self._database.value(
                "SELECT ifnull((SELECT sum(lines + events) FROM day_counts"
                f" WHERE {named} AND day >= substr(:until, 1, 10)), 0) * 2"
                f" <= (SELECT total(lines + events) FROM room_counts WHERE {named})",
                _place(until),
            )
        )


_NAMES = [field.name for field in fields(Tally)]
_DAY = f"day, lines, {', '.join(_NAMES)}"
_CUT_DAY = of_days(
    "("
    + groups(f"m.room = :room AND m.timestamp >= substr(:until, 1, 10) AND {figures.BEFORE}")
    + ")"
)


def _totals(room: Room, row: Row | None) -> Figures:
    """The figures of a room, as `figures.TOTALS` has them."""
    if row is None:
        return Figures(room)
    _, lines, people, first, last, last_day, last_week = row[:7]
    return Figures(
        room,
        lines,
        people,
        moment(first) if first else None,
        moment(last) if last else None,
        last_day,
        last_week,
    )


def _detailed(room: Room, row: Row | None) -> Figures:
    if row is None:
        return Figures(room, talkers=[], hours=[0] * 24, tally=Tally())
    return _totals(room, row)._replace(
        talkers=_pairs(row["talkers"]),
        hours=_by_hour(row["hours"]),
        tally=Tally(**{name: row[name] for name in _NAMES}),
    )


def _pairs(told: str) -> list[tuple[Any, int]]:
    return [(key, count) for key, count in json.loads(told)]


def _by_hour(told: str) -> list[int]:
    counts: Mapping[int, int] = dict(_pairs(told))
    return [counts.get(hour, 0) for hour in range(24)]


def _place(until: Position) -> dict[str, object]:
    return {"until": until.timestamp, "until_id": until.id}
