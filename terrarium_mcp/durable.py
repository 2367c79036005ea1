"""What takes the place of a file or folder, and is still there after a power cut."""

import os
import sys
from pathlib import Path


def sync_file(file: Path) -> None:
    """Write the contents of a file to the disk itself.

    Raises:
        OSError: it cannot be opened, or the disk fails.
    """
    # Windows does so only for a file that is open for writing; elsewhere its mode may forbid that.
    with file.open("r+b" if sys.platform == "win32" else "rb") as stream:
        os.fsync(stream.fileno())


def sync_folder(folder: Path) -> None:
    """Write the names of a folder to the disk itself.

    Raises:
        OSError: it cannot be opened, or the disk fails.
    """
    if sys.platform == "win32":  # which opens no folder; NTFS keeps a journal of names
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def move_folder(folder: Path, place: Path) -> None:
    """Give a folder another name, which may be that of an empty folder.

    Raises:
        OSError: something else is there.
    """
    if sys.platform == "win32" and place.is_dir():  # which replaces files only
        place.rmdir()
    folder.replace(place)
