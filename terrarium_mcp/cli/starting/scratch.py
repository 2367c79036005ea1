"""The temporary folder of an import, and those that imports left which were killed."""

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from stat import S_ISDIR
from tempfile import TemporaryDirectory

from filelock import FileLock, Timeout

_PREFIX = "terrarium-import-"
_LOCK = "in-use"
"""The file in the folder that its import holds locked: the lock ends with the process."""

_JUST_MADE = 60.0
"""Seconds in which a folder is left alone: its import may not hold the lock yet."""

_FORGOTTEN = 86_400.0
"""Seconds after which one without a lock goes: its import was killed before it made one, or while
it removed the folder."""


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A private folder, removed after the block; those of imports that were killed go before it."""
    with TemporaryDirectory(prefix=_PREFIX) as name:
        folder = Path(name)
        lock = FileLock(folder / _LOCK)
        with suppress(OSError, NotImplementedError):  # its file system has no locks
            lock.acquire(blocking=False)
        try:
            for other in folder.parent.glob(f"{_PREFIX}*"):
                with suppress(OSError):  # it is not ours, or is removed by its own import
                    _remove_if_left(other, folder.stat().st_uid)
            yield folder
        finally:
            lock.release()


def _remove_if_left(folder: Path, owner: int) -> None:
    """Remove a folder of ours whose import is gone.

    Nothing in that of another account is opened: its lock may be a link to a file of ours.
    """
    status = folder.lstat()
    if not S_ISDIR(status.st_mode) or status.st_uid != owner:
        return
    try:
        age = time.time() - (folder / _LOCK).lstat().st_mtime
    except FileNotFoundError:
        if time.time() - status.st_mtime > _FORGOTTEN:
            shutil.rmtree(folder)
        return
    if age < _JUST_MADE:
        return
    lock = FileLock(folder / _LOCK)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        return
    lock.release()
    shutil.rmtree(folder)
