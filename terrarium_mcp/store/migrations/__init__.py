"""The schema and how it came to be: numbered steps, forward only, one transaction each.

`PRAGMA application_id` marks the file as ours, `PRAGMA user_version` counts the steps taken.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.settings import Settings
from terrarium_mcp.store.disk import bytes_of
from terrarium_mcp.store.functions import FUNCTIONS
from terrarium_mcp.store.migrations import terrarium_irc, v1
from terrarium_mcp.store.migrations.copying import Copy
from terrarium_mcp.store.migrations.step import Report, Step, within
from terrarium_mcp.store.transaction import transaction

APPLICATION_ID = 0x7465_7272  # "terr"
STEPS: tuple[Step, ...] = (v1.migrate,)
CURRENT = len(STEPS)

BUSY = 0.2
"""Seconds to wait for a file that somebody else has locked: one that is in use is refused soon."""

CACHE = -65_536
"""Memory for pages, in KiB with a minus sign: what is converted and sorted fits more often."""

_COPYING = 0.1
"""The part of a step's time in which the database is copied."""

_MAGIC = b"SQLite format 3\0"  # https://sqlite.org/fileformat.html 1.3


class NotOurs(TerrariumError):
    """The file is not a database that we may touch."""


class InUse(TerrariumError):
    """Another program has the file locked while it has to be migrated."""


def version_of(path: Path) -> int:
    """The version of the database at `path`: 0 when it is new, or terrarium-irc's.

    Raises:
        NotOurs: it is no SQLite file, another program's, or a later version's.
        sqlite3.Error: it is locked or damaged.
    """
    if not bytes_of(path):
        return 0
    check_magic(path)
    with closing(_connect(path)) as connection:
        return checked_version(connection, path)


def migrate(path: Path, settings: Settings, report: Report) -> None:
    """Bring the database at `path` to the current version; a new one is made.

    Blocks: run it in a thread. `report` hears how far the work is, from 0 to 1, and may raise to
    stop it: then nothing has changed. A database that holds something is first copied beside
    itself.

    Raises:
        NotOurs: as `version_of`.
        InUse: somebody else holds it locked.
        sqlite3.Error: the file is damaged, or the disk is full.
    """
    with closing(_connect(path)) as connection:
        _lock(connection, path)
        connection.execute(f"PRAGMA cache_size={CACHE}")
        for number in range(checked_version(connection, path), CURRENT):
            told = within(report, number / CURRENT, (number + 1) / CURRENT)
            copied = _copied(connection, path, number + 1, within(told, 0, _COPYING))
            with copied as copy, transaction(connection):
                STEPS[number](connection, settings, within(told, _COPYING, 1))
                connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
                connection.execute(f"PRAGMA user_version={number + 1}")
                if copy:
                    copy.settle()
        connection.execute("PRAGMA journal_mode=WAL")  # while nobody else can have it open


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, timeout=BUSY)
    connection.text_factory = partial(str, encoding="utf-8", errors="replace")
    for name, arity, function in FUNCTIONS:
        connection.create_function(name, arity, function, deterministic=True)
    return connection


def _lock(connection: sqlite3.Connection, path: Path) -> None:
    """Keep everybody else out until the connection is closed, also between transactions."""
    connection.execute("PRAGMA locking_mode=EXCLUSIVE")
    try:
        connection.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as why:
        if "locked" in str(why):
            raise InUse(
                f"{path} has to be migrated, but another program is using it."
                " Stop the old bot first, then start again."
            ) from why
        raise
    connection.execute("COMMIT")


def check_magic(path: Path) -> None:
    """See whether the file is SQLite's at all; NotOurs if not."""
    with path.open("rb") as file:
        if file.read(len(_MAGIC)) != _MAGIC:
            raise NotOurs(f"{path} is not an SQLite database. Name another file with DB_PATH.")


def checked_version(connection: sqlite3.Connection, path: Path) -> int:
    """The version of an open database; NotOurs where it is another program's, or a later one's."""
    mark = int(connection.execute("PRAGMA application_id").fetchone()[0])
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if mark == APPLICATION_ID and version > CURRENT:
        raise NotOurs(
            f"{path} is of version {version}; this terrarium-mcp knows versions up to {CURRENT}."
            " Install the newer terrarium-mcp again, or name another file with DB_PATH."
        )
    tables = terrarium_irc.foreign_tables(connection) if version == 0 else ()
    if mark not in (0, APPLICATION_ID) or (version and not mark) or tables:
        marks = f"application id {mark:#x}, version {version}; ours are"
        marks += f" {APPLICATION_ID:#x}, up to {CURRENT}"
        told = f"tables: {', '.join(tables[:6])}" if tables else marks
        raise NotOurs(
            f"{path} belongs to another program ({told}). Name another file with DB_PATH."
        )
    return version


@contextmanager
def _copied(
    connection: sqlite3.Connection, path: Path, version: int, report: Report
) -> Iterator[Copy | None]:
    """A copy of the database as it was before `version`, if it holds anything.

    Whoever changes the database settles the copy before the change is committed: a file that was
    migrated always has its copy beside it, wherever a crash came.
    """
    if not connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():
        yield None
        return
    copy = Copy(path, version)
    try:
        copy.write(connection, report)
        yield copy
    except BaseException:
        copy.discard()
        raise
