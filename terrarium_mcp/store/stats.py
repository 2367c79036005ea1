"""Figures: how much was said, by whom, and when."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from terrarium_mcp.chat.records import SPEECH, Room
from terrarium_mcp.chat.when import Position, from_text, to_text
from terrarium_mcp.store.database import Database
from terrarium_mcp.store.index import Index

_SPEECH = ", ".join(f"'{kind}'" for kind in SPEECH)
_SAID = (
    f"m.room = :room AND ifnull(m.message_type, 'PRIVMSG') IN ({_SPEECH})"
    " AND (m.timestamp, m.id) < (:until, :until_id)"
)
_MOST_TALKERS = 10


@dataclass(frozen=True, slots=True)
class Figures:
    """What was said in a room up to a place: all counts are lines of speech."""

    room: Room
    lines: int
    people: int
    first: datetime | None
    last: datetime | None
    last_day: int
    last_week: int
    talkers: Sequence[tuple[str, int]] = ()
    hours: Sequence[int] = ()


class Stats:
    """The figures of rooms."""

    def __init__(self, database: Database, index: Index) -> None:
        self._database = database
        self._index = index

    async def of(self, room: Room, *, until: Position, now: datetime) -> Figures:
        """Everything about one room; `hours` are 24 counts by hour of day, UTC."""
        await self._index.catch_up()
        talkers = await self._database.rows(
            f"SELECT nick, count(*) AS lines FROM messages m WHERE {_SAID} AND nick NOT NULL"  # noqa: S608 -- constants
            f" GROUP BY nick ORDER BY lines DESC, nick LIMIT {_MOST_TALKERS}",
            _place(room, until),
        )
        by_hour = await self._database.rows(
            f"SELECT CAST(substr(m.timestamp, 12, 2) AS INTEGER) AS hour, count(*) AS lines"  # noqa: S608 -- constants
            f" FROM messages m WHERE {_SAID} GROUP BY hour",
            _place(room, until),
        )
        counts = {row["hour"]: row["lines"] for row in by_hour}
        totals = await self._totals(room, until, now)
        return Figures(
            *totals,
            talkers=[(row["nick"], row["lines"]) for row in talkers],
            hours=[counts.get(hour, 0) for hour in range(24)],
        )

    async def overview(
        self, rooms: Sequence[Room], *, until: Position, now: datetime
    ) -> list[Figures]:
        """The totals of each room."""
        await self._index.catch_up()
        return [Figures(*await self._totals(room, until, now)) for room in rooms]

    async def _totals(
        self, room: Room, until: Position, now: datetime
    ) -> tuple[Room, int, int, datetime | None, datetime | None, int, int]:
        rows = await self._database.rows(
            "SELECT count(*) AS lines, count(DISTINCT nick) AS people,"  # noqa: S608 -- constants
            " min(timestamp) AS first, max(timestamp) AS last,"
            " total(timestamp >= :day) AS last_day, total(timestamp >= :week) AS last_week"
            f" FROM messages m WHERE {_SAID}",
            _place(room, until)
            | {
                "day": to_text(now - timedelta(days=1)),
                "week": to_text(now - timedelta(days=7)),
            },
        )
        lines, people, first, last, last_day, last_week = rows[0]
        return (
            room,
            lines,
            people,
            from_text(first) if first else None,
            from_text(last) if last else None,
            int(last_day),
            int(last_week),
        )


def _place(room: Room, until: Position) -> dict[str, object]:
    return {"room": room.id, "until": until.timestamp, "until_id": until.id}
