"""Sizes of files, and free space."""

import shutil
from pathlib import Path


def bytes_of(path: Path) -> int:
    """The size of a file; 0 if there is none."""
    try:
        return path.stat().st_size
    except (FileNotFoundError, NotADirectoryError):
        return 0


def wal_of(path: Path) -> Path:
    """The WAL of the database at `path`, which may not exist."""
    return path.with_name(path.name + "-wal")


def free_bytes(folder: Path) -> int:
    """Free bytes on the disk of a folder."""
    return shutil.disk_usage(folder).free
