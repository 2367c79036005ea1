"""Opens a database strictly read-only: nothing in it or beside it changes."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from terrarium_mcp.store.errors import StoreFailed
from terrarium_mcp.store.sqlite.engine.failures import translate_errors
from terrarium_mcp.store.sqlite.engine.files import beside, bytes_of, wal_of
from terrarium_mcp.store.sqlite.engine.functions import as_text
from terrarium_mcp.store.sqlite.engine.location import beginning_of
from terrarium_mcp.store.sqlite.schema import BUSY, check_magic

_WRITE_VERSION = 18
"""Where the header says how the file is written (https://sqlite.org/fileformat.html 1.3.3)."""


@contextmanager
def untouched(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that only reads, and leaves nothing beside the file.

    Raises:
        NotOurs: it is no SQLite file.
        StoreFailed: it cannot be read, or is damaged.
    """
    check_magic(path)
    if _interrupted(path):
        raise StoreFailed(
            f"The database {path}: a program died while it was writing, or is writing now. The next"
            " one that opens the file takes back what was not finished: start terrarium-mcp."
        )
    with translate_errors(path), closing(_connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        connection.text_factory = as_text
        yield connection


def is_wal(path: Path) -> bool:
    """Whether the file is written by way of a write-ahead log."""
    return beginning_of(path, _WRITE_VERSION + 1)[_WRITE_VERSION:] == b"\2"


def _connect(path: Path) -> sqlite3.Connection:
    # Whoever reads a WAL database makes its -wal and -shm files. Where they are missing nobody
    # else has it open, and what is in the file is all there is.
    alone = is_wal(path) and not wal_of(path).exists()
    how = "mode=ro&immutable=1" if alone else "mode=ro"
    return sqlite3.connect(f"{path.as_uri()}?{how}", uri=True, isolation_level=None, timeout=BUSY)


def _interrupted(path: Path) -> bool:
    """Whether a rollback journal lies beside the file: it is played back by who may write."""
    return bytes_of(beside(path, "-journal")) > 0
