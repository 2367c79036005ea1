"""Months without a year, such as `in April`, in an earlier year than the latest. Pure.

A time expression is the latest such month that has begun. Where the record ends earlier, people
mean one of it.
"""

import re
from collections.abc import Sequence
from datetime import datetime, tzinfo
from functools import cache

from terrarium_mcp.chat.times.calendar_words import MONTH
from terrarium_mcp.chat.times.time_expressions import TimeExpression
from terrarium_mcp.chat.times.timestamps import from_local, local

_BARE = (
    r"(?:(?:in|during|of|from)\s+)?(?:the\s+)?"
    rf"(?:(?:early|mid|late|(?:beginning|start|middle|end)\s+of)[\s-]+)?{MONTH}"
)
"""Not `this April` or `last April`, nor `since April`, which reaches until now."""


def is_bare_month(times: Sequence[TimeExpression]) -> bool:
    """Whether the times of a question are one month, or a part of one, without any year."""
    return len(times) == 1 and _bare().fullmatch(times[0].said) is not None


def years_earlier(month: TimeExpression, moment: datetime, zone: tzinfo) -> int:
    """How many years before `month` the latest of that name is that had begun at `moment`."""
    begins, then = (local(one, zone) for one in (month.since, moment))
    has_begun = (begins.month, begins.day) <= (then.month, then.day)
    return max(0, begins.year - then.year + (0 if has_begun else 1))


def in_earlier_year(
    times: Sequence[TimeExpression], years: int, zone: tzinfo
) -> tuple[TimeExpression, ...]:
    """The times; if they are one month without a year, that of so many years earlier."""
    if not (years and is_bare_month(times)):
        return tuple(times)
    (month,) = times
    since, until = (_earlier(one, years, zone) for one in (month.since, month.until))
    return (month._replace(since=since, until=until),)


@cache
def _bare() -> re.Pattern[str]:
    return re.compile(_BARE, re.IGNORECASE)


def _earlier(midnight: datetime, years: int, zone: tzinfo) -> datetime:
    here = local(midnight, zone).replace(tzinfo=None)
    return from_local(here.replace(year=here.year - years), zone)
