"""Full-text indexes over all messages that can be shown."""

# ruff: noqa: S608 -- every statement is made of constants

import sqlite3
from collections.abc import Sequence

from terrarium_mcp.store.database import Writer

READABLE = "m.room NOT NULL AND m.redacted_at IS NULL"
"""The SQL condition that a message `m` can be shown."""


class FullText:
    """An FTS5 table over `messages`, whose rowids are the ids with a minus sign.

    Attributes:
        name: what the structure is called.
        table: the FTS5 table.
        columns: its columns.
        rows: the SQL for what it holds: the rowid, the columns, FROM messages m WHERE ...
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
        """Index a range of ids, by rising rowid (falling id): FTS5 flushes at a step backwards."""
        await writer.run(
            f"INSERT INTO {self.table} (rowid, {self.columns}) SELECT {self.rows}"
            " AND m.id BETWEEN :first AND :last ORDER BY m.id DESC",
            {"first": first, "last": last},
        )

    async def remove(self, writer: Writer, ids: Sequence[int]) -> None:
        """Take messages out of the index; FTS5 has to be told the words that it holds."""
        await writer.many(
            f"INSERT INTO {self.table} ({self.table}, rowid, {self.columns})"
            f" SELECT 'delete', {self.rows} AND m.id = ?",
            [(number,) for number in sorted(ids, reverse=True)],
        )

    async def clear(self, writer: Writer) -> None:
        """Forget every word."""
        await writer.run(f"INSERT INTO {self.table} ({self.table}) VALUES ('delete-all')")

    async def differences(self, writer: Writer) -> list[str]:
        """What FTS5's own check says; its rank 1 means: compare with the messages too."""
        check = f"INSERT INTO {self.table} ({self.table}, rank) VALUES ('integrity-check', 1)"
        try:
            await writer.run(check)
        except sqlite3.DatabaseError as why:
            return [f"{self.name}: it does not hold what the messages say ({why})"]
        return []
