"""What English adds to a search: words that tell nothing, other forms of a word, kindred words.

Other languages are searched word by word; nothing here stands in their way.
"""

from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from importlib.resources import files

import Stemmer

IRREGULAR, KINDRED = 0.5, 0.3
"""What an irregular form (`gone` for `go`) and a kindred word (`bike` for `bicycle`) count, where
the word itself counts 1."""

_ENDINGS = (
    "", "s", "es", "d", "ed", "ing", "ings", "r", "er", "ers", "ly", "e", "y", "ies", "ied", "ier",
    "iest", "est", "ness", "ment", "ments", "able", "al", "ally", "ion", "ions", "ful", "ity",
)  # fmt: skip
"""Endings that usual words are tried with. The stemmer has the last word."""

_LONGEST = 30
"""Letters of the longest word that has other forms."""

_stemmer = Stemmer.Stemmer("porter")


@lru_cache(maxsize=10_000)
def stem(word: str) -> str:
    """The stem of a folded word: what Porter's rules leave of it (Program 14, 1980)."""
    return str(_stemmer.stemWord(word))


@lru_cache(maxsize=1_000)
def forms(word: str) -> tuple[str, ...]:
    """Words with the same stem as `word` and a usual ending, `word` itself among them.

    They need not be words at all: whoever asks looks which of them were ever said.
    """
    if len(word) > _LONGEST:
        return (word,)
    root = stem(word)
    beginnings = {word, root, root + root[-1:]} | ({f"{root[:-1]}y"} if root[-1:] == "i" else set())
    beginnings |= {begin[:-1] for begin in (word, root) if begin[-1:] in "eiy"}
    tried = sorted({begin + ending for begin in beginnings for ending in _ENDINGS} - {""})
    return tuple(
        one for one, its in zip(tried, _stemmer.stemWords(tried), strict=True) if its == root
    )


def tells(word: str) -> bool:
    """Whether a folded word says what is asked about: most of the usual words do not."""
    return word not in _stop_words()


def kindred(word: str) -> Mapping[str, float]:
    """Words that may stand in for `word` in an answer, and how much each counts."""
    return _kindred().get(stem(word), {})


@cache
def _stop_words() -> frozenset[str]:
    return frozenset(_read("stop_words.txt").split())


@cache
def _kindred() -> dict[str, dict[str, float]]:
    """Stem -> kindred words and their weights; where two groups differ, the larger weight."""
    table: dict[str, dict[str, float]] = {}
    for name, weight in (("kindred_words.txt", KINDRED), ("irregular_forms.txt", IRREGULAR)):
        for group in _groups(name):
            for one in group:
                others = table.setdefault(stem(one), {})
                for other in group:
                    if stem(other) != stem(one):
                        others[other] = max(others.get(other, 0.0), weight)
    return table


def _groups(name: str) -> Iterator[list[str]]:
    """One group of words a line."""
    return map(str.split, _read(name).splitlines())


def _read(name: str) -> str:
    return files(__name__).joinpath(name).read_text("utf-8")
