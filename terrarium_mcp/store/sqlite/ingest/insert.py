"""Inserting: which rows new messages become, and which of them are already stored."""

from collections.abc import Collection, Mapping, Sequence

from terrarium_mcp.chat.identity import is_channel
from terrarium_mcp.chat.records import NewMessage, Origin
from terrarium_mcp.chat.times.timestamps import from_iso, to_text
from terrarium_mcp.store.sqlite.engine.database import Writer
from terrarium_mcp.store.sqlite.engine.functions import as_text, storable
from terrarium_mcp.store.sqlite.engine.rooms import room_ids
from terrarium_mcp.store.sqlite.index.external_rows import move_private
from terrarium_mcp.store.sqlite.index.live_clock import live_until
from terrarium_mcp.store.sqlite.index.msgid_index import RoomMsgid, messages_with

_INSERT = """
INSERT INTO messages (
  id, timestamp, channel, nick, user, host, message, message_type, network, room, account, msgid,
  reply_to, server_time, origin, relayed_by, self, bot
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""


async def insert(writer: Writer, messages: Sequence[NewMessage]) -> list[int]:
    """Insert messages in the order given, with rising ids; no derived structure is updated.

    A live message is never dated before the previous live one of its room. A message to a person
    goes to `private_messages`. Playback that is already stored is left out.

    Returns:
        Their ids, 0 for one that was left out.
    """
    rooms = await rooms_of(writer, messages)
    reached = await live_until(writer, rooms.values())
    known = await _known_msgids(writer, messages, rooms)
    rows = _Rows(writer, rooms, reached, known, await _next_id(writer))
    ids = [await rows.add(message) for message in messages]
    await writer.many(_INSERT, rows.rows)
    if rows.rows:
        await move_private(writer, rows.first, rows.last)
    return ids


async def rooms_of(writer: Writer, messages: Sequence[NewMessage]) -> Mapping[tuple[str, str], int]:
    """The ids of the messages' rooms by network and channel; new rooms get one."""
    named = dict.fromkeys((message.network, message.channel) for message in messages)
    channels = [(storable(net), storable(chan)) for net, chan in named if is_channel(chan)]
    return await room_ids(writer, channels)


async def _known_msgids(
    writer: Writer, messages: Sequence[NewMessage], rooms: Mapping[tuple[str, str], int]
) -> set[RoomMsgid]:
    """Those msgids of played back messages that are already stored."""
    named = {
        (room, storable(message.msgid))
        for message in messages
        if message.origin is Origin.PLAYBACK and message.msgid
        if (room := _room_of(message, rooms))
    }
    return {(row["room"], as_text(row["msgid"])) for row in await messages_with(writer, named)}


def _room_of(message: NewMessage, rooms: Mapping[tuple[str, str], int]) -> int | None:
    return rooms.get((storable(message.network), storable(message.channel)))


async def _next_id(writer: Writer) -> int:
    """One more than every id there is, or was."""
    newest = int(await writer.value("SELECT max(id) FROM messages", default=0))
    used = int(
        await writer.value("SELECT seq FROM sqlite_sequence WHERE name = 'messages'", default=0)
    )
    return max(newest, used) + 1


class _Rows:
    """The rows of `messages` that new messages become.

    Attributes:
        first: the id of the first row.
        rows: the rows so far, with consecutive ids.
    """

    def __init__(
        self,
        writer: Writer,
        rooms: Mapping[tuple[str, str], int],
        live_until: Mapping[int, str],
        known_msgids: Collection[RoomMsgid],
        first: int,
    ) -> None:
        self.first = first
        self.rows: list[tuple[object, ...]] = []
        self._writer = writer
        self._rooms = rooms
        self._live_until = dict(live_until)
        self._msgids: set[tuple[int | None, str]] = {*known_msgids}

    @property
    def last(self) -> int:
        """The id of the last row."""
        return self.first + len(self.rows) - 1

    async def add(self, message: NewMessage) -> int:
        """Add the row of the next message; returns its id, 0 if the message is already stored."""
        room = _room_of(message, self._rooms)
        if message.origin is Origin.PLAYBACK and await self._is_stored(message, room):
            return 0
        timestamp = to_text(message.said_at)
        if message.origin is Origin.LIVE and room is not None:
            timestamp = self._live_until[room] = max(timestamp, self._live_until[room])
        number = self.first + len(self.rows)
        self.rows.append(_row(number, timestamp, room, message))
        if message.msgid:
            self._msgids.add((room, storable(message.msgid)))
        return number

    async def _is_stored(self, message: NewMessage, room: int | None) -> bool:
        """Whether a message that is played back was recorded when it was said.

        Its msgid decides. Where one of the two has none, the same text by the same nick in the same
        second counts as the same message: playback may carry whole seconds only.
        """
        if (room, storable(message.msgid)) in self._msgids:
            return True
        second = to_text(message.said_at)[:19]
        params = {
            "room": room,
            "msgid": storable(message.msgid),
            "kind": message.kind.value,
            "nick": storable(message.nick),
            "text": storable(message.text),
            "from": second,
            "to": second + ".999",
        }
        return bool(await self._writer.rows(_SAME, params))


_SAME = """
SELECT 1 FROM messages
 WHERE room = :room AND (msgid IS NULL OR :msgid = '')
   AND timestamp BETWEEN :from AND :to
   AND message_type = :kind AND nick = :nick
   AND (message = :text OR redacted_at NOT NULL)
LIMIT 1
"""


def _row(number: int, timestamp: str, room: int | None, message: NewMessage) -> tuple[object, ...]:
    return (
        number,
        timestamp,
        storable(message.channel),
        storable(message.nick),
        _or_null(message.user),
        _or_null(message.host),
        storable(message.text),
        message.kind.value,
        storable(message.network),
        room,
        _or_null(message.account),
        _or_null(message.msgid),
        _or_null(message.reply_to),
        _or_null(message.server_time) if _differs(message.server_time, timestamp) else None,
        message.origin.value,
        _or_null(message.relayed_by),
        int(message.own),
        int(message.bot),
    )


def _or_null(text: str) -> str | None:
    return storable(text) if text else None


def _differs(server_time: str, timestamp: str) -> bool:
    """Whether a server-time is not the time in the column, or not one we can read."""
    if not server_time:
        return False
    try:
        return to_text(from_iso(server_time)) != timestamp
    except ValueError:
        return True
