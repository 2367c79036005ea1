"""The schema and its history: numbered versions, forward only, all of a start in one transaction.

`PRAGMA application_id` marks a file as terrarium-mcp's, `PRAGMA user_version` is its version. A new
file goes through all versions too, so it cannot differ from one that was migrated.

How to add a version:

1. Write `vN.sql` with what changes. Where rows must change as well, write `vN.py` with a function
   `convert`, and put the line `-- ---- Rows are converted here ---` where it is to run: by default
   it runs last. It may import nothing that may change, so it copies what it needs.
2. Append `Version(N, ...)` to `VERSIONS` in versions.py, and run `make schema`.
3. Run `python -m tests.store.files.make` once, and commit the two stored files of the version.
4. Add the SHA-256 of `vN.sql` to tests/store/test_migrations.py. From then on it is frozen: every
   correction is a version of its own.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from terrarium_mcp import __version__
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.settings import Settings
from terrarium_mcp.store.disk import bytes_of
from terrarium_mcp.store.migrations import terrarium_irc
from terrarium_mcp.store.migrations.comparison import Difference, differences
from terrarium_mcp.store.migrations.copying import Copy
from terrarium_mcp.store.migrations.repair import can_be_rebuilt, remake_derived
from terrarium_mcp.store.migrations.step import Report, Source, within
from terrarium_mcp.store.migrations.versions import CURRENT, VERSIONS
from terrarium_mcp.store.transaction import transaction

__all__ = [
    "APPLICATION_ID",
    "BUSY",
    "CURRENT",
    "InUse",
    "NotAdopted",
    "NotOurs",
    "WrongSchema",
    "check_adopted",
    "check_magic",
    "checked_version",
    "migrate",
    "repair",
    "version_of",
]

APPLICATION_ID = 0x7465_7272  # "terr"

BUSY = 0.2
"""Seconds to wait for a file that another process has locked."""

CACHE = -65_536
"""Memory for pages, in KiB with a minus sign: converting and sorting then rarely spill."""

_COPYING = 0.1
"""The part of a migration's time in which the database is copied."""

_SHOWN = 6
"""Differences, or tables, that an error names."""

_MAGIC = b"SQLite format 3\0"  # https://sqlite.org/fileformat.html 1.3
_MARK = slice(68, 72)  # the application id, as there


class NotOurs(TerrariumError):
    """The file is not a database that terrarium-mcp may use."""


class WrongSchema(NotOurs):
    """The file lacks a part of the schema of its version, or has another one in its place."""

    def __init__(self, path: Path, version: int, wrong: Sequence[Difference]) -> None:
        few = ", ".join(map(str, wrong[:_SHOWN]))
        few += f" and {len(wrong) - _SHOWN} more" if len(wrong) > _SHOWN else ""
        super().__init__(
            f"{path} is marked as version {version}, but does not have its schema: {few}."
            f" Nothing was changed. {_way_out(version, wrong)}"
        )


def _way_out(version: int, wrong: Sequence[Difference]) -> str:
    way = (
        "All of that is derived from the messages: terrarium-mcp doctor --rebuild makes it again."
        if can_be_rebuilt(version, wrong)
        else "If another program changed the schema, go back to a backup."
    )
    if version == 1:
        way += (
            " A development file from before version 1 was final is not supported: start again"
            " from the copy that was kept beside it (*.before-v1.*), or from the logs."
        )
    return way


class NotAdopted(TerrariumError):
    """The file is terrarium-irc's, and the command may not change that."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"{path} is a database of terrarium-irc. Adopt it first: start terrarium-mcp serve,"
            " bridge or up on it, or repeat this command with --adopt. A copy is kept beside it."
            " If terrarium-irc ran in another time zone, name it in TERRARIUM_SOURCE_TIMEZONE."
        )


class InUse(TerrariumError):
    """Another program has the file locked while it has to be migrated."""


def version_of(path: Path) -> int:
    """The version of the database at `path`: 0 if it is new, or terrarium-irc's.

    Raises:
        NotOurs: it is no SQLite file, another program's, a later version's, or lacks a table.
        sqlite3.Error: it is locked or damaged.
    """
    if not bytes_of(path):
        return 0
    check_magic(path)
    with closing(_connect(path)) as connection:
        return checked_version(connection, path)


def check_adopted(path: Path) -> None:
    """Refuse a database of terrarium-irc, without even a lock on it.

    Raises:
        NotAdopted: it is one.
    """
    if _mark(path) == 0:
        # `immutable` keeps SQLite from locking it, making -wal and -shm, or rolling back a journal.
        uri = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
        with closing(sqlite3.connect(uri, uri=True)) as connection:
            if terrarium_irc.is_present(connection):
                raise NotAdopted(path)


def migrate(path: Path, settings: Settings, report: Report, *, adopt: bool) -> None:
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
        InUse: another program has it locked.
        sqlite3.Error: the file is damaged, or the disk is full.
    """
    with closing(_connect(path)) as connection:
        _lock(connection, path)
        connection.execute(f"PRAGMA cache_size={CACHE}")
        version = checked_version(connection, path)
        if version < CURRENT:
            source = _source(connection, version, settings)
            if source and not adopt:
                raise NotAdopted(path)
            copied = _copied(connection, path, version + 1, within(report, 0, _COPYING))
            with copied as copy, transaction(connection):
                _apply(connection, version, source, within(report, _COPYING, 1))
                if copy:
                    copy.settle()
        connection.execute("PRAGMA journal_mode=WAL")  # while nobody else can have it open


def repair(path: Path) -> Sequence[Difference]:
    """Make missing or different derived structures again, empty: whoever opens the file fills them.

    Blocks: run it in a thread. A file that is in order, or not of a version, is left alone.

    Returns:
        What was wrong.

    Raises:
        NotOurs: as `version_of`.
        WrongSchema: something that is not derived is missing or different too.
        InUse: another program has the file locked.
        sqlite3.Error: the file is damaged, or the disk is full.
    """
    if _mark(path) != APPLICATION_ID:
        return []
    with closing(_connect(path)) as connection:
        version = _marked_version(connection, path)
        wrong = differences(connection, version)
        if not wrong:
            return []
        if not can_be_rebuilt(version, wrong):
            raise WrongSchema(path, version, wrong)
        _lock(connection, path)
        with transaction(connection):
            remake_derived(connection, version)
        return wrong


def _source(connection: sqlite3.Connection, version: int, settings: Settings) -> Source | None:
    """How to read terrarium-irc's rows, if that is whose they are."""
    if version or not terrarium_irc.is_present(connection):
        return None
    return Source(settings.source_zone, settings.network_name, datetime.now(UTC), __version__)


def _apply(
    connection: sqlite3.Connection, version: int, source: Source | None, report: Report
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


def _lock(connection: sqlite3.Connection, path: Path) -> None:
    """Keep everybody else out until the connection is closed, also between transactions."""
    connection.execute("PRAGMA locking_mode=EXCLUSIVE")
    try:
        connection.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as error:
        if "locked" in str(error):
            raise InUse(
                f"{path} has to be migrated, but another program is using it."
                " Stop that program (the old bot, or an older terrarium-mcp) and start again."
            ) from error
        raise
    connection.execute("COMMIT")


def _mark(path: Path) -> int | None:
    """The application id in the file itself, read without SQLite; None if it is no SQLite file."""
    if not bytes_of(path):
        return None
    with path.open("rb") as file:
        header = file.read(_MARK.stop)
    return int.from_bytes(header[_MARK], "big") if header.startswith(_MAGIC) else None


def check_magic(path: Path) -> None:
    """Check that the file is SQLite's at all; NotOurs if not."""
    with path.open("rb") as file:
        if file.read(len(_MAGIC)) != _MAGIC:
            raise NotOurs(f"{path} is not an SQLite database. Name another file with DB_PATH.")


def checked_version(connection: sqlite3.Connection, path: Path) -> int:
    """The version of an open database, whose schema is that of the version.

    Raises:
        NotOurs: it is another program's, or a later version's.
        WrongSchema: a table or another part of the schema is missing or different.
    """
    with nullcontext() if connection.in_transaction else _one_state(connection):
        version = _marked_version(connection, path)
        if version and (wrong := differences(connection, version)):
            raise WrongSchema(path, version, wrong)
    return version


@contextmanager
def _one_state(connection: sqlite3.Connection) -> Iterator[None]:
    """A read transaction: another process may migrate the file between two reads."""
    connection.execute("BEGIN")
    try:
        yield
    finally:
        if connection.in_transaction:  # an error may have ended it
            connection.execute("ROLLBACK")


def _marked_version(connection: sqlite3.Connection, path: Path) -> int:
    mark = int(connection.execute("PRAGMA application_id").fetchone()[0])
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if mark == APPLICATION_ID and version > CURRENT:
        raise NotOurs(
            f"{path} is of version {version}; this terrarium-mcp knows versions up to {CURRENT}."
            " Install the newer terrarium-mcp again, or name another file with DB_PATH."
        )
    tables = terrarium_irc.foreign_tables(connection) if version == 0 else ()
    if mark not in (0, APPLICATION_ID) or (version and not mark) or tables:
        marks = f"application id {mark:#x}, version {version}; terrarium-mcp's are"
        marks += f" {APPLICATION_ID:#x}, up to {CURRENT}"
        evidence = f"tables: {', '.join(tables[:_SHOWN])}" if tables else marks
        raise NotOurs(
            f"{path} belongs to another program ({evidence}). Name another file with DB_PATH."
        )
    return version


@contextmanager
def _copied(
    connection: sqlite3.Connection, path: Path, version: int, report: Report
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
