"""The import lock: of a database one import runs at a time.

A log is compared with what is stored, which the log of an import beside it is not yet: of two whose
clocks differ each would add all of its lines.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
from filelock import FileLock

from terrarium_mcp.store.sqlite.engine.file_lock import acquire_now, lock_beside

TRY_EVERY = 0.5
"""Seconds between two attempts."""


@asynccontextmanager
async def only_import(path: Path, on_wait: Callable[[], None]) -> AsyncIterator[None]:
    """Let no other import of a database run during the block; `on_wait` is called if one does.

    Where this account may not make the lock file, nothing is kept from running.
    """
    lock = lock_beside(path, ".importing")
    is_waiting = False
    try:
        while not _is_ours(lock, path):
            if not is_waiting:
                is_waiting = True
                on_wait()
            await anyio.sleep(TRY_EVERY)
        yield
    finally:
        lock.release()


def _is_ours(lock: FileLock, path: Path) -> bool:
    try:
        return acquire_now(lock, path)
    except OSError:
        return True
