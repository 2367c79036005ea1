"""Waiting: who has to wait for the write lock says so, and who writes much then makes room.

SQLite tells nobody that somebody waits. Whoever does therefore holds a second lock file beside the
database for as long, and a long transaction looks there between two of its steps. The lock belongs
to the operating system: a process that dies does not wait any more.
"""

from contextlib import suppress
from pathlib import Path

from filelock import FileLock, Timeout


class Waiting:
    """Who waits for the write lock of a database, in whatever process."""

    def __init__(self, path: Path) -> None:
        self._file = path.with_name(path.name + ".waiting")
        # One connection of ours waits in the event loop's thread and may stop doing so elsewhere.
        self._lock = FileLock(self._file, thread_local=False)

    def begin(self) -> None:
        """Say that we wait; to be said again now and then, as another may be saying so already."""
        with suppress(OSError):  # Timeout is one too: another says so. Who may not is still served
            if not self._lock.is_locked:
                self._lock.acquire(blocking=False)

    def end(self) -> None:
        """Say that we do not wait any more."""
        self._lock.release(force=True)

    def of_others(self) -> bool:
        """Whether somebody else waits; asked by who holds the write lock, and so does not wait."""
        if not self._file.exists():  # nobody ever had to wait
            return False
        try:
            self._lock.acquire(blocking=False)
        except Timeout:
            return True
        except OSError:  # a file that we may not open says nothing
            return False
        self._lock.release()
        return False
