"""Where an open file is now: a process goes on writing to one that was moved, or even deleted."""

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

_DESCRIPTORS = Path("/dev/fd")
"""The open files of this process by number, on Linux and macOS."""


class FileLocation(NamedTuple):
    """A file that SQLite holds open, found by a descriptor of SQLite's.

    No descriptor of our own: closing it would release SQLite's locks
    (https://sqlite.org/howtocorrupt.html 2.2).
    """

    path: Path
    """Where it was opened."""
    descriptor: int
    identity: tuple[int, int]
    """Device and inode."""

    @classmethod
    def found(cls, path: Path) -> "FileLocation | None":
        """The location of the file at `path`, which SQLite has just opened; None if unknown."""
        if sys.platform == "win32":  # where nobody can move or delete a file that SQLite has open
            return None
        with suppress(OSError, ValueError):
            identity = _identity(path.stat())
            for number in (int(one.name) for one in _DESCRIPTORS.iterdir()):
                with suppress(OSError):  # that of the listing itself is closed by now
                    if _identity(os.fstat(number)) == identity:
                        return cls(path, number, identity)
        return None

    @property
    def is_open(self) -> bool:
        """Whether SQLite has not closed it."""
        return self._open_file() is not None

    @property
    def is_deleted(self) -> bool:
        """Whether the file has no name left: what is written to it is lost once it is closed."""
        found = self._open_file()
        return found is not None and found.st_nlink == 0

    @property
    def is_at_path(self) -> bool:
        """Whether the file is where it was opened."""
        try:
            return _identity(self.path.stat()) == self.identity or not self.is_open
        except OSError:
            return not self.is_open

    @property
    def now_at(self) -> str:
        """Where the file is now, for people to read; "" if unknown."""
        try:
            return str((_DESCRIPTORS / str(self.descriptor)).readlink())
        except OSError:
            return ""

    def _open_file(self) -> os.stat_result | None:
        """The state of the open file; None if SQLite has closed it."""
        with suppress(OSError):
            found = os.fstat(self.descriptor)
            if _identity(found) == self.identity:
                return found
        return None


def beginning_of(path: Path, size: int) -> bytes:
    """The first `size` bytes of a file that this process may have open by SQLite.

    If it has, they are read by SQLite's descriptor, since closing one of our own would release
    SQLite's locks (as above): the next process to close the database would think that nobody else
    uses it, and remove the WAL that this one writes to.

    Raises:
        OSError: the file cannot be read.
    """
    # On Windows a lock belongs to the descriptor that took it.
    if sys.platform != "win32" and (location := FileLocation.found(path)):
        with suppress(OSError):  # it can only be written to, or was closed meanwhile
            found = os.pread(location.descriptor, size, 0)
            if location.is_open:
                return found
    with path.open("rb") as file:
        return file.read(size)


def _identity(found: os.stat_result) -> tuple[int, int]:
    return found.st_dev, found.st_ino
