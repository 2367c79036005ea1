"""Migrates a file to the current version, or recreates what is derived in it."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from terrarium_mcp import __version__
from terrarium_mcp.errors import HostFailure
from terrarium_mcp.settings import Settings
from terrarium_mcp.store.errors import Locked
from terrarium_mcp.store.private_files import create_private
from terrarium_mcp.store.sqlite.engine.files import bytes_of
from terrarium_mcp.store.sqlite.engine.transaction import transaction
from terrarium_mcp.store.sqlite.schema import terrarium_irc
from terrarium_mcp.store.sqlite.schema.backup import Copy
from terrarium_mcp.store.sqlite.schema.comparison import Difference, differences
from terrarium_mcp.store.sqlite.schema.marks import (
    APPLICATION_ID,
    NotAdopted,
    WrongSchema,
    check_magic,
    check_names,
    mark_of,
    marked_version,
    usable_version,
    version_in_header,
)
from terrarium_mcp.store.sqlite.schema.recreation import Repair, can_be_rebuilt, recreate
from terrarium_mcp.store.sqlite.schema.step import ReportProgress, SourceDatabase, within
from terrarium_mcp.store.sqlite.schema.versions import CURRENT, VERSIONS

BUSY = 0.2
"""Seconds to wait for a file that another process has locked."""

CACHE = -65_536
"""Memory for pages, in KiB with a minus sign: converting and sorting then rarely spill."""

_COPYING = 0.1
"""The part of a migration's time in which the database is copied."""


class MigrationBlocked(HostFailure):
    """Another program uses a file that has to be migrated."""


def version_of(path: Path) -> int:
    """The version of the database at `path`: 0 if it is new, or terrarium-irc's.

    Raises:
        NotOurs: it is no SQLite file, another program's, a later version's, lacks a table, or has
            an index or trigger that may refuse lines.
        sqlite3.Error: it is locked or damaged.
    """
    if not bytes_of(path):
        return 0
    check_magic(path)
    with closing(_connect(path)) as connection:
        return usable_version(connection, path)


def migrate(path: Path, settings: Settings, report: ReportProgress, *, adopt: bool) -> None:
    """Bring the database at `path` to the current version; a new one is made.

    Blocks: run it in a thread. A database that holds anything is first copied beside itself.

    Args:
        path: the database.
        settings: how to read the times of terrarium-irc, and the name of its network.
        report: receives the part that is done, 0 to 1; may raise to stop: nothing has changed then.
        adopt: whether a database of terrarium-irc may be changed.

    Raises:
        NotOurs: as `version_of`.
        NotAdopted: it is terrarium-irc's, and not to be adopted.
        NamesTaken: something in it has the name of what a version creates.
        MigrationBlocked: it has to be migrated, but another program uses it.
        sqlite3.Error: the file is locked or damaged, or the disk is full.
    """
    with suppress(OSError):  # it exists, or SQLite says what is wrong
        create_private(path)
    with closing(_connect(path)) as connection:
        try:
            _lock(connection)
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or version_in_header(path) == CURRENT:
                raise
            raise MigrationBlocked(
                f"{path} has to be migrated, but another program is using it."
                " Stop that program (the old bot, or an older terrarium-mcp) and start again."
            ) from error
        connection.execute(f"PRAGMA cache_size={CACHE}")
        version = usable_version(connection, path)
        if version < CURRENT:
            source = _source(connection, version, settings)
            if source and not adopt:
                raise NotAdopted(path)
            check_names(connection, path, version)
            copied = _copied(connection, path, version + 1, within(report, 0, _COPYING))
            with copied as copy, transaction(connection):
                _apply(connection, version, source, within(report, _COPYING, 1))
                if copy:
                    copy.settle()
        connection.execute("PRAGMA journal_mode=WAL")  # while nobody else can have it open


def repair(path: Path) -> Repair:
    """Recreate missing or different derived structures. The next process to open them fills them.

    Blocks: run it in a thread. A file that is in order, or has no version, is not changed.

    Raises:
        NotOurs: as `version_of`.
        WrongSchema: something that is not derived is missing or different too.
        Locked: another program has the file open.
        sqlite3.Error: the file is damaged, or the disk is full.
    """
    if mark_of(path) != APPLICATION_ID:
        return Repair()
    with closing(_connect(path)) as connection:
        if not _repairable(connection, path)[1]:
            return Repair()
        try:
            _lock(connection)
        except sqlite3.OperationalError as error:
            if "locked" not in str(error):
                raise
            raise Locked(
                f"{path} can be repaired only while no other program has it open. Stop the bridge,"
                " every server and any other program that uses it, then run terrarium-mcp doctor"
                " --rebuild again."
            ) from error
        with transaction(connection):
            version, wrong = _repairable(connection, path)  # another process may have been quicker
            emptied = recreate(connection, version, wrong) if wrong else ()
        return Repair(tuple(wrong), emptied, version == CURRENT)


def _repairable(connection: sqlite3.Connection, path: Path) -> tuple[int, list[Difference]]:
    """The version, and what is wrong with its schema; WrongSchema if that cannot be rebuilt."""
    version = marked_version(connection, path)
    wrong = differences(connection, version) if version else []
    if not can_be_rebuilt(version, wrong):
        raise WrongSchema(path, version, wrong)
    return version, wrong


def _source(
    connection: sqlite3.Connection, version: int, settings: Settings
) -> SourceDatabase | None:
    """How to read terrarium-irc's rows, if that is whose they are."""
    if version or not terrarium_irc.is_present(connection):
        return None
    return SourceDatabase(
        settings.source_zone, settings.network_name, datetime.now(UTC), __version__
    )


def _apply(
    connection: sqlite3.Connection,
    version: int,
    source: SourceDatabase | None,
    report: ReportProgress,
) -> None:
    """Apply every version after `version`."""
    pending = VERSIONS[version:]
    whole, done = sum(one.effort for one in pending), 0
    for one in pending:
        part = within(report, done / whole, (done + one.effort) / whole)
        one.apply(connection, source, part)
        done += one.effort
    connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version={CURRENT}")


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, timeout=BUSY)
    connection.text_factory = partial(str, encoding="utf-8", errors="replace")
    return connection


def _lock(connection: sqlite3.Connection) -> None:
    """Keep everybody else out until the connection is closed, also between transactions."""
    connection.execute("PRAGMA locking_mode=EXCLUSIVE")
    connection.execute("BEGIN EXCLUSIVE")
    connection.execute("COMMIT")


@contextmanager
def _copied(
    connection: sqlite3.Connection, path: Path, version: int, report: ReportProgress
) -> Iterator[Copy | None]:
    """A copy of the database as it was before `version`, if it holds anything.

    The copy gets its name before the change is committed: a migrated file always has its copy
    beside it, even after a crash.
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
