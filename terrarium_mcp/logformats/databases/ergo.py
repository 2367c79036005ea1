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

from terrarium_mcp.chat.records import SPEECH, MessageType
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
    at = EPOCH + timedelta(microseconds=nanotime // 1000)
    first, *others = _texts(kind, item)
    event = _event(kind, item, first)
    return [
        DatedEvent(at, event),
        *(DatedEvent(at, event._replace(text=text, msgid="")) for text in others),
    ]


def _texts(kind: MessageType, item: Mapping[str, Any]) -> Sequence[str]:
    """The texts of an item, one for each message that it was on the wire.

    What somebody says in several lines (draft/multiline) Ergo sends to all others line by line,
    without blank ones, and with the msgid on the first. Of a long line it does not join the pieces.
    """
    message = item.get("Message") or {}
    parts = [str(part.get("Message")) for part in message.get("Split") or ()]
    if kind in SPEECH:
        return list(filter(None, parts)) or [str(message.get("Message") or "")]
    text = str(message.get("Message") or " ".join(parts))  # of modes each part is a parameter
    param = str((item.get("Params") or [""])[0])
    if kind is MessageType.NICK:
        text = param
    elif kind is MessageType.KICK:
        text = f"{param} {text}".rstrip()
    return [text]


def _event(kind: MessageType, item: Mapping[str, Any], text: str) -> LogEvent:
    nick, user, host = split_mask(str(item.get("Nick") or ""))
    account = str(item.get("AccountName") or "")
    message = item.get("Message") or {}
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
