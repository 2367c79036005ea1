"""Whether something is at a path, which may lie in a folder that is closed to this account.

Before Python 3.14 the methods of `Path` raise PermissionError there.
"""

import os
from pathlib import Path


def is_missing(path: Path) -> bool:
    """Whether there is nothing at `path`, or where it links; to open it says what is closed."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:  # os.path.exists may take that for nothing
        return False
    return False


def is_visible(path: Path) -> bool:
    """Whether this account sees anything at a path."""
    return os.path.exists(path)  # noqa: PTH110 -- Path.exists raises


def is_visible_file(path: Path) -> bool:
    """Whether this account sees a file at a path."""
    return os.path.isfile(path)  # noqa: PTH113 -- as above


def may_be_folder(path: Path) -> bool:
    """Whether a folder is there, or cannot be seen; to open a file in it says what is closed."""
    try:
        return path.is_dir()
    except OSError:
        return True
