"""Inserting: which rows new messages become, and which of them are already stored."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import NamedTuple

from terrarium_mcp.chat.followed_nicks import FollowedNicks
from terrarium_mcp.chat.identity import is_channel
from terrarium_mcp.chat.records import NewMessage, Origin
from terrarium_mcp.chat.times.timestamps import from_iso, to_text
from terrarium_mcp.store.sqlite.engine.functions import as_text, storable
from terrarium_mcp.store.sqlite.engine.message_ids import free_ids, give
from terrarium_mcp.store.sqlite.engine.rooms import room_ids
from terrarium_mcp.store.sqlite.engine.writes import Writer
from terrarium_mcp.store.sqlite.index.external_rows import move_private
from terrarium_mcp.store.sqlite.index.index_texts import IndexTexts
from terrarium_mcp.store.sqlite.index.live_clock import live_until
from terrarium_mcp.store.sqlite.index.msgid_index import RoomMsgid, messages_with
from terrarium_mcp.store.sqlite.ingest.forgotten import without_forgotten
from terrarium_mcp.store.sqlite.ingest.message_row import INSERT, row_columns
from terrarium_mcp.store.sqlite.ingest.opt_out_reader import OptOutReader, permitted_messages


class Inserted(NamedTuple):
    """What became of messages.

    Attributes:
        ids: the id of each, 0 for one that was stored already or left out.
        texts: what the indexes hold of them, if known.
        left_out: the numbers, from 0, of those by people who opted out or had theirs removed.
    """

    ids: Sequence[int]
    texts: IndexTexts | None = None
    left_out: Sequence[int] = ()


async def insert(
    writer: Writer,
    messages: Sequence[NewMessage],
    opt_out_reader: OptOutReader,
    followed: FollowedNicks | None = None,
) -> Inserted:
    """Insert messages in the order given, with rising ids; no derived structure is updated.

    A live message is never dated before the previous live one of its room. A message to a person
    goes to `private_messages`. Playback that is already stored is left out, and so is every message
    of a person who opted out, in a log also under the nicks that are `followed` there; and what
    somebody had removed, or was purged, unless it is live.
    """
    rooms = await rooms_of(writer, ((one.network, one.channel) for one in messages))
    reached = await live_until(writer, rooms.values())
    known = await _known_msgids(writer, messages, rooms)
    free = await free_ids(writer)
    rows = _Rows(writer, rooms, reached, known, free.first)
    permitted = await permitted_messages(writer, opt_out_reader, messages, followed)
    allowed = await without_forgotten(writer, permitted)
    ids = [await rows.add(message) if message else 0 for message in allowed]
    await give(writer, free, rows.last)
    await writer.many(INSERT, rows.all())
    if rows.has_private:
        await move_private(writer, rows.first, rows.last)
    left_out = [number for number, message in enumerate(allowed) if message is None]
    return Inserted(ids, left_out=left_out)


async def rooms_of(
    writer: Writer, places: Iterable[tuple[str, str]]
) -> Mapping[tuple[str, str], int]:
    """The ids of rooms by network and channel, without what is no channel; new rooms get one."""
    named = dict.fromkeys(places)
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


class _Rows:
    """The rows of `messages` that new messages become.

    Attributes:
        first: the id of the first row; those of the others follow.
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
        self._messages: list[NewMessage] = []
        self._room_ids: list[int | None] = []
        self._timestamps: list[str] = []
        self._writer = writer
        self._rooms = rooms
        self._live_until = dict(live_until)
        self._msgids: set[tuple[int | None, str]] = {*known_msgids}
        self._unnamed = Counter[tuple[object, ...]]()

    @property
    def last(self) -> int:
        """The id of the last row."""
        return self.first + len(self._messages) - 1

    @property
    def has_private(self) -> bool:
        """Whether one of them has no room."""
        return None in self._room_ids

    def all(self) -> Iterable[tuple[object, ...]]:
        """The rows."""
        said = zip(self._messages, self._timestamps, strict=True)
        server_times = [
            message.server_time if _differs(message.server_time, timestamp) else ""
            for message, timestamp in said
        ]
        columns = row_columns(self._messages, self._timestamps, server_times)
        return zip(count(self.first), self._room_ids, *columns, strict=False)

    async def add(self, message: NewMessage) -> int:
        """Add the row of the next message; returns its id, 0 if the message is already stored."""
        room = _room_of(message, self._rooms)
        if message.origin is Origin.PLAYBACK and await self._is_stored(message, room):
            return 0
        timestamp = to_text(message.said_at)
        if message.origin is Origin.LIVE and room is not None:
            timestamp = self._live_until[room] = max(timestamp, self._live_until[room])
        self._messages.append(message)
        self._room_ids.append(room)
        self._timestamps.append(timestamp)
        if message.msgid:
            self._msgids.add((room, storable(message.msgid)))
        return self.last

    async def _is_stored(self, message: NewMessage, room: int | None) -> bool:
        """Whether a message that is played back is already recorded.

        Its msgid decides. Where one of the two has none, the same text by the same nick in the same
        second counts as the same message (playback may carry whole seconds only), unless the replay
        has it more often than the record. Our own live lines may have been dated some seconds off.
        """
        msgid = storable(message.msgid)
        if (room, msgid) in self._msgids:
            return True
        params = {
            "room": room,
            "msgid": msgid,
            "kind": message.kind.value,
            "nick": storable(message.nick),
            "text": storable(message.text),
            "second": message.server_second,
        }
        alike = tuple(params.values())
        near = _between(message.said_at, _CLOCK_ERROR, _LONGEST_SHIFT)
        stored = int(await self._writer.value(_IN_SAME_SECOND, params | near))
        stored += self._unnamed[alike]
        if message.own:
            around = _between(message.said_at, _OWN_SHIFT, _OWN_SHIFT)
            stored = max(stored, int(await self._writer.value(_OUR_LIVE, params | around)))
        if stored > message.repeat:
            return True
        self._unnamed[alike] += 1
        return False


_LONGEST_SHIFT = timedelta(seconds=120)
"""How much later than its server-time a live line may be dated: as much as the line before it was,
whose server-time is at most 60 s ahead of our clock, and some delay."""

_CLOCK_ERROR = timedelta(seconds=10)
"""How much earlier a line may be dated than its copy: where the server's clock is too far ahead,
both have our time, that of the copy by what was seen of the two clocks."""

_OWN_SHIFT = timedelta(seconds=10)
"""How far the time of our own live line may be from its server-time: it is dated by our own clock,
when the network has confirmed it."""

_FIRST = datetime.min.replace(tzinfo=UTC)

_ALIKE = """
SELECT count(*) FROM messages
 WHERE room = :room AND (msgid IS NULL OR :msgid = '')
   AND timestamp BETWEEN :from AND :to
   AND {}
   AND message_type = :kind AND nick = :nick
   AND (message = :text OR redacted_at NOT NULL)
"""

_IN_SAME_SECOND = _ALIKE.format(
    "replace(substr(ifnull(server_time, timestamp), 1, 19), 'T', ' ') = :second"
)
_OUR_LIVE = _ALIKE.format(f"self AND origin = '{Origin.LIVE}'")


def _between(moment: datetime, earlier: timedelta, later: timedelta) -> dict[str, str]:
    """The period of `_ALIKE` around a moment, cut at the first there is: a server may send any."""
    since = moment - min(earlier, moment - _FIRST)
    return {"from": to_text(since), "to": to_text(moment + later)}


def _differs(server_time: str, timestamp: str) -> bool:
    """Whether a server-time is not the time in the column, or not one we can read."""
    if not server_time:
        return False
    try:
        return to_text(from_iso(server_time)) != timestamp
    except ValueError:
        return True
