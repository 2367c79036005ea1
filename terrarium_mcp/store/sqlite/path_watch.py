"""Notices a database that was moved, deleted or replaced while in use, and heals it.

- Moved, with nothing in its place: the process goes on writing to the moved file, so that nothing
  is lost, until the file is back or another database is at the path.
- Deleted: nothing is written, since that would be lost; a recorder keeps its lines. Half a
  minute later a new database is begun at the path.
- Another database at the path, unchanged for some seconds (it may be a copy that is not complete):
  it is opened, and used from then on.
"""

import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress

import anyio
from anyio import to_thread

from terrarium_mcp.backoff import Reminder
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.store.errors import StoreFailed
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.failures import translate_errors
from terrarium_mcp.store.sqlite.engine.files import FileState, state_of
from terrarium_mcp.store.sqlite.engine.location import FileLocation
from terrarium_mcp.store.sqlite.keeper import Keeper
from terrarium_mcp.store.sqlite.schema import version_of

LOOK_EVERY = 1.0
"""Seconds between two looks at the path."""

SETTLED = 3.0
"""Seconds for which another file at the path must be unchanged before it is opened."""

BEGIN_AFTER = 30.0
"""Seconds after which a new database is begun in the place of a deleted one."""

_NOTHING = FileState(0, 0)

log = logging.getLogger(__name__)


class PathWatch:
    """Watches the path of one open database. `reopen` opens what is there."""

    def __init__(
        self, database: Database, keeper: Keeper, reopen: Callable[[], Awaitable[None]]
    ) -> None:
        self._database = database
        self._keeper = keeper
        self._reopen = reopen
        self._path = database.path
        self._forget()

    @property
    def is_displaced(self) -> bool:
        """Whether the open file is not the one at the path."""
        return self._displaced_since is not None

    async def run(self) -> None:
        """Look again and again, until cancelled."""
        while True:
            await anyio.sleep(LOOK_EVERY)
            location = self._database.location
            if location is None:
                continue
            if location.is_at_path:
                self._returned()
                continue
            await self._empty_wal()
            if await self._is_to_be_reopened(location):
                is_new = self._seen == _NOTHING
                await self._reopen()
                if is_new:
                    log.warning("a new database was begun at %s", self._path)
                else:
                    log.warning("the database %s was opened again", self._path)
                self._forget()

    def _forget(self) -> None:
        self._reminder = Reminder()
        self._displaced_since: float | None = None
        self._seen, self._seen_since = _NOTHING, 0.0

    def _returned(self) -> None:
        if self.is_displaced:
            log.warning("the database %s is in its place again", self._path)
            self._forget()

    async def _empty_wal(self) -> None:
        """Complete the moved file: its WAL may have stayed, and be taken for another file's."""
        if self._keeper.is_us:
            with suppress(StoreFailed):
                await self._database.checkpoint("TRUNCATE")

    async def _is_to_be_reopened(self, location: FileLocation) -> bool:
        """Whether what is at the path now is to be used; says in the log what happened."""
        now, seen = anyio.current_time(), state_of(self._path)
        self._displaced_since = now if self._displaced_since is None else self._displaced_since
        if seen != self._seen:
            self._seen, self._seen_since = seen, now
        if seen == _NOTHING:
            self._remind(f"{_what_happened(location)} {_way_out(location)}")
            return location.is_deleted and now >= self._displaced_since + BEGIN_AFTER
        return now >= self._seen_since + SETTLED and await self._is_usable(location)

    async def _is_usable(self, location: FileLocation) -> bool:
        """Whether the file that is now at the path is a database of ours."""
        try:
            with translate_errors(self._path):
                if await to_thread.run_sync(version_of, self._path):
                    return True
            problem = "it is not a terrarium-mcp database."
        except (TerrariumError, OSError) as error:
            problem = str(error)
        self._remind(
            f"{_what_happened(location)} The file there now cannot be used: {problem}"
            f" {_way_out_beside_a_file(location)}"
        )
        return False

    def _remind(self, text: str) -> None:
        if self._reminder.take_due(anyio.current_time()):
            log.error("%s", text)


def _what_happened(location: FileLocation) -> str:
    if location.is_deleted:
        return (
            f"The database {location.path} was deleted while in use, so nothing is written to it:"
            " lines wait in memory, and a restart loses them."
        )
    return (
        f"The database {location.path} was moved away while in use: it is now {location.now_at},"
        " and is still being written."
    )


def _way_out(location: FileLocation) -> str:
    """What to do where nothing is at the path."""
    if location.is_deleted:
        return f"Put a database there; otherwise a new one is begun after {BEGIN_AFTER:g} s."
    return "Move it back, or put another one there to go on with that."


def _way_out_beside_a_file(location: FileLocation) -> str:
    """What to do where another program's file is at the path, which is left alone."""
    if location.is_deleted:
        return (
            "Move that file away while terrarium-mcp runs: a new database is begun in its place,"
            " with the lines that wait."
        )
    return "Move that file away, and the database back."
