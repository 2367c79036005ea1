"""The folder and file of a database, and whether this account may use them."""

import errno
import os
import stat
from pathlib import Path

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
        raise _inaccessible(path, error) from error


def check_permissions(path: Path) -> None:
    """Check that `path` can be a database that this account reads and writes.

    Raises:
        StoreFailed: it is a folder or a circle of links, or a permission is missing.
    """
    try:
        is_folder, exists = stat.S_ISDIR(path.stat().st_mode), True
    except (FileNotFoundError, NotADirectoryError):
        is_folder = exists = False
    except PermissionError as error:
        raise forbidden(path, path.parent) from error
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise StoreFailed(
                f"{path} is a link that leads back to itself. Name a database with DB_PATH or --db."
            ) from error
        raise _inaccessible(path, error) from error
    if is_folder:
        raise StoreFailed(f"{path} is a folder. Name a file in it with DB_PATH or --db.")
    for needed, access in [
        (path.parent, os.R_OK | os.W_OK | os.X_OK),
        (path, os.R_OK | os.W_OK),
    ]:
        if (exists or needed != path) and not os.access(needed, access):
            raise forbidden(path, needed)


def forbidden(path: Path, needed: Path) -> StoreFailed:
    """The error that this account may not use what the database at `path` needs."""
    folder = path.parent
    return StoreFailed(
        f"This account may not write {needed}. SQLite needs to, even for reading: it keeps its -wal"
        " and -shm files in the folder. Give the account write permission on both (for example:"
        f" chgrp -R GROUP {folder} && chmod -R g+rwX {folder} && chmod g+s {folder}), or ask the"
        " account that records for its server: ssh HOST terrarium-mcp serve."
    )


def _inaccessible(path: Path, error: OSError) -> StoreFailed:
    return StoreFailed(
        f"The folder {path.parent} cannot be made or looked into: {error.strerror}."
        " Name a database elsewhere with DB_PATH or --db."
    )
