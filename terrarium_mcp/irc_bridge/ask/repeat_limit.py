"""Keeps us from saying the same to the same person again and again. Pure: time is passed in."""

from collections.abc import Hashable
from typing import Generic, TypeVar

from terrarium_mcp.bounded_dict import BoundedDict

RepeatKey = TypeVar("RepeatKey", bound=Hashable)


class RepeatLimit(Generic[RepeatKey]):
    """Lets something be said once in so many `seconds`; its key is to whom, or also about what.

    `most` keys are remembered: those with which it was to be said last.
    """

    def __init__(self, seconds: float, most: int) -> None:
        self._seconds = seconds
        self._said_at = BoundedDict[RepeatKey, float](most)

    def take_due(self, key: RepeatKey, now: float) -> bool:
        """Count it as said if it is due; whether it is."""
        last = self._said_at.get(key)
        is_due = last is None or now - last >= self._seconds
        self._said_at[key] = now if last is None or is_due else last
        return is_due
