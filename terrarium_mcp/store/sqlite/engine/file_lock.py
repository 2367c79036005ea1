"""Lock files of filelock: how one is taken, whether it is held, and what its holder wrote into it.

POSIX lets anybody read and write a file that is locked. Windows lets nobody but the holder do so
with the byte that filelock locks, the first: there, a text begins behind it.
"""

import json
import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.store.private_files import give_to_owner, mode_beside
from terrarium_mcp.store.sqlite.engine.files import beside

if sys.platform == "win32":
    from filelock import lock_descriptor, unlock_descriptor

    _LOCKED = 1
else:
    import fcntl

    _LOCKED = 0
"""Bytes at the beginning of a lock file that only its holder may use."""


def lock_beside(database: Path, ending: str) -> FileLock:
    """A lock between the processes that use a database, not acquired yet.

    It is acquired in the event loop's thread, and released wherever the loop ends.
    """
    return FileLock(beside(database, ending), mode=mode_beside(database), thread_local=False)


def acquire_now(lock: FileLock, database: Path) -> bool:
    """Acquire a lock unless another process holds it; never waits. Whether this one has it now.

    Raises:
        OSError: this account may not lock the file, or there can be none.
    """
    try:
        lock.acquire(blocking=False)
    except Timeout:
        return False
    give_to_owner(Path(lock.lock_file), database)
    return True


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


def record_in(lock: Path) -> dict[str, Any]:
    """The record that the last holder wrote into a lock file; its command can be shown.

    Raises:
        OSError: it cannot be read.
        ValueError, TypeError, KeyError: it holds none, or not all of one.
    """
    record = json.loads(text_in(lock))
    return {**record, "command": harmless(str(record["command"]))}  # it may hold any byte


def write_record(lock: Path, **more: object) -> None:
    """Write into a lock file who holds it: this process, from now on; and what `more` says of it.

    Raises:
        OSError: it cannot be written.
    """
    command = " ".join([Path(sys.argv[0]).name, *sys.argv[1:]])
    since = datetime.now(UTC).isoformat(" ", "seconds")
    record = {"pid": os.getpid(), "command": command, "since": since, **more}
    write_into(lock, json.dumps(record) + "\n")
