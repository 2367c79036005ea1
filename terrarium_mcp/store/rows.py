"""Rows of `messages` as records: what of a message may be shown, and which rows are speech."""

from collections.abc import Mapping, Sequence

from terrarium_mcp.chat.records import SPEECH, Kind, Message, Room
from terrarium_mcp.chat.when import from_text
from terrarium_mcp.store.database import Row
from terrarium_mcp.store.functions import as_text

EVENTS = ", ".join(f"'{kind}'" for kind in Kind if kind not in SPEECH)
IS_SPEECH = f"ifnull(upper(m.message_type), 'PRIVMSG') NOT IN ({EVENTS})"
"""The SQL condition that a line was said. What is misspelt counts as said, as in `Kind.of`."""

COLUMNS = (
    "m.id, m.room, m.timestamp, m.nick, m.message, m.message_type, m.account, m.self, m.redacted_at"
)
"""What may be shown of a message. `user` and `host` are not among it."""


def as_messages(rows: Sequence[Row], rooms: Sequence[Room]) -> list[Message]:
    """Rows of `COLUMNS` as records; rows without a room cannot be among them."""
    by_id = {room.id: room for room in rooms}
    return [_as_message(row, by_id) for row in rows]


def _as_message(row: Row, rooms: Mapping[int, Room]) -> Message:
    number, room, timestamp, nick, text, kind, account, own, redacted_at = row
    return Message(
        id=number,
        room=rooms[room],
        said_at=from_text(timestamp),
        nick=as_text(nick),
        text="" if redacted_at else as_text(text),
        kind=Kind.of(as_text(kind)),
        account=as_text(account),
        own=bool(own),
        removed=bool(redacted_at),
    )
