"""Lines on their way into `messages`: which rows they become, and which are known already."""

from collections.abc import Mapping

from terrarium_mcp.chat.records import Heard, Origin
from terrarium_mcp.chat.when import from_iso, to_text
from terrarium_mcp.store.database import Writer
from terrarium_mcp.store.functions import storable
from terrarium_mcp.store.spans import keep_alive

_INSERT = """
INSERT INTO messages (
  id, timestamp, channel, nick, user, host, message, message_type, network, room, account, msgid,
  reply_to, server_time, origin, relayed_by, self, bot
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""


class Entry:
    """Lines on their way into the table, inside one transaction."""

    def __init__(
        self,
        writer: Writer,
        rooms: Mapping[tuple[str, str], int],
        live_until: dict[int, str],
        *,
        first: int,
    ) -> None:
        self.first = first
        self.rows: list[tuple[object, ...]] = []
        self._writer = writer
        self._rooms = rooms
        self._live_until = live_until
        self._live: set[int] = set()
        self._msgids: set[tuple[int | None, str]] = set()

    @classmethod
    async def into(
        cls, rooms: Mapping[tuple[str, str], int], writer: Writer, *, first: int
    ) -> "Entry":
        """An entry of lines into `rooms`; their ids begin with `first`."""
        ids = ", ".join(map(str, rooms.values()))
        known = await writer.rows(f"SELECT id, live_until FROM rooms WHERE id IN ({ids})")  # noqa: S608 -- ids of ours
        return cls(writer, rooms, {row[0]: row[1] or "" for row in known}, first=first)

    async def take(self, line: Heard) -> int:
        """Make the row of the next line; returns its id, or 0 when it was known."""
        room = self._rooms.get((storable(line.network), storable(line.channel)))
        if line.origin is Origin.PLAYBACK and await self._is_known(line, room):
            return 0
        timestamp = to_text(line.said_at)
        if line.origin is Origin.LIVE and room is not None:
            timestamp = self._live_until[room] = max(timestamp, self._live_until[room])
            self._live.add(room)
        number = self.first + len(self.rows)
        self.rows.append(_row(number, timestamp, room, line))
        if line.msgid:
            self._msgids.add((room, line.msgid))
        return number

    async def save(self) -> None:
        """Write the rows."""
        await self._writer.many(_INSERT, self.rows)

    async def remember_live(self) -> None:
        """Note how far each room's live lines have come."""
        until = {room: self._live_until[room] for room in self._live}
        await self._writer.many(
            "UPDATE rooms SET live_until = max(live_until, ?) WHERE id = ?",
            [(timestamp, room) for room, timestamp in until.items()],
        )
        await keep_alive(self._writer, until)

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
   AND message_type = :kind AND nick = :nick
   AND (message = :text OR redacted_at NOT NULL)
LIMIT 1
"""


def _row(number: int, timestamp: str, room: int | None, line: Heard) -> tuple[object, ...]:
    return (
        number,
        timestamp,
        storable(line.channel),
        storable(line.nick),
        _where_given(line.user),
        _where_given(line.host),
        storable(line.text),
        line.kind.value,
        storable(line.network),
        room,
        _where_given(line.account),
        _where_given(line.msgid),
        _where_given(line.reply_to),
        _where_given(line.server_time) if _differs(line.server_time, timestamp) else None,
        line.origin.value,
        _where_given(line.relayed_by),
        int(line.own),
        int(line.bot),
    )


def _where_given(text: str) -> str | None:
    return storable(text) if text else None


def _differs(server_time: str, timestamp: str) -> bool:
    """Whether a server-time says something else than the column, or nothing we can read."""
    if not server_time:
        return False
    try:
        return to_text(from_iso(server_time)) != timestamp
    except ValueError:
        return True
