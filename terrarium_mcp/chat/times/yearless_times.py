"""Times that come every year, said without one: `in April`, `on 5 May`, `at Christmas`. Pure.

A time expression is the latest of its name that has begun. Where the record ends earlier, people
mean one of it.
"""

import re
from collections.abc import Sequence
from functools import cache

from terrarium_mcp.chat.times.calendar_words import MONTH, YEAR
from terrarium_mcp.chat.times.feasts import FEAST
from terrarium_mcp.chat.times.seasons import SEASON
from terrarium_mcp.chat.times.time_expressions import TimeExpression

_YEARLY = rf"\b(?:{MONTH}|{FEAST}|{SEASON})(?!\w)"

_OF_ONE_YEAR = (
    rf"\b{YEAR}\b|['\u2019]\d\d\b|\b(?:this|last|next|past|previous|coming|ago)\b"
    r"|\b(?:since|after|before|until|till?|by)\b"
)
"""Whoever says `last April` counts from now, and `since April` reaches until now."""


def is_yearless(times: Sequence[TimeExpression]) -> bool:
    """Whether the times of a question are one that comes every year, without any year."""
    if len(times) != 1:
        return False
    yearly, of_one_year = _patterns()
    return bool(yearly.search(times[0].said)) and not of_one_year.search(times[0].said)


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    return re.compile(_YEARLY, re.IGNORECASE), re.compile(_OF_ONE_YEAR, re.IGNORECASE)
