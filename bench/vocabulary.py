"""The words that people say, and how often. Only what makes talk needs this."""

from collections.abc import Iterable
from itertools import accumulate

from wordfreq import get_frequency_dict, top_n_list, word_frequency

from bench.corpus import Vocabulary, Words

WORDS = 250_000


def spoken() -> Vocabulary:
    """English as it is used, with a tail of words that only one channel knows; and Chinese."""
    english = top_n_list("en", WORDS)
    # wordfreq would take a word of Chinese apart first, for which it needs another package.
    chinese = {
        word: frequency
        for word, frequency in get_frequency_dict("zh", "small").items()
        if not word.isascii()
    }
    return Vocabulary(
        _weighed(english, (word_frequency(word, "en") or 1e-9 for word in english)),
        _weighed(chinese, chinese.values()),
    )


def _weighed(words: Iterable[str], frequencies: Iterable[float]) -> Words:
    return Words(list(words), list(accumulate(frequencies)))
