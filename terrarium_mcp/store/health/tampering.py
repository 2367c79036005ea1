"""Tampering: which messages another program changed or deleted behind our back.

The full-text index still has the words that they had, and tells. It is compared with one that is
made anew: run this on a copy.
"""

# ruff: noqa: S608 -- every statement is made of constants

from collections.abc import Sequence

from terrarium_mcp.chat.records import Kind
from terrarium_mcp.store.database import Writer
from terrarium_mcp.store.derived.index_words import kind_word
from terrarium_mcp.store.derived.message_index import MessageIndex
from terrarium_mcp.store.search.expressions import one_of

SHOWN = 10
"""Ids that are told of each kind of change."""

_ANY_KIND = one_of(map(kind_word, Kind))
"""Every message has the word of its type."""

_INDEX_AS_MADE = "SELECT sql FROM sqlite_master WHERE name = 'message_index'"
_BEFORE = "SELECT -rowid FROM message_index WHERE message_index MATCH :words"
_NOW = "SELECT -rowid FROM anew WHERE anew MATCH :words"

_WORDS_THAT_DIFFER = """
SELECT term FROM (SELECT * FROM words_before EXCEPT SELECT * FROM words_now)
UNION SELECT term FROM (SELECT * FROM words_now EXCEPT SELECT * FROM words_before)
LIMIT 500"""


async def tampered(writer: Writer) -> list[str]:
    """Which messages were deleted or changed, as far as the index tells; a sentence for each."""
    gone = await _ids(
        writer,
        f"{_BEFORE} EXCEPT SELECT id FROM messages",
        _ANY_KIND,
    )
    changed = sorted(set(await _changed(writer)) - set(gone))
    return [
        *([f"deleted from `messages`: {_listed(gone)}"] if gone else []),
        *([f"changed in `messages`: {_listed(changed)}"] if changed else []),
    ]


async def _changed(writer: Writer) -> list[int]:
    """The messages with other words than the index has. It may miss words that were exchanged."""
    as_made = str(await writer.value(_INDEX_AS_MADE))
    await writer.run(as_made.replace("message_index", "anew", 1))
    await writer.run("CREATE VIRTUAL TABLE words_before USING fts5vocab (message_index, row)")
    await writer.run("CREATE VIRTUAL TABLE words_now USING fts5vocab (anew, row)")
    await writer.run("INSERT INTO anew (anew) VALUES ('rebuild')")
    found: set[int] = set()
    for row in await writer.rows(_WORDS_THAT_DIFFER):
        word = '"' + str(row[0]).replace('"', '""') + '"'
        for one, other in ((_BEFORE, _NOW), (_NOW, _BEFORE)):
            found |= {*await _ids(writer, f"{one} EXCEPT {other}", word)}
    known = await writer.value(
        "SELECT upto FROM derived WHERE name = :name", {"name": MessageIndex.name}, 0
    )
    return [number for number in found if number <= known]


async def _ids(writer: Writer, sql: str, words: str) -> list[int]:
    return sorted(row[0] for row in await writer.rows(sql, {"words": words}))


def _listed(ids: Sequence[int]) -> str:
    few = ", ".join(map(str, ids[:SHOWN]))
    return f"{len(ids):,} (id {few}{' ...' if len(ids) > SHOWN else ''})"
