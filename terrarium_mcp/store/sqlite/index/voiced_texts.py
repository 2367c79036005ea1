"""Index texts of messages that have a voice: they go by what it says, as the statements do."""

# ruff: noqa: S608 -- every statement is made of constants

from terrarium_mcp.store.sqlite.engine.writes import Writer
from terrarium_mcp.store.sqlite.index.index_texts import IndexTexts
from terrarium_mcp.store.sqlite.index.message_index import WORDS
from terrarium_mcp.store.sqlite.index.phrase_index import PAIRS

# Only speech has a voice.
_VOICED = f"""
SELECT m.id, m.room, m.nick, v.aside, v.speaker, {WORDS}, {PAIRS}
FROM voices v CROSS JOIN messages m ON m.id = v.id WHERE v.id BETWEEN :first AND :last"""


async def voiced(writer: Writer, texts: IndexTexts) -> IndexTexts:
    """The texts by the voices of the messages, which are stored."""
    rows = await writer.rows(_VOICED, {"first": texts.ids[0], "last": texts.last})
    if not rows:
        return texts
    words, pairs = [*texts.words], [*texts.pairs]
    for number, _, _, _, _, its_words, its_pairs in rows:
        words[number - texts.first], pairs[number - texts.first] = its_words, its_pairs
    return texts._replace(
        words=words,
        pairs=pairs,
        asides=[(row["room"], row["nick"]) for row in rows if row["aside"]],
        has_relayed=any(row["speaker"] is not None for row in rows),
    )
