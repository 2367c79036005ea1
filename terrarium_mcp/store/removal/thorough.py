"""A file without a trace of what was removed, not even in its free pages, index and WAL.

SQLite overwrites a deleted row (secure_delete), but the words of a full-text index only go when its
segments are merged: FTS5's own `secure-delete` needs SQLite 3.42. Of the two ways to have them
merged 'optimize' copies lists of words, and 'rebuild' reads every message again: 0.7 s and 22 s for
a million lines.
"""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from anyio import to_thread

from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.store.disk import free_bytes
from terrarium_mcp.store.failures import translate_errors

PATIENCE = 10.0
"""Seconds that `scrub` waits until nobody else has the file open."""

_LOOK_AGAIN = 0.1


class NotAlone(TerrariumError):
    """Somebody else has the file open, so that it cannot be written anew."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"Another program has {path} open, and --thorough writes the whole file anew. Stop the"
            " bridge, every server and whatever else uses it, then give the same command again;"
            " without --thorough it works beside them."
        )


class NoRoom(TerrariumError):
    """There is no room for a second copy of the file."""


async def check_alone(path: Path) -> None:
    """Return if nobody else has the database at `path` open, nor opens it for good meanwhile.

    Raises:
        NotAlone: somebody has.
        NoRoom: `scrub` would find no room.
    """
    await to_thread.run_sync(_check, path)


async def scrub(path: Path) -> None:
    """Leave nothing in file and WAL but what the tables hold. Nobody may have the file open.

    Needs as much room again as the file takes, twice: for the WAL beside it, and for a file in the
    folder of temporary files. A crash leaves the old or the new file.

    Raises:
        NotAlone: somebody has it open.
        NoRoom: the disk is too full.
        StoreFailed: the file cannot be written.
    """
    await to_thread.run_sync(_scrub, path)


def _check(path: Path) -> None:
    _check_room(path)
    with translate_errors(path), _alone_with(path, patience=1.0):
        pass


def _scrub(path: Path) -> None:
    _check_room(path)
    with translate_errors(path), _alone_with(path, PATIENCE) as connection:
        connection.execute("PRAGMA secure_delete=ON")
        tables = "SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL TABLE%fts5%'"
        for (table,) in connection.execute(tables).fetchall():
            connection.execute(f"INSERT INTO {table} ({table}) VALUES ('optimize')")  # noqa: S608 -- our tables
        connection.execute("VACUUM")
        # Closing would empty the WAL as well, and tell nobody if it could not.
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _check_room(path: Path) -> None:
    needed, free = path.stat().st_size, free_bytes(path.parent)
    if free < needed:
        raise NoRoom(
            f"To write {path} anew takes {needed / 1e6:,.0f} MB on its disk for a while, and there"
            f" are {free / 1e6:,.0f} MB. Make room, then give the same command again."
        )


@contextmanager
def _alone_with(path: Path, patience: float) -> Iterator[sqlite3.Connection]:
    """The only connection to a file. In WAL mode every other one holds a lock on it all the time.

    See https://sqlite.org/pragma.html#pragma_locking_mode.
    """
    until = time.monotonic() + patience
    while True:
        with closing(sqlite3.connect(path, isolation_level=None, timeout=0)) as connection:
            connection.execute("PRAGMA locking_mode=EXCLUSIVE")
            try:
                connection.execute("BEGIN EXCLUSIVE")
                connection.execute("COMMIT")
            except sqlite3.OperationalError as why:
                if "locked" not in str(why):
                    raise
                if time.monotonic() > until:
                    raise NotAlone(path) from why
            else:
                yield connection
                return
        time.sleep(_LOOK_AGAIN)
