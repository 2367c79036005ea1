"""The words that people say, and how often. Only what makes talk needs this."""

from itertools import accumulate

from wordfreq import top_n_list, word_frequency

from bench.corpus import Vocabulary

WORDS = 250_000


def english() -> Vocabulary:
    """English as it is used, with a tail of words that only one channel knows."""
    words = top_n_list("en", WORDS)
    frequencies = [word_frequency(word, "en") or 1e-9 for word in words]
    return Vocabulary(words, list(accumulate(frequencies)))
