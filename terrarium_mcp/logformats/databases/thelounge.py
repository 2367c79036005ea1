"""The Lounge, SQLite: one table of messages as JSON. Names of networks are in the user's file."""

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta, tzinfo
from pathlib import Path
from typing import Any

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.chat.times.timestamps import EPOCH
from terrarium_mcp.logformats.databases.database_format import (
    DatabaseFormat,
    ReadRow,
    StoredRoom,
    read_rows,
)
from terrarium_mcp.logformats.entries import LogEvent
from terrarium_mcp.logformats.log_reader import DatedEvent

_TYPES = {
    "message": MessageType.PRIVMSG,
    "notice": MessageType.NOTICE,
    "action": MessageType.ACTION,
    "join": MessageType.JOIN,
    "part": MessageType.PART,
    "quit": MessageType.QUIT,
    "kick": MessageType.KICK,
    "nick": MessageType.NICK,
    "mode": MessageType.MODE,
    "topic": MessageType.TOPIC,
}


_ROOMS = "SELECT network, channel FROM messages GROUP BY network, channel ORDER BY min(rowid)"
_ROWS = """
SELECT rowid, time, type, msg FROM messages WHERE network = ? AND channel = ? ORDER BY rowid
"""


def _rooms(connection: sqlite3.Connection, path: Path) -> Sequence[StoredRoom]:
    names = _network_names(path)
    return [
        StoredRoom(names.get(uuid, ""), channel, (uuid, channel), network_id=uuid)
        for uuid, channel in connection.execute(_ROOMS)
    ]


def _read(connection: sqlite3.Connection, room: StoredRoom, zone: tzinfo) -> Iterator[ReadRow]:
    del zone  # times are in UTC
    return read_rows(connection.execute(_ROWS, room.key), _said)


def _said(time: int, kind: str, text: str) -> Sequence[DatedEvent]:
    if kind not in _TYPES:
        return ()
    event = _event(_TYPES[kind], json.loads(text))
    if event.kind is MessageType.TOPIC and not event.nick:
        return ()  # whoever joins is told the topic, and not whose it is
    return [DatedEvent(EPOCH + timedelta(milliseconds=time), event)]


def _event(kind: MessageType, message: Mapping[str, Any]) -> LogEvent:
    user, _, host = str(message.get("hostmask") or "").rpartition("@")
    text = str(message.get("text") or "")
    if kind is MessageType.NICK:
        text = str(message.get("new_nick") or "")
    elif kind is MessageType.KICK:
        text = f"{_nick(message.get('target'))} {text}".rstrip()
    elif kind is MessageType.JOIN:
        text = ""
    return LogEvent(
        kind, _nick(message.get("from")), text, user, host, own=bool(message.get("self"))
    )


def _nick(person: object) -> str:
    return str(person.get("nick") or "") if isinstance(person, Mapping) else ""


def _network_names(path: Path) -> dict[str, str]:
    """The names of networks by their ids, from `users/<user>.json` beside the folder of logs."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        user = json.loads((path.parent.parent / "users" / f"{path.stem}.json").read_text("utf-8"))
        return {network["uuid"]: network["name"] for network in user["networks"]}
    return {}


THE_LOUNGE_DATABASE = DatabaseFormat(
    name="thelounge-db",
    program="The Lounge",
    columns={"messages": frozenset({"network", "channel", "time", "type", "msg"})},
    rooms=_rooms,
    read=_read,
)
