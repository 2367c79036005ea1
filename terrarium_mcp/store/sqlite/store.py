"""The store: one object for a database, with an attribute for each topic."""

import logging
import sqlite3
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager, suppress
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
from anyio import from_thread, to_thread

from terrarium_mcp.backoff import Reminder
from terrarium_mcp.errors import TerrariumError, plainly
from terrarium_mcp.settings import Settings
from terrarium_mcp.store.backlog import Backlog, backlog_folder
from terrarium_mcp.store.errors import StillOpening, StoreFailed
from terrarium_mcp.store.sqlite.claims import recorded_elsewhere
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.failures import translate_errors
from terrarium_mcp.store.sqlite.engine.files import bytes_of
from terrarium_mcp.store.sqlite.engine.places import check_permissions, make_folder
from terrarium_mcp.store.sqlite.engine.rooms import Rooms
from terrarium_mcp.store.sqlite.index.all_structures import EVERYTHING, VOICES
from terrarium_mcp.store.sqlite.index.indexer import INDEXED_BY_READ, Indexer
from terrarium_mcp.store.sqlite.index.voice_rules import adopt_rules, are_news
from terrarium_mcp.store.sqlite.ingest.opted_out import OptOutReader
from terrarium_mcp.store.sqlite.keeper import Keeper, is_held, lock_file
from terrarium_mcp.store.sqlite.opening import Opening
from terrarium_mcp.store.sqlite.path_watch import LOOK_EVERY, PathWatch
from terrarium_mcp.store.sqlite.schema import (
    CURRENT,
    NotAdopted,
    check_adopted,
    migrate,
    repair,
    version_of,
)
from terrarium_mcp.store.sqlite.schema.adoption import ADOPTION, WrongZone, adoption_in
from terrarium_mcp.store.sqlite.schema.recreation import Repair
from terrarium_mcp.store.sqlite.topics.change_feed import changes
from terrarium_mcp.store.sqlite.topics.channel_topics import Topics
from terrarium_mcp.store.sqlite.topics.introductions import Introductions
from terrarium_mcp.store.sqlite.topics.links import Links
from terrarium_mcp.store.sqlite.topics.messages import Messages
from terrarium_mcp.store.sqlite.topics.opt_outs import OptOutRegister
from terrarium_mcp.store.sqlite.topics.people import People
from terrarium_mcp.store.sqlite.topics.presence import Presence
from terrarium_mcp.store.sqlite.topics.quiet_channels import QuietChannels
from terrarium_mcp.store.sqlite.topics.spans import Spans
from terrarium_mcp.store.sqlite.topics.stats import Stats

if TYPE_CHECKING:  # each is loaded when it is first asked for, by many processes never
    from terrarium_mcp.store.sqlite.archive import Archive
    from terrarium_mcp.store.sqlite.imports import Imports
    from terrarium_mcp.store.sqlite.removal import Removal
    from terrarium_mcp.store.sqlite.search.message_search import MessageSearch
    from terrarium_mcp.store.sqlite.search.scope_stats import ScopeCounter
    from terrarium_mcp.store.sqlite.topics.conversations import Conversations
    from terrarium_mcp.store.sqlite.topics.dialogues import Dialogues
    from terrarium_mcp.store.sqlite.topics.digest import DigestReader
    from terrarium_mcp.store.sqlite.topics.heartbeats import Heartbeats

AT_ONCE = 0.5
"""Seconds to wait for an ordinary file to open; a longer opening continues in the background."""

LARGE, MANY = 3_000_000, 10_000
"""Bytes to migrate, or lines to index, beyond which opening takes longer than AT_ONCE."""

_MIGRATING = 0.35
"""The part of a long opening that the migration takes; indexing takes the rest."""

_REPORT_EVERY = 2.0
"""Seconds between two reports of a long opening's progress."""

_LOOK_AGAIN = 0.1
"""Seconds between two looks at another process's progress."""

log = logging.getLogger(__name__)


class Store:
    """One database and its contents, by topic."""

    def __init__(self, path: Path, settings: Settings, *, adopt: bool = False) -> None:
        self.path = path
        self._adopt = adopt
        self.opening = Opening()
        self.keeper = Keeper(path)
        self._settings = settings
        self._retaining = anyio.CancelScope()
        self._database = Database(path, self.opening.wait)
        self._path_watch = PathWatch(self._database, self.keeper, self._reopen)
        network = settings.network_name
        self._indexer = Indexer(self._database, network)
        self.rooms = Rooms(self._database)
        self._opted_out = opted_out = OptOutReader()
        self.opt_outs = OptOutRegister(self._database, opted_out)
        self.messages = Messages(self._database, self._indexer, opted_out)
        self.spans = Spans(self._database, opted_out)
        self.presence = Presence(self._database, opted_out)
        self.quiet_channels = QuietChannels(self._database)
        self.introductions = Introductions(self._database)
        self.links = Links(self._database, self._indexer)
        self.topics = Topics(self._database, self._indexer)
        self.people = People(self._database, self._indexer)
        self.stats = Stats(self._database, self._indexer)
        self.backlog = Backlog(backlog_folder(path))

    @cached_property
    def search(self) -> "MessageSearch":
        """Search: what was said, by a query or a plain question."""
        from terrarium_mcp.store.sqlite.search.message_search import (  # noqa: PLC0415 -- see above
            MessageSearch,
        )

        return MessageSearch(self._database, self._indexer)

    @cached_property
    def count(self) -> "ScopeCounter":
        """Figures of the lines that a query finds."""
        from terrarium_mcp.store.sqlite.search.scope_stats import (  # noqa: PLC0415 -- see above
            ScopeCounter,
        )

        return ScopeCounter(self._database, self._indexer)

    @cached_property
    def heartbeats(self) -> "Heartbeats":
        """What each bridge last reported of itself."""
        from terrarium_mcp.store.sqlite.topics.heartbeats import (  # noqa: PLC0415 -- see above
            Heartbeats,
        )

        return Heartbeats(self._database)

    @cached_property
    def conversations(self) -> "Conversations":
        """Conversations disentangled from unthreaded chat."""
        from terrarium_mcp.store.sqlite.topics.conversations import (  # noqa: PLC0415 -- see above
            Conversations,
        )

        return Conversations(self._indexer)

    @cached_property
    def dialogues(self) -> "Dialogues":
        """What the bot is in the middle of, in each channel and in private."""
        from terrarium_mcp.store.sqlite.topics.dialogues import (  # noqa: PLC0415 -- see above
            Dialogues,
        )

        return Dialogues(self._database, self._opted_out)

    @cached_property
    def digest(self) -> "DigestReader":
        """Digests of what was said, without a model."""
        from terrarium_mcp.store.sqlite.topics.digest import DigestReader  # noqa: PLC0415 -- see above

        return DigestReader(self._database, self._indexer)

    @cached_property
    def archive(self) -> "Archive":
        """The history row by row, for exports, and a way to write it back."""
        from terrarium_mcp.store.sqlite.archive import Archive  # noqa: PLC0415 -- see above

        return Archive(self._database, self._indexer)

    @cached_property
    def removal(self) -> "Removal":
        """Removal of one message, or of everything of a person."""
        from terrarium_mcp.store.sqlite.removal import Removal  # noqa: PLC0415 -- see above

        return Removal(self._database, self._indexer, self.backlog)

    @cached_property
    def imports(self) -> "Imports":
        """Logs of other programs: merged into the history, listed, and undone."""
        from terrarium_mcp.store.sqlite.imports import Imports  # noqa: PLC0415 -- see above

        return Imports(self._database, self._indexer, self._opted_out)

    def changes(self) -> AsyncIterator[list[int]]:
        """The ids of messages as any process commits them, in groups."""
        return changes(self._database)

    async def rebuild(
        self, names: Collection[str], report: Callable[[float], None] = lambda _: None
    ) -> int:
        """Rebuild derived structures while others read and write; returns the number of messages.

        Raises:
            StoreFailed: it stopped; the keeper continues it.
        """
        await self._indexer.rebuild(names, report)
        return int(await self._database.value("SELECT count(*) FROM messages", default=0))

    async def indexed_up_to(self) -> int:
        """The id up to which everything derived from the messages is complete."""
        return await self._indexer.indexed_up_to(*EVERYTHING)

    async def differences(self, names: Collection[str] = EVERYTHING) -> list[str]:
        """Compare derived structures with a recount: one sentence for each difference.

        Reads every message and keeps the write lock meanwhile: `doctor --deep` works on a copy.
        """
        return await self._indexer.differences(names)

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
            self._duties.start_soon(self.keeper.serve, self._database, self._indexer)
            self._duties.start_soon(self._path_watch.run)
            self._start_retention()

    @property
    def is_away(self) -> bool:
        """Whether the database was moved, deleted or replaced while in use, and is not healed."""
        return self._path_watch.is_away

    async def change_settings(self, settings: Settings) -> None:
        """Use other settings from now on: how speakers are told apart, and how long lines are kept.

        Raises:
            StoreFailed: the database cannot be written; nothing has changed.
        """
        if await are_news(self._database, settings):
            await adopt_rules(self._database, settings)
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
        await self._database.leave()
        self._opted_out.other_file()
        self.keeper.release()  # the lock file may have been moved along
        reminder = Reminder()
        while True:
            try:
                make_folder(self.path)
                await self._open()
            except TerrariumError as error:
                if reminder.is_due(anyio.current_time()):
                    log.error("%s", error)  # noqa: TRY400 -- for operators
                self.keeper.release()
                await self._database.leave()
                await anyio.sleep(LOOK_EVERY)
            else:
                return self.opening.succeed()

    async def _retain(self, scope: anyio.CancelScope) -> None:
        """Remove what is too old, again and again, until `scope` is cancelled."""
        from terrarium_mcp.store.sqlite.removal.retention import (  # noqa: PLC0415 -- see above
            Retention,
        )

        with scope:
            await Retention(self._database, self._indexer, self._settings).serve(self.keeper)

    async def aclose(self) -> None:
        """Close the file; the keeper empties its WAL first."""
        with anyio.CancelScope(shield=True):
            if self.keeper.is_us and self.opening.is_done:
                try:
                    await self._database.checkpoint("TRUNCATE")
                except StoreFailed as error:
                    log.warning("%s", error)
            await self._database.aclose()
            self.keeper.release()

    async def _open(self) -> None:
        may_adopt = self._adopt
        while await to_thread.run_sync(_version, self.path, may_adopt) < CURRENT:
            may_adopt = True  # which is checked again, with the file locked
            if self.keeper.claim():
                await self._migrate()
            else:
                self.opening.takes_long()
                await anyio.sleep(_LOOK_AGAIN)  # another process is migrating it
        await self._database.open()
        if self._adopt:
            await self._check_zone()
        if await are_news(self._database, self._settings):
            others = await to_thread.run_sync(recorded_elsewhere, self.path)
            await adopt_rules(self._database, self._settings, but_of=others)
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
        adoption = adoption_in(await self._database.rows(ADOPTION))
        if adoption and (complaint := adoption.complaint(self._settings.source_timezone)):
            raise WrongZone(f"{self.path}: {complaint}")

    async def _catch_up(self) -> None:
        """Index what was migrated or appended, or wait for the keeper that does so."""

        def report(part: float) -> None:
            self.opening.report(_MIGRATING + part * (1 - _MIGRATING))

        # Voices may be determined again while the history is in use; all else is needed first.
        looks_back = await self._indexer.lag([VOICES.name]) > MANY
        names = [name for name in EVERYTHING if not (looks_back and name == VOICES.name)]
        at_first = await self._indexer.lag(names)
        if at_first > MANY:
            self.opening.takes_long()
        while (
            not self.keeper.claim() and (behind := await self._indexer.lag(names)) > INDEXED_BY_READ
        ):
            report(max(0.0, 1 - behind / at_first))
            await anyio.sleep(_LOOK_AGAIN)
        if self.keeper.is_us:
            with plainly():
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(self.keeper.empty_wal, self._database)
                    await self._indexer.catch_up(report, names)
                    tasks.cancel_scope.cancel()


@asynccontextmanager
async def open_store(
    path: Path, settings: Settings | None = None, *, adopt: bool = False
) -> AsyncIterator[Store]:
    """Open the history at `path`; a new file is made, one of an earlier version is migrated.

    Returns at once even when a migration takes long: calls then wait up to five seconds and end
    with `StillOpening`.

    Args:
        path: the database.
        settings: how to read it; the defaults if None.
        adopt: take over a database of terrarium-irc, in place. Otherwise not a byte of it changes.

    Raises:
        StoreFailed: the folder or file cannot be written, the disk is full, the file is damaged.
        NotOurs: the file is another program's, or a later version's.
        WrongSchema: it lacks a table or another part of the schema, or has another form of it.
        MigrationBlocked: it has to be migrated, but another program uses it.
        CopyFailed: the copy made before a migration could not be written.
        NotAdopted: the file is terrarium-irc's, and `adopt` is false.
        WrongZone: `adopt` is true, and the file was adopted in another zone than the settings name.
    """
    path = Path.cwd() / path
    make_folder(path)
    check_permissions(path)
    store = Store(path, settings or Settings(), adopt=adopt)
    with plainly():
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(store.run)
                try:
                    await store.opening.wait_a_moment(AT_ONCE)
                except StillOpening:
                    tasks.start_soon(_report_progress, store)
                try:
                    yield store
                finally:
                    tasks.cancel_scope.cancel()
        finally:
            await store.aclose()  # after the last task that uses it


async def _report_progress(store: Store) -> None:
    """Log the progress of a long opening until it succeeds or fails.

    Only the process that does the work reports it, since several may write to one terminal.
    """
    patience, waits = 0.0, False
    with suppress(TerrariumError):  # the next call on the store raises it
        while True:
            try:
                await store.opening.wait(patience)
            except StillOpening as still:
                if store.keeper.is_us:
                    log.info("%s", still.progress, extra={"progress": True})
                elif not waits and is_held(lock_file(store.path)):
                    log.info("another process is opening the history; waiting for it")
                    waits = True
                patience = _REPORT_EVERY
            else:
                return log.info("the history is open")


def require_adopted(path: Path) -> None:
    """Check that the file is not an unadopted terrarium-irc database; it is not changed.

    Raises:
        NotAdopted: it is one. The message names the commands that adopt it.
    """
    check_permissions(path)
    _refuse_unadopted(path)


def _refuse_unadopted(path: Path) -> None:
    """As `require_adopted`; not while another process is the keeper and may be adopting it."""
    try:
        check_adopted(path)
    except NotAdopted:
        if not is_held(lock_file(path)):
            check_adopted(path)  # that process may have finished between the two looks


async def repair_schema(path: Path) -> Repair:
    """Recreate what is missing or different and can be rebuilt from the messages.

    Raises:
        Locked: another process has the file open.
        StoreFailed: the file cannot be written.
        NotOurs: it is another program's, or of an unknown version.
    """
    with translate_errors(path):
        return await to_thread.run_sync(repair, path)


def _version(path: Path, may_adopt: bool) -> int:
    """The file's version; 0 also while another process holds it locked."""
    if not may_adopt:
        _refuse_unadopted(path)
    with translate_errors(path):
        try:
            return version_of(path)
        except sqlite3.OperationalError as error:
            if "locked" in str(error):
                return 0
            raise
