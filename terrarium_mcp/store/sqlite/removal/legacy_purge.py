"""Removing a person from what terrarium-irc left: its own five tables, and copies of its database.

Its dialogues do not record whom they are about. A row is deleted if it names the person or contains
a line of theirs; a paraphrase without a name cannot be found.
"""

# ruff: noqa: S608 -- every statement is made of constants

import json
import re
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from anyio import to_thread

from terrarium_mcp.chat.irctext import action
from terrarium_mcp.chat.records import SPEECH, MessageType
from terrarium_mcp.chat.voices import VoiceRules, rules_on
from terrarium_mcp.store.records.removal import CleanedFile, LegacyCleanup, PurgeTarget
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.failures import translate_errors
from terrarium_mcp.store.sqlite.engine.functions import as_text
from terrarium_mcp.store.sqlite.engine.sql_expressions import folded_sql
from terrarium_mcp.store.sqlite.engine.transaction import transaction
from terrarium_mcp.store.sqlite.index.voice_rules import stored_rules
from terrarium_mcp.store.sqlite.removal.backlog_quotes import names
from terrarium_mcp.store.sqlite.removal.purge import folded_nick, is_their_nick, texts_of
from terrarium_mcp.store.sqlite.schema import APPLICATION_ID, terrarium_irc
from terrarium_mcp.store.sqlite.schema.backup import copies_of, unfinished_copies_of

SHORTEST_LINE = 8
"""Characters a line must have to be searched for in dialogues: everybody says `yes`."""

_NAMED = {
    "users": ("nick",),
    "channel_users": ("nick", "channel"),
    "channels": ("name",),
    "conversation_history": ("channel",),
    "conversation_summaries": ("channel",),
}
"""The columns in which terrarium-irc stored a nick: a private chat has it as its channel."""

_DIALOGUES = {"conversation_history": "content", "conversation_summaries": "summary"}


class TerrariumIrcFiles:
    """What terrarium-irc left of an adopted database: its own five tables, and copies of the file.

    A database that was never terrarium-irc's has neither.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def purge(self, target: PurgeTarget) -> LegacyCleanup:
        """Remove a person from terrarium-irc's tables in the database, and from all copies.

        Call it before `Removal.purge`: it searches for the texts that the messages still hold.

        Raises:
            StoreFailed: a file cannot be written. The messages are still there.
        """
        networks = await _networks(self._database, target.network)
        if target.network and target.network not in networks:
            return LegacyCleanup()
        known = await stored_rules(self._database)
        person = _PurgedPerson(target, [rules_on(network, known) for network in networks])
        texts = await texts_of(self._database, target)
        return await to_thread.run_sync(_purge, self._database.path, person, texts)

    async def names(self) -> list[str]:
        """The names of these files: copies, and the database itself if it has such tables."""
        return await to_thread.run_sync(_names, self._database.path)


def _names(path: Path) -> list[str]:
    with _opened(path) as connection:
        has_tables = bool(_tables(connection))
    return [copy.name for copy in copies_of(path)] + [path.name] * has_tables


async def _networks(database: Database, otherwise: str) -> list[str]:
    """The networks that terrarium-irc recorded; `otherwise` if that is not known."""
    rows = await database.rows(
        "SELECT DISTINCT r.network FROM spans s JOIN rooms r ON r.id = s.room"
        " WHERE s.source = :source",
        {"source": terrarium_irc.SOURCE},
    )
    return [row[0] for row in rows] or [otherwise]


class _PurgedPerson(NamedTuple):
    """Whom a purge concerns, and the rules of the networks that terrarium-irc recorded."""

    target: PurgeTarget
    rules: Sequence[VoiceRules]

    def wrote(self, nick: str, channel: str, kind: MessageType, text: str) -> bool:
        """Whether a message is theirs, as a purge of the messages has it (`purge.py`)."""
        return any(
            _is_their_nick(self.target, name, rules.casemapping)
            for rules in self.rules
            for name in (nick, channel, *_others(rules, nick, kind, text))
        )


_is_their_nick = lru_cache(maxsize=10_000)(is_their_nick)  # few people say most of the lines


def _others(rules: VoiceRules, nick: str, kind: MessageType, text: str) -> Iterator[str]:
    """Who is in the text of a message: the new nick, or whose words a relay carried."""
    if kind is MessageType.NICK:
        yield text
    elif kind in SPEECH and rules.relays:
        voice = rules.voice_of(nick, text, is_own=None, is_message=False)
        if voice.speaker:
            yield voice.speaker


def _purge(path: Path, person: _PurgedPerson, texts: set[str]) -> LegacyCleanup:
    discard_unfinished(path)
    copies = [copy for copy in copies_of(path) if is_terrarium_irc(copy)]
    theirs = {copy: messages_in(copy, person) for copy in copies}
    texts = texts.union(*(said.values() for said in theirs.values()))
    cleaned = [
        clean_tables(path, person.target, texts),
        *(clean_copy(copy, person.target, said, texts) for copy, said in theirs.items()),
    ]
    return LegacyCleanup(
        tuple(file for file in cleaned if file.messages or file.rows),
        tuple(copy.name for copy in copies_of(path) if copy not in copies),
    )


def discard_unfinished(path: Path) -> None:
    """Remove copies that a crash left half-written, as the next migration would."""
    for leftover in unfinished_copies_of(path):
        leftover.unlink(missing_ok=True)


def is_terrarium_irc(copy: Path) -> bool:
    """Whether a copy is of terrarium-irc's database, not of an earlier version of ours."""
    with _opened(copy) as connection:
        return bool(connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID)


def messages_in(copy: Path, person: _PurgedPerson) -> dict[int, str]:
    """The messages of a person in a copy: their texts by id."""
    theirs = dict[int, str]()
    with _opened(copy) as connection:
        rows = connection.execute("SELECT id, nick, channel, message_type, message FROM messages")
        for number, *columns in rows:
            nick, channel, kind, raw = map(as_text, columns)
            done = action(raw)
            text = raw.strip("\x01") if done is None else done
            if person.wrote(nick, channel, MessageType.parse(kind), text):
                theirs[number] = text
    return theirs


def clean_copy(
    copy: Path, target: PurgeTarget, messages: Collection[int], texts: Collection[str]
) -> CleanedFile:
    """Remove a person from a copy, and rewrite the file so that no trace is left in it.

    Raises:
        StoreFailed: it cannot be written.
    """
    with _opened(copy) as connection:
        with transaction(connection):
            gone = [(number,) for number in messages]
            connection.executemany("DELETE FROM messages WHERE id = ?", gone)
            rows = _clean(connection, target, texts)
        connection.execute("VACUUM")
    return CleanedFile(copy.name, len(messages), rows)


def clean_tables(path: Path, target: PurgeTarget, texts: Collection[str]) -> CleanedFile:
    """Remove a person from terrarium-irc's own tables in an adopted database.

    Raises:
        StoreFailed: it cannot be written.
    """
    with _opened(path) as connection, transaction(connection):
        return CleanedFile(path.name, 0, _clean(connection, target, texts))


def _clean(connection: sqlite3.Connection, target: PurgeTarget, texts: Collection[str]) -> int:
    """Delete the rows about a person; returns their number."""
    matcher, nick, deleted = _PersonMatcher(target, texts), {"nick": folded_nick(target)}, 0
    for table in _tables(connection):
        columns = " OR ".join(f"{folded_sql(column)} = :nick" for column in _NAMED[table])
        about = connection.execute(f"DELETE FROM {table} WHERE {columns}", nick)
        deleted += about.rowcount
        if table in _DIALOGUES:
            said = connection.execute(f"SELECT rowid, {_DIALOGUES[table]} FROM {table}")
            gone = [(row,) for row, text in said.fetchall() if matcher.matches(as_text(text))]
            connection.executemany(f"DELETE FROM {table} WHERE rowid = ?", gone)
            deleted += len(gone)
    return deleted


def _tables(connection: sqlite3.Connection) -> list[str]:
    names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    known = {row[0] for row in names}
    return [table for table in _NAMED if table in known]


class _PersonMatcher:
    """Finds texts that name a person or contain one of their lines, indexed by its longest word."""

    def __init__(self, target: PurgeTarget, texts: Collection[str]) -> None:
        self._target = target
        self._by_word = defaultdict(list)
        for text in texts:
            if len(text) >= SHORTEST_LINE and (words := _WORDS.findall(text)):
                self._by_word[max(words, key=len)].append(text)

    def matches(self, content: str) -> bool:
        return any(
            names(self._target, text) or self._contains_line(text) for text in _strings(content)
        )

    def _contains_line(self, text: str) -> bool:
        found = set(_WORDS.findall(text)) & self._by_word.keys()
        return any(line in text for word in found for line in self._by_word[word])


_WORDS = re.compile(r"\w+")


def _strings(content: str) -> Iterator[str]:
    """A text, and if it is JSON, every text within it at any depth."""
    yield content
    try:
        inside = json.loads(content)
    except ValueError:
        return
    todo = [inside]
    while todo:
        match todo.pop():
            case str() as text if text != content:
                yield from _strings(text)
            case list() as values:
                todo += values
            case dict() as values:
                todo += [*values.keys(), *values.values()]


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    with translate_errors(path), closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.text_factory = as_text
        for pragma in ("secure_delete=ON", "wal_autocheckpoint=0", "synchronous=FULL"):
            connection.execute(f"PRAGMA {pragma}")
        yield connection
