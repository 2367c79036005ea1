"""Messages: appended in groups; read newest first, onward, around one of them, or by id."""

from bisect import bisect_left
from collections.abc import Collection, Sequence
from contextlib import suppress
from datetime import datetime

from terrarium_mcp.chat.records import Message, NewMessage, Page, Room
from terrarium_mcp.chat.times.timestamps import (
    BEGINNING,
    EVERY_LINE,
    FIRST_IRC,
    Position,
    from_iso,
    from_text,
    to_text,
)
from terrarium_mcp.store.records.readings import KnownLine
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.functions import as_text
from terrarium_mcp.store.sqlite.engine.id_lists import AMONG_IDS, ids_params
from terrarium_mcp.store.sqlite.engine.reads import Reads, Row
from terrarium_mcp.store.sqlite.engine.rooms import OF_ROOM, known_before, room_id, within
from terrarium_mcp.store.sqlite.engine.rows import COLUMNS, IS_SPEECH, as_messages
from terrarium_mcp.store.sqlite.engine.sql_expressions import BEFORE_CUTOFF, position_params
from terrarium_mcp.store.sqlite.index.clock_ahead import (
    ROOMS_AHEAD,
    latest_tolerated,
    names_of_rooms,
    set_back,
)
from terrarium_mcp.store.sqlite.index.indexer import Indexer
from terrarium_mcp.store.sqlite.index.watermarks import current_sql
from terrarium_mcp.store.sqlite.ingest.append import Appender
from terrarium_mcp.store.sqlite.ingest.opt_out_reader import OptOutReader


class Messages:
    """The messages of all rooms, in the order (timestamp, id)."""

    def __init__(self, database: Database, indexer: Indexer, opt_out_reader: OptOutReader) -> None:
        self._database = database
        self._indexer = indexer
        self._appender = Appender(database, indexer, opt_out_reader)

    async def append(self, messages: Sequence[NewMessage]) -> list[int]:
        """Save messages in the order given; when this returns they are durable.

        A live message is never dated before the previous live one of its room: its server-time is
        then stored beside it. Playback keeps its own time, and is left out if it is already stored.
        A message that is not addressed to a channel is private and goes into no room. Of people who
        opted out nothing is saved.

        Returns:
            The ids of the messages, 0 for one that was left out.

        Raises:
            StoreFailed: nothing was saved; the same call may be repeated.
        """
        return await self._appender.append(messages)

    async def set_clock_back(self, now: datetime) -> list[str]:
        """Date the next live lines at `now` or later, also where the last line is dated after it.

        Call it once a wrong clock was set right: the lines until then keep their times. Returns
        the rooms that were ahead, as `network/#channel`.

        Raises:
            StoreFailed: nothing has changed.
        """
        rooms = await self._database.rows(ROOMS_AHEAD, {"until": latest_tolerated(now)})
        if rooms:
            await self._indexer.catch_up()  # lines above the watermark count too
            async with self._database.writing() as writer:
                await set_back(writer, now)
        return names_of_rooms(rooms)

    async def newest_known(
        self, network: str, channel: str, since: datetime, until: datetime
    ) -> KnownLine | None:
        """The newest line of a channel between two moments, as its network knows it.

        Speech, if there is any: a server's history may hold no events. Our own JOINs do not count.
        """
        async with self._database.writing() as writer:
            room = await room_id(writer, network, channel)
        params = {"room": room, "since": to_text(since), "until": to_text(until)}
        with suppress(ValueError):  # a row of another program, with a time that none can read
            if speech := await self._database.rows(_newest_line(IS_SPEECH), params):
                return _known_line(speech[0], until)
            if events := await self._database.rows(_newest_line("NOT ifnull(m.self, 0)"), params):
                return KnownLine(_known_line(events[0], until).said_at)
        return None

    async def get(self, number: int, rooms: Sequence[Room]) -> Message | None:
        """The message with this id, if it is in one of `rooms`."""
        rows = await self._indexer.rows(
            _lines(within(rooms, "m.room"), "m.id = :id"), {"id": number}
        )
        return as_messages(rows, rooms)[0] if rows else None

    async def recorded(self, ids: Collection[int]) -> frozenset[int]:
        """Those of some numbers that are the ids of messages whose text was not removed.

        Raises:
            StoreFailed: the file cannot be read.
        """
        rows = await self._database.rows(_RECORDED, ids_params(ids))
        return frozenset(row["id"] for row in rows)

    async def cutoff(
        self, number: int, rooms: Sequence[Room]
    ) -> tuple[Position, list[Room]] | None:
        """The position of the message with this id, and those of `rooms` that were known before it.

        None if it is in none of them, or has no time.
        """

        async def read(reads: Reads, *, is_current: bool) -> tuple[Position, list[Room]] | None:
            found = await reads.rows(
                "SELECT timestamp, id FROM messages m WHERE id = :id AND timestamp NOT NULL"  # noqa: S608 -- ids of ours
                f" AND {within(rooms)} AND {current_sql()}",
                {"id": number, "is_current": is_current},
            )
            if not found:
                return None
            position = Position(found[0]["timestamp"], found[0]["id"])
            return position, await known_before(reads, position, rooms)

        return await self._indexer.read_whole(read, uses=())

    async def newest(
        self,
        rooms: Sequence[Room],
        limit: int,
        *,
        before: Position = EVERY_LINE,
        after: Position | None = None,
        events: bool = False,
    ) -> Page:
        """The last `limit` messages between two positions (both exclusive), oldest first."""
        between = (after or BEGINNING, before)
        page = await self._read(rooms, limit, between, "DESC", events=events)
        return Page(page.messages[::-1], page.more)

    async def onward(
        self,
        rooms: Sequence[Room],
        limit: int,
        *,
        after: Position,
        before: Position = EVERY_LINE,
        events: bool = False,
    ) -> Page:
        """The first `limit` messages between two positions (both exclusive), oldest first."""
        return await self._read(rooms, limit, (after, before), "ASC", events=events)

    async def around(
        self, message: Message, before: int, after: int, *, until: Position = EVERY_LINE
    ) -> list[Message]:
        """The speech of the message's room around it, itself included, oldest first."""
        position = message.position
        earlier = _lines(OF_ROOM, IS_SPEECH, _BEFORE)
        later = _lines(OF_ROOM, IS_SPEECH, _AFTER, BEFORE_CUTOFF)
        rows = await self._indexer.rows(
            f"SELECT * FROM ({earlier} {_order('DESC')} LIMIT :earlier)"  # noqa: S608 -- constants only
            f" UNION ALL SELECT * FROM ({later} {_order('ASC')} LIMIT :later)"
            " ORDER BY timestamp, id",
            {"room": message.room.id, "earlier": before, "later": after}
            | position_params("before", position)
            | position_params("after", position)
            | position_params("until", until),
        )
        at = bisect_left(rows, position, key=lambda row: Position(row["timestamp"], row["id"]))
        lines = as_messages(rows, [message.room])
        return [*lines[:at], message, *lines[at:]]

    async def _read(
        self,
        rooms: Sequence[Room],
        limit: int,
        between: tuple[Position, Position],
        order: str,
        *,
        events: bool,
    ) -> Page:
        after, before = between
        kinds = () if events else (IS_SPEECH,)
        only = rooms[0].id if len(rooms) == 1 else None
        where = within(rooms, "m.room") if only is None else OF_ROOM
        rows = await self._indexer.rows(
            f"{_lines(where, *kinds, _BEFORE, _AFTER)} {_order(order)} LIMIT :most",
            position_params("before", before)
            | position_params("after", after)
            | {"most": limit + 1, "room": only},
        )
        return Page(as_messages(rows[:limit], rooms), more=len(rows) > limit)


def _newest_line(which: str) -> str:
    """The statement for the newest line of a room that meets a condition."""
    return f"""
SELECT m.timestamp, m.server_time, m.msgid, m.nick, m.message FROM messages m
WHERE m.room = :room AND m.timestamp BETWEEN :since AND :until AND {which}
ORDER BY m.timestamp DESC, m.id DESC LIMIT 1
"""  # noqa: S608 -- constants only


def _known_line(row: Row, until: datetime) -> KnownLine:
    timestamp, server_time, msgid, nick, text = row
    said_at = from_text(timestamp)
    if server_time:
        with suppress(ValueError):  # not one that can be read
            sent = from_iso(as_text(server_time))
            said_at = sent if FIRST_IRC <= sent <= until else said_at
    return KnownLine(said_at, as_text(msgid or ""), as_text(nick), as_text(text))


_BEFORE = "(m.timestamp, m.id) < (:before, :before_id)"
_AFTER = "(m.timestamp, m.id) > (:after, :after_id)"
_RECORDED = f"SELECT m.id FROM messages m WHERE {AMONG_IDS} AND m.redacted_at IS NULL"  # noqa: S608 -- constants only


def _lines(*where: str) -> str:
    """The statement that selects the messages that meet all conditions."""
    return f"SELECT {COLUMNS} FROM messages m WHERE {' AND '.join([current_sql(), *where])}"  # noqa: S608 -- constants only


def _order(order: str) -> str:
    return f"ORDER BY m.timestamp {order}, m.id {order}"
