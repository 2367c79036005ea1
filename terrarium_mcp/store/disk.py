"""What files take on the disk, and what room there is."""

import shutil
from pathlib import Path


def bytes_of(path: Path) -> int:
    """How large a file is; 0 where there is none."""
    try:
        return path.stat().st_size
    except (FileNotFoundError, NotADirectoryError):
        return 0


def wal_of(path: Path) -> Path:
    """The WAL of the database at `path`, which may not be there."""
    return path.with_name(path.name + "-wal")


def free_bytes(folder: Path) -> int:
    """How much room there is on the disk of a folder."""
    return shutil.disk_usage(folder).free
