"""Values that the store returns. Nothing here knows SQL."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AppendTotals:
    """How many messages a bulk append was given, and how many of them were already stored."""

    lines: int
    known: int
