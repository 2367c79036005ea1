"""Words: how rare each is, how one goes on, which hold a piece, which are one letter away."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from terrarium_mcp.store.database import Database
from terrarium_mcp.store.derived.words_index import LONGEST, PIECE, pieces
from terrarium_mcp.store.functions import storable

MOST_LOOKED_AT = 2_000
"""Words with a piece that are looked at: the oldest ones, which the most frequent are among."""

_LAST = "\U0010ffff"
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"

_BEGINNING = """
SELECT * FROM (
  SELECT :beginning{n}, word, lines FROM words
  WHERE word >= :beginning{n} AND word < :end{n} AND length(word) <= :longest{n}
  ORDER BY lines DESC LIMIT :most{n})"""


@dataclass(frozen=True, slots=True)
class Beginning:
    """A wish for the `most` usual words that begin so and have at most `longest` characters."""

    beginning: str
    longest: int
    most: int


class Words:
    """Looks into the words table. All words are folded, as the index holds them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def lines(self, words: Collection[str]) -> dict[str, int]:
        """How many lines hold each of the words; those that nobody said are left out."""
        rows = await self._database.rows(
            "SELECT word, lines FROM words WHERE word IN (SELECT value FROM json_each(:words))",
            {"words": json.dumps([storable(word) for word in words])},
        )
        return {row[0]: row[1] for row in rows}

    async def beginning(self, wishes: Sequence[Beginning]) -> dict[str, dict[str, int]]:
        """For each beginning the usual words with it and their lines, the most usual first."""
        found: dict[str, dict[str, int]] = {wish.beginning: {} for wish in wishes}
        if not wishes:
            return found
        params: dict[str, object] = {}
        for n, wish in enumerate(wishes):
            start = storable(wish.beginning)
            params |= {
                f"beginning{n}": start,
                f"end{n}": start + _LAST,
                f"longest{n}": wish.longest,
                f"most{n}": wish.most,
            }
        sql = " UNION ALL ".join(_BEGINNING.format(n=n) for n in range(len(wishes)))
        for beginning, word, lines in await self._database.rows(sql, params):
            found[beginning][word] = lines
        return found

    async def holding(self, part: str, most: int) -> dict[str, int]:
        """The most usual words with `part` in them; none where it is too short or too long."""
        if not PIECE <= len(part) <= LONGEST:
            return {}
        rows = await self._database.rows(
            "SELECT w.word, w.lines FROM ("
            "  SELECT n.word FROM word_parts CROSS JOIN word_names n ON n.id = word_parts.rowid"
            "  WHERE word_parts MATCH :pieces AND instr(n.word, :part)"
            "  ORDER BY word_parts.rowid LIMIT :looked_at"
            ") n JOIN words w ON w.word = n.word ORDER BY w.lines DESC LIMIT :most",
            {
                "pieces": pieces(storable(part)),
                "part": storable(part),
                "looked_at": MOST_LOOKED_AT,
                "most": most,
            },
        )
        return {row[0]: row[1] for row in rows}

    async def misspelt(self, word: str, most: int) -> dict[str, int]:
        """The most usual words that are one letter away from `word`; none of a very long one."""
        if len(word) > LONGEST:
            return {}
        known = await self.lines(set(_one_letter_away(word)))
        return dict(_usual(known, most))


def _usual(lines: Mapping[str, int], most: int) -> list[tuple[str, int]]:
    return sorted(lines.items(), key=lambda one: (-one[1], one[0]))[:most]


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
