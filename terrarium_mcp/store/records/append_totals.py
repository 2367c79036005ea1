"""What a bulk append did."""

from typing import NamedTuple


class AppendTotals(NamedTuple):
    """How many messages a bulk append was given, and how many it left out.

    Those are messages that were already stored, and those of people who opted out.
    """

    lines: int
    left_out: int
