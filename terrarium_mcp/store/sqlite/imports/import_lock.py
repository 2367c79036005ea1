"""The import lock: of a database one import runs at a time.

A log is compared with what is stored, which the log of an import beside it is not yet: of two whose
clocks differ each would add all of its lines.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
from filelock import FileLock, Timeout

from terrarium_mcp.store.private_files import give_to_owner, mode_beside
from terrarium_mcp.store.sqlite.engine.files import beside

TRY_EVERY = 0.5
"""Seconds between two attempts."""


def import_lock_file(path: Path) -> Path:
    """The lock file beside a database."""
    return beside(path, ".importing")


@asynccontextmanager
async def only_import(path: Path, on_wait: Callable[[], None]) -> AsyncIterator[None]:
    """Let no other import of a database run during the block; `on_wait` is called if one does.

    Where this account may not make the lock file, nothing is kept from running.
    """
    file = import_lock_file(path)
    lock = FileLock(file, mode=mode_beside(path), thread_local=False)
    is_waiting = False
    try:
        while not _is_ours(lock):
            if not is_waiting:
                is_waiting = True
                on_wait()
            await anyio.sleep(TRY_EVERY)
        give_to_owner(file, path)
        yield
    finally:
        lock.release()


def _is_ours(lock: FileLock) -> bool:
    try:
        lock.acquire(blocking=False)
    except Timeout:
        return False
    except OSError:
        pass
    return True
