"""Quassel's core, SQLite: tables backlog, buffer, network, sender."""

# ruff: noqa: S608 -- every statement is made of constants

import sqlite3
from collections.abc import Iterator, Sequence
from datetime import timedelta
from functools import partial
from pathlib import Path

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
    0x1: MessageType.PRIVMSG,
    0x2: MessageType.NOTICE,
    0x4: MessageType.ACTION,
    0x8: MessageType.NICK,
    0x10: MessageType.MODE,
    0x20: MessageType.JOIN,
    0x40: MessageType.PART,
    0x80: MessageType.QUIT,
    0x100: MessageType.KICK,
    0x8000: MessageType.JOIN,  # after a netsplit
    0x10000: MessageType.QUIT,  # by a netsplit
}
_NETSPLIT = {0x8000, 0x10000}
"""Types of rows that stand for several people, whose masks `#:#` separates."""
_OWN = 0x1
_TO_RANK = 0x10
"""Flags of a row: its user said it; it went to people of some ranks of the channel (STATUSMSG)."""

_IN_SECONDS = 100_000_000_000
"""Times below this are seconds (up to the year 5138), as before schema 31; later ones are
milliseconds."""

_IS_PLACED = f"{name_condition('network.networkname')} AND {name_condition('buffer.buffername')}"
_ROOMS = f"""
SELECT network.networkname, buffer.buffername, buffer.bufferid
  FROM buffer JOIN network USING (networkid)
 WHERE {_IS_PLACED}
 ORDER BY buffer.bufferid
"""
_NUMBERS = "SELECT rowid FROM backlog WHERE bufferid = ? ORDER BY messageid"
_ROW = """
SELECT backlog.time, backlog.type, backlog.flags, sender.sender, backlog.message
  FROM backlog LEFT JOIN sender USING (senderid)
 WHERE backlog.rowid = ?
"""
_UNPLACED = f"""
SELECT backlog.rowid
  FROM backlog LEFT JOIN buffer USING (bufferid) LEFT JOIN network USING (networkid)
 WHERE NOT ({_IS_PLACED}) AND buffer.buffername IS NOT ''
 ORDER BY backlog.rowid
"""
"""The buffer without a name is the client's own window."""


def _rooms(connection: sqlite3.Connection, path: Path) -> Sequence[StoredRoom]:
    del path
    return [StoredRoom(network, name, (key,)) for network, name, key in connection.execute(_ROOMS)]


def _said(
    time: int, kind: int, flags: int, sender: str | None, text: str | None
) -> Sequence[DatedEvent]:
    if kind not in _TYPES:
        return ()  # a topic is a sentence in the user's language; the rest is of the client
    said_at = EPOCH + timedelta(seconds=time if time < _IN_SECONDS else time / 1000)
    events = _events(
        kind, sender or "", text or "", own=bool(flags & _OWN), private=bool(flags & _TO_RANK)
    )
    return [DatedEvent(said_at, event) for event in events]


def _events(kind: int, sender: str, text: str, *, own: bool, private: bool) -> Iterator[LogEvent]:
    if kind in _NETSPLIT:
        *masks, servers = text.split("#:#")
        reason = servers if kind == 0x10000 else ""
        for mask in masks:
            nick, user, host = split_mask(mask)
            yield LogEvent(_TYPES[kind], nick, reason, user, host)
        return
    nick, user, host = split_mask(sender)
    kept = "" if kind == 0x20 else text  # a join's text is its channel
    if kind == 0x10:
        kept = text.partition(" ")[2]  # `#channel +o nick`
        if kept.strip() == "+":  # which modes the channel has, none: its server was asked
            return
    yield LogEvent(_TYPES[kind], nick, kept, user, host, own=own, private=private)


QUASSEL = DatabaseFormat(
    name="quassel",
    program="Quassel",
    columns={
        "backlog": frozenset({"messageid", "time", "bufferid", "type", "flags", "senderid"}),
        "buffer": frozenset({"bufferid", "networkid", "buffername"}),
        "network": frozenset({"networkid", "networkname"}),
        "sender": frozenset({"senderid", "sender"}),
    },
    rooms=_rooms,
    numbers=_NUMBERS,
    row=_ROW,
    unplaced=_UNPLACED,
    read=partial(read_rows, _said),
)
