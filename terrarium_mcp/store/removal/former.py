"""What terrarium-irc left of a person: in its own five tables, and in the copies of its database.

Its dialogues tell of nobody in particular. A row of them goes when it names the person, or holds a
line of theirs; what paraphrases them without a name cannot be found.
"""

# ruff: noqa: S608 -- every statement is made of constants

import glob
import json
import re
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from anyio import to_thread

from terrarium_mcp.store.database import Database
from terrarium_mcp.store.failures import translate_errors
from terrarium_mcp.store.functions import as_text
from terrarium_mcp.store.migrations import APPLICATION_ID, terrarium_irc
from terrarium_mcp.store.removal.purging import Who, texts_of
from terrarium_mcp.store.removal.quotes import names
from terrarium_mcp.store.sql_expressions import folded_sql
from terrarium_mcp.store.transaction import transaction

TELLING = 8
"""Characters that a line must have to be looked for in dialogues: everybody says `yes`."""


_NAMED = {
    "users": ("nick",),
    "channel_users": ("nick", "channel"),
    "channels": ("name",),
    "conversation_history": ("channel",),
    "conversation_summaries": ("channel",),
}
"""The columns in which terrarium-irc put a nick: that of a private chat stands as its channel."""

_DIALOGUES = {"conversation_history": "content", "conversation_summaries": "summary"}

_SAID = f"""{folded_sql("nick")} = :nick OR {folded_sql("channel")} = :nick
OR (upper(message_type) = 'NICK' AND {folded_sql("message")} = :nick)"""


@dataclass(frozen=True, slots=True)
class Cleaned:
    """What was removed from a file: messages, and rows of terrarium-irc's other tables."""

    file: str
    messages: int
    rows: int


@dataclass(frozen=True, slots=True)
class Former:
    """What was removed from which file, and the copies that could not be cleaned."""

    cleaned: tuple[Cleaned, ...] = ()
    unreached: tuple[str, ...] = ()


async def purge_former(database: Database, who: Who) -> Former:
    """Remove a person from terrarium-irc's tables in the database, and from all copies.

    Raises:
        StoreFailed: a file cannot be written.
    """
    if who.network and who.network not in await _networks(database, who.network):
        return Former()
    texts = await texts_of(database, who)
    return await to_thread.run_sync(_purge_former, database.path, who, texts)


def former_files(path: Path) -> list[str]:
    """The names of the files with what terrarium-irc left: copies, and the database itself."""
    with _opened(path) as connection:
        has_tables = bool(_tables(connection))
    return [copy.name for copy in copies_of(path)] + [path.name] * has_tables


async def _networks(database: Database, otherwise: str) -> list[str]:
    """The networks that terrarium-irc recorded; where nothing tells, any may be meant."""
    rows = await database.rows(
        "SELECT DISTINCT r.network FROM spans s JOIN rooms r ON r.id = s.room"
        " WHERE s.source = :source",
        {"source": terrarium_irc.SOURCE},
    )
    return [row[0] for row in rows] or [otherwise]


def _purge_former(path: Path, who: Who, texts: set[str]) -> Former:
    discard_unfinished(path)
    copies = [copy for copy in copies_of(path) if is_terrarium_irc(copy)]
    texts = texts.union(*(texts_in(copy, who) for copy in copies))
    cleaned = [clean_tables(path, who, texts), *(clean_copy(copy, who, texts) for copy in copies)]
    return Former(
        tuple(one for one in cleaned if one.messages or one.rows),
        tuple(copy.name for copy in copies_of(path) if copy not in copies),
    )


def copies_of(path: Path) -> list[Path]:
    """The copies of a database that were made before it was migrated, the oldest first."""
    named = f"{glob.escape(path.stem)}.before-v*{glob.escape(path.suffix)}"
    return sorted(path.parent.glob(named))


def discard_unfinished(path: Path) -> None:
    """Remove copies that a crash left half-written: the next migration would do the same."""
    for leftover in path.parent.glob(f"{glob.escape(path.stem)}.before-v*.partial*"):
        leftover.unlink(missing_ok=True)


def is_terrarium_irc(copy: Path) -> bool:
    """Whether a copy is terrarium-irc's database, not one of ours of an earlier version."""
    with _opened(copy) as connection:
        return bool(connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID)


def texts_in(copy: Path, who: Who) -> set[str]:
    """Every different text of a person in a copy."""
    with _opened(copy) as connection:
        rows = connection.execute(
            f"SELECT DISTINCT message FROM messages WHERE {_SAID}", {"nick": who.folded}
        )
        return {as_text(row[0]).strip("\x01") for row in rows}


def clean_copy(copy: Path, who: Who, texts: Collection[str]) -> Cleaned:
    """Remove a person from a copy, and write the file anew, so that no trace is left in it.

    Raises:
        StoreFailed: it cannot be written.
    """
    with _opened(copy) as connection:
        with transaction(connection):
            deleted = f"DELETE FROM messages WHERE {_SAID}"
            messages = connection.execute(deleted, {"nick": who.folded}).rowcount
            rows = _clean(connection, who, texts)
        connection.execute("VACUUM")
    return Cleaned(copy.name, messages, rows)


def clean_tables(path: Path, who: Who, texts: Collection[str]) -> Cleaned:
    """Remove a person from terrarium-irc's own tables in a database that we took over.

    Raises:
        StoreFailed: it cannot be written.
    """
    with _opened(path) as connection, transaction(connection):
        return Cleaned(path.name, 0, _clean(connection, who, texts))


def _clean(connection: sqlite3.Connection, who: Who, texts: Collection[str]) -> int:
    """Delete the rows that are about a person; returns how many it were."""
    telling, deleted = _Telling(who, texts), 0
    for table in _tables(connection):
        columns = " OR ".join(f"{folded_sql(column)} = :nick" for column in _NAMED[table])
        about = connection.execute(f"DELETE FROM {table} WHERE {columns}", {"nick": who.folded})
        deleted += about.rowcount
        if table in _DIALOGUES:
            said = connection.execute(f"SELECT rowid, {_DIALOGUES[table]} FROM {table}")
            gone = [(row,) for row, text in said.fetchall() if telling.told(as_text(text))]
            connection.executemany(f"DELETE FROM {table} WHERE rowid = ?", gone)
            deleted += len(gone)
    return deleted


def _tables(connection: sqlite3.Connection) -> list[str]:
    names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    known = {row[0] for row in names}
    return [table for table in _NAMED if table in known]


class _Telling:
    """Whether a text names a person or holds one of their lines, found by its longest word."""

    def __init__(self, who: Who, texts: Collection[str]) -> None:
        self._who = who
        self._by_word = defaultdict(list)
        for text in texts:
            if len(text) >= TELLING and (words := _WORDS.findall(text)):
                self._by_word[max(words, key=len)].append(text)

    def told(self, content: str) -> bool:
        return any(names(self._who, text) or self._holds(text) for text in _strings(content))

    def _holds(self, text: str) -> bool:
        found = set(_WORDS.findall(text)) & self._by_word.keys()
        return any(line in text for word in found for line in self._by_word[word])


_WORDS = re.compile(r"\w+")


def _strings(content: str) -> Iterator[str]:
    """A text, and every text in it where it is JSON, as deep as it goes."""
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
