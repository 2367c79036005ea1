"""Merging: the full-text indexes stay in few pieces, since a look-up asks every one of them.

Each commit leaves a piece of an index (FTS5 calls it a segment). FTS5 itself merges eight of a size
once enough was written: a recording lies in some 10 to 50 pieces. The keeper merges any two of a
size, so that each is about twice as large as the one before, and a line is written anew once for
each doubling of the index. How far a merge has come stands in the index itself: whoever is the
keeper next goes on with it.

To make one piece of all ("optimize", or a merge of a negative number of pages) is no way to do so
again and again: it adds two levels to the index, which stay, and by each of which FTS5 merges 64
pages more within somebody's commit. Look-ups in three pieces are about as quick as in one.
"""

# ruff: noqa: S608 -- every statement is made of constants

import anyio

from terrarium_mcp.store.database import Database, Writer
from terrarium_mcp.store.pacing import PAUSE

INDEXES = {"message_index": "index", "phrase_index": "phrases", "word_parts": "words"}
"""The FTS5 tables, and the derived structure that each belongs to."""

LOOK_EVERY = 10.0
"""Seconds between two looks at how many pieces there are."""

MANY = 8
"""Pieces more than the last merge left, from which on merging pays."""

PAGES = 128
"""Pages of an index, of 1,000 bytes, that one transaction writes: 3 ms of CPU. Some more where a
word is in very many lines, as FTS5 pauses only between two words."""

# A look at the first row of each piece. A structure that is being made again, or behind, has none.
_PIECES = """
WITH RECURSIVE piece (number) AS (
  SELECT min(segid) FROM {table}_idx
  UNION ALL
  SELECT (SELECT min(segid) FROM {table}_idx WHERE segid > number) FROM piece
  WHERE number IS NOT NULL
)
SELECT count(number) FROM piece
WHERE (SELECT count(*) = 2 AND min(upto) = max(upto) FROM derived
       WHERE name IN ('messages', '{structure}'))
"""


class Merging:
    """The keeper's duty to merge."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._left = dict.fromkeys(INDEXES, 0)

    async def merge(self) -> None:
        """Merge what lies in many pieces, a moment's work per transaction, and others in between.

        Raises:
            StoreFailed: it cannot be written; what is merged stays so.
        """
        for table in INDEXES:
            there = await pieces(self._database, table)
            if there >= self._left[table] + MANY:
                while await self._step(table):  # noqa: ASYNC110 -- a pause for others, no polling
                    await anyio.sleep(PAUSE)
                there = await pieces(self._database, table)
            else:
                there = min(there, self._left[table])
            self._left[table] = there

    async def _step(self, table: str) -> bool:
        """Merge some pages; whether there was anything to merge."""
        async with self._database.writing() as writer:
            if not await pieces(writer, table):
                return False  # somebody has begun to make it again
            before = await _changes(writer)
            await writer.run(f"INSERT INTO {table}({table}, rank) VALUES ('merge', {PAGES})")
            # The statement itself counts as one: https://sqlite.org/fts5.html#the_merge_command
            return await _changes(writer) > before + 1


async def pieces(reader: Database | Writer, table: str) -> int:
    """In how many pieces an index is; 0 while it is not complete."""
    return int(await reader.value(_PIECES.format(table=table, structure=INDEXES[table])))


async def _changes(writer: Writer) -> int:
    return int(await writer.value("SELECT total_changes()"))
