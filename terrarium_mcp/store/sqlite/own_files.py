"""Which files are those of a database, so that no command writes over them or into their midst."""

import glob
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from terrarium_mcp.store.backlog import backlog_folder
from terrarium_mcp.store.sqlite.engine.files import SQLITE_ENDINGS, beside
from terrarium_mcp.store.sqlite.schema.backup import unfinished_copies_of

_ENDINGS = ("", *SQLITE_ENDINGS, ".keeper", ".waiting", ".importing", ".claims")
"""Of the name of the database, and of what SQLite and our locks put beside it."""

_BEGINNINGS = (".recorder-", ".check-")
"""After the name of the database: claims, and the copy of a deep check. The rest is random."""


def belongs_to(path: Path, database: Path) -> bool:
    """Whether a file is a part of the history: the database, what is beside it, or the backlog.

    By its name, also where there is no such file yet (a `-wal` is applied to the database as soon
    as it is there), and by what it is, under whatever name: a link to one of them is one of them.
    """
    wanted = _spellings(path)
    homes = _spellings(database)
    if any(_is_named_so(one, home) for one in wanted for home in homes):
        return True
    found = _identity(path)
    return found is not None and any(
        _identity(file) == found for home in homes for file in _files_of(home)
    )


def unfinished_copies(path: Path) -> list[Path]:
    """Copies beside a database that a deep check or a migration makes, or was interrupted at."""
    checked = path.parent.glob(f"{glob.escape(path.name)}.check-*")
    return sorted([*checked, *unfinished_copies_of(path)])


def leftover(path: Path) -> str:
    """What another database left where one is to be written, and what to do; empty if nothing."""
    for ending in SQLITE_ENDINGS:
        if (left := beside(path, ending)).exists():
            return (
                f"{left} is left from another database, and SQLite would apply it to this one. Move"
                " it away first."
            )
    return ""


def _spellings(path: Path) -> set[Path]:
    """The path as written, and the one to which links lead: SQLite goes by the second."""
    followed = os.path.realpath(path)  # also of a circle of links, at which `resolve` raises
    return {Path(os.path.abspath(path)), Path(followed)}  # noqa: PTH100 -- which keeps links


def _is_named_so(path: Path, database: Path) -> bool:
    if backlog_folder(database) in (path, *path.parents):
        return True
    name = database.name
    return path.parent == database.parent and (
        path.name in {name + ending for ending in _ENDINGS}
        or path.name.startswith(tuple(name + beginning for beginning in _BEGINNINGS))
        or path.name.startswith(f"{database.stem}.before-v")
    )


def _files_of(database: Path) -> Iterator[Path]:
    """The files of a history that are there, as far as this account may see them."""
    for folder in (database.parent, backlog_folder(database)):
        with suppress(OSError):
            yield from (one for one in folder.iterdir() if _is_named_so(one, database))


def _identity(path: Path) -> tuple[int, int] | None:
    """Device and inode of a file; None if there is none."""
    with suppress(OSError):
        found = path.stat()
        return found.st_dev, found.st_ino
    return None
