"""Ergo, an IRC server, with its history in SQLite; by documentation.

An item is JSON, with the names that its Go structures have. Private chats (table conversations) are
not among the channels' (table sequence). The database does not say of which network it is.
"""

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
from terrarium_mcp.logformats.entries import LogEvent, split_mask
from terrarium_mcp.logformats.log_reader import DatedEvent

_TYPES = {
    1: MessageType.PRIVMSG,
    2: MessageType.NOTICE,
    3: MessageType.JOIN,
    4: MessageType.PART,
    5: MessageType.KICK,
    6: MessageType.QUIT,
    7: MessageType.MODE,
    9: MessageType.NICK,
    10: MessageType.TOPIC,
}
_ROOMS = f"""
SELECT target, min(rowid) FROM sequence WHERE {name_condition("target")}
 GROUP BY target ORDER BY target
"""
_NUMBERS = """
SELECT rowid FROM sequence
 WHERE target = (SELECT target FROM sequence WHERE rowid = ?)
 ORDER BY nanotime, history_id
"""
"""By the first row of a room, since its name need not be UTF-8."""
_ROW = """
SELECT sequence.nanotime, history.data
  FROM sequence LEFT JOIN history ON history.id = sequence.history_id
 WHERE sequence.rowid = ?
"""
_UNPLACED = f"SELECT rowid FROM sequence WHERE NOT {name_condition('target')} ORDER BY rowid"


def _rooms(connection: sqlite3.Connection, path: Path) -> Sequence[StoredRoom]:
    del path
    return [StoredRoom("", target, (first,)) for target, first in connection.execute(_ROOMS)]


def _said(nanotime: int, data: str | bytes) -> Sequence[DatedEvent]:
    item = json.loads(data)
    kind = _TYPES.get(item.get("Type"))
    if kind is None:  # an invitation, or tags alone
        return ()
    return [DatedEvent(EPOCH + timedelta(microseconds=nanotime // 1000), _event(kind, item))]


def _event(kind: MessageType, item: Mapping[str, Any]) -> LogEvent:
    nick, user, host = split_mask(str(item.get("Nick") or ""))
    account = str(item.get("AccountName") or "")
    message = item.get("Message") or {}
    parts = message.get("Split") or ()
    text = str(message.get("Message") or "\n".join(str(part.get("Message")) for part in parts))
    first = str((item.get("Params") or [""])[0])
    if kind is MessageType.NICK:
        text = first
    elif kind is MessageType.KICK:
        text = f"{first} {text}".rstrip()
    return LogEvent(
        kind,
        nick,
        text,
        user,
        host,
        account="" if account == "*" else account,
        msgid=str(message.get("Msgid") or ""),
    )


ERGO = DatabaseFormat(
    name="ergo",
    program="Ergo",
    columns={
        "history": frozenset({"id", "data", "msgid"}),
        "sequence": frozenset({"history_id", "target", "nanotime"}),
    },
    rooms=_rooms,
    numbers=_NUMBERS,
    row=_ROW,
    unplaced=_UNPLACED,
    read=partial(read_rows, _said),
    by_documentation=True,
)
