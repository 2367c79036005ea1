"""Private files: what we create can be read and written by its owner alone.

Files get the mode 0600 and folders 0700, as they hold what people said. What exists keeps its mode.
A file that every process needs which uses a database (a lock, SQLite's own -wal and -shm) gets the
database's mode and owner, and an idea for the backlog those of its folder: so an owner who shares
both with a group has to do so only once.

Windows knows no such modes: there a file gets the access rights of its folder.
"""

import os
import stat
import sys
from pathlib import Path

from terrarium_mcp.durable import sync_file

PRIVATE, PRIVATE_FOLDER = 0o600, 0o700

_UNFINISHED = ".new"
"""The ending of a file that is to take its place when it is whole."""


def create_private(path: Path, mode: int = PRIVATE) -> None:
    """Create an empty file with a mode, whatever the umask.

    Raises:
        FileExistsError: it exists; its mode is left alone.
        OSError: it cannot be created.
    """
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode))
    path.chmod(mode)


def create_private_folder(folder: Path) -> None:
    """Create a folder for its owner alone, and those above it that are missing.

    Raises:
        OSError: it cannot be created.
    """
    for missing in [one for one in reversed(folder.parents) if not one.exists()]:
        missing.mkdir(PRIVATE_FOLDER, exist_ok=True)
    folder.mkdir(PRIVATE_FOLDER, exist_ok=True)


def mode_beside(database: Path) -> int:
    """The mode for a lock file beside a database: its own, or private before there is one.

    The owner can always lock it, also where nobody may write the database any more.
    """
    try:
        return PRIVATE | mode_of(database)
    except OSError:
        return PRIVATE


def give_to_owner(file: Path, like: Path) -> None:
    """Give a file that root made to the account that owns the database or folder `like`.

    SQLite does so with its -wal and -shm. Otherwise a single command of root's would lock out the
    account that records.

    Raises:
        OSError: the file does not exist any more.
    """
    if sys.platform == "win32":  # where no account is root, and an owner is no number
        return
    if os.geteuid() == 0 and like.exists():
        owner = like.stat()
        os.chown(file, owner.st_uid, owner.st_gid, follow_symlinks=False)


def replace_contents(file: Path, contents: bytes) -> None:
    """Replace what a file holds; it keeps its mode and, where root does it, its owner.

    A crash leaves either the old contents or the new ones.

    Raises:
        OSError: the file does not exist, or no other can be written beside it.
    """
    write_whole(file, contents, mode_of(file), owner=file)


def write_whole(file: Path, contents: bytes, mode: int, *, owner: Path) -> None:
    """Write a file, or replace it, so that whatever crashes there is never a part of it.

    Where root does it, it is given to the owner of the file or folder `owner`.

    Raises:
        OSError: it cannot be written; what was there is as it was.
    """
    new = file.with_name(f".{file.name}{_UNFINISHED}")
    new.unlink(missing_ok=True)
    try:
        create_private(new, mode)
        give_to_owner(new, owner)
        new.write_bytes(contents)
        sync_file(new)
        new.replace(file)
    except OSError:
        new.unlink(missing_ok=True)
        raise


def unfinished(folder: Path) -> list[Path]:
    """What is being written in a folder, or was when its process was killed.

    Raises:
        OSError: the folder cannot be read.
    """
    return [*folder.glob(f".*{_UNFINISHED}")]


def mode_within(folder: Path) -> int:
    """The mode for a file in a folder: private, but shared with the group that may write there."""
    return PRIVATE | (0o060 if mode_of(folder) & stat.S_IWGRP else 0)


def mode_of(path: Path) -> int:
    """The permissions of a file, as a new one can have them.

    Raises:
        OSError: it does not exist, or cannot be looked at.
    """
    return stat.S_IMODE(path.stat().st_mode) & 0o666
