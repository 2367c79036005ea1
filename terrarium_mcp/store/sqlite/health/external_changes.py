"""External changes: the messages that another program changed or deleted.

The full-text index still holds their former words. It is compared with an index built from the
present messages, in the same file: run this on a copy.
"""

# ruff: noqa: S608 -- every statement is made of constants

from collections.abc import Sequence

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.store.sqlite.engine.index_words import type_word
from terrarium_mcp.store.sqlite.engine.writes import Writer
from terrarium_mcp.store.sqlite.index.fts_syntax import one_of
from terrarium_mcp.store.sqlite.index.message_index import MessageIndex
from terrarium_mcp.store.sqlite.index.structure import watermark_sql
from terrarium_mcp.wording import and_more

SHOWN = 10
"""Ids that are listed for each kind of change."""

_ANY_KIND = one_of(map(type_word, MessageType))
"""Matches every message, as each has the word of its type in the index."""

_INDEX_SQL = "SELECT sql FROM sqlite_master WHERE name = 'message_index'"
_BEFORE = "SELECT -rowid FROM message_index WHERE message_index MATCH :words"
_NOW = "SELECT -rowid FROM rebuilt WHERE rebuilt MATCH :words"

_WORDS_THAT_DIFFER = """
SELECT term FROM (SELECT * FROM words_before EXCEPT SELECT * FROM words_now)
UNION SELECT term FROM (SELECT * FROM words_now EXCEPT SELECT * FROM words_before)
LIMIT 500"""


async def external_changes(writer: Writer) -> list[str]:
    """Which messages were deleted or changed, as far as the index shows; a phrase for each."""
    deleted = await _ids(writer, f"{_BEFORE} EXCEPT SELECT id FROM messages", _ANY_KIND)
    changed = sorted(set(await _changed(writer)) - set(deleted))
    return [
        *([f"deleted from `messages`: {_listed(deleted)}"] if deleted else []),
        *([f"changed in `messages`: {_listed(changed)}"] if changed else []),
    ]


async def _changed(writer: Writer) -> list[int]:
    """The messages whose words differ from the index. May miss words exchanged between messages."""
    index_sql = str(await writer.value(_INDEX_SQL))
    await writer.run(index_sql.replace("message_index", "rebuilt", 1))
    await writer.run("CREATE VIRTUAL TABLE words_before USING fts5vocab (message_index, row)")
    await writer.run("CREATE VIRTUAL TABLE words_now USING fts5vocab (rebuilt, row)")
    await writer.run("INSERT INTO rebuilt (rebuilt) VALUES ('rebuild')")
    found: set[int] = set()
    for row in await writer.rows(_WORDS_THAT_DIFFER):
        word = '"' + str(row[0]).replace('"', '""') + '"'
        for one, other in ((_BEFORE, _NOW), (_NOW, _BEFORE)):
            found |= {*await _ids(writer, f"{one} EXCEPT {other}", word)}
    known = await writer.value(f"SELECT {watermark_sql(MessageIndex.name)}")
    return [number for number in found if number <= known]


async def _ids(writer: Writer, sql: str, words: str) -> list[int]:
    return sorted(row[0] for row in await writer.rows(sql, {"words": words}))


def _listed(ids: Sequence[int]) -> str:
    return f"{len(ids):,} (id {and_more([str(number) for number in ids], SHOWN)})"
