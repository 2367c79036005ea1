"""Undo: the messages that one import added go, unless another import has them too."""

# ruff: noqa: S608 -- every statement is made of constants

from bisect import bisect_right
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime

from terrarium_mcp.chat.times.timestamps import to_text
from terrarium_mcp.store.errors import UnknownImport
from terrarium_mcp.store.records.imports import UndoResult
from terrarium_mcp.store.records.removal import AuditEntry, RemovalReason
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.writes import Writer
from terrarium_mcp.store.sqlite.index.indexer import Indexer
from terrarium_mcp.store.sqlite.removal.batched_delete import (
    BatchedDelete,
    Delete,
    OnProgress,
    RemovalCounts,
    delete_messages,
    delete_private,
)
from terrarium_mcp.store.sqlite.search.id_ranges import IdRange, coalesced

IDS_PER_STEP = 10_000
"""Ids that are looked at together."""

ASKED_BY = "import --undo"
"""What the audit names."""


class ImportUndo:
    """Takes back one import. May be interrupted at any point: the same call does the rest."""

    def __init__(self, database: Database, indexer: Indexer, import_id: int) -> None:
        self._database = database
        self._indexer = indexer
        self._import = import_id

    async def run(self, on_progress: OnProgress) -> UndoResult:
        """Remove what only this import has.

        Raises:
            UnknownImport: there is no such import.
            StoreFailed: the database cannot be written. What was removed stays removed.
        """
        again = await self._mark(to_text(datetime.now(UTC)))
        await self._indexer.catch_up()
        entry = AuditEntry(at=datetime.now(UTC), why=RemovalReason.UNDO, asked_by=ASKED_BY)
        deletion = BatchedDelete(self._database, entry, on_progress)
        kept = 0
        for private in (False, True):
            delete = self._delete_unclaimed(private)
            async for ids in self._present(private):
                before = deletion.removed.messages
                await deletion.run(ids, delete)
                kept += len(ids) - (deletion.removed.messages - before)
        async with self._database.writing() as writer:
            await writer.run("DELETE FROM spans WHERE import = ?", [self._import])
            await writer.run(_REMOVE_EMPTY_ROOMS, [self._import])
        return UndoResult(deletion.removed.messages, kept, again)

    async def _mark(self, now: str) -> bool:
        """Mark the import as undone: from now on its lines are nobody's. Whether it was before."""
        async with self._database.writing() as writer:
            known = await writer.rows(
                "SELECT undone IS NOT NULL FROM imports WHERE id = ?", [self._import]
            )
            await writer.run(
                "UPDATE imports SET undone = ifnull(undone, ?) WHERE id = ?", (now, self._import)
            )
        if not known:
            raise UnknownImport(self._import)
        return bool(known[0][0])

    async def _present(self, private: bool) -> AsyncIterator[list[int]]:
        """The ids of the import's messages that are still stored, a step at a time."""
        table = "private_messages" if private else "messages"
        sql = f"SELECT id FROM {table} WHERE id BETWEEN ? AND ? ORDER BY id"
        ids: list[int] = []
        for stored in await self._ranges(private):
            for first in range(stored.first, stored.last + 1, IDS_PER_STEP):
                last = min(stored.last, first + IDS_PER_STEP - 1)
                ids += [row[0] for row in await self._database.rows(sql, (first, last))]
                if len(ids) >= IDS_PER_STEP:
                    yield ids
                    ids = []
        if ids:
            yield ids

    async def _ranges(self, private: bool) -> list[IdRange]:
        """The ids that the import has, each once."""
        rows = await self._database.rows(_RANGES, {"import": self._import, "private": private})
        return coalesced(IdRange(*row) for row in rows)

    def _delete_unclaimed(self, private: bool) -> Delete:
        """What deletes those of some messages that an undone import added and no other import has.

        It is asked inside the transaction, since another import may be recognising them meanwhile.
        """
        delete = delete_private if private else delete_messages

        async def delete_some(writer: Writer, ids: Sequence[int]) -> RemovalCounts:
            near = {"private": private, "first": ids[0], "last": ids[-1]}
            added = coalesced(IdRange(*row) for row in await writer.rows(_ADDED, near))
            claimed = coalesced(IdRange(*row) for row in await writer.rows(_CLAIMED, near))
            gone = [one for one in ids if _holds(added, one) and not _holds(claimed, one)]
            return await delete(writer, gone) if gone else RemovalCounts()

        return delete_some


def _holds(ranges: Sequence[IdRange], number: int) -> bool:
    """Whether one of these ranges, which ascend and do not overlap, holds an id."""
    at = bisect_right(ranges, number, key=lambda ids: ids.first) - 1
    return at >= 0 and number in ranges[at]


UNFINISHED = """
SELECT i.id FROM imports i
WHERE i.undone NOT NULL AND (
  EXISTS (SELECT 1 FROM spans WHERE import = i.id)
  OR EXISTS (
    SELECT 1 FROM import_sources s
      JOIN import_ranges r ON r.source = s.id
      JOIN private_messages m ON m.id BETWEEN r.first AND r.last
    WHERE s.import = i.id AND r.is_private AND r.is_added AND NOT EXISTS (
      SELECT 1 FROM imports other
        JOIN import_sources o ON o.import = other.id
        JOIN import_ranges held ON held.source = o.id
      WHERE other.undone IS NULL AND held.is_private AND m.id BETWEEN held.first AND held.last)))
ORDER BY i.id"""
"""The imports whose undo was interrupted. The times that one covers are removed last, in one
transaction; one of private messages alone covers none."""

_RANGES = """
SELECT r.first, r.last FROM import_sources s JOIN import_ranges r ON r.source = s.id
WHERE s.import = :import AND r.is_private = :private"""

_REMOVE_EMPTY_ROOMS = """
DELETE FROM rooms
WHERE network IN (SELECT network FROM import_sources WHERE import = ?)
  AND NOT EXISTS (SELECT 1 FROM messages WHERE room = rooms.id)
  AND NOT EXISTS (SELECT 1 FROM spans WHERE room = rooms.id)
  AND NOT EXISTS (SELECT 1 FROM presence_as_of WHERE room = rooms.id)"""

_NEAR = "r.is_private = :private AND r.last >= :first AND r.first <= :last"

_ADDED = f"""
SELECT r.first, r.last
FROM import_ranges r INDEXED BY import_ranges_added
  CROSS JOIN import_sources s ON s.id = r.source
  CROSS JOIN imports i ON i.id = s.import
WHERE r.is_added AND i.undone NOT NULL AND {_NEAR}
  AND r.first >= ifnull((
    SELECT max(b.first) FROM import_ranges b INDEXED BY import_ranges_added
    WHERE b.is_added AND b.is_private = :private AND b.first <= :first), 0)"""

_CLAIMED = f"""
SELECT r.first, r.last
FROM imports i
  CROSS JOIN import_sources s ON s.import = i.id
  CROSS JOIN import_ranges r ON r.source = s.id
WHERE i.undone IS NULL AND {_NEAR}
  AND r.first >= ifnull((
    SELECT max(b.first) FROM import_ranges b
    WHERE b.source = s.id AND b.is_private = :private AND b.first <= :first), 0)"""
