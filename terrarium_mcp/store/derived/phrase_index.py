"""The phrase index: each two consecutive words of all speech.

To find a phrase FTS5 reads the posting lists of all its words: 10 to 40 ms if they are common (10 M
messages, of which 136 contain `city in the`). Few messages contain the pairs `city in` and `in
the`. A message takes 15 bytes here, and 6 us.
"""

# ruff: noqa: S608 -- every statement is made of constants

from terrarium_mcp.store.derived.full_text import READABLE, FullText
from terrarium_mcp.store.rows import IS_SPEECH

_PAIRS = "pair_words(CAST(message AS BLOB))"
_SPOKEN = f"{READABLE} AND {IS_SPEECH}"

TABLES = f"""
-- Which pairs of words follow on each other in what was said: 16 bits of a hash of each. What two
-- pairs share is told apart by reading the lines. The rowid is the id with a minus sign.
CREATE VIEW phrase_index_source AS
  SELECT -m.id AS id, {_PAIRS} AS pairs FROM messages m WHERE {_SPOKEN};
CREATE VIRTUAL TABLE phrase_index USING fts5 (
  pairs, content='phrase_index_source', content_rowid='id',
  columnsize=0, detail=none, tokenize='ascii'
);
INSERT INTO phrase_index(phrase_index, rank) VALUES ('pgsz', 1000);
"""


class PhraseIndex(FullText):
    """The index over the word pairs of all speech."""

    name = "phrases"
    table = "phrase_index"
    columns = "pairs"
    rows = f"-m.id, {_PAIRS} FROM messages m WHERE {_SPOKEN}"
