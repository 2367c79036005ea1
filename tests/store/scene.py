"""Scenes for the store's tests: talk as a transcript, moments that read aloud."""

import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from terrarium_mcp.chat.query.parser import parse_query
from terrarium_mcp.chat.records import Message, MessageType, NewMessage, Origin, Room
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import Store
from terrarium_mcp.store.search import Hits, Search, Sort
from terrarium_mcp.store.sqlite.engine.functions import FUNCTIONS
from terrarium_mcp.store.sqlite.removal.redaction import redact_rows

LONG_AGO = datetime(2004, 1, 1, tzinfo=UTC)
NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
SETTINGS = Settings(network="net", source_timezone="America/New_York")

_SAID = re.compile(
    r"(?:(?P<at>\d\d:\d\d)\s+)?(?:<(?P<says>\S+)> |\* (?P<does>\S+) |-(?P<notes>\S+)- )(?P<text>.*)"
)


def chat(
    transcript: str,
    *,
    channel: str = "#tea",
    at: datetime = NOON,
    origin: Origin = Origin.LIVE,
    network: str = "net",
) -> list[NewMessage]:
    """Lines such as `<ada> hello`, `* ada waves`, `-ada- psst`; `14:05 <ada> ...` names a time.

    Without a time each line comes a minute after the one before.
    """
    heard = []
    for line in filter(None, map(str.strip, transcript.splitlines())):
        found = _SAID.fullmatch(line)
        assert found, line
        if found["at"]:
            hour, minute = map(int, found["at"].split(":"))
            at = at.replace(hour=hour, minute=minute, second=0, microsecond=0)
        kind = (
            MessageType.ACTION
            if found["does"]
            else MessageType.NOTICE
            if found["notes"]
            else MessageType.PRIVMSG
        )
        nick = found["says"] or found["does"] or found["notes"]
        heard.append(line_of(nick, found["text"], at, channel, kind, origin, network))
        at += timedelta(minutes=1)
    return heard


def line_of(
    nick: str,
    text: str,
    at: datetime = NOON,
    channel: str = "#tea",
    kind: MessageType = MessageType.PRIVMSG,
    origin: Origin = Origin.LIVE,
    network: str = "net",
) -> NewMessage:
    return NewMessage(
        network=network,
        channel=channel,
        nick=nick,
        text=text,
        said_at=at,
        kind=kind,
        origin=origin,
        user="~" + nick,
        host="host.example",
    )


def past(
    count: int, began: datetime = LONG_AGO, text: str = "tea number {}"
) -> Iterator[NewMessage]:
    """So many imported lines by cy, an hour apart, in three channels."""
    for n in range(count):
        at, channel = began + timedelta(hours=n), ("#tea", "#mate", "#cocoa")[n % 3]
        yield line_of("cy", text.format(n), at, channel, origin=Origin.IMPORT)


async def room(store: Store, channel: str = "#tea") -> Room:
    return next(room for room in await store.rooms.all() if room.channel == channel)


async def find(
    store: Store,
    words: str,
    *,
    rooms: Sequence[Room] | None = None,
    limit: int = 100,
    sort: Sort = Sort.NEWEST,
) -> Hits:
    """What a search for `words` finds, in all rooms if none are named."""
    rooms = await store.rooms.all() if rooms is None else rooms
    return await store.search(
        Search(query=parse_query(words), rooms=rooms, limit=limit, sort=sort), "question"
    )


async def redact(store: Store, number: int, at: datetime = NOON) -> bool:
    """Let ada redact a message by its id, as most lines here have no msgid; False without text.

    What the backlog quotes of it is left.
    """
    async with store._database.writing() as writer:  # noqa: SLF001 -- a network names a msgid
        return bool(await redact_rows(writer, [number], asked_by="ada", at=at))


async def differences(store: Store) -> list[str]:
    """What is derived, against a recount; nothing where all is well."""
    return await store.differences()


def texts(messages: Sequence[Message]) -> list[str]:
    return [message.text for message in messages]


def dump_of(path: Path) -> list[str]:
    """The whole database as SQL text."""
    with closing(sqlite3.connect(path)) as db:
        return list(db.iterdump())


def rows_of(path: Path, sql: str, params: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    """What any other program reads in the file."""
    with closing(sqlite3.connect(path)) as db:
        return db.execute(sql, params).fetchall()


def write(path: Path, sql: str, params: Sequence[Any] = ()) -> None:
    """What another program does to the file."""
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(sql, params)


def mark_as_of_version(path: Path, version: int) -> None:
    """Make a file one of a version from 8 on; of these, only 13 and 14 added a table."""
    if version < 14:
        write(path, "DROP TABLE past_opt_outs")
    if version < 13:
        write(path, "DROP TABLE talk_counts")
        write(path, "DELETE FROM derived WHERE name = 'talk_counts'")
    write(path, f"PRAGMA user_version = {version}")


def check_index(path: Path) -> None:
    """Let FTS5 compare its index with every line."""
    with closing(sqlite3.connect(path)) as db:
        for name, arity, function in FUNCTIONS:
            db.create_function(name, arity, function, deterministic=True)
        db.execute("INSERT INTO message_index (message_index, rank) VALUES ('integrity-check', 1)")
