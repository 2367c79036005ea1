"""The phrase index: which words follow on each other, two at a time.

To find a phrase FTS5 asks the lists of all its words in turn: 10 to 40 ms where these are usual (10
M lines; `city in the` is in 136). The pairs `city in` and `in the` are both in few lines. A line
takes 15 bytes here, and 6 us.
"""

from terrarium_mcp.store.derived.full_text import READABLE, FullText
from terrarium_mcp.store.rows import IS_SPEECH

_PAIRS = "pair_words(CAST(message AS BLOB))"
_SPOKEN = f"{READABLE} AND {IS_SPEECH}"


class PhraseIndex(FullText):
    """The pairs of words of all that was said."""

    name = "phrases"
    table = "phrase_index"
    columns = "pairs"
    rows = f"-m.id, {_PAIRS} FROM messages m WHERE {_SPOKEN}"
