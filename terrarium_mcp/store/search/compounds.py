"""Compounds: one word that others write as two, and two words that others write as one. Pure."""

import re
from collections.abc import Sequence
from itertools import pairwise

from terrarium_mcp.chat.english.words import is_stop_word

MOST_SPLITS = 10
"""Ways in which a word is split: of a longer word those nearest its middle."""

_SHORTEST, _LONGEST = 4, 30
"""Characters of a compound."""

_SHORTEST_PART = 2
"""Letters of the shortest part, unless it is all letters or all digits of the word."""

_LETTER_AND_DIGIT = re.compile(r"(?<=\d)(?=[^\W\d_])|(?<=[^\W\d_])(?=\d)")


def as_two_words(word: str) -> list[str]:
    """The two words as which others may write a folded word: `add on` and `ad don` for `addon`.

    One of letters and digits, such as `utf8`, is only split between these. No two stop words are
    one: `init` is no `in it`.
    """
    if not (word.isalnum() and _SHORTEST <= len(word) <= _LONGEST):
        return []
    cuts = [found.start() for found in _LETTER_AND_DIGIT.finditer(word)]
    if not cuts:
        ends = range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1)
        cuts = sorted(ends, key=lambda at: abs(2 * at - len(word)))
    splits = ((word[:at], word[at:]) for at in cuts[:MOST_SPLITS])
    return [" ".join(parts) for parts in splits if not all(map(is_stop_word, parts))]


def as_one_word(words: Sequence[str]) -> dict[str, tuple[str, str]]:
    """The words as which others may write two neighbours, with these: `frontmatter`.

    No stop word is part of one: `log in` is rarely a `login`.
    """
    return {
        first + second: (first, second)
        for first, second in pairwise(words)
        if _SHORTEST <= len(first + second) <= _LONGEST
        and not any(map(is_stop_word, (first, second, first + second)))
    }
