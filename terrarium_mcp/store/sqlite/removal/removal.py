"""Removal of one message, or of everything of a person, as the store offers it."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime

from terrarium_mcp.chat.identity import fold
from terrarium_mcp.store.backlog import Backlog
from terrarium_mcp.store.records.removal import (
    AuditEntry,
    BacklogMentions,
    PersonTraces,
    PurgeResult,
    PurgeTarget,
    RemovalReason,
)
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.functions import storable
from terrarium_mcp.store.sqlite.engine.rooms import Rooms
from terrarium_mcp.store.sqlite.index.indexer import Indexer
from terrarium_mcp.store.sqlite.index.msgid_index import messages_with
from terrarium_mcp.store.sqlite.removal import audit
from terrarium_mcp.store.sqlite.removal.backlog_quotes import (
    mentions_of,
    purge_backlog,
    remove_quotes,
)
from terrarium_mcp.store.sqlite.removal.batched_delete import OnProgress
from terrarium_mcp.store.sqlite.removal.legacy_purge import TerrariumIrcFiles
from terrarium_mcp.store.sqlite.removal.purge import (
    audit_entry,
    folded_nick,
    ids_of,
    purge_tables,
    stored_traces,
)
from terrarium_mcp.store.sqlite.removal.redaction import redact_rows


class Removal:
    """Removes what was recorded. A reader sees each message either whole or gone.

    `terrarium_irc` reaches the files that terrarium-irc left, which `purge` does not.
    """

    def __init__(self, database: Database, indexer: Indexer, backlog: Backlog) -> None:
        self.terrarium_irc = TerrariumIrcFiles(database)
        self._database = database
        self._indexer = indexer
        self._rooms = Rooms(database)
        self._backlog = backlog

    async def redact(
        self, network: str, channel: str, msgid: str, *, asked_by: str, at: datetime
    ) -> bool:
        """Remove the text of the message with this msgid; False if no text has this msgid.

        The row stays as a tombstone: who said something, and when.
        """
        casemapping = await self._rooms.casemapping(network)
        room = {"network": storable(network), "folded": fold(storable(channel), casemapping)}
        async with self._database.writing() as writer:
            found = await writer.value(
                "SELECT id FROM rooms WHERE network = :network AND folded = :folded", room, 0
            )
            rows = await messages_with(writer, [(found, storable(msgid))])
            redacted = await redact_rows(
                writer, [row["id"] for row in rows], asked_by=asked_by, at=at
            )
        return await self._remove_quotes(redacted)

    async def traces(self, target: PurgeTarget) -> PersonTraces:
        """What `purge` would find of a person. Reads every message.

        Raises:
            BacklogFailed: the backlog cannot be read.
        """
        ids = await self._ids_quoted(target)
        traces = await stored_traces(self._database, target)
        return replace(traces, backlog=await mentions_of(self._backlog, target, ids))

    async def purge(
        self,
        target: PurgeTarget,
        *,
        asked_by: str,
        at: datetime,
        on_progress: OnProgress = lambda _: None,
    ) -> PurgeResult:
        """Remove everything of a person from tables and backlog, and each turn that rests on it.

        May be interrupted at any point: the same call then does the rest. It does not reach
        backups, exports, copies, or what others quoted.

        Raises:
            StoreFailed: the database cannot be written. What was removed stays removed.
            BacklogFailed: the backlog cannot be read or written. The tables are done, or for an
                identity not begun.
        """
        quotes = await self._unquote(target) if target.identity else None
        removed = await purge_tables(
            self._database,
            self._indexer,
            target,
            asked_by=asked_by,
            at=at,
            on_progress=on_progress,
        )
        quotes = quotes or await purge_backlog(self._backlog, target)
        if (quotes.written or quotes.quoting) and not any(removed):
            async with self._database.writing() as writer:
                await audit.begin(writer, audit_entry(target, asked_by, at))
        return PurgeResult(removed.messages, quotes, removed.turns)

    async def _unquote(self, target: PurgeTarget) -> BacklogMentions:
        """Remove an identity's messages from the backlog, before nobody can tell which they are."""
        return await purge_backlog(self._backlog, target, await self._ids_quoted(target))

    async def _ids_quoted(self, target: PurgeTarget) -> Collection[int]:
        """The messages that go from the backlog by id, where the nick proves nothing."""
        await self._indexer.catch_up()
        if target.identity and await self._backlog.all():
            return await ids_of(self._database, target)
        return ()

    async def was_purged(self, target: PurgeTarget) -> bool:
        """Whether an earlier purge removed messages of this nick, on any network."""
        return any(
            entry.why is RemovalReason.PURGE
            and folded_nick(PurgeTarget(entry.nick)) == folded_nick(target)
            for entry in await self.audit()
        )

    async def audit(self) -> Sequence[AuditEntry]:
        """Every removal so far, the oldest first."""
        return await audit.entries(self._database)

    async def _remove_quotes(self, redacted: Sequence[int]) -> bool:
        """Remove redacted messages from the backlog; whether there are any."""
        for number in redacted:
            await remove_quotes(self._backlog, number)
        return bool(redacted)
