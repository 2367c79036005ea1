"""Messages: appended in groups, read newest first, around a line, or one by one."""

from bisect import bisect_left
from collections.abc import AsyncIterable, Iterable, Sequence

from terrarium_mcp.chat.records import Heard, Message, Page, Room
from terrarium_mcp.chat.when import BEGINNING, EVERY_LINE, Position
from terrarium_mcp.store.appending import Appending
from terrarium_mcp.store.bulk import Appended, Report, append_by_groups
from terrarium_mcp.store.database import Database
from terrarium_mcp.store.rooms import OF_ROOM, within
from terrarium_mcp.store.rows import COLUMNS, IS_SPEECH, as_messages
from terrarium_mcp.store.upkeep import Upkeep, complete


class Messages:
    """The lines of all rooms, in the order (timestamp, id)."""

    def __init__(self, database: Database, upkeep: Upkeep) -> None:
        self._database = database
        self._upkeep = upkeep
        self._appending = Appending(database, upkeep)

    async def append(self, heard: Sequence[Heard]) -> list[int]:
        """Save lines in the order given; when this returns they are durable.

        A live line is never dated before the live line of its room that came before it: its
        server-time is then kept beside it. Playback keeps its own time, and is left out where the
        line is known already. What is addressed to no channel is private and goes into no room.

        Returns:
            The ids of the lines, 0 for one that was known.

        Raises:
            StoreFailed: nothing was saved; the same call may be repeated.
        """
        return await self._appending.append(heard)

    async def append_all(
        self, heard: AsyncIterable[Heard] | Iterable[Heard], report: Report = lambda _: None
    ) -> Appended:
        """Save any number of lines in the order given, as `append` does, beside whoever records.

        Memory stays flat, and every group of lines is durable once `report` hears of it. Cancelling
        leaves whole groups. Whoever imports notes the time that the lines cover, as a span.

        Raises:
            BadLine: a line has no time that can be stored. All before it are saved.
            StoreFailed: the lines that `report` heard of are saved, and no others.
        """
        return await append_by_groups(self._appending, heard, report)

    async def get(self, number: int, rooms: Sequence[Room]) -> Message | None:
        """The message with this id, if it is in one of `rooms`."""
        rows = await self._upkeep.rows(
            _lines(within(rooms, "m.room"), "m.id = :id"), {"id": number}
        )
        return as_messages(rows, rooms)[0] if rows else None

    async def position(self, number: int) -> Position | None:
        """Where the message with this id stands, whatever its room."""
        rows = await self._database.rows(
            "SELECT timestamp, id FROM messages WHERE id = :id AND timestamp NOT NULL",
            {"id": number},
        )
        return Position(rows[0]["timestamp"], rows[0]["id"]) if rows else None

    async def newest(
        self,
        rooms: Sequence[Room],
        limit: int,
        *,
        before: Position = EVERY_LINE,
        after: Position | None = None,
        events: bool = False,
    ) -> Page:
        """The last `limit` lines between two places, oldest first."""
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
        """The first `limit` lines between two places, oldest first: reading on."""
        return await self._read(rooms, limit, (after, before), "ASC", events=events)

    async def around(
        self, message: Message, before: int, after: int, *, until: Position = EVERY_LINE
    ) -> list[Message]:
        """The lines of the message's room around it, itself included, oldest first."""
        place = message.position
        earlier = _lines(OF_ROOM, IS_SPEECH, _BEFORE)
        later = _lines(OF_ROOM, IS_SPEECH, _AFTER, _UNTIL)
        rows = await self._upkeep.rows(
            f"SELECT * FROM ({earlier} {_order('DESC')} LIMIT :earlier)"  # noqa: S608 -- no words of strangers
            f" UNION ALL SELECT * FROM ({later} {_order('ASC')} LIMIT :later)"
            " ORDER BY timestamp, id",
            {"room": message.room.id, "earlier": before, "later": after}
            | _place("before", place)
            | _place("after", place)
            | _place("until", until),
        )
        at = bisect_left(rows, place, key=lambda row: Position(row["timestamp"], row["id"]))
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
        rows = await self._upkeep.rows(
            f"{_lines(where, *kinds, _BEFORE, _AFTER)} {_order(order)} LIMIT :most",
            _place("before", before) | _place("after", after) | {"most": limit + 1, "room": only},
        )
        return Page(as_messages(rows[:limit], rooms), more=len(rows) > limit)


_BEFORE = "(m.timestamp, m.id) < (:before, :before_id)"
_AFTER = "(m.timestamp, m.id) > (:after, :after_id)"
_UNTIL = "(m.timestamp, m.id) < (:until, :until_id)"


def _lines(*where: str) -> str:
    """The statement for the messages that meet all conditions."""
    return f"SELECT {COLUMNS} FROM messages m WHERE {' AND '.join([complete(), *where])}"  # noqa: S608 -- no words of strangers


def _order(order: str) -> str:
    return f"ORDER BY m.timestamp {order}, m.id {order}"


def _place(name: str, place: Position) -> dict[str, object]:
    return {name: place.timestamp, f"{name}_id": place.id}
