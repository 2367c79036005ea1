"""Deleting many rows while others record: short transactions with pauses between them."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import NamedTuple

import anyio

from terrarium_mcp.store.records.removal import AuditEntry
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.dialogue_rows import remove_turns, remove_turns_with
from terrarium_mcp.store.sqlite.engine.id_lists import ids_params
from terrarium_mcp.store.sqlite.engine.message_ids import settle
from terrarium_mcp.store.sqlite.engine.write_lock import PAUSE, BatchSizer
from terrarium_mcp.store.sqlite.engine.writes import Writer
from terrarium_mcp.store.sqlite.index.unindexing import unindex_rows
from terrarium_mcp.store.sqlite.removal import audit

ROWS_PER_TRANSACTION = (50, 300, 2_000)
"""Rows deleted by one transaction: the minimum, the first value, the maximum."""

ROWS_PER_READ = 20_000
"""Rows of a table that one read searches for a person."""


class RemovalCounts(NamedTuple):
    """How many messages were removed, and how many turns of dialogues."""

    messages: int = 0
    turns: int = 0


Delete = Callable[[Writer, Sequence[int]], Awaitable[RemovalCounts]]
"""Deletes the rows with these ids inside a transaction, and the turns that rest on them."""

OnProgress = Callable[[int], None]
"""Receives the messages deleted so far. May raise to stop the removal; those stay deleted."""


async def delete_messages(writer: Writer, ids: Sequence[int]) -> RemovalCounts:
    """Delete messages, and what is derived from them."""
    here = await _present(writer, "messages", ids)
    if not here:
        return RemovalCounts()
    await settle(writer)
    await unindex_rows(writer, here)
    return await _delete(writer, "messages", here)


async def delete_private(writer: Writer, ids: Sequence[int]) -> RemovalCounts:
    """Delete private messages."""
    return await _delete(
        writer, "private_messages", await _present(writer, "private_messages", ids)
    )


async def delete_turns(writer: Writer, ids: Sequence[int]) -> RemovalCounts:
    """Delete turns of dialogues."""
    return RemovalCounts(turns=await remove_turns(writer, ids))


class BatchedDelete:
    """One removal in progress. Each transaction also updates its audit row, so both agree."""

    def __init__(
        self, database: Database, entry: AuditEntry, on_progress: OnProgress = lambda _: None
    ) -> None:
        self.removed = RemovalCounts()
        self._database = database
        self._entry = entry
        self._on_progress = on_progress
        self._pace = BatchSizer(*ROWS_PER_TRANSACTION)
        self._number: int | None = None

    async def run(self, ids: Sequence[int], delete: Delete) -> None:
        """Delete rows, a few in each transaction."""
        done = 0
        while done < len(ids):
            batch = ids[done : done + self._pace.rows]
            async with self._database.writing() as writer:
                began = anyio.current_time()
                gone = await delete(writer, batch)
                await self._add_to_audit(writer, gone)
            self._pace.record(len(batch), anyio.current_time() - began)
            done += len(batch)
            messages, turns = self.removed
            self.removed = RemovalCounts(messages + gone.messages, turns + gone.turns)
            self._on_progress(self.removed.messages)
            await anyio.sleep(PAUSE)

    async def _add_to_audit(self, writer: Writer, gone: RemovalCounts) -> None:
        if not any(gone):
            return
        if self._number is None:
            self._number = await audit.begin(writer, self._entry)
        await audit.add(writer, self._number, *gone)


async def id_ranges(database: Database, table: str) -> AsyncIterator[tuple[int, int]]:
    """The first and last ids of what one read searches of a table, rows added meanwhile too."""
    first = -(2**63)
    sql = f"SELECT max(id) FROM (SELECT id FROM {table} WHERE id >= ? ORDER BY id LIMIT ?)"  # noqa: S608 -- our own tables
    while (last := await database.value(sql, (first, ROWS_PER_READ))) is not None:
        yield first, last
        first = last + 1


async def _present(writer: Writer, table: str, ids: Sequence[int]) -> list[int]:
    rows = await writer.rows(
        f"SELECT id FROM {table} WHERE id IN (SELECT value FROM json_each(:ids))",  # noqa: S608 -- our own tables
        ids_params(ids),
    )
    return [row[0] for row in rows]


async def _delete(writer: Writer, table: str, ids: Sequence[int]) -> RemovalCounts:
    """Delete messages, and the turns of dialogues that rest on them."""
    await writer.many(f"DELETE FROM {table} WHERE id = ?", [(number,) for number in ids])  # noqa: S608 -- our own tables
    return RemovalCounts(len(ids), await remove_turns_with(writer, ids))
