"""Making a backup beside a running recorder, in one read transaction.

`VACUUM INTO` copies what one transaction sees, and no removed text: free pages are not copied, but
removed words that a full-text index still holds are. SQLite's backup API, in steps, starts over
whenever another process writes. Nobody waits for either, but the WAL cannot be reset meanwhile and
grows.
"""

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from terrarium_mcp import __version__
from terrarium_mcp.chat.times.timestamps import to_iso
from terrarium_mcp.store.backlog import backlog_folder
from terrarium_mcp.store.private_files import create_private
from terrarium_mcp.store.sqlite.backup.bundle import (
    BACKLOG,
    DATABASE,
    BackupFailed,
    Manifest,
    NotABackup,
    describe,
    may_be_packed,
    pack,
    unpack,
)
from terrarium_mcp.store.sqlite.engine.failures import translate_errors
from terrarium_mcp.store.sqlite.engine.files import bytes_for_backup, free_bytes, state_of, wal_of
from terrarium_mcp.store.sqlite.engine.folder_access import is_file_there
from terrarium_mcp.store.sqlite.schema import (
    BUSY,
    NotOurs,
    check_adopted,
    check_magic,
    checked_version,
)

_OPCODES = 100_000
"""SQLite's instructions between two looks whether the command was interrupted: a few ms."""

OnBackupStep = Callable[[str], None]
"""Receives a description of each step."""


class DatabaseFacts(NamedTuple):
    """The version of a database, and how much it holds."""

    schema: int
    messages: int
    private_messages: int
    rooms: int


def make_backup(path: Path, place: Path, on_step: OnBackupStep, *, compress: bool) -> Manifest:
    """Back up the database at `path` and its backlog into the empty file `place`, and check it.

    The copy is checked by SQLite before it is packed, and the packed file is read again. Blocks:
    run it in the main thread, where Ctrl-C interrupts it. Beside `place` a temporary folder holds
    the copy meanwhile.

    Raises:
        BackupFailed: there is no database, no room for the copy, or the copy is damaged; or a file
            of the backlog cannot be read.
        NotOurs, WrongSchema, NotAdopted: it is not a database of this program.
        StoreFailed: the database cannot be read.
        OSError: `place` or the folder beside it cannot be written.
    """
    if not is_file_there(path):
        raise BackupFailed(f"There is no database {path}. Name one with DB_PATH or --db.")
    check_magic(path)
    check_adopted(path)
    _require_space(path, place.parent)
    with TemporaryDirectory(prefix=f"{place.name}.", dir=place.parent) as temporary:
        copy = Path(temporary) / DATABASE
        create_private(copy)
        on_step("copying the database")
        _copy(path, copy)
        on_step("checking the copy")
        facts = _checked_facts(path, copy)
        files = {DATABASE: copy, **_backlog_copied(path, Path(temporary))}
        packed = {name: describe(file) for name, file in files.items()}
        by = f"terrarium-mcp {__version__}"
        manifest = Manifest(to_iso(datetime.now(UTC)), by, *facts, packed)
        on_step("packing")
        pack(place, manifest, files, compress=compress)
        on_step("checking the backup")
        if unpack(place, None) != manifest:
            raise BackupFailed(
                f"{place} does not read back as it was written: its disk may be failing."
            )
    return manifest


def facts_of(copy: Path) -> DatabaseFacts:
    """What a database that nobody else uses holds; every page of it is checked.

    Raises:
        NotABackup: it is damaged, of a later version, or lacks a part of its schema.
    """
    with (
        closing(sqlite3.connect(f"{copy.as_uri()}?mode=ro&immutable=1", uri=True)) as database,
        _interruptible(database),
    ):
        try:
            faults = [str(row[0]) for row in database.execute("PRAGMA quick_check(1)")]
            if faults != ["ok"]:
                raise NotABackup(f"its database is damaged: {faults[0]}")
            schema = checked_version(database, copy)
            [counts] = database.execute(
                "SELECT (SELECT count(*) FROM messages), (SELECT count(*) FROM private_messages),"
                " (SELECT count(*) FROM rooms)"
            )
        except NotOurs as error:
            reason = str(error).replace(str(copy), "its database")
            raise NotABackup(f"its database cannot be used: {reason}") from error
        except sqlite3.DatabaseError as error:
            if "interrupted" in str(error):
                raise
            raise NotABackup(f"its database is damaged: {error}") from error
    return DatabaseFacts(schema, *counts)


def _checked_facts(path: Path, copy: Path) -> DatabaseFacts:
    """What a copy of the database at `path` holds; BackupFailed if it is damaged."""
    try:
        return facts_of(copy)
    except NotABackup as error:
        raise BackupFailed(
            f"The copy of {path} is unusable: {error}. terrarium-mcp doctor --deep finds what is"
            " wrong with the database."
        ) from error


def _require_space(path: Path, folder: Path) -> None:
    """Check that the copy and a backup of its size fit."""
    needed, free = bytes_for_backup(path), free_bytes(folder)
    if free < needed:
        raise BackupFailed(
            f"A backup needs up to {needed / 1e6:,.0f} MB while it is made; the disk of"
            f" {folder} has {free / 1e6:,.0f} MB free. Name another folder."
        )


def _copy(path: Path, copy: Path) -> None:
    """Copy what one read transaction sees."""
    with translate_errors(path), _reading(path) as database, _interruptible(database):
        checked_version(database, path)
        try:
            database.execute("VACUUM INTO :copy", {"copy": str(copy)})
        except sqlite3.OperationalError as error:
            if "disk" not in str(error):
                raise
            raise BackupFailed(
                f"The copy in {copy.parent.parent} cannot be written ({error}): its disk may be"
                " full. Name another folder."
            ) from error


@contextmanager
def _reading(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection to a database that may be in use.

    Where this account may not write the folder, and nobody else has the database open, SQLite
    cannot make the files it needs to share it: then it is read as it is, and must not have changed.

    Raises:
        BackupFailed: it changed.
        sqlite3.Error: it cannot be read.
    """
    if _can_be_shared(path):
        with closing(_connected(path, "mode=rw")) as database:
            database.execute("PRAGMA wal_autocheckpoint=0")
            yield database
        return
    before = state_of(path)
    with closing(_connected(path, "mode=ro&immutable=1")) as database:
        yield database
    if state_of(path) != before or wal_of(path).exists():
        raise BackupFailed(
            f"{path} was opened by another process while this account, which may not write its"
            " folder, was reading it. Run the same command again."
        )


def _can_be_shared(path: Path) -> bool:
    """Whether SQLite can read the database beside other processes; sqlite3.Error if not at all."""
    with closing(_connected(path, "mode=rw")) as database:
        try:
            database.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except sqlite3.OperationalError as error:
            is_forbidden = "unable to open" in str(error) or "readonly" in str(error)
            if not is_forbidden or wal_of(path).exists():
                raise
            return False
    return True


def _connected(path: Path, how: str) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?{how}"
    return sqlite3.connect(uri, uri=True, isolation_level=None, timeout=BUSY)


@contextmanager
def _interruptible(database: sqlite3.Connection) -> Iterator[None]:
    """Let a signal end a long statement: Python handles it only between two calls of a function.

    SQLite drops what the handler raises; a KeyboardInterrupt takes its place, whatever the signal.
    """
    database.set_progress_handler(_go_on, _OPCODES)
    try:
        yield
    except sqlite3.OperationalError as error:
        if "interrupted" in str(error):
            raise KeyboardInterrupt from error
        raise


def _go_on() -> int:
    """Called by SQLite now and then; Python handles signals meanwhile."""
    return 0


def _backlog_copied(path: Path, temporary: Path) -> Mapping[str, Path]:
    """Copies of the backlog's files, by their names in the backup: they may be edited meanwhile.

    Raises:
        BackupFailed: one cannot be read, or has a name that no backup may hold.
    """
    folder, copies = temporary / BACKLOG, dict[str, Path]()
    folder.mkdir()
    for file in sorted(backlog_folder(path).glob("[!.]*.md")):
        if not file.is_file():
            continue
        name = f"{BACKLOG}/{file.name}"
        if not may_be_packed(name):
            raise BackupFailed(
                f"{file.name!r} in {file.parent} has a control character in its name, and no backup"
                " holds such a file. Rename it."
            )
        copies[name] = folder / file.name
        try:
            content = file.read_bytes()
        except OSError as error:
            raise BackupFailed(f"{file} cannot be read: {error.strerror}.") from error
        (folder / file.name).write_bytes(content)
    return copies
