"""The copy of a database that is made beside it before a migration changes anything."""

import glob
import logging
import sqlite3
from contextlib import closing
from itertools import count
from pathlib import Path

from terrarium_mcp.errors import HostFailure
from terrarium_mcp.store.private_files import create_private
from terrarium_mcp.store.sqlite.engine.files import SQLITE_ENDINGS
from terrarium_mcp.store.sqlite.schema.step import ReportProgress

_PAGES = 4_096
"""Pages (16 MiB) copied between two reports."""

_PARTIAL = ".partial"
"""The ending of a copy that is being written."""

log = logging.getLogger(__name__)


class CopyFailed(HostFailure):
    """The copy could not be written, so nothing was changed."""


def copy_name(path: Path, version: int, number: int = 1) -> str:
    """The name of a copy made before `version`: `irc_logs.before-v1.db`, or `before-v1.2.db`."""
    further = f".{number}" if number > 1 else ""
    return f"{path.stem}.before-v{version}{further}{path.suffix}"


def copies_of(path: Path) -> list[Path]:
    """The copies of a database that were made before it was migrated, by name."""
    unfinished = unfinished_copies_of(path)  # which have such a name where it has no ending
    return sorted(one for one in path.parent.glob(_any_copy(path)) if one not in unfinished)


def unfinished_copies_of(path: Path) -> list[Path]:
    """Those that are being written, or that a crash left half-written, with SQLite's journals."""
    return sorted(path.parent.glob(f"{_any_copy(path)}{_PARTIAL}*"))


def _any_copy(path: Path) -> str:
    """The pattern of the names of its copies."""
    return f"{glob.escape(path.stem)}.before-v*{glob.escape(path.suffix)}"


class Copy:
    """The database as it was before `version`. It gets its name just before the commit."""

    def __init__(self, path: Path, version: int) -> None:
        self.path = _unused(path, version)
        self._partial = self.path.with_name(self.path.name + _PARTIAL)

    def write(self, connection: sqlite3.Connection, report: ReportProgress) -> None:
        """Copy what `connection`, which holds the lock, sees. A crash's leftover is overwritten.

        Raises:
            CopyFailed: there is no room, or no permission.
        """

        def progress(_: int, remaining: int, total: int) -> None:
            report(1 - remaining / max(1, total))

        self.discard()
        try:
            create_private(self._partial)
            with closing(sqlite3.connect(self._partial)) as target:
                connection.backup(target, pages=_PAGES, progress=progress)
        except (sqlite3.Error, OSError) as error:
            self.discard()
            raise CopyFailed(
                f"Could not copy the database to {self.path} before changing it: {error}."
                " Nothing was changed. Make room for a copy beside it."
            ) from error

    def settle(self) -> None:
        """Give the copy its name."""
        self._partial.replace(self.path)
        log.warning("the database as it was is kept in %s", self.path)

    def discard(self) -> None:
        """Remove an unfinished copy, and the journal that a crash left beside it."""
        for leftover in ("", *SQLITE_ENDINGS):
            self._partial.with_name(self._partial.name + leftover).unlink(missing_ok=True)


def _unused(path: Path, version: int) -> Path:
    """Where no earlier copy is: none is ever overwritten."""
    names = (copy_name(path, version, number) for number in count(1))
    return next(one for one in map(path.with_name, names) if not one.exists())
