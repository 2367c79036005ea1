"""Vocabulary queries: which words of the history to look for, and how many of each."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol

LONGEST_WHOLE = 40
"""Characters up to which a vocabulary tells words apart: longer words with the same beginning are
one entry of this length, and are searched for by that beginning. Mostly they are keys and hashes.
"""

_DIGITS = "0123456789"
_ALPHABETS = (
    "abcdefghijklmnopqrstuvwxyz",
    "абвгдежзийклмнопрстуфхцчшщъыьэюяёіїєґўђѓјќљњћџ",
    "αβγδεζηθικλμνξοπρστυφχψωάέήίόύώϊϋΐΰ",
)
"""The letters of words as an index holds them: of Latin ones without accents, of others with
them."""


@dataclass(frozen=True, slots=True)
class WordsAmong:
    """Those of these words that were said."""

    words: Collection[str]

    @property
    def most(self) -> int:
        """All of them."""
        return len(self.words)


@dataclass(frozen=True, slots=True)
class WordsBeginning:
    """Words that begin with `start` and have at most `longest` characters."""

    start: str
    longest: int
    most: int


@dataclass(frozen=True, slots=True)
class WordsHolding:
    """Words with `part` anywhere in them; none where the part is too short or too long."""

    part: str
    most: int


@dataclass(frozen=True, slots=True)
class WordsMisspelt:
    """Words one letter away from `word`; none where it is too long to be a word."""

    word: str
    most: int


VocabularyQuery = WordsAmong | WordsBeginning | WordsHolding | WordsMisspelt
"""The `most` frequent words of some form. All words are folded, as an index holds them."""


class Vocabulary(Protocol):
    """The words that were said, each with the number of lines that hold it."""

    async def most_frequent(self, *queries: VocabularyQuery) -> list[dict[str, int]]:
        """For each query its words and their lines, the most frequent first."""
        ...


def one_letter_away(word: str) -> set[str]:
    """Every string with one letter of `word` dropped, changed or added, or two swapped.

    A letter added is one of its alphabets.
    """
    letters = _letters_for(word)
    ends = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    added = [before + letter + after for before, after in ends for letter in letters]
    changed = [before + letter + after[1:] for before, after in ends if after for letter in letters]
    dropped = [before + after[1:] for before, after in ends]
    swapped = [before + after[1] + after[0] + after[2:] for before, after in ends if after[1:]]
    return {*added, *changed, *dropped, *swapped} - {word}


def _letters_for(word: str) -> str:
    """The letters that may be missing from a word, or stand where one of its own should."""
    its = [alphabet for alphabet in _ALPHABETS if not set(alphabet).isdisjoint(word)]
    return "".join(its or _ALPHABETS[:1]) + _DIGITS
