"""Figures: how much was said, by whom, and when."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from terrarium_mcp.chat.identity import fold
from terrarium_mcp.chat.records import Room
from terrarium_mcp.chat.when import Position, from_text, to_text
from terrarium_mcp.store.database import Database
from terrarium_mcp.store.functions import as_text
from terrarium_mcp.store.rows import IS_SPEECH
from terrarium_mcp.store.upkeep import Upkeep

_SAID = f"m.room = :room AND {IS_SPEECH} AND (m.timestamp, m.id) < (:until, :until_id)"
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

    def __init__(self, database: Database, upkeep: Upkeep) -> None:
        self._database = database
        self._upkeep = upkeep

    async def of(self, room: Room, *, until: Position, now: datetime) -> Figures:
        """Everything about one room; `hours` are 24 counts by hour of day, UTC."""
        await self._upkeep.keep_up()
        by_hour = await self._database.rows(
            "SELECT CAST(substr(m.timestamp, 12, 2) AS INTEGER) AS hour, count(*) AS lines"  # noqa: S608 -- constants
            f" FROM messages m WHERE {_SAID} GROUP BY hour",
            _place(room, until),
        )
        counts = {row["hour"]: row["lines"] for row in by_hour}
        people = await self._people(room, until)
        return replace(
            await self._totals(room, until, now),
            talkers=sorted(people, key=lambda talker: (-talker[1], talker[0]))[:_MOST_TALKERS],
            hours=[counts.get(hour, 0) for hour in range(24)],
        )

    async def overview(
        self, rooms: Sequence[Room], *, until: Position, now: datetime
    ) -> list[Figures]:
        """The totals of each room."""
        await self._upkeep.keep_up()
        return [await self._totals(room, until, now) for room in rooms]

    async def _totals(self, room: Room, until: Position, now: datetime) -> Figures:
        rows = await self._database.rows(
            "SELECT count(*), min(timestamp), max(timestamp),"  # noqa: S608 -- constants
            " total(timestamp >= :day), total(timestamp >= :week)"
            f" FROM messages m WHERE {_SAID}",
            _place(room, until)
            | {
                "day": to_text(now - timedelta(days=1)),
                "week": to_text(now - timedelta(days=7)),
            },
        )
        lines, first, last, last_day, last_week = rows[0]
        return Figures(
            room=room,
            lines=lines,
            people=len(await self._people(room, until)),
            first=from_text(first) if first else None,
            last=from_text(last) if last else None,
            last_day=int(last_day),
            last_week=int(last_week),
        )

    async def _people(self, room: Room, until: Position) -> list[tuple[str, int]]:
        """Everybody who spoke, with their lines; the spellings of one nick count as one person."""
        rows = await self._database.rows(
            "SELECT nick, count(*) AS lines FROM messages m"  # noqa: S608 -- constants
            f" WHERE {_SAID} AND nick NOT NULL GROUP BY nick ORDER BY lines DESC, nick",
            _place(room, until),
        )
        lines: dict[str, int] = {}
        spelt: dict[str, str] = {}
        for row in rows:
            nick = as_text(row["nick"])
            spelt.setdefault(fold(nick), nick)  # as it is written most often
            lines[fold(nick)] = lines.get(fold(nick), 0) + row["lines"]
        return [(spelt[folded], count) for folded, count in lines.items()]


def _place(room: Room, until: Position) -> dict[str, object]:
    return {"room": room.id, "until": until.timestamp, "until_id": until.id}
