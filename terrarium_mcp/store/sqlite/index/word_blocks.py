"""Word blocks: how many lines of each room hold a frequent word, by blocks of consecutive ids.

To count the lines of a room, or of some years, that hold a word of millions of lines, FTS5 takes 65
to 360 ms (10 M lines). From blocks that are counted already, and a walk of the index where a time
begins and ends within one, it takes 12. The keeper counts a block once it is full. Where one is
missing the index is walked, so a block whose lines changed is deleted, and counted again.
"""

# ruff: noqa: S608 -- every statement is made of constants

import json
from collections.abc import Sequence

import anyio

from terrarium_mcp.store.search.vocabulary_queries import LONGEST_WHOLE
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.index_words import ASIDE_WORD
from terrarium_mcp.store.sqlite.engine.message_ids import newest_message
from terrarium_mcp.store.sqlite.engine.reads import Reads, Row
from terrarium_mcp.store.sqlite.engine.write_lock import PAUSE
from terrarium_mcp.store.sqlite.engine.writes import Writer
from terrarium_mcp.store.sqlite.index.fts_syntax import one_of, quoted
from terrarium_mcp.store.sqlite.index.message_index import MessageIndex

BLOCK = 131_072
"""Ids in a block. Twice as many would be walked at both ends of a time in 7 ms, and half as many
blocks have to be summed."""

FREQUENT = 100_000
"""Lines that hold a frequent word: a walk through fewer takes 4 ms. 10 million lines of talk have a
hundred such words, whose blocks take 2 bytes a line."""

LOOK_EVERY = 600.0
"""Seconds between two looks for blocks to count."""

_PATIENCE = 60.0
"""Seconds for such a look: from a cold disk all words of ten million lines take more than two."""


class WordBlocks:
    """The counted blocks. No message is added: the keeper counts whole blocks."""

    name = "word_blocks"
    tables = ("word_blocks",)

    async def add(self, writer: Writer, first: int, last: int) -> None:
        """Do nothing: a block is counted later."""

    async def remove(self, writer: Writer, ids: Sequence[int]) -> None:
        """Delete the blocks of these messages."""
        await writer.many(
            "DELETE FROM word_blocks WHERE block = ?",
            [(block,) for block in sorted({number // BLOCK for number in ids})],
        )

    async def restore(self, writer: Writer, ids: Sequence[int]) -> None:
        """Do nothing: the blocks of these messages were deleted when they were removed."""

    async def clear(self, writer: Writer) -> None:
        """Delete every block."""
        await writer.run("DELETE FROM word_blocks")

    async def differences(self, writer: Writer) -> list[str]:
        """Count every block once more."""
        rows = await writer.rows("SELECT word, block, rooms FROM word_blocks")
        wrong = [
            row
            for row in rows
            if json.loads(row["rooms"])
            != json.loads(await writer.value(_COUNT, _params(row["word"], row["block"])))
        ]
        if not wrong:
            return []
        return [f"{self.name}: {len(wrong)} differ from a recount, such as {tuple(wrong[0])}."]


class WordBlockCounter:
    """The keeper's duty to count blocks."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def count(self) -> None:
        """Count all full blocks of all frequent words, in short transactions with pauses.

        Raises:
            StoreFailed: the file cannot be written; what is counted stays so.
        """
        for word, block in await self._database.read_whole(_missing, deadline=_PATIENCE):
            # 0.1 s for a word that is in a third of the lines, and mostly a tenth of that.
            async with self._database.writing(patiently=True) as writer:
                await writer.run(_STORE, _params(word, block))
            await anyio.sleep(PAUSE)


async def _missing(reads: Reads) -> list[Row]:
    """The frequent words, each with a full block in which it is not counted, the newest first."""
    newest = await newest_message(reads)
    blocks = [*range((newest + 1) // BLOCK)]
    if not blocks:
        return []
    return await reads.rows(_MISSING, {"blocks": json.dumps(blocks), "frequent": FREQUENT})


def _params(word: str, block: int) -> dict[str, object]:
    return {
        "word": word,
        "block": block,
        "match": f"message : {quoted(word)} NOT {one_of([ASIDE_WORD])}",
        "first": block * BLOCK,
        "last": (block + 1) * BLOCK - 1,
    }


# Only words that FTS5 surely folds as we do, and that are not cut.
_MISSING = f"""
SELECT word, b.value AS block FROM words CROSS JOIN json_each(:blocks) b
WHERE lines >= :frequent AND length(word) < {LONGEST_WHOLE} AND word NOT GLOB '*[^a-z0-9]*'
  AND NOT EXISTS (SELECT 1 FROM word_blocks c WHERE c.block = b.value AND c.word = words.word)
ORDER BY block DESC"""

_COUNT = f"""
SELECT json_group_object(room, lines) FROM (
  SELECT m.room, count(*) AS lines
  FROM {MessageIndex.table} found CROSS JOIN messages m ON m.id = -found.rowid
  WHERE found.{MessageIndex.table} MATCH :match AND found.rowid BETWEEN -:last AND -:first
  GROUP BY m.room)"""

_HELD = f"'{MessageIndex.name}', '{WordBlocks.name}'"
_STORE = f"""
INSERT OR IGNORE INTO word_blocks (block, word, rooms)
SELECT :block, :word, ({_COUNT})
WHERE (SELECT count(*) = 2 AND min(upto) >= :last FROM derived WHERE name IN ({_HELD}))"""
"""A block is counted once the index holds all of it, and removals reach it here."""
