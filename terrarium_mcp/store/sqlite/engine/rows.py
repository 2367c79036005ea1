"""Rows of `messages` as records: which columns may be shown, and which rows are speech."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from terrarium_mcp.chat.records import Message, MessageType, Room
from terrarium_mcp.store.sqlite.engine.functions import as_text
from terrarium_mcp.store.sqlite.engine.sql_expressions import is_speech_sql

IS_SPEECH = is_speech_sql("m.message_type")
"""The SQL condition that message `m` is speech."""

COLUMNS = (
    "m.id, m.room, m.timestamp, m.nick, m.message, m.message_type, m.account, m.self, m.redacted_at"
)
"""The columns of a message that may be shown: not `user`, not `host`."""

_KINDS = dict(MessageType.__members__)  # an enum builds a new view at each access: 0.5 us a row


def as_messages(rows: Iterable[Iterable[Any]], rooms: Sequence[Room]) -> list[Message]:
    """Rows that begin with `COLUMNS` as records; the room of each must be among `rooms`."""
    by_id = {room.id: room for room in rooms}
    return [
        Message(
            id=number,
            room=by_id[room],
            said_at=parse_timestamp(timestamp),
            nick=as_text(nick),
            text="" if redacted_at else as_text(text),
            kind=_KINDS.get(kind) or MessageType.parse(as_text(kind)),
            account=as_text(account),
            own=bool(own),
            removed=bool(redacted_at),
        )
        for number, room, timestamp, nick, text, kind, account, own, redacted_at, *_ in rows
    ]


def parse_timestamp(text: str) -> datetime:
    """As `from_text` for a full timestamp, in a fifth of its time: pages have hundreds."""
    return datetime.fromisoformat(text[:26] + "+00:00")
