"""A database of terrarium-irc, the bot that came before: opened in place, nothing lost.

It wrote rows with the machine's local time and microseconds; what a column default filled in is
UTC in whole seconds. Private messages stood among the channels, under the bot's own nick. /me was
kept raw. Its five other tables stay as they are, and it can still read the file afterwards.
"""

import logging
import sqlite3
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import islice
from typing import TypeAlias

from terrarium_mcp.chat.identity import fold, is_channel
from terrarium_mcp.chat.irctext import action
from terrarium_mcp.chat.localtime import utc_times
from terrarium_mcp.chat.records import Kind, Origin
from terrarium_mcp.chat.when import to_text
from terrarium_mcp.settings import Settings
from terrarium_mcp.store.migrations.step import Report

SOURCE = "terrarium-irc"
COLUMNS = ("id", "timestamp", "channel", "nick", "user", "host", "message", "message_type")
CHUNK = 10_000
_BEFORE_ALL = -(2**63)

_Found: TypeAlias = tuple[int, str | None, str | None]
"""Id, timestamp, channel."""
_Timed: TypeAlias = tuple[_Found, datetime]

log = logging.getLogger(__name__)


def foreign_tables(connection: sqlite3.Connection) -> list[str]:
    """The tables of an unmarked database that is not terrarium-irc's; none when it is, or empty."""
    found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    tables = sorted(row[0] for row in found)
    return [] if not tables or is_present(connection) else tables


def is_present(connection: sqlite3.Connection) -> bool:
    """Whether terrarium-irc's table of messages is there."""
    columns = [row[1] for row in connection.execute("PRAGMA table_info(messages)")]
    return tuple(columns) == COLUMNS


def without_indexes(connection: sqlite3.Connection) -> list[str]:
    """Drop the indexes by time, which every row is about to change; returns their SQL."""
    found = connection.execute(
        "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = 'messages'"
        " AND lower(sql) LIKE '%timestamp%'"
    ).fetchall()
    for name, _ in found:
        connection.execute(f'DROP INDEX "{name}"')
    return [sql for _, sql in found]


def convert(connection: sqlite3.Connection, settings: Settings, report: Report) -> None:
    """Give every row its UTC time, network, room and type; move private rows out."""
    zone, network = settings.source_zone, settings.network_name
    log.warning("local times of terrarium-irc are read as %s (TERRARIUM_SOURCE_TIMEZONE)", zone)
    total = connection.execute("SELECT max(id) FROM messages").fetchone()[0] or 0
    rooms = _make_rooms(connection, network)
    timed = utc_times(((row, row[1]) for row in _rows(connection)), zone)
    origin = Origin.IMPORT.value
    for chunk in _chunks(timed):
        connection.executemany(
            "UPDATE messages SET timestamp=?, room=?, network=?, origin=? WHERE id=?",
            (
                (to_text(at), rooms.get(channel or ""), network, origin, number)
                for (number, _, channel), at in chunk
            ),
        )
        _convert_actions(connection, chunk[0][0][0], chunk[-1][0][0])
        report(max(0, chunk[-1][0][0]) / max(1, total))
    _move_private(connection, network)
    connection.execute(
        "INSERT INTO spans (room, began, alive, ended, why_began, why_ended, source)"
        " SELECT room, min(timestamp), max(timestamp), max(timestamp), 'import', 'import', ?"
        " FROM messages WHERE room NOT NULL GROUP BY room",
        (SOURCE,),
    )


def _make_rooms(connection: sqlite3.Connection, network: str) -> dict[str, int]:
    connection.execute("INSERT INTO networks (name) VALUES (?)", (network,))
    rooms: dict[str, int] = {}
    spellings = "SELECT channel, max(id) FROM messages WHERE channel NOT NULL GROUP BY 1 ORDER BY 2"
    for channel, _ in connection.execute(spellings).fetchall():
        if is_channel(str(channel)):
            connection.execute(
                "INSERT INTO rooms (network, folded, channel) VALUES (?, ?, ?)"
                " ON CONFLICT DO UPDATE SET channel=excluded.channel",
                (network, fold(channel), channel),
            )
            found = "SELECT id FROM rooms WHERE network=? AND folded=?"
            rooms[channel] = connection.execute(found, (network, fold(channel))).fetchone()[0]
    return rooms


def _convert_actions(connection: sqlite3.Connection, first: int, last: int) -> None:
    """Take /me out of its frame, in the rows of these ids."""
    framed = connection.execute(
        "SELECT id, message FROM messages WHERE id BETWEEN ? AND ?"
        " AND typeof(message) = 'text' AND instr(message, char(1)) = 1",
        (first, last),
    ).fetchall()
    connection.executemany(
        "UPDATE messages SET message=?, message_type=? WHERE id=?",
        [
            (does, Kind.ACTION.value, number)
            for number, message in framed
            if (does := action(message)) is not None
        ],
    )


def _move_private(connection: sqlite3.Connection, network: str) -> None:
    """A target that is no channel is a person: it must not become a channel everybody can read."""
    private = "FROM messages WHERE channel NOT NULL AND channel != '' AND room IS NULL"
    connection.execute(
        "INSERT INTO private_messages"
        " (id, timestamp, network, target, nick, user, host, message, message_type)"
        f" SELECT id, timestamp, ?, channel, nick, user, host, message, message_type {private}",
        (network,),
    )
    connection.execute(f"DELETE {private}")


def _rows(connection: sqlite3.Connection) -> Iterator[_Found]:
    """All messages by id, read in pieces, since the table changes while they are read."""
    after = _BEFORE_ALL
    sql = "SELECT id, timestamp, channel FROM messages WHERE id > ? ORDER BY id LIMIT ?"
    while piece := connection.execute(sql, (after, CHUNK)).fetchall():
        yield from piece
        after = piece[-1][0]


def _chunks(rows: Iterable[_Timed]) -> Iterator[list[_Timed]]:
    iterator = iter(rows)
    while chunk := list(islice(iterator, CHUNK)):
        yield chunk
