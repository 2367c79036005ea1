"""terrarium-irc, whose database is adopted as a rule: here it is merged into another history.

It is known by its table of messages, since an export for it has no other. Its own times are local,
with microseconds; those that a default filled in are UTC, in whole seconds
(chat/times/legacy_times.py). Notices are among the messages; actions are as they were sent.
"""

# ruff: noqa: S608 -- every statement is made of constants

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from datetime import tzinfo
from pathlib import Path

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.chat.times.legacy_times import utc_times
from terrarium_mcp.logformats.databases.database_format import (
    DAMAGED,
    DatabaseFormat,
    ReadRow,
    StoredRoom,
    StoredRow,
    damaged,
    name_condition,
    require_text,
)
from terrarium_mcp.logformats.entries import LogEvent
from terrarium_mcp.logformats.log_reader import DatedEvent, RejectedLine

_COLUMNS = frozenset(
    {"id", "timestamp", "channel", "nick", "user", "host", "message", "message_type"}
)
_ROOMS = f"""
SELECT channel, min(rowid) FROM messages WHERE {name_condition("channel")}
 GROUP BY channel ORDER BY min(id)
"""
_NUMBERS = """
SELECT rowid FROM messages
 WHERE channel = (SELECT channel FROM messages WHERE rowid = ?)
 ORDER BY id
"""
"""By the first row of a room, since its name need not be UTF-8."""
_ROW = "SELECT timestamp, nick, user, host, message_type, message FROM messages WHERE rowid = ?"
_UNPLACED = f"""
SELECT rowid FROM messages
 WHERE NOT {name_condition("channel")} AND channel IS NOT NULL AND channel IS NOT ''
 ORDER BY rowid
"""


def _rooms(connection: sqlite3.Connection, path: Path) -> Sequence[StoredRoom]:
    del path
    return [StoredRoom("", channel, (first,)) for channel, first in connection.execute(_ROOMS)]


def _read(rows: Iterable[StoredRow | RejectedLine], zone: tzinfo) -> Iterator[ReadRow]:
    rejected: list[RejectedLine] = []
    for event, said_at in utc_times(_events(rows, rejected), zone):
        yield from rejected
        rejected.clear()
        yield DatedEvent(said_at, event)
    yield from rejected


def _events(
    rows: Iterable[StoredRow | RejectedLine], rejected: list[RejectedLine]
) -> Iterator[tuple[LogEvent, str | None]]:
    """The events of rows, with their times as text; rows that cannot be read go to `rejected`."""
    for row in rows:
        if isinstance(row, RejectedLine):
            rejected.append(row)
            continue
        timestamp, *columns = row.columns
        try:
            event = _event(*columns)
            require_text(event)
        except DAMAGED:
            rejected.append(damaged(row))
            continue
        yield event, timestamp


def _event(
    nick: str | None, user: str | None, host: str | None, kind: str | None, text: str | None
) -> LogEvent:
    return LogEvent(MessageType.parse(kind), nick or "", text or "", user or "", host or "")


TERRARIUM_IRC = DatabaseFormat(
    name="terrarium-irc",
    program="terrarium-irc",
    columns={"messages": _COLUMNS},
    rooms=_rooms,
    numbers=_NUMBERS,
    row=_ROW,
    unplaced=_UNPLACED,
    read=_read,
    is_local=True,
)
