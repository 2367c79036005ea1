"""The vocabulary: every word that was said, and in how many lines.

It answers what the full-text index cannot answer quickly: how rare a word is, which words begin
with or contain some characters, and whether a word is known. A word that is in no line any more is
gone.
"""

# ruff: noqa: S608 -- every statement is made of constants

import json
import sqlite3
from collections.abc import Mapping, Sequence

from terrarium_mcp.store.search.vocabulary_queries import LONGEST_WHOLE
from terrarium_mcp.store.sqlite.engine.id_lists import AMONG_IDS, ids_params
from terrarium_mcp.store.sqlite.engine.message_ids import newest_message
from terrarium_mcp.store.sqlite.engine.voices_sql import JOINED
from terrarium_mcp.store.sqlite.engine.writes import Writer
from terrarium_mcp.store.sqlite.index.counter_sql import SAID
from terrarium_mcp.store.sqlite.index.index_texts import IndexTexts
from terrarium_mcp.store.sqlite.index.message_index import MESSAGE, TOKENIZER
from terrarium_mcp.store.sqlite.index.structure import compare

PIECE = 3
"""Characters of the pieces (trigrams) by which words are found from within."""

# FTS5 itself counts the words of a batch of messages: beyond ASCII no other tokenizer agrees with
# its own, and in Python even ASCII takes as long (2 us a message). A process that does not write,
# as one that reads logs, has that time.
_MAKE_TALLY = (
    (
        "CREATE VIRTUAL TABLE IF NOT EXISTS temp.said USING fts5"
        f" (message, content='', columnsize=0, detail=none, tokenize='{TOKENIZER}')"
    ),
    "CREATE VIRTUAL TABLE IF NOT EXISTS temp.tally USING fts5vocab (temp, said, row)",
)
# Words that are equal once they are cut are summed: by the upsert where there is one, by GROUP BY
# where a row can be updated only once. (`WHERE true` separates the SELECT from ON CONFLICT.)
_KEPT = f"substr(term, 1, {LONGEST_WHOLE})"
_TALLIED = f"SELECT {_KEPT} AS word, doc AS lines FROM temp.tally WHERE true"
_SUMMED = f"SELECT {_KEPT} AS word, sum(doc) AS lines FROM temp.tally GROUP BY 1"
_ADD_TALLIED = (
    f"INSERT INTO words (word, lines) {_TALLIED}"
    " ON CONFLICT DO UPDATE SET lines = lines + excluded.lines"
)
# Not row by row: before each statement that may add several rows (here by a trigger) FTS5 writes
# what it has collected.
_ADD_WORDS = (
    f"INSERT INTO words (word, lines) SELECT substr(key, 1, {LONGEST_WHOLE}), value"
    " FROM json_each(?) WHERE true ON CONFLICT DO UPDATE SET lines = lines + excluded.lines"
)

_RECOUNTED = 50_000
"""Messages that a recount tokenizes at once, in memory."""


class WordsIndex:
    """The words of all lines, each with the number of lines that contain it.

    Words that agree in their first `LONGEST_WHOLE` characters are one; a line with two of them
    counts twice.
    """

    name = "words"
    tables = ("words", "word_parts", "word_names")

    async def add(self, writer: Writer, first: int, last: int) -> None:
        """Count the words of a range of messages, writing each word once."""
        await _tally(writer, "m.id BETWEEN :first AND :last", {"first": first, "last": last})
        await writer.run(_ADD_TALLIED)

    async def add_texts(self, writer: Writer, texts: IndexTexts) -> None:
        """Count the words of messages by what was tallied of them."""
        if texts.has_relayed:
            await self.add(writer, texts.first, texts.last)
            return
        await writer.run(_ADD_WORDS, [json.dumps(dict(texts.tallies.words.counts))])
        if texts.tallies.others:
            await _begin_tally(writer)
            await writer.many(
                "INSERT INTO temp.said (rowid, message) VALUES (?, ?)",
                enumerate(texts.tallies.others),
            )
            await writer.run(_ADD_TALLIED)

    async def restore(self, writer: Writer, ids: Sequence[int]) -> None:
        """Count the words of messages again that were removed a moment ago."""
        await _tally(writer, AMONG_IDS, ids_params(ids))
        await writer.run(_ADD_TALLIED)

    async def remove(self, writer: Writer, ids: Sequence[int]) -> None:
        """Subtract the words of these lines; a word that no other line contains is deleted."""
        await _tally(writer, AMONG_IDS, ids_params(ids))
        await writer.run(
            f"UPDATE words SET lines = words.lines - gone.lines FROM ({_SUMMED}) gone"
            " WHERE words.word = gone.word"
        )
        gone = f"lines <= 0 AND word IN (SELECT {_KEPT} FROM temp.tally)"
        for row in await writer.rows(f"SELECT word FROM words WHERE {gone}"):
            await _delete_parts(writer, row[0])
        await writer.run(f"DELETE FROM words WHERE {gone}")

    async def clear(self, writer: Writer) -> None:
        """Delete every word."""
        await writer.run("DELETE FROM words")
        await writer.run("INSERT INTO word_parts (word_parts) VALUES ('delete-all')")
        await writer.run("DELETE FROM word_names")

    async def differences(self, writer: Writer) -> list[str]:
        """Compare the counts with a recount, and the pieces with the words."""
        await writer.run("CREATE TEMP TABLE recount (word TEXT PRIMARY KEY, lines INTEGER)")
        newest = await newest_message(writer)
        for first in range(0, newest + 1, _RECOUNTED):
            span = {"first": first, "last": first + _RECOUNTED - 1}
            await _tally(writer, "m.id BETWEEN :first AND :last", span)
            await writer.run(
                f"INSERT INTO temp.recount {_TALLIED}"
                " ON CONFLICT DO UPDATE SET lines = lines + excluded.lines"
            )
        kept = "SELECT word, lines FROM words"
        found = await compare(writer, "words", kept, "SELECT word, lines FROM temp.recount")
        await writer.run("DROP TABLE temp.recount")
        long_enough = f"SELECT word FROM words WHERE length(word) >= {PIECE}"
        found += await compare(writer, "word_names", "SELECT word FROM word_names", long_enough)
        try:
            # Rank 1 makes FTS5 compare the index with `word_names`.
            await writer.run(
                "INSERT INTO word_parts (word_parts, rank) VALUES ('integrity-check', 1)"
            )
        except sqlite3.DatabaseError as error:
            found.append(f"word_parts: their contents differ from word_names ({error})")
        return found


def trigram_query(part: str) -> str:
    """The FTS5 query for words with all pieces of `part` (folded, at least `PIECE` characters)."""
    cut = dict.fromkeys(part[at : at + PIECE] for at in range(len(part) - PIECE + 1))
    return " AND ".join(f'"{piece}"' for piece in cut)


async def _tally(writer: Writer, which: str, params: Mapping[str, object]) -> None:
    """Fill `temp.tally` with how many of the lines that meet `which` contain each word."""
    await _begin_tally(writer)
    await writer.run(
        f"INSERT INTO temp.said (rowid, message) SELECT m.id, {MESSAGE} FROM {JOINED}"
        f" WHERE {which} AND {SAID}",
        params,
    )


async def _begin_tally(writer: Writer) -> None:
    """Make `temp.tally`, or empty it."""
    for sql in _MAKE_TALLY:
        await writer.run(sql)
    await writer.run("INSERT INTO temp.said (said) VALUES ('delete-all')")


async def _delete_parts(writer: Writer, word: str) -> None:
    """Delete a word's pieces."""
    rows = (
        await writer.rows(
            "SELECT n.id FROM word_parts CROSS JOIN word_names n ON n.id = word_parts.rowid"
            " WHERE word_parts MATCH :pieces AND n.word = :word",
            {"pieces": trigram_query(word), "word": word},
        )
        if len(word) >= PIECE
        else []
    )
    for row in rows:
        await writer.run(
            "INSERT INTO word_parts (word_parts, rowid, word) VALUES ('delete', ?, ?)",
            (row[0], word),
        )
        await writer.run("DELETE FROM word_names WHERE id = ?", (row[0],))
