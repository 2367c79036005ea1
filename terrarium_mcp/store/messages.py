"""Messages: appended in groups, read newest first, around a line, or one by one."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from terrarium_mcp.chat.identity import is_channel
from terrarium_mcp.chat.records import Heard, Message, Origin, Page, Room
from terrarium_mcp.chat.when import Position, from_iso, to_text
from terrarium_mcp.store.database import Database, Writer
from terrarium_mcp.store.foreign import move_private
from terrarium_mcp.store.functions import storable
from terrarium_mcp.store.rooms import room_ids, within
from terrarium_mcp.store.rows import COLUMNS, IS_SPEECH, as_messages
from terrarium_mcp.store.spans import keep_alive
from terrarium_mcp.store.upkeep import Upkeep, take_in

BEGINNING = Position("")
"""A place before all lines."""

EVERY_LINE = Position("9999-12-31")
"""A place after all lines. (A bare number would be compared as one: the column is a DATETIME.)"""


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
            entry = _Entry(writer, rooms, first=max(newest, taken) + 1)
            ids = [await entry.take(line) for line in heard]
            await writer.many(_INSERT, entry.rows)
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

    async def recent(
        self,
        rooms: Sequence[Room],
        limit: int,
        *,
        before: Position = EVERY_LINE,
        after: Position | None = None,
        events: bool = False,
    ) -> Page:
        """The newest `limit` lines before one place (and after another), oldest first.

        Without `before`, `after` means the first lines after it instead: `onward`.
        """
        if after is not None and before is EVERY_LINE:
            return await self.onward(rooms, limit, after=after, events=events)
        return await self.newest(rooms, limit, before=before, after=after, events=events)

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
        between = (after or Position(""), before)
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

    async def window(self, rooms: Sequence[Room], since: datetime, until: Position) -> int:
        """How many lines of speech were said in a time, counted up to 1,001."""
        sql = (
            f"SELECT count(*) FROM (SELECT 1 FROM messages m WHERE {within(rooms, 'm.room')}"  # noqa: S608 -- no words of strangers
            f" AND {IS_SPEECH} AND m.timestamp >= :since"
            " AND (m.timestamp, m.id) < (:until, :until_id) LIMIT 1001)"
        )
        params = {"since": to_text(since), "until": until.timestamp, "until_id": until.id}
        return int(await self._database.value(sql, params, 0))


_INSERT = """
INSERT INTO messages (
  id, timestamp, channel, nick, user, host, message, message_type, network, room, account, msgid,
  reply_to, server_time, origin, relayed_by, self, bot
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""


class _Entry:
    """Lines on their way into the table, inside one transaction."""

    def __init__(self, writer: Writer, rooms: Mapping[tuple[str, str], int], *, first: int) -> None:
        self.first = first
        self.rows: list[tuple[object, ...]] = []
        self._writer = writer
        self._rooms = rooms
        self._live_until: dict[int, str] = {}
        self._msgids: set[tuple[int | None, str]] = set()

    async def take(self, line: Heard) -> int:
        """Make the row of the next line; returns its id, or 0 when it was known."""
        room = self._rooms.get((storable(line.network), storable(line.channel)))
        if line.origin is Origin.PLAYBACK and await self._is_known(line, room):
            return 0
        timestamp = to_text(line.said_at)
        if line.origin is Origin.LIVE and room is not None:
            timestamp = self._live_until[room] = max(timestamp, await self._latest_live(room))
        number = self.first + len(self.rows)
        self.rows.append(_row(number, timestamp, room, line))
        self._msgids.add((room, line.msgid))
        return number

    async def remember_live(self) -> None:
        """Note how far each room's live lines have come."""
        await self._writer.many(
            "UPDATE rooms SET live_until = max(live_until, ?) WHERE id = ?",
            [(timestamp, room) for room, timestamp in self._live_until.items()],
        )
        await keep_alive(self._writer, self._live_until)

    async def _latest_live(self, room: int) -> str:
        if room not in self._live_until:
            sql = "SELECT live_until FROM rooms WHERE id = :room"
            self._live_until[room] = str(await self._writer.value(sql, {"room": room}, ""))
        return self._live_until[room]

    async def _is_known(self, line: Heard, room: int | None) -> bool:
        """Whether a line of playback was recorded when it was said.

        Its msgid tells. Where one of the two has none, the same words of the same person do, in
        the same second: playback may carry whole seconds only.
        """
        if line.msgid and (room, line.msgid) in self._msgids:
            return True
        second = to_text(line.said_at)[:19]
        params = {
            "room": room,
            "msgid": storable(line.msgid),
            "kind": line.kind.value,
            "nick": storable(line.nick),
            "text": storable(line.text),
            "from": second,
            "to": second + ".999",
        }
        return bool(await self._writer.rows(_KNOWN, params))


_KNOWN = """
SELECT 1 FROM messages WHERE room = :room AND msgid = :msgid AND :msgid != ''
UNION ALL
SELECT 1 FROM messages
 WHERE room = :room AND (msgid IS NULL OR :msgid = '')
   AND timestamp BETWEEN :from AND :to
   AND message_type = :kind AND nick = :nick AND message = :text
LIMIT 1
"""


def _row(number: int, timestamp: str, room: int | None, line: Heard) -> tuple[object, ...]:
    return (
        number,
        timestamp,
        storable(line.channel),
        storable(line.nick),
        storable(line.user) or None,
        storable(line.host) or None,
        storable(line.text),
        line.kind.value,
        storable(line.network),
        room,
        storable(line.account) or None,
        storable(line.msgid) or None,
        storable(line.reply_to) or None,
        storable(line.server_time) or None if _differs(line.server_time, timestamp) else None,
        line.origin.value,
        storable(line.relayed_by) or None,
        int(line.own),
        int(line.bot),
    )


def _differs(server_time: str, timestamp: str) -> bool:
    """Whether a server-time says something else than the column, or nothing we can read."""
    try:
        return to_text(from_iso(server_time)) != timestamp
    except ValueError:
        return True
