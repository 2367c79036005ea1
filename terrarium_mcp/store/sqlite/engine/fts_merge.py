"""Merging: the full-text indexes stay in few segments, since a look-up reads every one of them.

Each commit leaves a segment. FTS5 itself merges eight of one size once enough was written, so that
a recording would settle at 10 to 50 segments. The keeper merges any two of one size: each segment
is then about twice as large as the next, and a message is rewritten once per doubling of the index.
The index itself records how far a merge has come, so whichever process is the keeper next continues
it.

Merging everything into one segment ("optimize", or a merge of a negative number of pages) is no
substitute: each time it adds two levels to the index, which stay, and for each of which FTS5 merges
64 more pages within a recorder's commit. Look-ups in three segments are about as quick as in one.
"""

# ruff: noqa: S608 -- every statement is made of constants

import anyio

from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.fts5_tables import SEGMENT_IDS
from terrarium_mcp.store.sqlite.engine.message_ids import newest_message
from terrarium_mcp.store.sqlite.engine.write_lock import PAUSE
from terrarium_mcp.store.sqlite.engine.writes import Writer

INDEXES = {
    "message_index": "index",
    "phrase_index": "phrases",
    "msgid_index": "msgids",
    "word_parts": "words",
}
"""The FTS5 tables, each with the name of the derived structure it belongs to."""

LOOK_EVERY = 10.0
"""Seconds between two counts of the segments."""

MANY = 8
"""How many more segments than the last merge left make another merge worthwhile."""

PAGES = 128
"""Index pages (1,000 bytes each) that one transaction writes: 3 ms of CPU. It writes more where a
word is in very many messages, as FTS5 stops only between two words."""

FILLING = 10_000
"""Messages between two looks after which a merge waits. A bulk append has FTS5 merge 32 segments at
once; to merge two, and two of these, while more come, takes a quarter of its CPU (writing 400,000
lines into a file of four million: 38 us a line, without the keeper's merges 29)."""

NEARLY_COMPLETE = 4_000
"""A structure that lags by fewer messages is not being rebuilt: its next group is not due yet."""

MERGED_AT_ONCE = 8
"""Segments of one size that FTS5 merges by itself, as schema/v1.sql sets it."""

IN_BULK = 32
"""Segments of one size that FTS5 merges during a bulk append, whose keeper hardly gets a turn:
every message is then rewritten less often. Look-ups have more segments to read meanwhile."""

_LARGE = ("message_index", "phrase_index")

# Counts none of a structure that is rebuilt, or far behind.
_COUNT_SEGMENTS = f"""
{SEGMENT_IDS}
SELECT count(number) FROM segment
WHERE (SELECT count(*) = 2 AND min(upto) > 0 AND max(upto) - min(upto) < {{nearly}} FROM derived
       WHERE name IN ('messages', '{{structure}}'))
"""


async def set_merging(writer: Writer, segments: int) -> None:
    """Have FTS5 merge so many segments of one size, and in one go only if they are twice as many.

    It is stored in the file, so a bulk append that is killed leaves it as it is: all is found, and
    the keeper merges what there is.
    """
    for table in _LARGE:
        settings = f"('automerge', {segments}), ('crisismerge', {2 * segments})"
        await writer.run(f"INSERT INTO {table}({table}, rank) VALUES {settings}")


class SegmentMerger:
    """The keeper's duty to merge segments."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._after_last = dict.fromkeys(INDEXES, 0)
        self._newest: int | None = None

    async def merge(self) -> None:
        """Merge each index that has many new segments, in short transactions with pauses.

        Not while very much is written, by whatever process.

        Raises:
            StoreFailed: the file cannot be written; what is merged stays merged.
        """
        if await self._is_filling():
            return
        for table in INDEXES:
            count = await segments(self._database, table)
            if count >= self._after_last[table] + MANY:
                while await self._merge_some(table):  # noqa: ASYNC110 -- pauses for others, not polling
                    await anyio.sleep(PAUSE)
                count = await segments(self._database, table)
            else:
                count = min(count, self._after_last[table])
            self._after_last[table] = count

    async def _is_filling(self) -> bool:
        """Whether very much was written since the last look."""
        newest = await newest_message(self._database)
        before, self._newest = self._newest, newest
        return before is not None and newest - before >= FILLING

    async def _merge_some(self, table: str) -> bool:
        """Merge `PAGES` pages; whether there was anything to merge."""
        async with self._database.writing(patiently=True) as writer:
            if not await segments(writer, table):
                return False  # its rebuild has begun meanwhile
            before = await _total_changes(writer)
            await writer.run(f"INSERT INTO {table}({table}, rank) VALUES ('merge', {PAGES})")
            # The statement itself counts as one: https://sqlite.org/fts5.html#the_merge_command
            return await _total_changes(writer) > before + 1


async def segments(reader: Database | Writer, table: str) -> int:
    """How many segments an index has; 0 while its structure is not complete."""
    sql = _COUNT_SEGMENTS.format(table=table, structure=INDEXES[table], nearly=NEARLY_COMPLETE)
    return int(await reader.value(sql))


async def _total_changes(writer: Writer) -> int:
    return int(await writer.value("SELECT total_changes()"))
