"""Messages: appended in groups, read newest first, around a line, or one by one."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from terrarium_mcp.chat.records import SPEECH, Heard, Kind, Message, Origin, Page, Room
from terrarium_mcp.chat.when import Position, from_iso, from_text, to_text
from terrarium_mcp.store.database import Database, Row, Writer
from terrarium_mcp.store.index import Index, cover
from terrarium_mcp.store.rooms import room_ids, within
from terrarium_mcp.store.spans import keep_alive

COLUMNS = (
    "m.id, m.room, m.timestamp, m.nick, m.message, m.message_type, m.account, m.reply_to,"
    " m.self, m.redacted_at"
)
"""What may be shown of a message. `user` and `host` are not among it."""

EVERY_LINE = Position("9999-12-31")
"""A place after all lines. (A bare number would be compared as one: the column is a DATETIME.)"""


class Messages:
    """The lines of all rooms, in the order (timestamp, id)."""

    def __init__(self, database: Database, index: Index) -> None:
        self._database = database
        self._index = index

    async def append(self, heard: Sequence[Heard]) -> list[int]:
        """Save lines in the order given; when this returns they are durable.

        A live line is never dated before the live line of its room that came before it: its
        server-time is then kept beside it. Playback keeps its own time, and is left out where the
        line is known already.

        Returns:
            The ids of the lines, 0 for one that was known.

        Raises:
            StoreFailed: nothing was saved; the same call may be repeated.
        """
        async with self._database.writing() as writer:
            newest = int(await writer.value("SELECT max(id) FROM messages", default=0))
            watermark = int(await writer.value("SELECT id FROM watermark"))
            taken = int(
                await writer.value(
                    "SELECT seq FROM sqlite_sequence WHERE name = 'messages'", default=0
                )
            )
            rooms = await room_ids(writer, ((line.network, line.channel) for line in heard))
            ids, rows = await _rows(writer, heard, rooms, max(newest, taken) + 1)
            await writer.many(_INSERT, rows)
            if newest <= watermark and rows:
                await cover(writer, watermark + 1, max(ids))
            await keep_alive(writer, rooms.values())
        return ids

    async def get(self, number: int, rooms: Sequence[Room]) -> Message | None:
        """The message with this id, if it is in one of `rooms`."""
        await self._index.catch_up()
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

        Without `before`, `after` means the first lines after it instead: reading on.
        """
        await self._index.catch_up()
        reading_on = after is not None and before is EVERY_LINE
        order = "ASC" if reading_on else "DESC"
        after = after or Position("")
        rows = await self._database.rows(
            f"SELECT {COLUMNS} FROM messages m"  # noqa: S608 -- no words of strangers
            f" WHERE {within(rooms, 'm.room')} AND {_of_kind(events)}"
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
        found = as_messages(rows[:limit], rooms)
        return Page(found if reading_on else found[::-1], more=len(rows) > limit)

    async def around(
        self, message: Message, before: int, after: int, *, until: Position = EVERY_LINE
    ) -> list[Message]:
        """The lines of the message's room around it, itself included, oldest first."""
        room, place = [message.room], message.position
        earlier = await self.recent(room, before, before=place) if before else Page([])
        later = await self.recent(room, after, after=place) if after else Page([])
        visible = [line for line in later.messages if line.position < until]
        return [*earlier.messages, message, *visible]

    async def window(self, rooms: Sequence[Room], since: datetime, until: Position) -> int:
        """How many lines of speech were said in a time, counted up to 1,001."""
        sql = (
            f"SELECT count(*) FROM (SELECT 1 FROM messages m WHERE {within(rooms, 'm.room')}"  # noqa: S608 -- no words of strangers
            f" AND {_of_kind(events=False)} AND m.timestamp >= :since"
            " AND (m.timestamp, m.id) < (:until, :until_id) LIMIT 1001)"
        )
        params = {"since": to_text(since), "until": until.timestamp, "until_id": until.id}
        return int(await self._database.value(sql, params, 0))


def as_messages(rows: Sequence[Row], rooms: Sequence[Room]) -> list[Message]:
    """Rows of `COLUMNS` as records; rows without a room cannot be among them."""
    by_id = {room.id: room for room in rooms}
    return [_as_message(row, by_id) for row in rows]


def _as_message(row: Row, rooms: Mapping[int, Room]) -> Message:
    number, room, timestamp, nick, text, kind, account, _, own, redacted_at = row
    return Message(
        id=number,
        room=rooms[room],
        said_at=from_text(timestamp),
        nick=str(nick or ""),
        text="" if redacted_at else str(text or ""),
        kind=Kind.of(kind),
        account=str(account or ""),
        own=bool(own),
        removed=bool(redacted_at),
    )


def _of_kind(events: bool) -> str:
    if events:
        return "1"
    kinds = ", ".join(f"'{kind}'" for kind in SPEECH)
    return f"ifnull(m.message_type, 'PRIVMSG') IN ({kinds})"


_INSERT = """
INSERT INTO messages (
  id, timestamp, channel, nick, user, host, message, message_type, network, room, account, msgid,
  reply_to, server_time, origin, relayed_by, self, bot
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""


async def _rows(
    writer: Writer, heard: Sequence[Heard], rooms: Mapping[tuple[str, str], int], first: int
) -> tuple[list[int], list[tuple[object, ...]]]:
    """The ids given to the lines, and the rows to insert."""
    latest = {room: await _latest_live(writer, room) for room in set(rooms.values())}
    ids: list[int] = []
    rows: list[tuple[object, ...]] = []
    for line in heard:
        room = rooms[line.network, line.channel]
        if line.origin is Origin.PLAYBACK and await _is_known(writer, line, room):
            ids.append(0)
            continue
        timestamp = to_text(line.said_at)
        if line.origin is Origin.LIVE:
            timestamp = latest[room] = max(timestamp, latest[room])
        ids.append(first + len(rows))
        rows.append(_row(ids[-1], timestamp, room, line))
    return ids, rows


def _row(number: int, timestamp: str, room: int, line: Heard) -> tuple[object, ...]:
    as_sent = line.server_time
    differs = as_sent != "" and to_text(from_iso(as_sent)) != timestamp
    return (
        number,
        timestamp,
        line.channel,
        line.nick,
        line.user or None,
        line.host or None,
        line.text,
        line.kind.value,
        line.network,
        room,
        line.account or None,
        line.msgid or None,
        line.reply_to or None,
        as_sent if differs else None,
        line.origin.value,
        line.relayed_by or None,
        int(line.own),
        int(line.bot),
    )


async def _latest_live(writer: Writer, room: int) -> str:
    sql = (
        "SELECT timestamp FROM messages WHERE room = :room AND origin = 'live'"
        " ORDER BY timestamp DESC LIMIT 1"
    )
    return str(await writer.value(sql, {"room": room}, ""))


async def _is_known(writer: Writer, line: Heard, room: int) -> bool:
    """Whether a line of playback was recorded when it was said: by its msgid, else by itself."""
    known = (
        "SELECT 1 FROM messages WHERE room = :room AND msgid = :msgid"
        if line.msgid
        else "SELECT 1 FROM messages WHERE room = :room AND nick = :nick AND message = :text"
        " AND timestamp BETWEEN :from AND :to"
    )
    params = {
        "room": room,
        "msgid": line.msgid,
        "nick": line.nick,
        "text": line.text,
        "from": to_text(line.said_at)[:19],  # playback may carry whole seconds only
        "to": to_text(line.said_at)[:19] + ".999",
    }
    return bool(await writer.rows(known, params))
