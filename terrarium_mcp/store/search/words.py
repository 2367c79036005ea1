"""Words: how rare each is, how one goes on, which hold a piece, which are one letter away."""

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace

from terrarium_mcp.store.database import Database
from terrarium_mcp.store.derived.words_index import LONGEST, PIECE, pieces
from terrarium_mcp.store.functions import storable

MOST_LOOKED_AT = 2_000
"""Words with a piece that are looked at: the oldest ones, which the most frequent are among."""

LAST = "\U0010ffff"
"""No word goes on with this."""

_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"

_BEGINNING = """
SELECT word, lines FROM words
WHERE word >= :start{n} AND word < :end{n} AND length(word) <= :longest{n}"""

_AMONG = """
SELECT word, lines FROM json_each(:words{n}) asked CROSS JOIN words ON word = asked.value"""

_HOLDING = """
SELECT w.word, w.lines FROM (
  SELECT n.word FROM word_parts CROSS JOIN word_names n ON n.id = word_parts.rowid
  WHERE word_parts MATCH :pieces{n} AND instr(n.word, :part{n})
  ORDER BY word_parts.rowid LIMIT :looked_at{n}
) n JOIN words w ON w.word = n.word"""

_NONE = "SELECT word, lines FROM words WHERE false"


@dataclass(frozen=True, slots=True)
class Wish:
    """A wish for the `most` usual words of a statement, whose parameters end in `{n}`."""

    most: int
    sql: str = _NONE
    params: Mapping[str, object] = field(default_factory=dict)


def among(words: Collection[str]) -> Wish:
    """Those of these words that were said."""
    return Wish(len(words), _AMONG, {"words": json.dumps([storable(word) for word in words])})


def beginning(start: str, longest: int, most: int) -> Wish:
    """Words that begin so and have at most `longest` characters."""
    start = storable(start)
    return Wish(most, _BEGINNING, {"start": start, "end": start + LAST, "longest": longest})


def misspelt(word: str, most: int) -> Wish:
    """Words that are one letter away from `word`; none of a very long one."""
    if len(word) > LONGEST:
        return Wish(most)
    return replace(among(sorted({*_one_letter_away(word)})), most=most)


def holding(part: str, most: int) -> Wish:
    """Words with `part` in them; none where it is too short or too long."""
    if not PIECE <= len(part) <= LONGEST:
        return Wish(most)
    part = storable(part)
    params = {"pieces": pieces(part), "part": part, "looked_at": MOST_LOOKED_AT}
    return Wish(most, _HOLDING, params)


class Words:
    """Looks into the words table. All words are folded, as the index holds them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def usual(self, *wishes: Wish) -> list[dict[str, int]]:
        """For each wish the most usual words and their lines, the most usual first."""
        found: list[dict[str, int]] = [{} for _ in wishes]
        if not wishes:
            return found
        params: dict[str, object] = {}
        for n, wish in enumerate(wishes):
            params |= {f"{name}{n}": value for name, value in wish.params.items()}
            params[f"most{n}"] = wish.most
        sql = " UNION ALL ".join(
            f"SELECT * FROM (SELECT {n}, * FROM ({wish.sql.format(n=n)})"  # noqa: S608 -- words of strangers are parameters
            f" ORDER BY lines DESC, word LIMIT :most{n})"
            for n, wish in enumerate(wishes)
        )
        for n, word, lines in await self._database.rows(sql, params):
            found[n][word] = lines
        return found


def _one_letter_away(word: str) -> Iterator[str]:
    """Everything with one letter of `word` dropped, changed or added, or two swapped."""
    for at in range(len(word) + 1):
        before, after = word[:at], word[at:]
        yield from (before + letter + after for letter in _LETTERS)
        if after:
            yield before + after[1:]
            yield from (before + letter + after[1:] for letter in _LETTERS if letter != after[0])
        if len(after) > 1 and after[0] != after[1]:
            yield before + after[1] + after[0] + after[2:]
