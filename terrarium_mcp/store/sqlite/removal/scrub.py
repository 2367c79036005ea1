"""Scrubbing: rewriting a database so that nothing removed is left in free pages, index or WAL.

SQLite overwrites a deleted row (secure_delete), but deleted words stay in a full-text index until
its segments are merged: FTS5's own `secure-delete` needs SQLite 3.42. FTS5 has two commands that
merge all of them: 'optimize' copies the lists of words, 'rebuild' reads every message again. They
take 0.7 s and 22 s for a million lines.
"""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from anyio import to_thread

from terrarium_mcp.store.errors import FileInUse, NotEnoughDisk
from terrarium_mcp.store.sqlite.engine.failures import translate_errors
from terrarium_mcp.store.sqlite.engine.files import free_bytes, temporary_folder

SCRUB_WAIT = 10.0
"""Seconds that `scrub` waits for other processes to close the file."""

_CHECK_WAIT = 1.0

_RETRY_EVERY = 0.1


async def check_unused(path: Path) -> None:
    """Check that `scrub` could rewrite the database at `path` now.

    Raises:
        FileInUse: another process has it open.
        NotEnoughDisk: the disk is too full.
    """
    await to_thread.run_sync(_check, path)


async def scrub(path: Path) -> None:
    """Rewrite the database so that file and WAL hold nothing but the rows of its tables.

    Needs exclusive access, and the size of the file twice as free space: beside it for the WAL, and
    in the temporary folder. A crash leaves either the old or the new file.

    Raises:
        FileInUse: another process still has it open after `SCRUB_WAIT` seconds.
        NotEnoughDisk: the disk is too full.
        StoreFailed: the file cannot be written.
    """
    await to_thread.run_sync(_scrub, path)


def _check(path: Path) -> None:
    _check_space(path)
    with translate_errors(path), _exclusively(path, _CHECK_WAIT):
        pass


def _scrub(path: Path) -> None:
    _check_space(path)
    with translate_errors(path), _exclusively(path, SCRUB_WAIT) as connection:
        connection.execute("PRAGMA secure_delete=ON")
        tables = "SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL TABLE%fts5%'"
        for (table,) in connection.execute(tables).fetchall():
            connection.execute(f"INSERT INTO {table} ({table}) VALUES ('optimize')")  # noqa: S608 -- our own tables
        connection.execute("VACUUM")
        # Closing would also empty the WAL, but would not report a failure to.
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _check_space(path: Path) -> None:
    """Check that the WAL fits beside the file, and the copy that VACUUM makes where SQLite puts it.

    Raises:
        NotEnoughDisk: one of them does not, or not both where they share a disk.
    """
    size, temporary = path.stat().st_size, temporary_folder()
    folders = (path.parent, temporary)
    disks = [folder.stat().st_dev for folder in folders]
    for folder, disk in zip(folders, disks, strict=True):
        free = free_bytes(folder)
        if free < size * disks.count(disk):
            raise NotEnoughDisk(
                f"Rewriting {path} temporarily needs {size / 1e6:,.0f} MB on its disk, and as much"
                f" in {temporary} for a copy. {folder} has {free / 1e6:,.0f} MB free. Free some"
                " space, or for the copy name another temporary folder with SQLITE_TMPDIR, then run"
                " the same command again."
            )


@contextmanager
def _exclusively(path: Path, wait: float) -> Iterator[sqlite3.Connection]:
    """The only connection to a database; waits up to `wait` seconds for others to close theirs.

    In WAL mode every open connection holds a lock that an exclusive one conflicts with, see
    https://sqlite.org/pragma.html#pragma_locking_mode.
    """
    until = time.monotonic() + wait
    while True:
        with closing(sqlite3.connect(path, isolation_level=None, timeout=0)) as connection:
            connection.execute("PRAGMA locking_mode=EXCLUSIVE")
            try:
                connection.execute("BEGIN EXCLUSIVE")
                connection.execute("COMMIT")
            except sqlite3.OperationalError as error:
                if "locked" not in str(error):
                    raise
                if time.monotonic() > until:
                    raise FileInUse(path) from error
            else:
                yield connection
                return
        time.sleep(_RETRY_EVERY)
