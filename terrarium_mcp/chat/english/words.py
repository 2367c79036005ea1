"""Stop words, other forms of a word, and related words."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from importlib.resources import files

import Stemmer

IRREGULAR, KINDRED = 0.5, 0.3
"""Weights of an irregular form (`gone` for `go`) and of a related word (`bike` for `bicycle`). The
word itself has weight 1."""

_ENDINGS = (
    "", "s", "es", "d", "ed", "ing", "ings", "r", "er", "ers", "ly", "e", "y", "ies", "ied", "ier",
    "iest", "est", "ness", "ment", "ments", "able", "al", "ally", "ion", "ions", "ful", "ity",
)  # fmt: skip
"""Endings tried when looking for other forms. The stemmer decides which of them count."""

_MAX_LETTERS = 30
"""A longer word has no other forms."""

_MODAL_VERBS = frozenset(
    {"can", "could", "may", "might", "must", "shall", "should", "will", "would"}
)
"""Stop words that no sentence has where it names somebody: there `will` and `may` are nicks."""

_stemmer = Stemmer.Stemmer("porter")


@lru_cache(maxsize=10_000)
def stem(word: str) -> str:
    """The stem of a normalized word by Porter's rules (Program 14, 1980)."""
    return str(_stemmer.stemWord(word))


@lru_cache(maxsize=1_000)
def word_forms(word: str) -> tuple[str, ...]:
    """Words with the same stem as `word` and a usual ending, `word` itself among them.

    They need not be English words; the caller keeps those that occur in the record.
    """
    if len(word) > _MAX_LETTERS:
        return (word,)
    root = stem(word)
    beginnings = {word, root, root + root[-1:]} | ({f"{root[:-1]}y"} if root[-1:] == "i" else set())
    beginnings |= {begin[:-1] for begin in (word, root) if begin[-1:] in "eiy"}
    tried = sorted({begin + ending for begin in beginnings for ending in _ENDINGS} - {""})
    return tuple(
        form
        for form, its_stem in zip(tried, _stemmer.stemWords(tried), strict=True)
        if its_stem == root and (form == word or not is_stop_word(form))
    )


def is_stop_word(word: str) -> bool:
    """Whether a normalized word says nothing about what a question asks for."""
    return word in _stop_words()


def may_name_somebody(word: str) -> bool:
    """Whether a normalized word may be a nick in the place of one: no other stop word than a verb.

    What did `he` say is not asked of a nick, and what did `will` say of nothing else.
    """
    return word in _MODAL_VERBS or not is_stop_word(word)


def telling_words(words: Iterable[str]) -> frozenset[str]:
    """Those of some normalized words that are no stop words: ten words in 0.7 us instead of 1.6."""
    return frozenset(words) - _stop_words()


def is_everyday_word(word: str) -> bool:
    """Whether a normalized word is one that people choose as a nick, too: `summer`, `red`."""
    return word in _everyday_words()


def is_asking_word(word: str) -> bool:
    """Whether a normalized word mostly says how something was said: `explain`, `recommend`."""
    return word in _asking_words()


def related_words(word: str) -> Mapping[str, float]:
    """Words that an answer may use instead of `word`, and the weight of each."""
    return _kindred().get(stem(word), {})


@cache
def _stop_words() -> frozenset[str]:
    """Function words, and words of asking itself, such as `say` and `mention`.

    With the question words of other languages that are no English words: no line holds the `wann`
    of `wann Straßenfest?`, which would make the right hit a doubtful one. Lists with other purposes
    are in chat/question.py (words that ask for whatever was said), chat/questions/forms.py (words
    that name nobody) and chat/disentanglement/words.py (words too common to connect two utterances,
    and nicks that are everyday words).
    """
    return frozenset((_read("stop_words.txt") + _read("question_words.txt")).split())


@cache
def _asking_words() -> frozenset[str]:
    return frozenset(_read("asking_words.txt").split())


@cache
def _everyday_words() -> frozenset[str]:
    return frozenset(_read("everyday_words.txt").split())


@cache
def _kindred() -> dict[str, dict[str, float]]:
    """By stem, the related words and their weights; the larger weight where two groups differ."""
    table: dict[str, dict[str, float]] = {}
    for name, weight in (("kindred_words.txt", KINDRED), ("irregular_forms.txt", IRREGULAR)):
        for group in _groups(name):
            for word in group:
                others = table.setdefault(stem(word), {})
                for other in group:
                    if stem(other) != stem(word):
                        others[other] = max(others.get(other, 0.0), weight)
    return table


def _groups(name: str) -> Iterator[list[str]]:
    """The groups of a file, one on each line."""
    return map(str.split, _read(name).splitlines())


def _read(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")
