"""Times that come every year, said without one: `in April`, `on 5 May`, `at Christmas`. Pure.

A time expression is the latest of its name that has begun. Where the record ends earlier, people
mean one of it.
"""

from collections.abc import Sequence

from terrarium_mcp.chat.english.calendar_words import MONTH, YEAR
from terrarium_mcp.chat.times.feasts import FEAST
from terrarium_mcp.chat.times.patterns import compiled
from terrarium_mcp.chat.times.seasons import SEASON
from terrarium_mcp.chat.times.time_expressions import TimeExpression

_YEARLY = rf"\b(?:{MONTH}|{FEAST}|{SEASON})(?!\w)"

_OF_ONE_YEAR = (
    rf"\b{YEAR}\b|['\u2019]\d\d\b|\b(?:this|last|next|past|previous|coming|ago)\b"
    r"|\b(?:since|after|before|until|till?|by|now|today|yesterday|on\Z|onwards?)\b"
)
"""Whoever says `last April` counts from now, and `since April` reaches until now."""


def is_yearless(times: Sequence[TimeExpression]) -> bool:
    """Whether the times of a question are one that comes every year, without any year."""
    if len(times) != 1:
        return False
    said = times[0].said
    is_yearly = compiled(_YEARLY).search(said) is not None
    return is_yearly and not compiled(_OF_ONE_YEAR).search(said)
