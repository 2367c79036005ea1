"""Deletion of many rows beside whoever records: short transactions, and pauses between them."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

import anyio

from terrarium_mcp.store import audit
from terrarium_mcp.store.database import Database, Writer
from terrarium_mcp.store.lock import PAUSE, BatchSizer
from terrarium_mcp.store.upkeep import unindex_rows

AT_ONCE = (50, 300, 2_000)
"""Rows deleted by one transaction: at least, at first, at most."""

Delete = Callable[[Writer, Sequence[int]], Awaitable[int]]
"""Deletes the rows with these ids inside a transaction; returns how many there were."""

Report = Callable[[int], None]
"""Hears how many rows are gone. May raise to stop: what it heard of stays gone."""


async def delete_messages(writer: Writer, ids: Sequence[int]) -> int:
    """Delete messages, here and in everything that is derived from them."""
    here = await _present(writer, "messages", ids)
    await unindex_rows(writer, here)
    await _delete(writer, "messages", here)
    return len(here)


async def delete_private(writer: Writer, ids: Sequence[int]) -> int:
    """Delete private messages."""
    here = await _present(writer, "private_messages", ids)
    await _delete(writer, "private_messages", here)
    return len(here)


class Deletion:
    """One removal on its way, with its row in the audit, which always says how far it came."""

    def __init__(
        self, database: Database, removed: audit.Removed, report: Report = lambda _: None
    ) -> None:
        self.rows = 0
        self._database = database
        self._removed = removed
        self._report = report
        self._pace = BatchSizer(*AT_ONCE)
        self._number: int | None = None

    async def of(self, ids: Sequence[int], delete: Delete) -> None:
        """Delete rows, a few at once."""
        done = 0
        while done < len(ids):
            few = ids[done : done + self._pace.rows]
            async with self._database.writing() as writer:
                began = anyio.current_time()
                gone = await delete(writer, few)
                await self.count(writer, gone)
            self._pace.record(len(few), anyio.current_time() - began)
            done += len(few)
            self.rows += gone
            self._report(self.rows)
            await anyio.sleep(PAUSE)

    async def count(self, writer: Writer, gone: int) -> None:
        """Tell the audit of rows that this transaction deletes."""
        if gone and self._number is None:
            self._number = await audit.note(writer, self._removed)
        if gone and self._number is not None:
            await audit.count(writer, self._number, gone)


async def pieces(database: Database, table: str, size: int) -> AsyncIterator[tuple[int, int]]:
    """The ids of a table by ranges of `size` rows, first and last of each, also of rows to come."""
    first = -(2**63)
    sql = f"SELECT max(id) FROM (SELECT id FROM {table} WHERE id >= ? ORDER BY id LIMIT ?)"  # noqa: S608 -- our tables
    while (last := await database.value(sql, (first, size))) is not None:
        yield first, last
        first = last + 1


async def _present(writer: Writer, table: str, ids: Sequence[int]) -> list[int]:
    rows = await writer.rows(
        f"SELECT id FROM {table} WHERE id IN (SELECT value FROM json_each(:ids))",  # noqa: S608 -- our tables
        {"ids": json.dumps(list(ids))},
    )
    return [row[0] for row in rows]


async def _delete(writer: Writer, table: str, ids: Sequence[int]) -> None:
    await writer.many(f"DELETE FROM {table} WHERE id = ?", [(number,) for number in ids])  # noqa: S608 -- our tables
