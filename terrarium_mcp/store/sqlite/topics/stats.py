"""Statistics: how much was said, by whom, and when. Counters answer where they can."""

# ruff: noqa: S608 -- every statement is made of constants and our own ids

import json
from collections.abc import Mapping, Sequence
from datetime import datetime

from terrarium_mcp.chat.records import Room
from terrarium_mcp.chat.times.timestamps import EVERY_LINE, Position, from_text
from terrarium_mcp.store.records.figures import RoomStats
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.reads import Row
from terrarium_mcp.store.sqlite.engine.rooms import within
from terrarium_mcp.store.sqlite.engine.sql_expressions import position_params
from terrarium_mcp.store.sqlite.index.indexer import Indexer
from terrarium_mcp.store.sqlite.index.rolling_windows import window_starts
from terrarium_mcp.store.sqlite.topics import stats_sql


class Stats:
    """Statistics of rooms."""

    def __init__(self, database: Database, indexer: Indexer) -> None:
        self._database = database
        self._indexer = indexer

    async def for_room(self, room: Room, *, until: Position, now: datetime) -> RoomStats:
        """Everything about one room."""
        rows = await self._rows(await self._details_sql(room, until), [room], until, now)
        return _detailed(room, rows.get(room.id))

    async def overview(
        self, rooms: Sequence[Room], *, until: Position, now: datetime
    ) -> list[RoomStats]:
        """The totals of each room."""
        rows = await self._rows(await self._totals_sql(rooms, until), rooms, until, now)
        return [_totals(room, rows.get(room.id)) for room in rooms]

    async def _details_sql(self, room: Room, until: Position) -> str:
        if until == EVERY_LINE:
            return stats_sql.current_details()
        if await self._mostly_before([room], until):
            return stats_sql.details_before()
        return stats_sql.recounted_details()

    async def _totals_sql(self, rooms: Sequence[Room], until: Position) -> str:
        in_rooms = stats_sql.room_condition(rooms)
        if until == EVERY_LINE:
            return stats_sql.current_totals(in_rooms)
        if await self._mostly_before(rooms, until):
            return stats_sql.totals_before(in_rooms)
        return stats_sql.recounted_totals(in_rooms)

    async def _rows(
        self, sql: str, rooms: Sequence[Room], until: Position, now: datetime
    ) -> dict[int, Row]:
        params = window_starts(now) | position_params("until", until) | stats_sql.room_params(rooms)
        rows = await self._indexer.rows(sql, params, uses=stats_sql.COUNTED_BY)
        return {row[0]: row for row in rows}

    async def _mostly_before(self, rooms: Sequence[Room], until: Position) -> bool:
        """Whether no more messages follow a position than precede it, by whole days."""
        named = within(rooms)
        return bool(
            await self._database.value(
                "SELECT ifnull((SELECT sum(lines + events) FROM day_counts"
                f" WHERE {named} AND day >= substr(:until, 1, 10)), 0) * 2"
                f" <= (SELECT total(lines + events) FROM room_counts WHERE {named})",
                position_params("until", until),
            )
        )


def _totals(room: Room, row: Row | None) -> RoomStats:
    """The totals of a room from a row with the columns `stats_sql.TOTALS`."""
    if row is None:
        return RoomStats(room)
    _, lines, people, first, last, last_day, last_week = row[:7]
    return RoomStats(
        room,
        lines,
        people,
        from_text(first) if first else None,
        from_text(last) if last else None,
        last_day,
        last_week,
    )


def _detailed(room: Room, row: Row | None) -> RoomStats:
    if row is None:
        return RoomStats(room, talkers=[], hours=[0] * 24)
    counts: Mapping[int, int] = dict(json.loads(row["hours"]))
    return _totals(room, row)._replace(
        talkers=[(nick, lines) for nick, lines in json.loads(row["talkers"])],
        hours=[counts.get(hour, 0) for hour in range(24)],
    )
