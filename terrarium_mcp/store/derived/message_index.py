"""The full-text index: the words, room, nick and type of each message that may be shown."""

# ruff: noqa: S608 -- every statement is made of constants

from terrarium_mcp.store.derived.full_text import READABLE, FullText
from terrarium_mcp.store.rows import IS_SPEECH

MESSAGE = "indexed_text(CAST(message AS BLOB))"
"""The SQL expression for the text of a message as the index holds it."""

TOKENIZER = "unicode61 remove_diacritics 2"
_SPOKEN = f"CASE WHEN {IS_SPEECH} THEN {MESSAGE} || ' ' ELSE '' END"
_SCOPE = (
    "scope_words(room, CAST(nick AS BLOB), CAST(message_type AS BLOB),"
    " CASE WHEN instr(message, '://') THEN CAST(message AS BLOB) END)"
)
_WORDS = f"{_SPOKEN} || {_SCOPE}"
_EVENT = f"CASE WHEN {IS_SPEECH} THEN NULL ELSE {MESSAGE} END"

TABLES = f"""
-- The rowid is the id with a minus sign: newest first is then the natural order of every look-up.
-- What an event says has a column of its own, so that words of speech need no other restriction.
-- The words of our own are in the first column: in any other each takes two bytes more.
CREATE VIEW message_index_source AS
  SELECT -m.id AS id, {_WORDS} AS message, {_EVENT} AS event
  FROM messages m WHERE {READABLE};
CREATE VIRTUAL TABLE message_index USING fts5 (
  message, event,
  content='message_index_source', content_rowid='id', columnsize=0,
  tokenize='{TOKENIZER}'
);
INSERT INTO message_index(message_index, rank) VALUES ('pgsz', 1000);
"""


class MessageIndex(FullText):
    """The index over all messages."""

    name = "index"
    table = "message_index"
    columns = "message, event"
    # Not from the view: to find an `-id` there SQLite would read every message.
    rows = f"-m.id, {_WORDS}, {_EVENT} FROM messages m WHERE {READABLE}"
