"""A program's database as a source of messages."""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from terrarium_mcp.logformats.log_reader import DatedEvent, RejectedLine

ReadRow = DatedEvent | RejectedLine | None
"""What a row says; None if it is not recorded."""

_DAMAGED = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What reading a row raises if its columns, or its JSON, are not what the program writes: in SQLite
any column may hold a value of any type."""


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
        read: the rows of a room in their order, given the zone of local times.
        is_local: whether it holds local times without their zone.
        by_documentation: whether it was written from documentation, not from genuine databases.
    """

    name: str
    program: str
    columns: Mapping[str, frozenset[str]]
    rooms: Callable[[sqlite3.Connection, Path], Sequence[StoredRoom]]
    read: Callable[[sqlite3.Connection, StoredRoom, tzinfo], Iterator[ReadRow]]
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


_COLUMNS = "SELECT name FROM pragma_table_info(?)"


def is_database(first_bytes: bytes) -> bool:
    """Whether a file that begins so is a database of SQLite (https://sqlite.org/fileformat2.html)."""
    return first_bytes.startswith(b"SQLite format 3\0")


def open_readonly(path: Path) -> sqlite3.Connection:
    """Open a database of another program so that not a byte of it can change.

    Raises:
        sqlite3.DatabaseError: it is no database, or cannot be read.
    """
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    connection.execute("PRAGMA query_only = 1")
    connection.text_factory = partial(str, encoding="utf-8", errors="replace")
    return connection


def read_rows(
    rows: Iterable[Sequence[Any]], said: Callable[..., Sequence[DatedEvent]]
) -> Iterator[ReadRow]:
    """What rows say, one after the other; one that cannot be read stops nothing.

    Args:
        rows: the number of each row, then its columns; the last is what a rejected row shows.
        said: the messages of the columns of a row; none if it is not recorded.
    """
    for number, *columns in rows:
        try:
            events = said(*columns)
        except _DAMAGED:
            yield RejectedLine(number, _shown(columns[-1]), "a damaged row")
            continue
        yield from events or (None,)


def _shown(column: object) -> str:
    return column if isinstance(column, str) else repr(column)


def split_mask(mask: str) -> tuple[str, str, str]:
    """Nick, user and host of `nick!user@host`; what is missing is empty."""
    nick, _, address = mask.partition("!")
    user, _, host = address.rpartition("@")
    return nick, user, host
