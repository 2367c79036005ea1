"""Term statistics: in how many lines each word of a query is, and which words a prefix begins.

FTS5 merges the posting lists of all words with a prefix before it returns the first line: 9 ms for
`will*` in ten million lines (105 words in 240,000 lines), and 1 ms for the words one by one.
"""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import NamedTuple

from terrarium_mcp.chat.query.parsed_query import Query
from terrarium_mcp.chat.terms import Term, TermKind
from terrarium_mcp.store.search.vocabulary_queries import LONGEST_WHOLE
from terrarium_mcp.store.sqlite.engine.functions import storable
from terrarium_mcp.store.sqlite.search.vocabulary import AFTER_ALL, as_kept

_FEW = 32
"""Up to this many words a prefix is always expanded."""

_MOST = 1_000
"""Beyond this many words it never is."""

_AS_LINES = 100
"""Break-even: opening one more posting list costs as much as merging this many entries (10 us at
10 M lines). 100 had the best 99th percentile of 60, 100, 150 and 300."""

STATISTICS = f"""
(SELECT json_group_object(asked.key, ifnull(words.lines, 0))
 FROM json_each(:words) asked LEFT JOIN words ON words.word = asked.value),
(SELECT json_group_object(start.value, json((
  SELECT iif(count(*) <= {_MOST}, json_array(json_group_array(word), total(lines)), NULL)
  FROM (
    SELECT word, lines FROM words
    WHERE word >= start.value AND word < start.value || '{AFTER_ALL}' LIMIT {_MOST} + 1)
))) FROM json_each(:starts) start)"""  # noqa: S608 -- our own constants
"""The two columns for `term_stats`; their parameters come from `statistics_params`."""


def statistics_params(query: Query) -> dict[str, str]:
    """The parameters of STATISTICS for a query."""
    terms = [*query.terms, *query.excluded, *map(Term, query.mentions)]
    words = {word for term in terms for word in term.words}
    starts = {start for term in terms if (start := start_of(term))}
    return {"words": as_kept(sorted(words)), "starts": json.dumps(sorted(map(storable, starts)))}


class PrefixExpansion(NamedTuple):
    """All words with a prefix, and the sum of the lines that hold each of them."""

    words: Sequence[str]
    lines: float

    def is_cheaper(self, *, alone: bool) -> bool:
        """Whether looking up the words costs less than the prefix; `alone`: nothing else is asked.

        Beside another condition, each of the posting lists has to be entered for each of its lines.
        """
        few = len(self.words) <= _FEW
        return few or (alone and self.lines > _AS_LINES * len(self.words))


@dataclass(frozen=True, slots=True)
class TermStats:
    """Document frequencies of a query's words, among `total` lines, or a few less.

    `lines` is how many lines hold a word (0 if none), where words of more than `LONGEST_WHOLE`
    characters count together with all that begin alike. `prefixes` has the expansions that are not
    too large.
    """

    total: int
    lines: Mapping[str, int] = field(default_factory=dict)
    prefixes: Mapping[str, PrefixExpansion] = field(default_factory=dict)

    def expected(self, words: Collection[str]) -> float:
        """How many lines would hold all words if these were independent of each other.

        Exact for a single word; an upper bound where a word is none of the query's.
        """
        return self.total * prod(self.lines.get(word, self.total) / self.total for word in words)

    def may_be_said(self, term: Term) -> bool:
        """Whether any line may hold a term: False if one of its words is in no line."""
        if not is_folded_alike(term):
            return True
        if start := start_of(term):
            expansion = self.prefixes.get(start)
            return expansion is None or bool(expansion.words)
        whole = term.words[:-1] if term.kind is TermKind.PREFIX else term.words
        return all(self.lines.get(word, 1) for word in whole)

    def rarity(self, clause: Iterable[Term]) -> float:
        """A sort key for clauses: an upper bound of the lines that hold one of the terms."""
        return sum(self._lines_with(term) for term in clause)

    def _lines_with(self, term: Term) -> float:
        if term.kind is TermKind.PREFIX:
            expansion = self.prefixes.get(start_of(term))
            return expansion.lines if expansion else self.total
        return min((self.lines.get(word, 0) for word in term.words), default=self.total)


def term_stats(total: int, lines: str, prefixes: str) -> TermStats:
    """The statistics of a query, from the largest indexed id and the columns of STATISTICS."""
    expansions = {
        start: PrefixExpansion(*found) for start, found in json.loads(prefixes).items() if found
    }
    return TermStats(max(total, 1), json.loads(lines), expansions)


def counted_word(term: Term) -> str:
    """The word of a term of one word whose lines are counted exactly; "" for any other term.

    Words of more than `LONGEST_WHOLE` characters are counted together with all that begin alike.
    """
    is_word = term.kind is not TermKind.PREFIX and len(term.words) == 1 and not term.literal
    is_counted = is_word and is_folded_alike(term) and len(term.words[0]) < LONGEST_WHOLE
    return term.words[0] if is_counted else ""


def start_of(term: Term) -> str:
    """The prefix of a one-word term by which the words table finds its words; "" if it cannot.

    Of words longer than `LONGEST_WHOLE` that table has only the beginning.
    """
    is_one = term.kind is TermKind.PREFIX and len(term.words) == 1
    if not (is_one and is_folded_alike(term)):
        return ""
    (start,) = term.words
    return start if len(start) <= LONGEST_WHOLE else ""


def is_folded_alike(term: Term) -> bool:
    """Whether FTS5 surely has the words of a term as we have them.

    Beyond ASCII it knows the letters of Unicode 6.1 only, and cuts words where it knows none.
    """
    return term.text.isascii()
