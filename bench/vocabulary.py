"""The words that people say, how often, and in which order. Only what makes talk needs this."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import accumulate, islice

from wordfreq import get_frequency_dict, top_n_list, word_frequency

from bench.corpus import Language, Vocabulary, Words

WORDS = 250_000

_COUNTED = files("symspellpy")
"""Counts of English words, and of pairs of them, in the text of the web (Brants and Franz 2006)."""

_PAIRS_MORE = 64
"""Its pairs are counted so many times as high as its words."""

_COMMON = 200
"""Words of which any two would be among the counted pairs if they followed on each other as often
as by chance: the rarest of these is one of ten million."""

_HARDLY = 0.05
"""The share of a word that counted pairs begin with, if they are counted at all: they are not with
`don't` and `4`, and those with `i` only where it is not a capital."""

_Shares = Mapping[str, Mapping[str, float]]


@cache
def spoken() -> Vocabulary:
    """English as it is used, with a tail of words that only one channel knows; and Chinese."""
    english = top_n_list("en", WORDS)
    often = _frequencies(english)
    # wordfreq would take a word of Chinese apart first, for which it needs another package.
    chinese = {
        word: frequency
        for word, frequency in get_frequency_dict("zh", "small").items()
        if not word.isascii()
    }
    return Vocabulary(_in_a_row(often), _weighed(chinese))


def _frequencies(english: Sequence[str]) -> dict[str, float]:
    """How often each word is said, rounded as wordfreq rounds.

    It takes 8 us for a word, but only 544 frequencies are listed: one word of each is looked up.
    """
    listed = get_frequency_dict("en")
    one_of_each = {listed[word]: word for word in english}
    rounded = {
        frequency: word_frequency(word, "en") or 1e-9 for frequency, word in one_of_each.items()
    }
    return {word: rounded[listed[word]] for word in english}


def _in_a_row(often: Mapping[str, float]) -> Language:
    """Words that follow on each other as in the counted pairs, and still are said so often."""
    after = _shares(often)
    told = {word: sum(following.values()) for word, following in after.items()}
    common = {word for word in islice(often, _COMMON) if told.get(word, 0) > _HARDLY}
    rest = dict(often)
    for word, following in after.items():
        for other, share in following.items():
            rest[other] = max(0.0, rest[other] - often[word] * share)
    unusual = {word: frequency for word, frequency in rest.items() if word not in common}
    spent = sum(often[word] * (1 - told[word]) for word in common) / sum(unusual.values())
    return Language(
        _weighed(often),
        {word: _weighed(following) for word, following in after.items()},
        common,
        _weighed(unusual),
        _weighed(rest | {word: frequency * (1 - spent) for word, frequency in unusual.items()}),
    )


def _shares(often: Mapping[str, float]) -> _Shares:
    """How often a word is followed by which others, as far as such pairs are counted."""
    alone = {words[0]: count for words, count in _counts("frequency_dictionary_en_82_765.txt")}
    shares: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for words, count in _counts("frequency_bigramdictionary_en_243_342.txt"):
        match words:
            case [one, other] if one in alone and one in often and other in often:
                shares[one][other] = count / _PAIRS_MORE / alone[one]
    return shares


def _counts(name: str) -> Iterator[tuple[list[str], int]]:
    for line in _COUNTED.joinpath(name).read_text("utf-8-sig").splitlines():
        *words, count = line.split()
        yield words, int(count)


def _weighed(frequencies: Mapping[str, float]) -> Words:
    return Words(list(frequencies), list(accumulate(frequencies.values())))
