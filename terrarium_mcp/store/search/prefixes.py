"""Prefixes: the words that begin so, looked up one by one wherever that is sooner.

FTS5 puts the lists of all words with a prefix together before it tells the first line: 9 ms for
`will*` in ten million lines, 105 words in 240,000 lines, and 1 ms for the words one by one.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from terrarium_mcp.chat.terms import Term, TermKind
from terrarium_mcp.store.derived.words_index import LONGEST
from terrarium_mcp.store.search.words import LAST

_FEW = 32
"""So many words are looked up one by one whatever else is asked for."""

_MOST = 1_000
"""And so many at most."""

_AS_LINES = 100
"""As many lines of a list are put together in the time in which another list is begun (10 us at ten
million lines). Of 60, 100, 150 and 300 it is the one with the quickest 99th percentile."""

BEGUN = f"""
SELECT json_group_object(start.value, json((
  SELECT iif(count(*) <= {_MOST}, json_array(json_group_array(word), total(lines)), NULL)
  FROM (
    SELECT word, lines FROM words
    WHERE word >= start.value AND word < start.value || '{LAST}' LIMIT {_MOST} + 1)
))) FROM json_each(:starts) start"""  # noqa: S608 -- our own constants
"""For each of the beginnings in the JSON array `:starts` what `begun` reads."""


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


def begun(told: Mapping[str, Any]) -> dict[str, Begun]:
    """What BEGUN tells by beginnings; those of too many words are left out."""
    return {start: Begun(*found) for start, found in told.items() if found}


def starts(terms: Iterable[Term]) -> set[str]:
    """The beginnings to ask about."""
    return {start for term in terms if (start := start_of(term))}


def start_of(term: Term) -> str:
    """How a word has to begin, as the words table has it; "" where that does not tell.

    Beyond ASCII FTS5 folds a little less than we do: it leaves a sharp s as it is.
    """
    is_one = term.kind is TermKind.PREFIX and len(term.words) == 1
    return term.words[0] if is_one and term.text.isascii() else ""


def is_cut(word: str) -> bool:
    """Whether the words table may have only the beginning of this word."""
    return len(word) == LONGEST
