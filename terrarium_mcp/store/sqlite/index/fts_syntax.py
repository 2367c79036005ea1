"""FTS5 syntax: quoting, and the operators whose order decides how FTS5 walks its posting lists.

The only module that quotes people's words for FTS5.
"""

from collections.abc import Iterable, Sequence

from terrarium_mcp.store.sqlite.engine.functions import storable
from terrarium_mcp.store.sqlite.engine.index_words import NO_WORD, SPOKEN_WORD, reserved


def quoted(term: str) -> str:
    """`term` as one FTS5 string: whatever it contains is words and never syntax."""
    doubled = storable(term).replace('"', '""').replace("\0", " ")
    return f'"{doubled}"'


def one_of(words: Iterable[str]) -> str:
    """The expression for messages with one of these index words of our own."""
    return f"message : ({' OR '.join(quoted(reserved(word)) for word in words)})"


def isolated(expression: str) -> str:
    """Wrap an operand of AND in a NOT that excludes nothing, so that FTS5 advances it on its own.

    In nested ANDs FTS5 asks every list in turn for its next line; a step in
    the list of a big channel costs 1 us. Behind the NOT, two words in such a channel take 0.2 to
    3.7 ms instead of 2.4 to 8.7, and in a small one at most 1.7 times as long as before (10 M
    lines, SQLite 3.40.1).
    """
    return f"(({expression}) NOT {one_of([NO_WORD])})"


def ordered_and(parts: Sequence[str]) -> str:
    """The expression for lines with all parts, each looked up only where those before it occur."""
    whole, *rest = parts
    for before, part in enumerate(rest):
        whole = f"{isolated(whole) if before else whole} AND {part}"
    return whole


def all_speech() -> str:
    """The expression for everything that was said."""
    return one_of([SPOKEN_WORD])
