"""terrarium-irc, whose database is adopted as a rule: here it is merged into another history.

It is known by its table of messages, since an export for it has no other. Its own times are local,
with microseconds; those that a default filled in are UTC, in whole seconds
(chat/times/legacy_times.py). Notices are among the messages; actions are as they were sent.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from datetime import tzinfo
from pathlib import Path

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.chat.times.legacy_times import utc_times
from terrarium_mcp.logformats.databases.database_format import DatabaseFormat, ReadRow, StoredRoom
from terrarium_mcp.logformats.entries import LogEvent
from terrarium_mcp.logformats.log_reader import DatedEvent

_COLUMNS = frozenset(
    {"id", "timestamp", "channel", "nick", "user", "host", "message", "message_type"}
)
_ROOMS = "SELECT channel FROM messages WHERE channel != '' GROUP BY channel ORDER BY min(id)"
_ROWS = """
SELECT timestamp, nick, user, host, message, message_type FROM messages
 WHERE channel = ? ORDER BY id
"""


def _rooms(connection: sqlite3.Connection, path: Path) -> Sequence[StoredRoom]:
    del path
    return [StoredRoom("", channel, (channel,)) for (channel,) in connection.execute(_ROOMS)]


def _read(connection: sqlite3.Connection, room: StoredRoom, zone: tzinfo) -> Iterator[ReadRow]:
    rows = ((_event(*row), timestamp) for timestamp, *row in connection.execute(_ROWS, room.key))
    for event, said_at in utc_times(rows, zone):
        yield DatedEvent(said_at, event)


def _event(
    nick: str | None, user: str | None, host: str | None, text: str | None, kind: str | None
) -> LogEvent:
    return LogEvent(MessageType.parse(kind), nick or "", text or "", user or "", host or "")


TERRARIUM_IRC = DatabaseFormat(
    name="terrarium-irc",
    program="terrarium-irc",
    columns={"messages": _COLUMNS},
    rooms=_rooms,
    read=_read,
    is_local=True,
)
