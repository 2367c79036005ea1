"""The folder and file of a database, and whether this account may use them."""

import errno
import os
import stat
import sys
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile

from terrarium_mcp.store.errors import StoreFailed
from terrarium_mcp.store.private_files import create_private_folder


def make_folder(path: Path) -> None:
    """Make the folder of the database at `path`, for this account alone, if it is missing.

    Raises:
        StoreFailed: it cannot be made.
    """
    try:
        create_private_folder(path.parent)
    except OSError as error:
        raise StoreFailed(
            f"The folder {path.parent} cannot be made or looked into: {error.strerror}."
            " Name a database elsewhere with DB_PATH or --db."
        ) from error


def check_permissions(path: Path) -> None:
    """Check that `path` can be a database that this account reads and writes.

    Raises:
        StoreFailed: it is no file, or a circle of links, a permission is missing, or its folder
            takes no file.
    """
    exists = is_file_found(path)
    for needed, access in [
        (path.parent, os.R_OK | os.W_OK | os.X_OK),
        (path, os.R_OK | os.W_OK),
    ]:
        if (exists or needed != path) and not os.access(needed, access):
            raise forbidden(path, needed)
    if not exists:
        _require_it_takes_files(path.parent)


def _require_it_takes_files(folder: Path) -> None:
    """Check that a folder takes files: /proc is one that root may write to, and takes none.

    The locks beside a database would be waited for without end there.
    """
    try:
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise StoreFailed(
            f"No file can be made in {folder}: {error.strerror}. Name a database elsewhere with"
            " DB_PATH or --db."
        ) from error


def is_file_found(path: Path) -> bool:
    """Whether there is a file at `path`, as `is_file_there`; where nobody may look, how one may.

    Raises:
        StoreFailed: it is no file, or a circle of links, or cannot be looked at.
    """
    try:
        return is_file_there(path)
    except PermissionError as error:
        raise forbidden(path, path.parent) from error
    except OSError as error:
        raise StoreFailed(
            f"{path} cannot be looked at: {error.strerror}. Name another database with DB_PATH or"
            " --db."
        ) from error


def is_file_there(path: Path) -> bool:
    """Whether there is a file at `path`.

    Raises:
        StoreFailed: it is a folder, a device such as /dev/null, or a circle of links.
        OSError: it cannot be looked at.
    """
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise StoreFailed(
                f"{path} is a link that leads back to itself. Name a database with DB_PATH or --db."
            ) from error
        raise
    if stat.S_ISDIR(mode):
        raise StoreFailed(f"{path} is a folder. Name a file in it with DB_PATH or --db.")
    if not stat.S_ISREG(mode):
        raise StoreFailed(f"{path} is not a file. Name one with DB_PATH or --db.")
    return True


def forbidden(path: Path, needed: Path) -> StoreFailed:
    """The error that this account may not use what the database at `path` needs."""
    folder = path.parent
    if _is_read_only(needed):
        return StoreFailed(
            f"{needed} is on a read-only file system. SQLite needs to write, even for reading: it"
            " keeps its -wal and -shm files in the folder. Copy it from there: terrarium-mcp"
            f" backup COPY.tar --db {path}, then terrarium-mcp restore COPY.tar --db NEW, and use"
            " NEW."
        )
    return StoreFailed(
        f"This account may not write {needed}. SQLite needs to, even for reading: it keeps its -wal"
        " and -shm files in the folder. Give the account write permission on both (for example:"
        f" chgrp -R GROUP {folder} && chmod -R g+rwX {folder} && chmod g+s {folder}), or ask the"
        " account that records for its server, with full paths:"
        f" ssh HOST /path/to/terrarium-mcp serve --db {path}"
    )


def _is_read_only(path: Path) -> bool:
    """Whether nobody can write there; False where that cannot be found out."""
    if sys.platform == "win32":  # which has no statvfs
        return False
    with suppress(OSError):
        return bool(os.statvfs(path).f_flag & os.ST_RDONLY)
    return False
