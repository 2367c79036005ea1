"""Restoring a backup: it is checked beside its place, and gets its name last."""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from terrarium_mcp.durable import move_folder, sync_file, sync_folder
from terrarium_mcp.errors import HostFailure
from terrarium_mcp.store.backlog import backlog_folder
from terrarium_mcp.store.private_files import create_private_folder
from terrarium_mcp.store.sqlite.backup.bundle import (
    BACKLOG,
    DATABASE,
    Manifest,
    NotABackup,
    manifest_in,
    unpack,
)
from terrarium_mcp.store.sqlite.backup.making import OnBackupStep, facts_of
from terrarium_mcp.store.sqlite.engine.files import free_bytes
from terrarium_mcp.store.sqlite.keeper import Keeper, KeeperRecord, lock_file
from terrarium_mcp.store.sqlite.own_files import leftover

Amend = Callable[[Path], None]
"""Changes a restored database that nobody else can see yet; its backlog is beside it."""


class RestoreRefused(HostFailure):
    """There is something in the place of the database, or a process uses it."""


def restore_backup(
    bundle: Path, path: Path, on_step: OnBackupStep, amend: Amend = lambda _: None
) -> Manifest:
    """Put the database and the backlog of a backup in place. Blocks.

    Nothing is written under their names before all of it was checked. The keeper's lock is held
    meanwhile, so that no process makes a database there.

    Args:
        bundle: the file that `make_backup` wrote.
        path: where the database is to be; there may be nothing there.
        on_step: is called with a description of each step.
        amend: is called with the database before it gets its name. If it raises, nothing is there.

    Raises:
        NotABackup: it is none, it is damaged, or its database is of a later version.
        RestoreRefused: a file is in the way, or a process uses the database.
        OSError: a file cannot be read or written.
    """
    with _named(bundle):
        needed = sum(file.bytes for file in manifest_in(bundle).files.values())
    _require_nothing_in_the_way(path)
    with _folder_of(path):
        return _restored(bundle, path, needed, on_step, amend)


def _restored(
    bundle: Path, path: Path, needed: int, on_step: OnBackupStep, amend: Amend
) -> Manifest:
    if free_bytes(path.parent) < needed:
        raise RestoreRefused(
            f"The backup needs {needed / 1e6:,.0f} MB; {path.parent} has"
            f" {free_bytes(path.parent) / 1e6:,.0f} MB free."
        )
    with _sole_user(path), TemporaryDirectory(prefix=f".{path.name}.", dir=path.parent) as name:
        temporary = Path(name)
        create_private_folder(temporary / BACKLOG)
        with _named(bundle):
            on_step("unpacking")
            manifest = unpack(bundle, temporary)
            on_step("checking the database")
            _compare(manifest, temporary / DATABASE)
        _set_wal(temporary / DATABASE)
        amend(temporary / DATABASE)
        _require_nothing_in_the_way(path)
        _put_in_place(temporary, path)
    return manifest


@contextmanager
def _folder_of(path: Path) -> Iterator[None]:
    """The folder of the database; one that is made for it goes again if the block fails."""
    missing = [one for one in (path.parent, *path.parent.parents) if not one.exists()]
    create_private_folder(path.parent)
    try:
        yield
    except BaseException:
        if missing:
            with suppress(OSError):  # something else was put there
                lock_file(path).unlink(missing_ok=True)
                for folder in missing:
                    folder.rmdir()
        raise


def _require_nothing_in_the_way(path: Path) -> None:
    if path.exists():
        raise RestoreRefused(
            f"{path} exists, and is not overwritten. Move it away first, with its -wal and -shm, or"
            " name another place with --db."
        )
    if left := leftover(path):
        raise RestoreRefused(left)
    if path.is_symlink():
        raise RestoreRefused(
            f"{path} is a link to {os.path.realpath(path)}, where nothing is, and would be"
            " replaced. Remove the link to restore here; or name the file there with --db, and then"
            f" move the folder {backlog_folder(path).name} from there beside the link."
        )
    folder = backlog_folder(path)
    if folder.is_dir() and any(folder.iterdir()):
        raise RestoreRefused(f"{folder} holds files of a backlog. Move the folder away first.")


@contextmanager
def _sole_user(path: Path) -> Iterator[None]:
    """Hold the keeper's lock: a process that has the database open takes it within a second.

    That is how a process is known that still uses a file which was moved away or deleted.
    """
    keeper = Keeper(path)
    if not keeper.claim():
        record = KeeperRecord.read(lock_file(path))
        who = f"{record.command} (process {record.pid})" if record else "Another process"
        raise RestoreRefused(
            f"{who} uses {path}. Stop it, and every other terrarium-mcp with this database, first."
        )
    try:
        yield
    finally:
        keeper.release()


@contextmanager
def _named(bundle: Path) -> Iterator[None]:
    """Add the name of the file to what is wrong with it."""
    try:
        yield
    except NotABackup as error:
        raise NotABackup(f"{bundle} cannot be restored: {error}. Nothing was changed.") from error


def _compare(manifest: Manifest, database: Path) -> None:
    facts = facts_of(database)
    told = (manifest.schema, manifest.messages, manifest.private_messages, manifest.rooms)
    if facts != told:
        raise NotABackup("its database does not hold what its manifest says")


def _set_wal(database: Path) -> None:
    """Set the journal that the copy of a backup has lost: all that use a database expect it."""
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")


def _put_in_place(temporary: Path, path: Path) -> None:
    """Give the files their names; the database last, so that it never lacks its backlog."""
    for file in (temporary / DATABASE, *(temporary / BACKLOG).iterdir()):
        sync_file(file)
    move_folder(temporary / BACKLOG, backlog_folder(path))
    (temporary / DATABASE).replace(path)
    sync_folder(path.parent)
