"""A process of an older version that has the file open: nobody can migrate it meanwhile.

One that is at work on a migration is the keeper too, but keeps the file locked meanwhile.
"""

import logging
from pathlib import Path

from terrarium_mcp.backoff import Reminder
from terrarium_mcp.store.sqlite.engine.file_lock import is_held
from terrarium_mcp.store.sqlite.keeper import KeeperRecord, lock_file
from terrarium_mcp.store.sqlite.schema import CURRENT

PATIENCE = 4.0
"""Seconds until it is certain: between its claim and the lock, a migration reads the file.

A call waits longer than that for the history (opening.py), so that its error can name the process.
"""

log = logging.getLogger(__name__)


def older_keeper(path: Path, version: int) -> str:
    """Which process keeps a file of an older version from being migrated, and what to do.

    Empty if none does; `version` is that of the file, 0 if it is locked or of another program.
    """
    lock = lock_file(path)
    if not 0 < version < CURRENT or not is_held(lock):
        return ""
    keeper = KeeperRecord.read(lock)
    name = f"Process {keeper.pid} ({keeper.command})" if keeper else "A process"
    return (
        f"{name} is of an older terrarium-mcp and has {path} open, which has version {version} and"
        f" has to be migrated to {CURRENT}. Stop that process."
    )


class OlderKeeperWatch:
    """Names the process that must be stopped, to callers and at intervals in the log."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._since: float | None = None
        self._reminder = Reminder()

    def note(self, version: int, now: float) -> str:
        """Note the version that was just read, while another process is the keeper.

        Returns:
            What has to be done, once that is certain; else nothing.
        """
        self._since = now if self._since is None else self._since
        if not (problem := older_keeper(self._path, version)):
            self._since = None
        elif now < self._since + PATIENCE:
            return ""
        elif self._reminder.take_due(now):
            log.warning("%s Until then the history is not open here.", problem)
        return problem
