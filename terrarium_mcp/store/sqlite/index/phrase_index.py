"""The phrase index: each two consecutive words of all speech.

To find a phrase FTS5 reads the posting lists of all its words: 10 to 40 ms if they are common (10 M
messages, of which 136 contain `city in the`). Few messages contain the pairs `city in` and `in
the`. A message takes 15 bytes here, and 6 us.
"""

from terrarium_mcp.store.sqlite.engine.rows import IS_SPEECH
from terrarium_mcp.store.sqlite.engine.voices_sql import JOINED, JOINED_TEXT
from terrarium_mcp.store.sqlite.engine.writes import Writer
from terrarium_mcp.store.sqlite.index.full_text import READABLE, FullText
from terrarium_mcp.store.sqlite.index.index_texts import IndexTexts

PAIRS = f"pair_words(CAST({JOINED_TEXT} AS BLOB))"
"""The SQL expression for the pairs of a message, `JOINED` with its voice."""

_SPOKEN = f"{READABLE} AND {IS_SPEECH}"


class PhraseIndex(FullText):
    """The index over the word pairs of all speech."""

    name = "phrases"
    table = "phrase_index"
    columns = "pairs"
    rows = f"-m.id, {PAIRS} FROM {JOINED} WHERE {_SPOKEN}"

    async def add_texts(self, writer: Writer, texts: IndexTexts) -> None:
        """Index messages by texts that are at hand."""
        rows = zip(texts.rowids, reversed(texts.pairs), strict=True)
        await self._add_rows(writer, (row for row in rows if row[1] is not None))
