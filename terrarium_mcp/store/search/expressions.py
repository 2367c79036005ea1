"""FTS5 expressions: what FTS5 is asked, and in which order it looks.

The only place where words of people are quoted for FTS5.
"""

from collections.abc import Iterable, Sequence

from terrarium_mcp.store.derived.index_words import NO_WORD, SPOKEN_WORD, own
from terrarium_mcp.store.functions import storable


def quoted(term: str) -> str:
    """`term` as one FTS5 string: whatever it holds, it is words and never syntax."""
    doubled = storable(term).replace('"', '""').replace("\0", " ")
    return f'"{doubled}"'


def one_of(words: Iterable[str]) -> str:
    """The expression for messages with one of these index words of ours."""
    return f"message : ({' OR '.join(quoted(own(word)) for word in words)})"


def apart(expression: str) -> str:
    """The same, whose next line FTS5 finds before it looks into the lists that it is joined with.

    It takes nothing away. FTS5 asks all lists of an AND in turn which line they have next, wherever
    one of them stands within another AND. A step in the list of a big channel costs 1 us: two words
    in it took 2.4 to 8.7 ms and so take 0.2 to 3.7; in a small one at most 1.7 times as long as
    before (10 M lines).
    """
    return f"(({expression}) NOT {one_of([NO_WORD])})"


def in_turn(parts: Sequence[str]) -> str:
    """The expression for lines with all parts, each looked for where those before it are."""
    whole, *rest = parts
    for before, part in enumerate(rest):
        whole = f"{apart(whole) if before else whole} AND {part}"
    return whole


def said() -> str:
    """The expression for everything that was said."""
    return one_of([SPOKEN_WORD])
