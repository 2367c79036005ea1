"""What every derived structure has in common: a protocol, deletion in batches, and verification."""

# ruff: noqa: S608 -- every statement is made of constants

from collections.abc import Sequence
from typing import Protocol

from terrarium_mcp.store.sqlite.engine.fts5_tables import BLANK, POSTING_LISTS
from terrarium_mcp.store.sqlite.engine.reads import Params
from terrarium_mcp.store.sqlite.engine.writes import Writer
from terrarium_mcp.wording import quantity

NORMALISED = "messages"
"""The name of the messages' own watermark: they are normalised up to there."""

TO_BE_EMPTIED = -1
"""The watermark of a structure that still holds the rows of before its rebuild was scheduled."""

ROWS = 2_000
"""Rows of a table that `empty_some` deletes in one statement."""


def watermark_sql(name: str) -> str:
    """The SQL expression for the watermark of a structure, or of the messages; 0 if it has none."""
    return f"ifnull((SELECT upto FROM derived WHERE name = '{name}'), 0)"


class Derived(Protocol):
    """One derived structure. Every method runs inside a transaction of its caller."""

    name: str

    @property
    def tables(self) -> Sequence[str]:
        """The tables it fills, FTS5 tables included, in the order in which to empty them."""

    async def add(self, writer: Writer, first: int, last: int) -> None:
        """Add the messages with the ids `first` to `last`, none of which it holds yet."""

    async def remove(self, writer: Writer, ids: Sequence[int]) -> None:
        """Remove messages that are about to be deleted or redacted; their rows are still whole."""

    async def clear(self, writer: Writer) -> None:
        """Return to the state before the first message."""

    async def differences(self, writer: Writer) -> list[str]:
        """Compare with a recount: one sentence for each difference, none if all is well."""


_TABLE_ROWS = (("{}", "true"),)


async def empty_some(writer: Writer, structure: Derived) -> bool:
    """Delete some of a structure's rows, in a moment's time; whether it is empty now.

    Clearing a large structure at once would block a recorder for seconds. A damaged index is
    emptied like any other: FTS5 itself is called only once nothing damaged is left.
    """
    for table in structure.tables:
        is_index = await _is_index(writer, table)
        for stored, rows in POSTING_LISTS if is_index else _TABLE_ROWS:
            if not await _delete_some(writer, stored.format(table), rows):
                return False
        if is_index:
            await writer.run(BLANK.format(table))
    await structure.clear(writer)
    return True


async def full_text_names(writer: Writer, structures: Sequence[Derived]) -> list[str]:
    """The names of the structures that hold a full-text index."""
    return [
        structure.name
        for structure in structures
        if any([await _is_index(writer, table) for table in structure.tables])
    ]


async def compare(
    writer: Writer, name: str, kept: str, recounted: str, params: Params = ()
) -> list[str]:
    """Compare the rows of two statements: one sentence if they differ, none if not."""
    rows = await writer.rows(
        f"""
WITH kept AS ({kept}), recounted AS MATERIALIZED ({recounted})
SELECT count(*) OVER (), * FROM (
  SELECT * FROM (SELECT * FROM kept EXCEPT SELECT * FROM recounted)
  UNION ALL SELECT * FROM (SELECT * FROM recounted EXCEPT SELECT * FROM kept)
) LIMIT 1""",
        params,
    )
    if not rows:
        return []
    count, *example = rows[0]
    return [f"{name}: {_differ(count)} from a recount, such as {example}."]


def _differ(rows: int) -> str:
    return f"{quantity(rows, 'row')} {'differs' if rows == 1 else 'differ'}"


async def _is_index(writer: Writer, table: str) -> bool:
    sql = await writer.value("SELECT sql FROM sqlite_master WHERE name = ?", (table,), "")
    return str(sql).startswith("CREATE VIRTUAL TABLE")


async def _delete_some(writer: Writer, table: str, rows: str) -> bool:
    """Delete up to `ROWS` rows of a table; whether none is left."""
    sql = "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk"
    key = ", ".join(row[0] for row in await writer.rows(sql, (table,))) or "rowid"
    some = f"SELECT {key} FROM {table} WHERE {rows} LIMIT {ROWS}"
    await writer.run(f"DELETE FROM {table} WHERE ({key}) IN ({some})")
    return not await writer.rows(f"SELECT 1 FROM {table} WHERE {rows} LIMIT 1")
