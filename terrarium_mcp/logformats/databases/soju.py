"""soju, a bouncer, with its messages in SQLite; by documentation.

Each message is kept as it came over the wire, with its tags, under the target in whose history it
is. Times are in UTC. A network without a name gets the one that a recorder gives its address. A
file holds every user of the bouncer: a channel of two users is read twice, and each of its messages
is recognised.
"""

# ruff: noqa: S608 -- every statement is made of constants

import sqlite3
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from pathlib import Path

from terrarium_mcp.chat.irc_message import IrcMessage, MalformedMessage, Source, parse_line
from terrarium_mcp.chat.records import SPEECH, MessageType
from terrarium_mcp.chat.server_address import network_name_of, parse_server
from terrarium_mcp.chat.times.timestamps import from_iso
from terrarium_mcp.logformats.databases.database_format import (
    DatabaseFormat,
    StoredRoom,
    name_condition,
    read_rows,
)
from terrarium_mcp.logformats.entries import LogEvent, is_to_rank
from terrarium_mcp.logformats.log_reader import DatedEvent

_NETWORK = "ifnull(nullif(network.name, ''), network.addr)"
_IS_PLACED = f"{name_condition(_NETWORK)} AND {name_condition('target.target')}"
_ROOMS = f"""
SELECT network.name, network.addr, target.target, target.id
  FROM MessageTarget target JOIN Network network ON network.id = target.network
 WHERE {_IS_PLACED}
 ORDER BY target.id
"""
_NUMBERS = "SELECT rowid FROM Message WHERE target = ? ORDER BY time, id"
_ROW = "SELECT time, CAST(raw AS BLOB) FROM Message WHERE rowid = ?"
"""Bytes, since not all of what comes over the wire is UTF-8."""
_UNPLACED = f"""
SELECT Message.rowid
  FROM Message LEFT JOIN MessageTarget target ON target.id = Message.target
       LEFT JOIN Network network ON network.id = target.network
 WHERE NOT ({_IS_PLACED})
 ORDER BY Message.rowid
"""


_RECORDED = frozenset({"PRIVMSG", "NOTICE", "TOPIC", "PART", "NICK", "KICK", "MODE"})
"""Commands that have parameters: one without is no message."""


def _rooms(connection: sqlite3.Connection, path: Path) -> Sequence[StoredRoom]:
    del path
    return [
        StoredRoom(name or _name_of_address(address), target, (number,))
        for name, address, target, number in connection.execute(_ROOMS)
    ]


def _name_of_address(address: str) -> str:
    """What a recorder calls the network at an address such as `ircs://irc.libera.chat:6697`.

    A socket of this machine (`irc+unix:///run/soju.sock`) has no host.
    """
    try:
        host = parse_server(address.rpartition("://")[2]).host
    except ValueError:
        host = "localhost"
    return network_name_of(host)


def _said(time: str, raw: bytes) -> Sequence[DatedEvent]:
    event = _event(parse_line(raw))
    return [DatedEvent(_moment(time), event)] if event else ()


def _moment(time: str) -> datetime:
    return from_iso(time if time.endswith("Z") else f"{time}Z")


def _event(message: IrcMessage) -> LogEvent | None:
    """What is recorded of a message; None for the answers of a server, and reactions.

    Raises:
        MalformedMessage: nobody sends such a message to a channel.
    """
    source = message.source or Source("")
    match message.command, message.params:
        case "PRIVMSG" | "NOTICE" | "TOPIC" | "PART" as command, (_, *rest):
            kind, text = MessageType(command), "".join(rest[-1:])
        case "JOIN", _:
            kind, text = MessageType.JOIN, ""
        case "QUIT", params:
            kind, text = MessageType.QUIT, "".join(params[-1:])
        case "NICK", (nick, *_):
            kind, text = MessageType.NICK, nick
        case "KICK" | "MODE" as command, (_, *rest):
            kind, text = MessageType(command), " ".join(rest)
        case command, _ if not message.source or command in _RECORDED:
            raise MalformedMessage(f"{command} without a sender, or without what it is about")
        case _:
            return None
    return LogEvent(
        kind,
        source.nick,
        text,
        source.user,
        source.host,
        account=message.tags.get("account", ""),
        msgid=message.tags.get("msgid", ""),
        private=kind in SPEECH and is_to_rank(message.params[0]),
    )


SOJU = DatabaseFormat(
    name="soju-db",
    program="soju",
    columns={
        "Network": frozenset({"id", "name", "addr"}),
        "MessageTarget": frozenset({"id", "network", "target"}),
        "Message": frozenset({"id", "target", "raw", "time"}),
    },
    rooms=_rooms,
    numbers=_NUMBERS,
    row=_ROW,
    unplaced=_UNPLACED,
    read=partial(read_rows, _said),
    by_documentation=True,
)
