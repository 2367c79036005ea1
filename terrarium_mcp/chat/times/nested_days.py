"""Days named inside a longer time beside them: `in july last year`, `friday of last week`. Pure."""

import re
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from itertools import pairwise
from typing import NamedTuple

from terrarium_mcp.chat.times.named_days import INSIDE_OTHERS
from terrarium_mcp.chat.times.relative_days import Reader, last_weekdays, to_its_end
from terrarium_mcp.chat.times.seasons import Days

_BETWEEN = re.compile(r",?\s+(?:(?:of|in|on)\s+)?(?:the\s+)?", re.IGNORECASE)
"""What stands between two expressions that name one time; `and`, `or` and `to` join two times."""

_JOINED = re.compile(r"[\s,]*(?:\b(?:and|or|to|but|the)\b[\s,]*)*", re.IGNORECASE)
"""What stands between two times of one list."""

_SETS_A_YEAR = re.compile(r"(?:in|during|last|this)\b", re.IGNORECASE)
"""How words begin that say in which year all happened: not `of 2010`, which may be of a thing."""

_COUNTS_FROM_NOW = re.compile(r"(?:(?:in|on|at|over|during)\s+)?(?:last|this)\b", re.IGNORECASE)
"""How words begin that say themselves which year is meant: `last friday`, not `the last friday`."""

_YEAR = timedelta(365)


class NamedDays(NamedTuple):
    """Words of a text, from `begin` to `end`, that name `days`: `found`, and perhaps more of them.

    Words that may name two times, such as `winter 2008`, have two `days`. Of `this week before
    Friday` nothing is meant that is not `within` the week. `related` is what stands before the days
    that are `found`, such as `since`, or `two weeks after`, and `opening` what stands before that:
    `since` two weeks after.
    """

    found: re.Match[str]
    read: Reader
    days: Sequence[Days]
    begin: int
    end: int
    related: re.Match[str] | None = None
    opening: re.Match[str] | None = None
    within: Days | None = None

    @property
    def whole(self) -> Days:
        """The days, of a period that has begun also those to come: all of `this year`."""
        return to_its_end(self.found, self.read, self.days[0])

    @property
    def said(self) -> str:
        """The words."""
        return self.found.string[self.begin : self.end]


def nested(named: Sequence[NamedDays], today: date) -> list[NamedDays]:
    """The days, in their order; of two that name one time together, the shorter in the longer.

    If the longer has several such days, as a month has Fridays, they name all of it.
    """
    times = list(named)
    for first, second in reversed(list(_pairs(named))):
        if first in times and second in times and (both := _together(first, second, today)):
            times[times.index(first)] = both
            times.remove(second)
    return _of_its_year(times, today)


def _of_its_year(times: list[NamedDays], today: date) -> list[NamedDays]:
    """The times; of a year and a month or the like elsewhere, each is that month of the year.

    `In 2010, what did ada say in august?` names one time in two places. A year to come is another
    time, of which people speak, and so is this year beside the latest of its Fridays.
    """
    if len(times) != 2 or any(len(one.days) != 1 or one.related for one in times):
        return times
    first, second = sorted(times, key=lambda one: one.begin)
    yearly, year = sorted(times, key=lambda one: _length(one.whole))
    if (
        _JOINED.fullmatch(first.found.string[first.end : second.begin])
        or not _SETS_A_YEAR.match(year.said)
        or _length(year.whole) < _YEAR
        or yearly.read not in INSIDE_OTHERS
        or yearly.found.groupdict().get("year")
        or _COUNTS_FROM_NOW.match(yearly.said)
    ):
        return times
    days = _inside(yearly, year.whole, today)
    if not days or days[0] > today or (days == year.whole and _begins_in(days, yearly.days[0])):
        return times
    return [one._replace(days=[days]) for one in times]


def _pairs(named: Sequence[NamedDays]) -> Iterator[tuple[NamedDays, NamedDays]]:
    """The neighbours in the text that may name one time together."""
    in_text = sorted(named, key=lambda one: one.begin)
    for first, second in pairwise(in_text):
        between = first.found.string[first.end : second.begin]
        if _BETWEEN.fullmatch(between) and len(first.days) == len(second.days) == 1:
            yield first, second


def _together(first: NamedDays, second: NamedDays, today: date) -> NamedDays | None:
    """The one time that two expressions name; None if neither is inside the other.

    `Q3 this year` is to come where it has not begun.
    """
    shorter, longer = sorted((first, second), key=lambda one: _length(one.whole))
    if _length(shorter.whole) == _length(longer.whole):
        return None
    days = _inside(shorter, longer.days[0], today) or _inside(shorter, longer.whole, today)
    if days is None:
        return None
    whose = shorter if days != longer.days[0] else longer
    within = longer.whole if first is longer and whose is shorter else None
    return whose._replace(days=[days], begin=first.begin, end=second.end, within=within)


def _inside(shorter: NamedDays, longer: Days, today: date) -> Days | None:
    """The days of the shorter time that begin in the longer; all of that if several do.

    Those that end in it, too, are preferred. Sunday and Monday of last week are its two ends.
    """
    if shorter.read not in INSIDE_OTHERS:
        return shorter.days[0] if _begins_in(longer, shorter.days[0]) else None
    read_on = (_read_on(shorter, day) for day in (today, longer[1] - timedelta(1), longer[1]))
    readings = [days for days in read_on if days and _begins_in(longer, days)]
    if not readings:
        return None
    days = next((one for one in readings if one[1] <= longer[1]), readings[0])
    if shorter.read is last_weekdays and days[1] > longer[1]:
        return longer
    # Days of a month, such as its second week, are read the same on the day before them.
    earlier = _read_on(shorter, days[0] - timedelta(1))
    return longer if earlier and earlier != days and _begins_in(longer, earlier) else days


def _read_on(named: NamedDays, today: date) -> Days | None:
    """What the words would name if they were said on another day."""
    try:
        (days,) = named.read(named.found, today)
    except (ValueError, OverflowError):
        return None
    return days


def _begins_in(longer: Days, days: Days) -> bool:
    return longer[0] <= days[0] < longer[1]


def _length(days: Days) -> timedelta:
    return days[1] - days[0]
