"""The words table: every word that was said, and in how many lines.

What the index cannot tell quickly is asked here: how rare a word is, how a word goes on, which
words hold a piece, whether a misspelt word is known. A word that is in no line any more is gone.
"""

# ruff: noqa: S608 -- every statement is made of constants

import json
import sqlite3
from collections.abc import Mapping, Sequence

from terrarium_mcp.store.database import Writer
from terrarium_mcp.store.derived.counting import SAID
from terrarium_mcp.store.derived.message_index import MESSAGE, TOKENIZER
from terrarium_mcp.store.derived.recount import difference

LONGEST = 40
"""Characters of a word that are kept: what is longer is a key, a hash or a cat."""

PIECE = 3
"""Characters of the pieces by which words are found from within."""

# FTS5 itself counts the words of a group of lines: no other tokenizer agrees with its own, and
# none written in Python is as quick (2 us a line against 6).
_MAKE_TALLY = (
    (
        "CREATE VIRTUAL TABLE IF NOT EXISTS temp.said USING fts5"
        f" (message, content='', columnsize=0, detail=none, tokenize='{TOKENIZER}')"
    ),
    "CREATE VIRTUAL TABLE IF NOT EXISTS temp.tally USING fts5vocab (temp, said, row)",
)
# Words that are cut alike are added up: one after the other where each is put into the table, and
# before it where a row can be changed only once. (`WHERE true` parts the SELECT from ON CONFLICT.)
_KEPT = f"substr(term, 1, {LONGEST})"
_TALLIED = f"SELECT {_KEPT} AS word, doc AS lines FROM temp.tally WHERE true"
_SUMMED = f"SELECT {_KEPT} AS word, sum(doc) AS lines FROM temp.tally GROUP BY 1"
_AMONG = "m.id IN (SELECT value FROM json_each(:ids))"

_RECOUNTED = 50_000
"""Lines that a recount holds in memory at once."""


class WordsIndex:
    """The words of all lines, each with how many lines hold it.

    Longer ones that begin alike are one: a line with two of them counts twice.
    """

    name = "words"
    tables = ("words", "word_parts", "word_names")

    async def add(self, writer: Writer, first: int, last: int) -> None:
        """Count the words of a range of messages; each word is touched once."""
        await _tally(writer, "m.id BETWEEN :first AND :last", {"first": first, "last": last})
        await writer.run(
            f"INSERT INTO words (word, lines) {_TALLIED}"
            " ON CONFLICT DO UPDATE SET lines = lines + excluded.lines"
        )

    async def remove(self, writer: Writer, ids: Sequence[int]) -> None:
        """Count these lines no more; a word that only they held is found by nothing any more."""
        await _tally(writer, _AMONG, {"ids": json.dumps(list(ids))})
        await writer.run(
            f"UPDATE words SET lines = words.lines - gone.lines FROM ({_SUMMED}) gone"
            " WHERE words.word = gone.word"
        )
        gone = f"lines <= 0 AND word IN (SELECT {_KEPT} FROM temp.tally)"
        for row in await writer.rows(f"SELECT word FROM words WHERE {gone}"):
            await _forget_parts(writer, row[0])
        await writer.run(f"DELETE FROM words WHERE {gone}")

    async def clear(self, writer: Writer) -> None:
        """Know no word."""
        await writer.run("DELETE FROM words")
        await writer.run("INSERT INTO word_parts (word_parts) VALUES ('delete-all')")
        await writer.run("DELETE FROM word_names")

    async def differences(self, writer: Writer) -> list[str]:
        """The counts against a recount, and whether each word is found by its pieces."""
        await writer.run("CREATE TEMP TABLE recount (word TEXT PRIMARY KEY, lines INTEGER)")
        newest = int(await writer.value("SELECT max(id) FROM messages", default=0))
        for first in range(0, newest + 1, _RECOUNTED):
            span = {"first": first, "last": first + _RECOUNTED - 1}
            await _tally(writer, "m.id BETWEEN :first AND :last", span)
            await writer.run(
                f"INSERT INTO temp.recount {_TALLIED}"
                " ON CONFLICT DO UPDATE SET lines = lines + excluded.lines"
            )
        kept = "SELECT word, lines FROM words"
        told = await difference(writer, "words", kept, "SELECT word, lines FROM temp.recount")
        await writer.run("DROP TABLE temp.recount")
        long_enough = f"SELECT word FROM words WHERE length(word) >= {PIECE}"
        told += await difference(writer, "word_names", "SELECT word FROM word_names", long_enough)
        try:
            # Its rank 1 means: compare with the names too.
            await writer.run(
                "INSERT INTO word_parts (word_parts, rank) VALUES ('integrity-check', 1)"
            )
        except sqlite3.DatabaseError as why:
            told.append(f"word_parts: they do not hold what the names say ({why})")
        return told


def pieces(part: str) -> str:
    """The expression for words with all pieces of `part` (folded, at least `PIECE` characters)."""
    cut = dict.fromkeys(part[at : at + PIECE] for at in range(len(part) - PIECE + 1))
    return " AND ".join(f'"{piece}"' for piece in cut)


async def _tally(writer: Writer, which: str, params: Mapping[str, object]) -> None:
    """Let `temp.tally` say how many of the lines that `which` names hold each word."""
    for sql in _MAKE_TALLY:
        await writer.run(sql)
    await writer.run("INSERT INTO temp.said (said) VALUES ('delete-all')")
    await writer.run(
        f"INSERT INTO temp.said (rowid, message) SELECT m.id, {MESSAGE} FROM messages m"
        f" WHERE {which} AND {SAID}",
        params,
    )


async def _forget_parts(writer: Writer, word: str) -> None:
    """Let a word be found by its pieces no more."""
    rows = (
        await writer.rows(
            "SELECT n.id FROM word_parts CROSS JOIN word_names n ON n.id = word_parts.rowid"
            " WHERE word_parts MATCH :pieces AND n.word = :word",
            {"pieces": pieces(word), "word": word},
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
