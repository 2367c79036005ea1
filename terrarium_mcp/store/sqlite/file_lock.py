"""Lock files of filelock: whether one is held, and what its holder wrote into it.

POSIX lets anybody read and write a file that is locked. Windows lets nobody but the holder do so
with the byte that filelock locks, the first: there, a text begins behind it.
"""

import sys
from pathlib import Path

if sys.platform == "win32":
    from filelock import lock_descriptor, unlock_descriptor

    _LOCKED = 1
else:
    import fcntl

    _LOCKED = 0
"""Bytes at the beginning of a lock file that only its holder may use."""


def is_held(lock: Path) -> bool:
    """Whether a process holds the lock: if not, this one has it for a moment, on POSIX shared."""
    try:
        with lock.open("rb") as file:
            if sys.platform == "win32":
                if not lock_descriptor(file.fileno(), blocking=False):
                    return True
                unlock_descriptor(file.fileno())  # which closing the file may do later only
            else:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def text_in(lock: Path) -> str:
    """What the last holder wrote into a lock file.

    Raises:
        OSError: it cannot be read.
        UnicodeDecodeError: it holds something else.
    """
    with lock.open("rb") as file:
        file.seek(_LOCKED)
        return file.read().decode()


def write_into(lock: Path, text: str) -> None:
    """Write a text into a lock file that this process holds, in the place of an older one.

    Raises:
        OSError: it cannot be written.
    """
    with lock.open("r+b") as file:
        file.seek(_LOCKED)
        file.write(text.encode())
        file.truncate()
