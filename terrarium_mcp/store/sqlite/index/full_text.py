"""Full-text indexes over all messages that may be shown."""

# ruff: noqa: S608 -- every statement is made of constants

import sqlite3
from collections.abc import Iterable, Sequence

from terrarium_mcp.store.sqlite.engine.id_lists import AMONG_IDS, ids_params
from terrarium_mcp.store.sqlite.engine.writes import Writer

READABLE = "m.room NOT NULL AND m.redacted_at IS NULL"
"""The SQL condition that message `m` may be shown."""


class FullText:
    """An FTS5 table over `messages`, whose rowids are the ids with a minus sign.

    Attributes:
        name: the name of the structure.
        table: the FTS5 table.
        columns: its columns.
        rows: the SQL of its contents: the rowid, the columns, FROM messages m ... WHERE ...
    """

    name: str
    table: str
    columns: str
    rows: str

    @property
    def tables(self) -> Sequence[str]:
        """The one table."""
        return (self.table,)

    async def add(self, writer: Writer, first: int, last: int) -> None:
        """Index a range of ids by rising rowid (falling id): a step backwards makes FTS5 flush."""
        await writer.run(
            f"INSERT INTO {self.table} (rowid, {self.columns}) SELECT {self.rows}"
            " AND m.id BETWEEN :first AND :last ORDER BY m.id DESC",
            {"first": first, "last": last},
        )

    async def _add_rows(self, writer: Writer, rows: Iterable[tuple[object, ...]]) -> None:
        """Index rows (rowid, then the columns) whose rowids rise."""
        marks = ", ".join("?" * (1 + self.columns.count(",") + 1))
        await writer.many(
            f"INSERT INTO {self.table} (rowid, {self.columns}) VALUES ({marks})", rows
        )

    async def remove(self, writer: Writer, ids: Sequence[int]) -> None:
        """Take messages out of the index, which FTS5 does only if given the words it holds."""
        await writer.many(
            f"INSERT INTO {self.table} ({self.table}, rowid, {self.columns})"
            f" SELECT 'delete', {self.rows} AND m.id = ?",
            [(number,) for number in sorted(ids, reverse=True)],
        )

    async def restore(self, writer: Writer, ids: Sequence[int]) -> None:
        """Add messages again that were removed a moment ago."""
        await writer.run(
            f"INSERT INTO {self.table} (rowid, {self.columns}) SELECT {self.rows}"
            f" AND {AMONG_IDS} ORDER BY m.id DESC",
            ids_params(ids),
        )

    async def clear(self, writer: Writer) -> None:
        """Delete every word."""
        await writer.run(f"INSERT INTO {self.table} ({self.table}) VALUES ('delete-all')")

    async def differences(self, writer: Writer) -> list[str]:
        """Run FTS5's own check; rank 1 makes it compare the index with the messages."""
        check = f"INSERT INTO {self.table} ({self.table}, rank) VALUES ('integrity-check', 1)"
        try:
            await writer.run(check)
        except sqlite3.DatabaseError as error:
            return [f"{self.name}: its contents differ from the messages ({error})"]
        return []
