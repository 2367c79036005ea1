"""The service of one file: opens it, keeps it, finds it again when it was moved, and closes it."""

import logging
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import anyio
from anyio import from_thread, to_thread

from terrarium_mcp.backoff import Reminder
from terrarium_mcp.errors import TerrariumError, plainly
from terrarium_mcp.settings import Settings
from terrarium_mcp.store.errors import StoreFailed
from terrarium_mcp.store.sqlite.claims import recorded_elsewhere
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.failures import translate_errors
from terrarium_mcp.store.sqlite.engine.file_lock import is_held
from terrarium_mcp.store.sqlite.engine.files import bytes_of
from terrarium_mcp.store.sqlite.engine.folder_access import check_permissions, make_folder
from terrarium_mcp.store.sqlite.index.all_structures import EVERYTHING, VOICES
from terrarium_mcp.store.sqlite.index.indexer import INDEXED_BY_READ, Indexer
from terrarium_mcp.store.sqlite.index.structure import NORMALISED
from terrarium_mcp.store.sqlite.index.voice_rules import adopt_rules, are_news
from terrarium_mcp.store.sqlite.index.watermarks import IndexState
from terrarium_mcp.store.sqlite.ingest.opt_out_reader import OptOutReader
from terrarium_mcp.store.sqlite.keeper import Keeper, lock_file
from terrarium_mcp.store.sqlite.older_keeper import OlderKeeperWatch
from terrarium_mcp.store.sqlite.opening import Opening
from terrarium_mcp.store.sqlite.path_watch import LOOK_EVERY, PathWatch
from terrarium_mcp.store.sqlite.schema import (
    CURRENT,
    NotAdopted,
    check_adopted,
    migrate,
    version_of,
)
from terrarium_mcp.store.sqlite.schema.adoption import ADOPTION, WrongZone, adoption_in
from terrarium_mcp.store.sqlite.trusted_time import SteadyClock

LARGE, MANY = 3_000_000, 10_000
"""Bytes to migrate, or lines to index, beyond which opening may take longer than half a second."""

_MIGRATING = 0.35
"""The part of a long opening that the migration takes; indexing takes the rest."""

_LOOK_AGAIN = 0.1
"""Seconds between two looks at another process's progress."""

log = logging.getLogger(__name__)


class FileService:
    """What one process does for a file as long as it is in use.

    Attributes:
        path: the file.
        database: the connections to it.
        indexer: what keeps everything derived from its messages.
        opt_out_reader: reads who is not to be recorded.
        opening: whether it is open, or how far that is.
        keeper: whether this process performs the duties that only one may.
        after_reopening: called in a thread once another file was opened; with an error it is left,
            and opened again later.
    """

    def __init__(self, path: Path, settings: Settings, *, adopt: bool = False) -> None:
        self.path = path
        self.opening = Opening()
        self.keeper = Keeper(path)
        self.database = Database(path, self.opening.wait)
        self.indexer = Indexer(self.database, settings.network_name)
        self.opt_out_reader = OptOutReader()
        self.after_reopening: list[Callable[[], None]] = []
        self._adopt = adopt
        self._settings = settings
        self._clock = SteadyClock(datetime.now(UTC), anyio.current_time())
        self._retaining = anyio.CancelScope()
        self._path_watch = PathWatch(self.database, self.keeper, self._reopen)

    async def run(self) -> None:
        """Open the file, then perform the keeper's duties as long as the store is in use."""
        self.opening.begin()
        try:
            await self._open()
        except TerrariumError as error:
            self.keeper.release()  # another process may succeed
            self.opening.fail(error)
            return
        self.opening.succeed()
        async with anyio.create_task_group() as self._duties:
            self._duties.start_soon(self.keeper.serve, self.database, self.indexer)
            self._duties.start_soon(self._path_watch.run)
            self._start_retention()

    @property
    def is_displaced(self) -> bool:
        """Whether the database was moved, deleted or replaced while in use, and is not healed."""
        return self._path_watch.is_displaced

    async def change_settings(self, settings: Settings) -> None:
        """Use other settings from now on: how speakers are told apart, and how long lines are kept.

        Raises:
            StoreFailed: the database cannot be written; nothing has changed.
        """
        if await are_news(self.database, settings):
            await adopt_rules(self.database, settings)
        self._settings = settings
        self._start_retention()

    def _start_retention(self) -> None:
        """Apply the retention that the settings name, and no other any more."""
        self._retaining.cancel()
        self._retaining = anyio.CancelScope()
        if self._settings.retention_days or self._settings.retention_by_channel:
            self._duties.start_soon(self._retain, self._retaining)

    async def _reopen(self) -> None:
        """Leave the file in use, and open the one that is at the path now; a new one if none is."""
        self.opening.begin()
        await self.database.leave()
        self.opt_out_reader.carry_to_other_file()
        self.keeper.release()  # the lock file may have been moved along
        reminder = Reminder()
        while True:
            try:
                make_folder(self.path)
                await self._open()
                for act in self.after_reopening:
                    await to_thread.run_sync(act)
            except TerrariumError as error:
                if reminder.take_due(anyio.current_time()):
                    log.error("%s", error)  # noqa: TRY400 -- for operators
                self.keeper.release()
                await self.database.leave()
                await anyio.sleep(LOOK_EVERY)
            else:
                return self.opening.succeed()

    async def _retain(self, scope: anyio.CancelScope) -> None:
        """Remove what is too old, again and again, until `scope` is cancelled."""
        from terrarium_mcp.store.sqlite.removal.retention import (  # noqa: PLC0415 -- few need it
            Retention,
        )

        with scope:
            await Retention(self.database, self.indexer, self._settings, self._clock).serve(
                self.keeper
            )

    async def aclose(self) -> None:
        """Close the file; the keeper empties its WAL first.

        It is closed and released even if asyncio itself cancels that, which no scope holds off.
        """
        with anyio.CancelScope(shield=True):
            try:
                if self.keeper.is_us and self.opening.is_done:
                    await self.database.checkpoint("TRUNCATE")
            except StoreFailed as error:
                log.warning("%s", error)
            finally:
                try:
                    await self.database.aclose()
                finally:
                    self.keeper.release()

    async def _open(self) -> None:
        may_adopt = self._adopt
        older = OlderKeeperWatch(self.path)
        while (version := await to_thread.run_sync(_version, self.path, may_adopt)) < CURRENT:
            may_adopt = True  # which is checked again, with the file locked
            if self.keeper.claim():
                self.opening.note_obstacle("")
                await self._migrate()
            else:
                self.opening.takes_long()
                self.opening.note_obstacle(older.note(version, anyio.current_time()))
                await anyio.sleep(_LOOK_AGAIN)  # another process is migrating it
        self.opening.note_obstacle("")
        await self.database.open()
        if self._adopt:
            await self._check_zone()
        if await are_news(self.database, self._settings):
            others = await to_thread.run_sync(recorded_elsewhere, self.path)
            await adopt_rules(self.database, self._settings, but_of=others)
        await self._catch_up()

    async def _migrate(self) -> None:
        """Migrate in a thread. If cancelled, it stops at its next report and changes nothing."""

        def report(part: float) -> None:
            from_thread.check_cancelled()
            self.opening.report(part * _MIGRATING)
            if is_large:  # a file in use would have been refused before the first report
                from_thread.run_sync(self.opening.takes_long)

        is_large = bytes_of(self.path) > LARGE
        with translate_errors(self.path):
            migration = partial(migrate, adopt=self._adopt)
            await to_thread.run_sync(migration, self.path, self._settings, report)

    async def _check_zone(self) -> None:
        """Refuse a zone other than the one in which the file's local times were read."""
        adoption = adoption_in(await self.database.rows(ADOPTION))
        if adoption and (complaint := adoption.complaint(self._settings.source_timezone)):
            raise WrongZone(f"{self.path}: {complaint}")

    async def _catch_up(self) -> None:
        """Index what was migrated or appended, or wait for the keeper that does so."""

        def report(part: float) -> None:
            self.opening.report(_MIGRATING + part * (1 - _MIGRATING))

        state = await self.indexer.state()
        names = [
            name
            for name in EVERYTHING
            if state.lag([name]) <= MANY or not self._may_wait(name, state)
        ]
        at_first = await self.indexer.lag(names)
        if at_first > MANY:
            self.opening.takes_long()
        while (
            not self.keeper.claim() and (behind := await self.indexer.lag(names)) > INDEXED_BY_READ
        ):
            report(max(0.0, 1 - behind / at_first))
            await anyio.sleep(_LOOK_AGAIN)
        if self.keeper.is_us:
            with plainly():
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(self.keeper.empty_wal, self.database)
                    await self.indexer.catch_up(report, names)
                    tasks.cancel_scope.cancel()

    def _may_wait(self, name: str, state: IndexState) -> bool:
        """Whether a structure may be made again while the history is in use.

        Voices may. Where the messages themselves are ready, all others may too: a command that
        lasts records meanwhile, and answers what does not need them. Only such commands adopt.
        """
        return name == VOICES.name or (self._adopt and state.lag([NORMALISED]) <= MANY)


def require_adopted(path: Path) -> None:
    """Check that the file is not an unadopted terrarium-irc database; it is not changed.

    Raises:
        NotAdopted: it is one. The message names the commands that adopt it.
    """
    check_permissions(path)
    refuse_unadopted(path)


def refuse_unadopted(path: Path) -> None:
    """Check that the file needs no adoption, or that another process may be adopting it.

    Raises:
        NotAdopted: it is an unadopted terrarium-irc database.
    """
    try:
        check_adopted(path)
    except NotAdopted:
        if not is_held(lock_file(path)):
            check_adopted(path)  # that process may have finished between the two looks


def _version(path: Path, may_adopt: bool) -> int:
    """The file's version; 0 also while another process holds it locked."""
    if not may_adopt:
        refuse_unadopted(path)
    with translate_errors(path):
        try:
            return version_of(path)
        except sqlite3.OperationalError as error:
            if "locked" in str(error):
                return 0
            raise
