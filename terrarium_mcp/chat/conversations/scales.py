"""The scales on which facts are measured: a table from a whole number to its step."""

from collections.abc import Sequence

FARTHEST = 100
"""A line answers none that is further back than this many lines."""

LONGEST = 120
"""Minutes; longer times are all alike."""

CROWD = 15
"""Lines that tell how many people and conversations there are at once."""

_MOST_WORDS = 40


def _scale(edges: Sequence[int], top: int) -> tuple[int, ...]:
    """From each number up to `top` to its step: how many of `edges` it has reached."""
    return tuple(sum(number >= edge for edge in edges) for number in range(top + 1))


LINES_AGO = _scale([2, 3, 4, 5, 7, 10, 15, 23, 36], FARTHEST)
NEAR_OR_FAR = _scale([2, 4, 10], FARTHEST)
MINUTES = _scale([1, 2, 3, 5, 8, 15, 30, 90], LONGEST)
SPAN = _scale([2, 5, 15, 60], LONGEST)
CONVERSATIONS = _scale([2, 3, 4, 6], CROWD)
_LENGTH = _scale([2, 4, 8, 16], _MOST_WORDS)
NEVER = MINUTES[-1]
"""The step of a time that has not begun."""


def length_step(words: int) -> int:
    """The step of a line's length."""
    return _LENGTH[min(words, _MOST_WORDS)]
