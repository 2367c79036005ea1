"""How the patterns for times are compiled, and the letters by which they may take a text."""

import re
from functools import cache

_LIKE_ASCII = str.maketrans("\u017f\u0130\u0131", "sii")
"""Letters that a pattern takes for these where it ignores case, but `lower` does not."""


def in_ascii_letters(text: str) -> str:
    """The text with the letters of ASCII that its patterns take some others for."""
    return text.translate(_LIKE_ASCII)


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """A large pattern, compiled when it is first needed: all of them are a hundredth of a start."""
    return re.compile(pattern, re.IGNORECASE)
