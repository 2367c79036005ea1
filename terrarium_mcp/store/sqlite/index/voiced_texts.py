"""Index texts of messages that have a voice: they go by what it says, as the statements do."""

# ruff: noqa: S608 -- every statement is made of constants

from dataclasses import replace

from terrarium_mcp.store.sqlite.engine.database import Writer
from terrarium_mcp.store.sqlite.index.index_texts import IndexTexts
from terrarium_mcp.store.sqlite.index.message_index import MESSAGE, WORDS
from terrarium_mcp.store.sqlite.index.phrase_index import PAIRS

# Only speech has a voice.
_VOICED = f"""
SELECT m.id, {WORDS}, {MESSAGE}, {PAIRS}
FROM voices v CROSS JOIN messages m ON m.id = v.id WHERE v.id BETWEEN :first AND :last"""


async def voiced(writer: Writer, texts: IndexTexts) -> IndexTexts:
    """The texts by the voices of the messages, which are stored."""
    rows = await writer.rows(_VOICED, {"first": texts.ids[0], "last": texts.ids[-1]})
    if not rows:
        return texts
    words, spoken, pairs = [*texts.words], [*texts.spoken], [*texts.pairs]
    for number, *its in rows:
        at = number - texts.first
        words[at], spoken[at], pairs[at] = its
    return replace(texts, words=words, spoken=spoken, pairs=pairs)
