"""What is known of a query's words: in how many lines each is, and which words a prefix begins.

FTS5 puts the lists of all words with a prefix together before it tells the first line: 9 ms for
`will*` in ten million lines, 105 words in 240,000 lines, and 1 ms for the words one by one.
"""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import NamedTuple

from terrarium_mcp.chat.query import Query
from terrarium_mcp.chat.terms import Term, TermKind
from terrarium_mcp.store.derived.words_index import LONGEST
from terrarium_mcp.store.functions import storable
from terrarium_mcp.store.search.words import LAST

_FEW = 32
"""So many words are looked up one by one whatever else is asked for."""

_MOST = 1_000
"""And so many at most."""

_AS_LINES = 100
"""As many lines of a list are put together in the time in which another list is begun (10 us at ten
million lines). Of 60, 100, 150 and 300 it is the one with the quickest 99th percentile."""

KNOWN = f"""
(SELECT json_group_object(asked.value, ifnull(words.lines, 0))
 FROM json_each(:words) asked LEFT JOIN words ON words.word = asked.value),
(SELECT json_group_object(start.value, json((
  SELECT iif(count(*) <= {_MOST}, json_array(json_group_array(word), total(lines)), NULL)
  FROM (
    SELECT word, lines FROM words
    WHERE word >= start.value AND word < start.value || '{LAST}' LIMIT {_MOST} + 1)
))) FROM json_each(:starts) start)"""  # noqa: S608 -- our own constants
"""The two columns that `Known.of` reads; their parameters are those of `asked_of`."""


def asked_of(query: Query) -> dict[str, str]:
    """The parameters of KNOWN for a query."""
    terms = [*query.terms, *query.excluded, *map(Term, query.mentions)]
    words = {storable(word) for term in terms for word in term.words}
    starts = {start for term in terms if (start := start_of(term))}
    return {"words": json.dumps(sorted(words)), "starts": json.dumps(sorted(starts))}


class Begun(NamedTuple):
    """All words that begin alike, and how many lines hold each, taken together."""

    words: Sequence[str]
    lines: float

    def is_sooner(self, *, alone: bool) -> bool:
        """Whether they are sooner looked up one by one; `alone` if nothing else is asked for.

        Beside something else each of the lists has to be looked into at all of its lines.
        """
        few = len(self.words) <= _FEW
        return few or (alone and self.lines > _AS_LINES * len(self.words))


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of the words of a query, among `total` lines.

    `lines` hold a word, 0 where nobody said it; `begun` has the words that begin so, where they are
    not too many.
    """

    total: int
    lines: Mapping[str, int] = field(default_factory=dict)
    begun: Mapping[str, Begun] = field(default_factory=dict)

    @classmethod
    def of(cls, total: int, lines: str, begun: str) -> "Known":
        """What KNOWN tells."""
        found = {start: Begun(*told) for start, told in json.loads(begun).items() if told}
        return cls(max(total, 1), json.loads(lines), found)

    def expected(self, words: Collection[str]) -> float:
        """How many lines would hold all words if these had nothing to do with each other.

        Exact for a single word; more than that for a word that is none of those known.
        """
        return self.total * prod(self.lines.get(word, self.total) / self.total for word in words)

    def may_be_said(self, term: Term) -> bool:
        """Whether anybody may have said a term: not, if one of its words is in no line."""
        if not is_folded_alike(term):
            return True
        if start := start_of(term):
            begun = self.begun.get(start)
            return begun is None or bool(begun.words) or len(start) > LONGEST
        whole = term.words[:-1] if term.kind is TermKind.PREFIX else term.words
        return all(self.lines.get(word, 1) or len(word) > LONGEST for word in whole)

    def rarity(self, clause: Iterable[Term]) -> float:
        """By what to sort clauses: about how many lines hold one of the terms, at most."""
        return sum(self._lines_with(term) for term in clause)

    def _lines_with(self, term: Term) -> float:
        if term.kind is TermKind.PREFIX:
            begun = self.begun.get(start_of(term))
            return begun.lines if begun else self.total
        return min((self.lines.get(word, 0) for word in term.words), default=self.total)


def start_of(term: Term) -> str:
    """How a word has to begin, as the words table has it; "" where that does not tell."""
    is_one = term.kind is TermKind.PREFIX and len(term.words) == 1
    return term.words[0] if is_one and is_folded_alike(term) else ""


def is_folded_alike(term: Term) -> bool:
    """Whether FTS5 surely folds the words of a term as we do.

    Beyond ASCII it folds a little less: it leaves a sharp s as it is.
    """
    return term.text.isascii()


def is_cut(word: str) -> bool:
    """Whether the words table may have only the beginning of this word."""
    return len(word) == LONGEST
