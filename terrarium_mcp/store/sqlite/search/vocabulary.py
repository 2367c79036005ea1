"""Vocabulary look-ups: the words of the history, as the words table has them."""

import json
from collections.abc import Iterable, Mapping, Sequence

from terrarium_mcp.store.search.vocabulary_queries import (
    LONGEST_WHOLE,
    VocabularyQuery,
    WordsAmong,
    WordsBeginning,
    WordsHolding,
    WordsMisspelt,
    one_letter_away,
)
from terrarium_mcp.store.sqlite.engine.functions import storable
from terrarium_mcp.store.sqlite.engine.reads import Reads, united_rows
from terrarium_mcp.store.sqlite.index.fts_syntax import quoted
from terrarium_mcp.store.sqlite.index.vocabulary import PIECE, trigram_query

MOST_LOOKED_AT = 2_000
"""Most words with a piece that are examined: the oldest, among which are the most frequent."""

_NO_LIMIT = -1

AFTER_ALL = "\U0010ffff"
"""Sorts after every character of a word."""

_BEGINNING = """
SELECT word, lines FROM words
WHERE word >= :start{n} AND word < :end{n} AND length(word) <= :longest{n}"""

_AMONG = """
SELECT key AS word, lines FROM json_each(:words{n}) CROSS JOIN words ON word = value"""

_LISTED = """
SELECT value AS word, lines FROM json_each(:words{n}) CROSS JOIN words ON word = value"""

_HOLDING = """
SELECT w.word, w.lines FROM (
  SELECT n.word FROM word_parts CROSS JOIN word_names n ON n.id = word_parts.rowid
  WHERE word_parts MATCH :pieces{n} AND instr(n.word, :part{n})
  ORDER BY word_parts.rowid LIMIT :looked_at{n}
) n JOIN words w ON w.word = n.word"""


class SqliteVocabulary:
    """The words table."""

    def __init__(self, reads: Reads) -> None:
        self._reads = reads

    async def most_frequent(self, *queries: VocabularyQuery) -> list[dict[str, int]]:
        """For each query its words and their lines, the most frequent first; in one statement.

        A word of more than `LONGEST_WHOLE` characters is counted with all words that begin like it.
        """
        return await self._read([(query, query.most, MOST_LOOKED_AT) for query in queries])

    async def all_words(self, *queries: VocabularyQuery) -> list[dict[str, int]]:
        """For each query all its words and their lines, however many, the most frequent first."""
        return await self._read([(query, _NO_LIMIT, _NO_LIMIT) for query in queries])

    async def _read(
        self, queries: Sequence[tuple[VocabularyQuery, int, int]]
    ) -> list[dict[str, int]]:
        """For each query as many of its words, of as many that are looked at."""
        found: list[dict[str, int]] = [{} for _ in queries]
        selects = [
            _numbered(n, sql, {**params, "most": most, "looked_at": looked_at})
            for n, (query, most, looked_at) in enumerate(queries)
            for sql, params in [_statement(query)]
            if sql
        ]
        for n, word, lines in await united_rows(self._reads, selects):
            found[n][word] = lines
        return found


def is_cut(word: str) -> bool:
    """Whether a word of the words table may be only the beginning of what was said."""
    return len(word) == LONGEST_WHOLE


def string_of(word: str) -> str:
    """The FTS5 string of a word; of one that the words table cuts, that of its beginning."""
    kept = word[:LONGEST_WHOLE]
    return f"{quoted(kept)} *" if is_cut(kept) else quoted(kept)


def as_kept(words: Iterable[str]) -> str:
    """These words, each with the beginning under which the words table keeps it, as JSON."""
    return json.dumps({word: word[:LONGEST_WHOLE] for word in map(storable, words)})


def _numbered(n: int, sql: str, params: Mapping[str, object]) -> tuple[str, Mapping[str, object]]:
    """One of several look-ups of a statement: `n` and its most frequent words with their lines."""
    frequent = (
        f"SELECT * FROM (SELECT {n}, * FROM ({sql.format(n=n)})"  # noqa: S608 -- words of strangers are parameters
        f" ORDER BY lines DESC, word LIMIT :most{n})"
    )
    return frequent, {f"{name}{n}": value for name, value in params.items()}


def _statement(query: VocabularyQuery) -> tuple[str, Mapping[str, object]]:
    """The statement for a query, and its parameters, whose names end in `{n}` there.

    It is "" where no word can be found.
    """
    match query:
        case WordsAmong(words) if words:
            return _AMONG, {"words": as_kept(sorted(words))}
        case WordsBeginning(start, longest):
            start = storable(start)
            return _BEGINNING, {"start": start, "end": start + AFTER_ALL, "longest": longest}
        case WordsHolding(part) if PIECE <= len(part) <= LONGEST_WHOLE:
            part = storable(part)
            params = {"pieces": trigram_query(part), "part": part}
            return _HOLDING, params
        case WordsMisspelt(word) if len(word) < LONGEST_WHOLE:
            return _LISTED, {"words": json.dumps([*one_letter_away(storable(word))])}
    return "", {}
