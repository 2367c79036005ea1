"""The full-text index: words, and the room, nick and type of each message that can be shown."""

# ruff: noqa: S608 -- every statement is made of constants

import sqlite3
from collections.abc import Sequence

from terrarium_mcp.store.database import Writer
from terrarium_mcp.store.rows import IS_SPEECH

MESSAGE = "indexed_text(CAST(message AS BLOB))"
"""The SQL expression for what the index holds of a message."""

TOKENIZER = "unicode61 remove_diacritics 2"
_SPOKEN = f"CASE WHEN {IS_SPEECH} THEN {MESSAGE} END"
_SCOPE = (
    "scope_words(room, CAST(nick AS BLOB), CAST(message_type AS BLOB),"
    " CASE WHEN instr(message, '://') THEN CAST(message AS BLOB) END)"
)
_EVENT = f"CASE WHEN {IS_SPEECH} THEN NULL ELSE {MESSAGE} END"
_READABLE = "m.room NOT NULL AND m.redacted_at IS NULL"

TABLES = f"""
-- The rowid is the id with a minus sign: newest first is then the natural order of every look-up.
-- What an event says has a column of its own, so that words of speech need no other restriction.
CREATE VIEW message_index_source AS
  SELECT -m.id AS id, {_SPOKEN} AS message, {_SCOPE} AS scope, {_EVENT} AS event
  FROM messages m WHERE {_READABLE};
CREATE VIRTUAL TABLE message_index USING fts5 (
  message, scope, event,
  content='message_index_source', content_rowid='id', columnsize=0,
  tokenize='{TOKENIZER}'
);
INSERT INTO message_index(message_index, rank) VALUES ('pgsz', 1000);
"""


# Read from the table, not from the view: to find an `-id` there SQLite would read every message.
_INDEXED = f"-m.id, {_SPOKEN}, {_SCOPE}, {_EVENT} FROM messages m WHERE {_READABLE}"


class MessageIndex:
    """The index over all messages."""

    name = "index"
    tables = ("message_index",)

    async def add(self, writer: Writer, first: int, last: int) -> None:
        """Index a range of ids, by rising rowid (falling id): FTS5 flushes at a step backwards."""
        await writer.run(
            f"INSERT INTO message_index (rowid, message, scope, event) SELECT {_INDEXED}"
            " AND m.id BETWEEN :first AND :last ORDER BY m.id DESC",
            {"first": first, "last": last},
        )

    async def remove(self, writer: Writer, ids: Sequence[int]) -> None:
        """Take messages out of the index; FTS5 has to be told the words that it holds."""
        await writer.many(
            "INSERT INTO message_index (message_index, rowid, message, scope, event)"
            f" SELECT 'delete', {_INDEXED} AND m.id = ?",
            [(number,) for number in sorted(ids, reverse=True)],
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
