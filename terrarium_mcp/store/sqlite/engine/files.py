"""Sizes and states of files, what is beside a database, the temporary folder, and free space."""

import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

_TEMPORARY = ("/var/tmp", "/usr/tmp", "/tmp")  # noqa: S108 -- where SQLite looks
"""The folders of temporary files of which SQLite takes the first that it can write."""

SQLITE_ENDINGS = ("-wal", "-shm", "-journal")
"""After the name of a database, those of the files that SQLite applies to it when it opens it."""


class FileState(NamedTuple):
    """The size of a file and when it was written, in nanoseconds: 0, 0 if there is none."""

    size: int
    written_ns: int


def bytes_of(path: Path) -> int:
    """The size of a file; 0 if there is none."""
    return state_of(path).size


def state_of(path: Path) -> FileState:
    """The state of a file, which changes whenever it is written."""
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return FileState(0, 0)
    return FileState(found.st_size, found.st_mtime_ns)


def beside(path: Path, ending: str) -> Path:
    """The file, which may not exist, whose name is that of the database at `path` and an ending.

    SQLite follows links to the database itself, and has its files there: so must ours be, or two
    processes would not find each other's.
    """
    place = Path(os.path.realpath(path))
    return place.with_name(place.name + ending)


def wal_of(path: Path) -> Path:
    """The WAL of the database at `path`, which may not exist."""
    return beside(path, "-wal")


def free_bytes(folder: Path) -> int:
    """Free bytes on the disk of a folder."""
    return shutil.disk_usage(folder).free


def temporary_folder() -> Path:
    """Where SQLite has its temporary files (https://sqlite.org/tempfiles.html, 5)."""
    if sys.platform == "win32":  # which has a rule of its own
        return Path(tempfile.gettempdir())
    named = (os.environ.get("SQLITE_TMPDIR"), os.environ.get("TMPDIR"), *_TEMPORARY)
    folders = (Path(folder) for folder in named if folder)
    usable = (one for one in folders if one.is_dir() and os.access(one, os.W_OK | os.X_OK))
    return next(usable, Path())


def bytes_for_backup(path: Path) -> int:
    """What a backup of the database at `path` may need while it is made: two of its size."""
    return 2 * (bytes_of(path) + bytes_of(wal_of(path)))
