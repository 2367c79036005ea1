"""Messages: appended in groups, read newest first, around a line, or one by one."""

from collections.abc import Sequence

from terrarium_mcp.chat.identity import is_channel
from terrarium_mcp.chat.records import Heard, Message, Page, Room
from terrarium_mcp.chat.when import BEGINNING, EVERY_LINE, Position
from terrarium_mcp.store.database import Database
from terrarium_mcp.store.entry import Entry
from terrarium_mcp.store.foreign import move_private
from terrarium_mcp.store.functions import storable
from terrarium_mcp.store.rooms import room_ids, within
from terrarium_mcp.store.rows import COLUMNS, IS_SPEECH, as_messages
from terrarium_mcp.store.upkeep import Upkeep, take_in


class Messages:
    """The lines of all rooms, in the order (timestamp, id)."""

    def __init__(self, database: Database, upkeep: Upkeep) -> None:
        self._database = database
        self._upkeep = upkeep

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
        async with self._database.writing() as writer:
            newest = int(await writer.value("SELECT max(id) FROM messages", default=0))
            taken = int(
                await writer.value(
                    "SELECT seq FROM sqlite_sequence WHERE name = 'messages'", default=0
                )
            )
            named = ((storable(line.network), storable(line.channel)) for line in heard)
            rooms = await room_ids(writer, (pair for pair in named if is_channel(pair[1])))
            entry = await Entry.into(rooms, writer, first=max(newest, taken) + 1)
            ids = [await entry.take(line) for line in heard]
            await entry.save()
            if entry.rows:
                await move_private(writer, entry.first, max(ids))
                await take_in(writer, entry.first, max(ids))
            await entry.remember_live()
        return ids

    async def get(self, number: int, rooms: Sequence[Room]) -> Message | None:
        """The message with this id, if it is in one of `rooms`."""
        await self._upkeep.keep_up()
        rows = await self._database.rows(
            f"SELECT {COLUMNS} FROM messages m WHERE m.id = :id AND {within(rooms, 'm.room')}",  # noqa: S608 -- no words of strangers
            {"id": number},
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
        room, place = [message.room], message.position
        earlier = await self.newest(room, before, before=place) if before else Page([])
        later = await self.onward(room, after, after=place, before=until) if after else Page([])
        return [*earlier.messages, message, *later.messages]

    async def _read(
        self,
        rooms: Sequence[Room],
        limit: int,
        between: tuple[Position, Position],
        order: str,
        *,
        events: bool,
    ) -> Page:
        await self._upkeep.keep_up()
        after, before = between
        rows = await self._database.rows(
            f"SELECT {COLUMNS} FROM messages m"  # noqa: S608 -- no words of strangers
            f" WHERE {within(rooms, 'm.room')} AND {'1' if events else IS_SPEECH}"
            " AND (m.timestamp, m.id) < (:before, :before_id)"
            " AND (m.timestamp, m.id) > (:after, :after_id)"
            f" ORDER BY m.timestamp {order}, m.id {order} LIMIT :most",
            {
                "before": before.timestamp,
                "before_id": before.id,
                "after": after.timestamp,
                "after_id": after.id,
                "most": limit + 1,
            },
        )
        return Page(as_messages(rows[:limit], rooms), more=len(rows) > limit)
