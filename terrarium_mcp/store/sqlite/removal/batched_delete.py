"""Deleting many rows while others record: short transactions with pauses between them."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

import anyio

from terrarium_mcp.store.records import AuditEntry
from terrarium_mcp.store.sqlite.engine.database import Database, Writer
from terrarium_mcp.store.sqlite.engine.write_lock import PAUSE, BatchSizer
from terrarium_mcp.store.sqlite.index.indexer import unindex_rows
from terrarium_mcp.store.sqlite.removal import audit

ROWS_PER_TRANSACTION = (50, 300, 2_000)
"""Rows deleted by one transaction: the minimum, the first value, the maximum."""

Delete = Callable[[Writer, Sequence[int]], Awaitable[int]]
"""Deletes the rows with these ids inside a transaction; returns how many existed."""

OnProgress = Callable[[int], None]
"""Receives the rows deleted so far. May raise to stop the removal; those rows stay deleted."""


async def delete_messages(writer: Writer, ids: Sequence[int]) -> int:
    """Delete messages, and what is derived from them."""
    here = await _present(writer, "messages", ids)
    await unindex_rows(writer, here)
    await _delete(writer, "messages", here)
    return len(here)


async def delete_private(writer: Writer, ids: Sequence[int]) -> int:
    """Delete private messages."""
    here = await _present(writer, "private_messages", ids)
    await _delete(writer, "private_messages", here)
    return len(here)


class BatchedDelete:
    """One removal in progress. Each transaction also updates its audit row, so both agree."""

    def __init__(
        self, database: Database, entry: AuditEntry, on_progress: OnProgress = lambda _: None
    ) -> None:
        self.rows = 0
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
            self.rows += gone
            self._on_progress(self.rows)
            await anyio.sleep(PAUSE)

    async def _add_to_audit(self, writer: Writer, gone: int) -> None:
        if gone and self._number is None:
            self._number = await audit.begin(writer, self._entry)
        if gone and self._number is not None:
            await audit.add_messages(writer, self._number, gone)


async def id_ranges(database: Database, table: str, size: int) -> AsyncIterator[tuple[int, int]]:
    """The first and last id of each `size` rows of a table, including rows added meanwhile."""
    first = -(2**63)
    sql = f"SELECT max(id) FROM (SELECT id FROM {table} WHERE id >= ? ORDER BY id LIMIT ?)"  # noqa: S608 -- our own tables
    while (last := await database.value(sql, (first, size))) is not None:
        yield first, last
        first = last + 1


async def _present(writer: Writer, table: str, ids: Sequence[int]) -> list[int]:
    rows = await writer.rows(
        f"SELECT id FROM {table} WHERE id IN (SELECT value FROM json_each(:ids))",  # noqa: S608 -- our own tables
        {"ids": json.dumps(list(ids))},
    )
    return [row[0] for row in rows]


async def _delete(writer: Writer, table: str, ids: Sequence[int]) -> None:
    await writer.many(f"DELETE FROM {table} WHERE id = ?", [(number,) for number in ids])  # noqa: S608 -- our own tables
