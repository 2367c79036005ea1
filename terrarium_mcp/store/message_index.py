"""The full-text index: words, and the room, nick and type of each message."""

import sqlite3
from collections.abc import Sequence

from terrarium_mcp.store.database import Writer

TABLES = """
-- The rowid is the id with a minus sign: newest first is then the natural order of every look-up.
CREATE VIEW message_index_source AS
  SELECT -id AS id, plain_text(CAST(message AS BLOB)) AS message,
    scope_words(room, CAST(nick AS BLOB), CAST(message_type AS BLOB)) AS scope
  FROM messages;
CREATE VIRTUAL TABLE message_index USING fts5 (
  message, scope,
  content='message_index_source', content_rowid='id', columnsize=0,
  tokenize='unicode61 remove_diacritics 2'
);
INSERT INTO message_index(message_index, rank) VALUES ('pgsz', 1000);
"""


class MessageIndex:
    """The index over all messages."""

    name = "index"

    async def add(self, writer: Writer, first: int, last: int) -> None:
        """Index a range of ids, by rising rowid (falling id): FTS5 flushes at a step backwards."""
        await writer.run(
            "INSERT INTO message_index (rowid, message, scope)"
            " SELECT id, message, scope FROM message_index_source"
            " WHERE id BETWEEN :oldest AND :newest ORDER BY id",
            {"oldest": -last, "newest": -first},
        )

    async def remove(self, writer: Writer, ids: Sequence[int]) -> None:
        """Take messages out of the index; FTS5 has to be told the words that it holds."""
        await writer.many(
            "INSERT INTO message_index (message_index, rowid, message, scope)"
            " SELECT 'delete', id, message, scope FROM message_index_source WHERE id = ?",
            [(-number,) for number in sorted(ids, reverse=True)],
        )

    async def clear(self, writer: Writer) -> None:
        """Forget every word."""
        await writer.run("INSERT INTO message_index (message_index) VALUES ('delete-all')")

    async def differences(self, writer: Writer) -> list[str]:
        """What FTS5's own check says; its rank 1 means: compare with the messages too."""
        check = "INSERT INTO message_index (message_index, rank) VALUES ('integrity-check', 1)"
        try:
            await writer.run(check)
        except sqlite3.DatabaseError as why:
            return [f"index: it does not hold what the messages say ({why})"]
        return []
