"""The store as a whole: one object with a topic for each kind of memory."""

import logging
import os
import sqlite3
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

import anyio
from anyio import from_thread, to_thread

from terrarium_mcp.errors import TerrariumError, plainly
from terrarium_mcp.settings import Settings
from terrarium_mcp.store.backlog import Backlog
from terrarium_mcp.store.changes import changes
from terrarium_mcp.store.database import Database, StoreFailed, explained
from terrarium_mcp.store.keeper import Keeper
from terrarium_mcp.store.links import Links
from terrarium_mcp.store.messages import Messages
from terrarium_mcp.store.migrations import CURRENT, migrate, version_of
from terrarium_mcp.store.opening import Opening, StillOpening
from terrarium_mcp.store.people import People
from terrarium_mcp.store.presence import PresenceTopic
from terrarium_mcp.store.rooms import Rooms
from terrarium_mcp.store.search import SearchTopic
from terrarium_mcp.store.spans import Spans
from terrarium_mcp.store.stats import Stats
from terrarium_mcp.store.topics import Topics
from terrarium_mcp.store.upkeep import CHUNK, Upkeep

AT_ONCE = 0.5
"""Seconds in which an ordinary file is open; what takes longer goes on in the background."""

_MIGRATING = 0.7
"""The part of a long opening that the migration takes; the rest is the index."""

_LOOK_AGAIN = 0.1
"""Seconds between two looks at how far another process is."""

log = logging.getLogger(__name__)


class Store:
    """One database and what is remembered in it, by topic."""

    def __init__(self, path: Path, settings: Settings) -> None:
        self.path = path
        self.opening = Opening()
        self.keeper = Keeper(path)
        self._settings = settings
        self._database = Database(path, self.opening.wait)
        network = settings.network_name
        self._upkeep = Upkeep(self._database, network)
        self.rooms = Rooms(self._database)
        self.messages = Messages(self._database, self._upkeep)
        self.search = SearchTopic(self._database, self._upkeep)
        self.spans = Spans(self._database)
        self.presence = PresenceTopic(self._database)
        self.links = Links(self._database, self._upkeep)
        self.topics = Topics(self._database, self._upkeep)
        self.people = People(self._database, self._upkeep)
        self.stats = Stats(self._database, self._upkeep)
        self.backlog = Backlog(path.parent / "enhancements")

    def changes(self) -> AsyncIterator[list[int]]:
        """The ids of messages as they are committed, here or by another process, in groups."""
        return changes(self._database)

    async def run(self) -> None:
        """Open the file, then do the keeper's duties as long as the store is used."""
        try:
            await self._open()
        except TerrariumError as why:
            self.opening.fail(why)
            return
        self.opening.succeed()
        await self.keeper.serve(self._database, self._upkeep)

    async def aclose(self) -> None:
        """Let go of the file; the keeper leaves it without a WAL to be read."""
        with anyio.CancelScope(shield=True):
            if self.keeper.is_us and self._database.is_open:
                try:
                    await self._database.checkpoint("TRUNCATE")
                except StoreFailed as why:
                    log.warning("%s", why)
            await self._database.aclose()
            self.keeper.let_go()

    async def _open(self) -> None:
        while await to_thread.run_sync(_version, self.path) < CURRENT:
            if self.keeper.ask():
                await self._migrate()
            else:
                await anyio.sleep(_LOOK_AGAIN)  # another process is at it
        await self._take_in_what_is_behind()
        await self._database.open()

    async def _migrate(self) -> None:
        """Migrate in a thread; cancelling stops it at its next report, and nothing has changed."""

        def report(part: float) -> None:
            from_thread.check_cancelled()
            self.opening.report(part * _MIGRATING)

        with explained(self.path):
            await to_thread.run_sync(migrate, self.path, self._settings, report)

    async def _take_in_what_is_behind(self) -> None:
        """Take in what was migrated or appended, or wait for the keeper that does it."""

        def report(part: float) -> None:
            self.opening.report(_MIGRATING + part * (1 - _MIGRATING))

        async with aclosing(Database(self.path)) as database:
            await database.open()
            upkeep = Upkeep(database, self._settings.network_name)
            at_first = await upkeep.behind()
            while not self.keeper.ask() and (behind := await upkeep.behind()) > CHUNK:
                report(max(0.0, 1 - behind / at_first))
                await anyio.sleep(_LOOK_AGAIN)
            if self.keeper.is_us:
                await upkeep.catch_up(report)


@asynccontextmanager
async def open_store(path: Path, settings: Settings | None = None) -> AsyncIterator[Store]:
    """Open the history at `path`: a new file is made, one of terrarium-irc taken over in place.

    Returns at once even when a migration takes long: calls then wait up to five seconds and end
    with `StillOpening`.

    Raises:
        StoreFailed: the folder or file cannot be written, the disk is full, the file is damaged.
        NotOurs: the file is another program's, or a later version's.
    """
    path = Path.cwd() / path
    _check_place(path)
    store = Store(path, settings or Settings())
    with plainly():
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(store.run)
                try:
                    await store.opening.wait(AT_ONCE)
                except StillOpening as still:
                    log.warning("%s", still)
                try:
                    yield store
                finally:
                    tasks.cancel_scope.cancel()
        finally:
            await store.aclose()  # once nobody of ours uses it any more


def _check_place(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        is_folder, exists = path.is_dir(), path.exists()
    except OSError as why:
        raise StoreFailed(
            f"The folder {path.parent} cannot be made or looked into: {why.strerror}."
            " Name a database elsewhere with DB_PATH or --db."
        ) from why
    if is_folder:
        raise StoreFailed(f"{path} is a folder. Name a file in it with DB_PATH or --db.")
    for place, needed in [(path.parent, os.R_OK | os.W_OK | os.X_OK), (path, os.R_OK | os.W_OK)]:
        if (exists or place != path) and not os.access(place, needed):
            raise StoreFailed(
                f"This account may not write {place}. SQLite needs to, even for reading: it keeps"
                " its -wal and -shm files in the folder. Give the account write permission on both"
                f" (for example: chgrp -R GROUP {path.parent} && chmod -R g+rw {path.parent}), or"
                " ask the account that records for its server: ssh HOST terrarium-mcp serve."
            )


def _version(path: Path) -> int:
    """The file's version; 0 also while somebody holds it locked."""
    with explained(path):
        try:
            return version_of(path)
        except sqlite3.OperationalError as why:
            if "locked" in str(why):
                return 0
            raise
