"""Version 1: adopts the rows of terrarium-irc, the program that came before. FROZEN, like v1.sql.

terrarium-irc wrote times with the machine's local clock and microseconds; a column default wrote
UTC in whole seconds. Private messages are among the channels, under the bot's own nick, and /me is
stored raw. Its five other tables remain untouched, and it can still read the file afterwards.

The small functions below are copies. Those in chat/ may change with the program; a database that is
adopted next year must come out as one that was adopted on the first day.
"""

import logging
import sqlite3
import string
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from itertools import islice
from typing import TypeAlias

from terrarium_mcp.store.sqlite.schema.step import ReportProgress, SourceDatabase
from terrarium_mcp.store.sqlite.schema.v1_times import utc_times

CHUNK = 10_000
"""Rows converted between two reports."""

_BEFORE_ALL = -(2**63)
_CONVERTING = 0.8
"""The part of the time that the rows take; terrarium-irc's own indexes take the rest."""

_TimeRow: TypeAlias = tuple[int, str | None, str | None]
"""Id, timestamp, channel."""
_UtcRow: TypeAlias = tuple[_TimeRow, datetime]

log = logging.getLogger(__name__)


def convert(
    connection: sqlite3.Connection, source: SourceDatabase | None, report: ReportProgress
) -> None:
    """Give every row its UTC time, network, room and type; move private rows out."""
    if source is None:
        return
    log.warning(
        "local times of terrarium-irc are read as %s (TERRARIUM_SOURCE_TIMEZONE)", source.zone
    )
    indexes = _without_indexes(connection)
    _convert_rows(connection, source, lambda part: report(_CONVERTING * part))
    for sql in indexes:
        connection.execute(sql)


def _without_indexes(connection: sqlite3.Connection) -> list[str]:
    """Drop the indexes by time, which every row is about to change; returns their SQL."""
    found = connection.execute(
        "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = 'messages'"
        " AND lower(sql) LIKE '%timestamp%'"
    ).fetchall()
    for name, _ in found:
        connection.execute(f'DROP INDEX "{name}"')
    return [sql for _, sql in found]


def _convert_rows(
    connection: sqlite3.Connection, source: SourceDatabase, report: ReportProgress
) -> None:
    network = source.network
    total = connection.execute("SELECT max(id) FROM messages").fetchone()[0] or 0
    rooms = _make_rooms(connection, network)
    timed = utc_times(((row, row[1]) for row in _rows(connection)), source.zone)
    for chunk in _chunks(timed):
        connection.executemany(
            "UPDATE messages SET timestamp=?, room=?, network=?, origin='import' WHERE id=?",
            (
                (_to_text(at), rooms.get(channel or ""), network, number)
                for (number, _, channel), at in chunk
            ),
        )
        _convert_actions(connection, chunk[0][0][0], chunk[-1][0][0])
        report(max(0, chunk[-1][0][0]) / max(1, total))
    _move_private(connection, network)
    connection.execute(
        "INSERT INTO spans (room, began, alive, ended, why_began, why_ended, source)"
        " SELECT room, min(timestamp), max(timestamp), max(timestamp), 'import', 'import',"
        " 'terrarium-irc' FROM messages WHERE room NOT NULL GROUP BY room"
    )


def _make_rooms(connection: sqlite3.Connection, network: str) -> dict[str, int]:
    connection.execute("INSERT INTO networks (name) VALUES (?)", (network,))
    rooms: dict[str, int] = {}
    spellings = "SELECT channel, max(id) FROM messages WHERE channel NOT NULL GROUP BY 1 ORDER BY 2"
    for channel, _ in connection.execute(spellings).fetchall():
        if _is_channel(str(channel)):
            connection.execute(
                "INSERT INTO rooms (network, folded, channel) VALUES (?, ?, ?)"
                " ON CONFLICT DO UPDATE SET channel=excluded.channel",
                (network, _fold(channel), channel),
            )
            found = "SELECT id FROM rooms WHERE network=? AND folded=?"
            rooms[channel] = connection.execute(found, (network, _fold(channel))).fetchone()[0]
    return rooms


def _convert_actions(connection: sqlite3.Connection, first: int, last: int) -> None:
    """Take /me out of its frame, in the rows of these ids."""
    framed = connection.execute(
        "SELECT id, message FROM messages WHERE id BETWEEN ? AND ?"
        " AND typeof(message) = 'text' AND instr(message, char(1)) = 1",
        (first, last),
    ).fetchall()
    connection.executemany(
        "UPDATE messages SET message=?, message_type='ACTION' WHERE id=?",
        [(does, number) for number, message in framed if (does := _action(message)) is not None],
    )


def _move_private(connection: sqlite3.Connection, network: str) -> None:
    """A target that is no channel is a person: it must not become a channel everyone can read."""
    private = "FROM messages WHERE channel NOT NULL AND channel != '' AND room IS NULL"
    connection.execute(
        "INSERT INTO private_messages"
        " (id, timestamp, network, target, nick, user, host, message, message_type)"
        f" SELECT id, timestamp, ?, channel, nick, user, host, message, message_type {private}",
        (network,),
    )
    connection.execute(f"DELETE {private}")


def _rows(connection: sqlite3.Connection) -> Iterator[_TimeRow]:
    """All messages by id, read in chunks because the table changes while they are read."""
    after = _BEFORE_ALL
    sql = "SELECT id, timestamp, channel FROM messages WHERE id > ? ORDER BY id LIMIT ?"
    while chunk := connection.execute(sql, (after, CHUNK)).fetchall():
        yield from chunk
        after = chunk[-1][0]


def _chunks(rows: Iterable[_UtcRow]) -> Iterator[list[_UtcRow]]:
    iterator = iter(rows)
    while chunk := list(islice(iterator, CHUNK)):
        yield chunk


# RFC 2812 2.2: {}|^ are the lower case of []\~
_FOLDED = str.maketrans(string.ascii_uppercase + "[]\\~", string.ascii_lowercase + "{}|^")


def _fold(name: str) -> str:
    """The form in which a channel compares (RFC 2812 2.2)."""
    return name.translate(_FOLDED)


def _is_channel(target: str) -> bool:
    """Whether `target` names a channel (RFC 2811 2.1) and not a person."""
    return target[:1] in ("#", "&", "+", "!")


def _action(text: str) -> str | None:
    """What somebody does, if `text` is a CTCP ACTION (the closing frame may be missing)."""
    verb, _, rest = text.removeprefix("\x01").removesuffix("\x01").partition(" ")
    return rest if text.startswith("\x01") and verb.upper() == "ACTION" else None


def _to_text(moment: datetime) -> str:
    """A timestamp as the column has it: `2026-11-05 14:23:00.123`, UTC."""
    return moment.astimezone(UTC).isoformat(" ", "milliseconds").removesuffix("+00:00")
