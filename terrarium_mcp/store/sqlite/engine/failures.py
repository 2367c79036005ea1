"""Failures of reads and writes, as errors that name the cause and the way out."""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import anyio

from terrarium_mcp.store.errors import DiskFull, IndexDamaged, Locked, StoreFailed, TookTooLong

_ADVICE = {
    "disk is full": "The disk is full. Free some space. What was written before is safe.",
    "locked": "Another program has locked it. Stop that program, then try again.",
    "readonly": "This account may not write it, or its folder, or the file system is read-only."
    " Give the account write permission to both: SQLite keeps its -wal and -shm files there.",
    "unable to open": "It cannot be opened. Check that this account may write its folder.",
    "malformed": "It is damaged. Stop every program that uses it, copy it elsewhere, and repair the"
    " copy with: sqlite3 COPY .recover | sqlite3 NEW",
    "disk I/O error": "The disk cannot be read or written. Check whether it is full, over a"
    " quota, or failing. What was written before is safe.",
    "not a database": "It is not an SQLite database. Name another with DB_PATH.",
}
"""What to do, by a part of SQLite's message."""

_KINDS: Mapping[str, type[StoreFailed]] = {"locked": Locked, "disk is full": DiskFull}
"""Failures that callers tell apart, by a part of SQLite's message."""


@contextmanager
def translate_errors(path: Path) -> Iterator[None]:
    """Turn the SQLite errors of the block into `StoreFailed`, with advice about the file at `path`.

    An interrupted statement stays the error it is: whoever interrupted it knows why.

    Raises:
        IndexDamaged: FTS5 found one of its indexes damaged.
        Locked: another process holds the file.
        DiskFull: the disk is full, or takes nothing for another reason.
        StoreFailed: anything else SQLite reports.
    """
    try:
        yield
    except sqlite3.Error as error:
        if "interrupted" in str(error):
            raise
        if _is_index_damage(error):
            raise IndexDamaged(
                f"The full-text index of {path} is damaged. It is being rebuilt from the messages,"
                " which are all intact: try again in a little while."
            ) from error
        raise _kind(error)(f"The database {path}: {_advice(str(error))}") from error


@contextmanager
def deadline(seconds: float, said: str) -> Iterator[None]:
    """End a read of several steps that takes too long as a whole.

    Args:
        seconds: how long it may take.
        said: what the error says, with the way out.

    Raises:
        TookTooLong: the deadline passed.
    """
    try:
        with anyio.fail_after(seconds):
            yield
    except TimeoutError:
        raise TookTooLong(said) from None


def _is_index_damage(error: sqlite3.Error) -> bool:
    """Whether FTS5 reports that its own tables are damaged."""
    code = getattr(error, "sqlite_errorcode", None)  # aiosqlite raises some errors of its own
    return code == sqlite3.SQLITE_CORRUPT_VTAB or "vtable constructor failed" in str(error)


def _kind(error: sqlite3.Error) -> type[StoreFailed]:
    """How a failure is told from others; over a quota, Linux refuses a write as a bad disk does."""
    if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_IOERR_WRITE:
        return DiskFull
    kinds = (kind for part, kind in _KINDS.items() if part in str(error))
    return next(kinds, StoreFailed)


def _advice(message: str) -> str:
    return next(
        (advice for part, advice in _ADVICE.items() if part in message), f"SQLite says: {message}."
    )
