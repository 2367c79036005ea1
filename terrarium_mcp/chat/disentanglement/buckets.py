"""Buckets: the ranges into which counts, distances and times are divided for the score tables."""

from collections.abc import Sequence

FARTHEST = 100
"""An utterance never answers one that is more than this many utterances back."""

MAX_MINUTES = 120
"""Longer times share the last bucket."""

CROWD = 15
"""Number of latest utterances that show how many people and conversations are active."""

_MAX_WORDS = 40


def _buckets(edges: Sequence[int], top: int) -> tuple[int, ...]:
    """The bucket of each number from 0 to `top`: how many of `edges` it has reached."""
    return tuple(sum(number >= edge for edge in edges) for number in range(top + 1))


LINES_AGO = _buckets([2, 3, 4, 5, 7, 10, 15, 23, 36], FARTHEST)
NEAR_OR_FAR = _buckets([2, 4, 10], FARTHEST)
MINUTES = _buckets([1, 2, 3, 5, 8, 15, 30, 90], MAX_MINUTES)
CROWD_MINUTES = _buckets([2, 5, 15, 60], MAX_MINUTES)
CONVERSATIONS = _buckets([2, 3, 4, 6], CROWD)
_LENGTHS = _buckets([2, 4, 8, 16], _MAX_WORDS)
NEVER = MINUTES[-1]
"""The bucket of the time since something that has not happened."""


def length_bucket(words: int) -> int:
    """The bucket of an utterance of this many words."""
    return _LENGTHS[min(words, _MAX_WORDS)]
