"""The Lounge, SQLite: one table of messages as JSON. Names of networks are in the user's file."""

# ruff: noqa: S608 -- every statement is made of constants

import json
import sqlite3
from collections.abc import Mapping, Sequence
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.chat.times.timestamps import EPOCH
from terrarium_mcp.logformats.databases.database_format import (
    DatabaseFormat,
    StoredRoom,
    name_condition,
    read_rows,
)
from terrarium_mcp.logformats.entries import LogEvent
from terrarium_mcp.logformats.log_reader import DatedEvent
from terrarium_mcp.logformats.lounge_networks import networks_of

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

_IS_PLACED = f"{name_condition('network')} AND {name_condition('channel')}"
_ROOMS = f"""
SELECT network, channel, min(rowid) FROM messages WHERE {_IS_PLACED}
 GROUP BY network, channel ORDER BY min(rowid)
"""
_NUMBERS = """
SELECT rowid FROM messages
 WHERE (network, channel) = (SELECT network, channel FROM messages WHERE rowid = ?)
 ORDER BY rowid
"""
"""By the first row of a room, since its name need not be UTF-8."""
_ROW = "SELECT time, type, msg FROM messages WHERE rowid = ?"
_UNPLACED = f"SELECT rowid FROM messages WHERE NOT ({_IS_PLACED}) ORDER BY rowid"


def _rooms(connection: sqlite3.Connection, path: Path) -> Sequence[StoredRoom]:
    networks = networks_of(path.absolute().parent.parent, path.stem)  # it is in `logs`
    names = {one.uuid: one.name for one in networks}
    return [
        StoredRoom(names.get(uuid, ""), channel, (first,), network_id=uuid)
        for uuid, channel, first in connection.execute(_ROOMS)
    ]


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
        kind,
        _nick(message.get("from")),
        text,
        user,
        host,
        own=bool(message.get("self")),
        private=bool(message.get("statusmsgGroup")),
    )


def _nick(person: object) -> str:
    return str(person.get("nick") or "") if isinstance(person, Mapping) else ""


THE_LOUNGE_DATABASE = DatabaseFormat(
    name="thelounge-db",
    program="The Lounge",
    columns={"messages": frozenset({"network", "channel", "time", "type", "msg"})},
    rooms=_rooms,
    numbers=_NUMBERS,
    row=_ROW,
    unplaced=_UNPLACED,
    read=partial(read_rows, _said),
)
