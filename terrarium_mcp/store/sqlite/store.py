"""The store: one object for a database, with an attribute for each topic."""

import logging
from collections.abc import AsyncIterator, Callable, Collection, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
from anyio import to_thread

from terrarium_mcp.errors import TerrariumError, plainly
from terrarium_mcp.settings import Settings
from terrarium_mcp.store.backlog import Backlog, backlog_folder
from terrarium_mcp.store.errors import BacklogBusy, BacklogFailed, StillOpening
from terrarium_mcp.store.sqlite.engine.failures import translate_errors
from terrarium_mcp.store.sqlite.engine.file_lock import is_held
from terrarium_mcp.store.sqlite.engine.folder_access import check_permissions, make_folder
from terrarium_mcp.store.sqlite.engine.rooms import UNNAMED_NETWORK, Rooms
from terrarium_mcp.store.sqlite.index.all_structures import EVERYTHING
from terrarium_mcp.store.sqlite.keeper import lock_file
from terrarium_mcp.store.sqlite.schema import repair
from terrarium_mcp.store.sqlite.schema.recreation import Repair
from terrarium_mcp.store.sqlite.service import FileService
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
    from terrarium_mcp.store.sqlite.archive.archive import Archive
    from terrarium_mcp.store.sqlite.backup import CarriedConsent, RecordedConsent
    from terrarium_mcp.store.sqlite.imports.imports import Imports
    from terrarium_mcp.store.sqlite.removal.removal import Removal
    from terrarium_mcp.store.sqlite.search.message_search import MessageSearch
    from terrarium_mcp.store.sqlite.search.scope_stats import ScopeCounter
    from terrarium_mcp.store.sqlite.topics.conversations import Conversations
    from terrarium_mcp.store.sqlite.topics.dialogues import Dialogues
    from terrarium_mcp.store.sqlite.topics.digest import DigestReader
    from terrarium_mcp.store.sqlite.topics.heartbeats import Heartbeats

AT_ONCE = 0.5
"""Seconds to wait for an ordinary file to open; a longer opening continues in the background."""

_REPORT_EVERY = 2.0
"""Seconds between two reports of a long opening's progress."""

log = logging.getLogger(__name__)


class Store:
    """One database and its contents, by topic."""

    def __init__(self, service: FileService) -> None:
        """The contents of the file that this service opens and keeps."""
        self.service = service
        self.path = service.path
        self.opening = service.opening
        self.keeper = service.keeper
        self._database = database = service.database
        self._indexer = indexer = service.indexer
        self._opt_out_reader = opt_out_reader = service.opt_out_reader
        self.rooms = Rooms(database)
        self.opt_outs = OptOutRegister(database, opt_out_reader)
        self.messages = Messages(database, indexer, opt_out_reader)
        self.spans = Spans(database, opt_out_reader)
        self.presence = Presence(database, opt_out_reader)
        self.quiet_channels = QuietChannels(database)
        self.introductions = Introductions(database)
        self.links = Links(database, indexer)
        self.topics = Topics(database, indexer)
        self.people = People(database, indexer)
        self.stats = Stats(database, indexer)
        self.backlog = Backlog(backlog_folder(self.path))

    @cached_property
    def search(self) -> "MessageSearch":
        """Search: what was said, by a query or a plain question."""
        from terrarium_mcp.store.sqlite.search.message_search import (  # noqa: PLC0415 -- see above
            MessageSearch,
        )

        return MessageSearch(self._database, self._indexer)

    @cached_property
    def scope_stats(self) -> "ScopeCounter":
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

        return Dialogues(self._database, self._opt_out_reader)

    @cached_property
    def digest(self) -> "DigestReader":
        """Digests of what was said, without a model."""
        from terrarium_mcp.store.sqlite.topics.digest import DigestReader  # noqa: PLC0415 -- see above

        return DigestReader(self._database, self._indexer)

    @cached_property
    def archive(self) -> "Archive":
        """The history row by row, for exports, and a way to write it back."""
        from terrarium_mcp.store.sqlite.archive.archive import Archive  # noqa: PLC0415 -- see above

        return Archive(self._database, self._indexer)

    @cached_property
    def removal(self) -> "Removal":
        """Removal of one message, or of everything of a person."""
        from terrarium_mcp.store.sqlite.removal.removal import Removal  # noqa: PLC0415 -- see above

        return Removal(self._database, self._indexer, self.backlog)

    @cached_property
    def imports(self) -> "Imports":
        """Logs of other programs: merged into the history, listed, and undone."""
        from terrarium_mcp.store.sqlite.imports.imports import Imports  # noqa: PLC0415 -- see above

        return Imports(
            self._database, self._indexer, self._opt_out_reader, lambda: self.keeper.is_us
        )

    async def carry_consent(self, consent: "RecordedConsent") -> "CarriedConsent":
        """Bring here what people decided in a database that this one, a backup of it, replaces.

        Raises:
            StoreFailed, BacklogFailed: the database or the backlog cannot be written.
        """
        from terrarium_mcp.store.sqlite.backup.consent import (  # noqa: PLC0415 -- see above
            carry_consent,
        )

        if consent.network:  # what was decided since names the network so
            await self.name_network(consent.network)
        try:
            return await carry_consent(consent, self._database, self.removal)
        finally:
            self._opt_out_reader.changed()

    async def name_network(self, network: str) -> None:
        """Give this name to the network however it is spelt, and to the one that had none.

        The latter only if no other is known. A backlog that cannot be written is logged: the next
        call names the network there that had no name.

        Raises:
            StoreFailed: the database cannot be written.
        """
        await self.respell_network(network)
        if await self.rooms.name_network(network):
            self._opt_out_reader.changed()
            with _backlog_left(network, "no network"):
                await self.backlog.rename_network(UNNAMED_NETWORK, network)

    async def respell_network(self, network: str) -> None:
        """Give this name to the network however it is spelt, in every table and in the backlog.

        A log that was imported first may spell it otherwise. No opt-out would hold for it then.

        Raises:
            StoreFailed: the database cannot be written.
        """
        if await self.rooms.respell_network(network):
            self._opt_out_reader.changed()
        with _backlog_left(network, "another spelling"):  # also what was left the last time
            await self.backlog.respell_network(network)

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


@contextmanager
def _backlog_left(network: str, named: str) -> Iterator[None]:
    """Log that the ideas of a network keep what is `named` there, if they cannot be written."""
    try:
        yield
    except (BacklogFailed, BacklogBusy) as error:
        log.warning("ideas of %s still name %s: %s", network, named, error)


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
    service = FileService(path, settings or Settings(), adopt=adopt)
    store = Store(service)
    with plainly():
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(service.run)
                try:
                    await service.opening.wait_a_moment(AT_ONCE)
                except StillOpening:
                    tasks.start_soon(_report_progress, service)
                try:
                    yield store
                finally:
                    tasks.cancel_scope.cancel()
        finally:
            await service.aclose()  # after the last task that uses it


async def _report_progress(service: FileService) -> None:
    """Log the progress of a long opening until it succeeds or fails.

    Only the process that does the work reports it, since several may write to one terminal.
    """
    patience, waits = 0.0, False
    with suppress(TerrariumError):  # the next call on the store raises it
        while True:
            try:
                await service.opening.wait(patience)
            except StillOpening as still:
                if service.keeper.is_us:
                    log.info("%s", still.progress, extra={"progress": True})
                elif not waits and is_held(lock_file(service.path)):
                    log.info("another process is opening the history; waiting for it")
                    waits = True
                patience = _REPORT_EVERY
            else:
                return log.info("the history is open")


async def repair_schema(path: Path) -> Repair:
    """Recreate what is missing or different and can be rebuilt from the messages.

    Raises:
        Locked: another process has the file open.
        StoreFailed: the file cannot be written.
        NotOurs: it is another program's, or of an unknown version.
    """
    with translate_errors(path):
        return await to_thread.run_sync(repair, path)
