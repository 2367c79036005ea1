"""A program's database as a source of messages.

It may be a stranger's, and made to harm: only tables are read, row by row, and of no row more than
a line of IRC could need.
"""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from terrarium_mcp.logformats.entries import LogEvent
from terrarium_mcp.logformats.log_reader import (
    LONGEST_LINE,
    TOO_LONG,
    DatedEvent,
    RejectedLine,
)

ReadRow = DatedEvent | RejectedLine | None
"""What a row says; None if it is not recorded."""

DAMAGED = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What reading a row raises if its columns, or its JSON, are not what the program writes: in SQLite
any column may hold a value of any type."""


_LONGEST_VALUE = 1024 * 1024
"""Bytes of the longest value, and row, that SQLite brings into memory; a longer one is an error."""

_LONGEST_NAME = 255
"""Characters of a channel's or a network's name. Servers allow 64 or fewer."""

_SHOWN = 80
"""Characters of a row that is too long."""


_STEPS_PER_BYTE = 1000
"""SQLite steps allowed to read a file, per byte of it. Its pages may name each other so that a few
of them have rows without end. A row takes 50 bytes and fewer steps."""

_ALWAYS_ALLOWED = 100_000_000
"""SQLite steps allowed whatever the size of the file: some seconds."""

_STEPS_BETWEEN_CHECKS = 1_000_000
"""SQLite steps between two checks of how many were taken."""


class StoredRow(NamedTuple):
    """A row as it is stored; the last column is what is shown of one that cannot be read."""

    number: int
    columns: Sequence[Any]


class StoredRoom(NamedTuple):
    """A channel, or a private chat, in a database of another program.

    `network` is empty where the database does not name it; `network_id` then tells it from others
    in the same database. `key` finds its rows.
    """

    network: str
    target: str
    key: tuple[object, ...]
    network_id: str = ""


@dataclass(frozen=True, slots=True)
class DatabaseFormat:
    """A program's SQLite database.

    Attributes:
        name: as the option `--format` takes it.
        program: the program, for people to read.
        columns: columns by which it is recognised, by table.
        rooms: what it holds, given the database and its path.
        numbers: SQL for the rowids of a room's rows in their order; its parameters are the room's
            key. Rows are read one by one, since a longer one than SQLite may read ends a query.
        row: SQL for the columns of the row with a rowid.
        unplaced: SQL for the rowids of rows that should be in a room, and name none.
        read: what rows say, given the zone of local times.
        is_local: whether it holds local times without their zone.
        by_documentation: whether it was written from documentation, not from genuine databases.
    """

    name: str
    program: str
    columns: Mapping[str, frozenset[str]]
    rooms: Callable[[sqlite3.Connection, Path], Sequence[StoredRoom]]
    numbers: str
    row: str
    unplaced: str
    read: Callable[[Iterable[StoredRow | RejectedLine], tzinfo], Iterator[ReadRow]]
    is_local: bool = False
    by_documentation: bool = False

    def fits(self, connection: sqlite3.Connection) -> bool:
        """Whether a database is one of this program."""
        return has_columns(connection, self.columns)


def has_columns(connection: sqlite3.Connection, columns: Mapping[str, frozenset[str]]) -> bool:
    """Whether a database has these columns, by table."""
    return all(
        needed <= {row[0] for row in connection.execute(_COLUMNS, (table,))}
        for table, needed in columns.items()
    )


def first_not_a_table(connection: sqlite3.Connection, names: Iterable[str]) -> str:
    """Of some names of tables the first that is no ordinary table; empty if all are.

    A view may be a query without end, and the module of a virtual table may do anything.
    """
    ordinary = {name.lower() for (name,) in connection.execute(_TABLES)}
    return next((name for name in names if name.lower() not in ordinary), "")


def name_condition(column: str) -> str:
    """SQL for whether a column holds what may be a name: any may hold NULL, a number, a book."""
    return f"(typeof({column}) = 'text' AND length({column}) BETWEEN 1 AND {_LONGEST_NAME})"


_COLUMNS = "SELECT name FROM pragma_table_info(?)"
_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0"


def is_database(first_bytes: bytes) -> bool:
    """Whether a file that begins so is a database of SQLite (https://sqlite.org/fileformat2.html)."""
    return first_bytes.startswith(b"SQLite format 3\0")


def open_readonly(path: Path) -> sqlite3.Connection:
    """Open a database of another program so that not a byte of it can change.

    A query that goes on for longer than all of its bytes explain is interrupted.

    Raises:
        sqlite3.DatabaseError: it is no database, or cannot be read.
    """
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
    allowed = max(_ALWAYS_ALLOWED, path.stat().st_size * _STEPS_PER_BYTE)
    checks = count(1)
    connection.set_progress_handler(
        lambda: next(checks) * _STEPS_BETWEEN_CHECKS > allowed, _STEPS_BETWEEN_CHECKS
    )
    connection.execute("PRAGMA query_only = 1")
    connection.text_factory = partial(str, encoding="utf-8", errors="replace")
    return connection


def stored_rows(
    connection: sqlite3.Connection, form: DatabaseFormat, key: Sequence[object]
) -> Iterator[StoredRow | RejectedLine]:
    """The rows of a room, by its key, in their order."""
    return _rows(connection, form, form.numbers, key)


def unplaced_rows(connection: sqlite3.Connection, form: DatabaseFormat) -> Iterator[RejectedLine]:
    """The rows that name no room."""
    for row in _rows(connection, form, form.unplaced, ()):
        if isinstance(row, RejectedLine):
            yield row
        else:
            yield RejectedLine(row.number, _shown(row.columns[-1]), "it names no channel")


def _rows(
    connection: sqlite3.Connection, form: DatabaseFormat, numbers: str, key: Sequence[object]
) -> Iterator[StoredRow | RejectedLine]:
    for (number,) in connection.execute(numbers, key):
        try:
            columns = connection.execute(form.row, (number,)).fetchone()
        except sqlite3.DataError:  # it has more bytes than SQLite may read
            yield RejectedLine(number, "", TOO_LONG)
            continue
        longest = max(columns, key=_length)
        if _length(longest) > LONGEST_LINE:
            yield RejectedLine(number, repr(longest[:_SHOWN]), TOO_LONG)
        else:
            yield StoredRow(number, columns)


def _length(column: object) -> int:
    return len(column) if isinstance(column, str | bytes) else 0


def read_rows(
    said: Callable[..., Sequence[DatedEvent]],
    rows: Iterable[StoredRow | RejectedLine],
    zone: tzinfo,
) -> Iterator[ReadRow]:
    """What rows say, one after the other; one that cannot be read stops nothing.

    Args:
        said: the messages of the columns of a row; none if it is not recorded.
        rows: the rows.
        zone: of local times, which these are not.
    """
    del zone
    for row in rows:
        if isinstance(row, RejectedLine):
            yield row
            continue
        try:
            events = said(*row.columns)
            for one in events:
                require_text(one.event)
        except DAMAGED:
            yield damaged(row)
            continue
        yield from events or (None,)


def require_text(event: LogEvent) -> None:
    """Check that what should be text is some.

    Raises:
        TypeError: it is a number, or bytes.
        ValueError: it holds half a character, which cannot be stored.
    """
    for part in (event.text, event.nick, event.user, event.host, event.account, event.msgid):
        if not str.isascii(part):
            part.encode()


def damaged(row: StoredRow) -> RejectedLine:
    """A row that cannot be read."""
    return RejectedLine(row.number, _shown(row.columns[-1]), "a damaged row")


def _shown(column: object) -> str:
    return column if isinstance(column, str) else repr(column)
