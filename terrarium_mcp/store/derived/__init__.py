"""What is derived from `messages`: it can always be made again, and is checked against a recount.

Every derived structure is brought up to date by ids, in the order they were given, and has a
watermark of its own. Usually all stand at the newest id, since an append takes them along in its
own transaction; one that is being rebuilt lags behind, and its readers wait for it.
"""

# ruff: noqa: S608 -- every statement is made of constants

from collections.abc import Sequence
from typing import Protocol

from terrarium_mcp.store.database import Writer

TO_BE_EMPTIED = -1
"""The watermark of a structure that still holds what it held before it was to be made again."""

ROWS = 2_000
"""Rows of a table that `empty` deletes at once."""


class Derived(Protocol):
    """One derived structure. Every method runs inside a transaction of its caller."""

    name: str

    @property
    def tables(self) -> Sequence[str]:
        """The tables it fills, FTS5 tables among them, in the order in which they are emptied."""

    async def add(self, writer: Writer, first: int, last: int) -> None:
        """Take in the messages with the ids `first` to `last`, which it does not hold yet."""

    async def remove(self, writer: Writer, ids: Sequence[int]) -> None:
        """Give up messages that are about to be deleted or redacted; their rows are still whole."""

    async def clear(self, writer: Writer) -> None:
        """Hold nothing, as at first."""

    async def differences(self, writer: Writer) -> list[str]:
        """Compare with a recount; one sentence for each difference, none when all is well."""


# FTS5 keeps its lists of words in two tables (https://sqlite.org/fts5.html 11). Of the first, the
# rows 1 (averages) and 10 (structure) are always there: no connection can use the index without.
_ROWS = (("{}", "true"),)
_WORDS = (("{}_data", "id > 10"), ("{}_idx", "true"))
_BLANK = "REPLACE INTO {}_data (id, block) VALUES (1, x''), (10, x'00000000000000')"


async def empty(writer: Writer, one: Derived) -> bool:
    """Delete the next rows of a structure, as many as a moment allows; whether it is empty now.

    To clear a large one at once would keep a recorder waiting for seconds. A damaged index is
    emptied like any other: FTS5 itself is asked only once nothing damaged is left.
    """
    for table in one.tables:
        is_index = await _is_index(writer, table)
        for stored, rows in _WORDS if is_index else _ROWS:
            if not await _shorten(writer, stored.format(table), rows):
                return False
        if is_index:
            await writer.run(_BLANK.format(table))
    await one.clear(writer)
    return True


async def full_text(writer: Writer, structures: Sequence[Derived]) -> list[str]:
    """The names of those structures that hold a full-text index."""
    return [
        one.name
        for one in structures
        if any([await _is_index(writer, table) for table in one.tables])
    ]


async def _is_index(writer: Writer, table: str) -> bool:
    sql = await writer.value("SELECT sql FROM sqlite_master WHERE name = ?", (table,), "")
    return str(sql).startswith("CREATE VIRTUAL TABLE")


async def _shorten(writer: Writer, table: str, rows: str) -> bool:
    """Delete some of the rows of a table; whether none is left."""
    sql = "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk"
    key = ", ".join(row[0] for row in await writer.rows(sql, (table,))) or "rowid"
    some = f"SELECT {key} FROM {table} WHERE {rows} LIMIT {ROWS}"
    await writer.run(f"DELETE FROM {table} WHERE ({key}) IN ({some})")
    return not await writer.rows(f"SELECT 1 FROM {table} WHERE {rows} LIMIT 1")
