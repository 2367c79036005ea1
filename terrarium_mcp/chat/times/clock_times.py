"""The time of day beside a day: `at 8pm on 5 May`, `yesterday between 20:30 and 20:40`. Pure.

A part of the day, as in `the evening of 5 May`, is not told apart: the lines of a day are in the
order of time anyway, and people mean different hours by it.
"""

import re
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import cache
from typing import NamedTuple

from terrarium_mcp.chat.times.timestamps import from_local

IN_UTC = r"(?:\s*(?:UTC|GMT)(?!\w))"
"""What may follow a time of day that is not one of the reader's zone. No other zone has a name that
is of one zone alone."""

CLOCK = (
    r"(?:(?:\d{1,2}(?::\d\d)?\s*[ap]\.?m(?!\w)\.?|\d{1,2}:\d\d(?![\d:])|noon)"
    rf"{IN_UTC}?)"
)
"""A time of day, as a regular expression."""

_AND = r"(?:and|to|until|till|-)"
_TIME = (
    rf"(?:(?:between|from)\s+(?P<begins>{CLOCK})\s*{_AND}\s*(?P<ends>{CLOCK})"
    rf"|(?:(?P<how>at|around|about|before|by|until|till|after|since|from)\s+)?(?P<at>{CLOCK}))"
)
PART = r"(?:morning|afternoon|evening|night)"
"""The parts of a day, as a regular expression."""

_BEFORE = rf"(?<!\S)(?:{_TIME}|(?:(?:on|in|during)\s+)?(?:the\s+)?{PART}\s+of),?\s+$"
_AFTER = rf",?\s+(?:{_TIME}|(?:in|during)\s+the\s+{PART}|at\s+night)(?!\w)"
_LONGEST = 50
"""Characters before a day in which its time is looked for."""

_ABOUT = {"at": timedelta(minutes=30), "around": timedelta(hours=1), "about": timedelta(hours=1)}
"""How far a time reaches before and after a moment that is named so."""

_NOON = 12
_NAMED = {"noon": time(_NOON), "midnight": time()}
_FIELDS = re.compile(r"(\d+)(?::(\d\d))?(?::(\d\d))?\s*(?:([ap])\.?m\.?)?", re.IGNORECASE)


class TimeOfDay(NamedTuple):
    """Words beside those for a day, from `begin` to `end` of the text, and the time they name."""

    begin: int
    end: int
    found: re.Match[str]

    def on(self, day: date, zone: tzinfo) -> tuple[datetime, datetime] | None:
        """From when to when on that day in the reader's zone; None for a part of the day.

        A zone that one clock of two names is that of both.

        Raises:
            ValueError: there is no such time of day, or it ends before it begins.
        """
        begins, ends, at = (self.found[name] for name in ("begins", "ends", "at"))
        midnight = datetime.combine(day, time.min, zone)
        if begins:
            of_both = _zone_of(begins, _zone_of(ends, zone))
            begin, end = clock_on(begins, day, of_both), clock_on(ends, day, of_both)
            ordered = begin, end + timedelta(minutes=1)
        elif not at:
            return None
        else:
            how, moment = (self.found["how"] or "at").lower(), clock_on(at, day, zone)
            if around := _ABOUT.get(how):
                ordered = moment - around, moment + around
            elif how in ("after", "since", "from"):
                ordered = moment, datetime.combine(day + timedelta(1), time.min, zone)
            else:
                ordered = midnight, moment
        if ordered[0] >= ordered[1]:
            raise ValueError(self.found[0])
        return ordered


def time_of_day(text: str, begin: int, end: int) -> TimeOfDay | None:
    """The time of day that stands before or after the words for a day, from `begin` to `end`."""
    before, after = _compiled()
    start = max(0, begin - _LONGEST)
    if found := before.search(text[:begin], start):
        return TimeOfDay(found.start(), end, found)
    if found := after.match(text, end):
        return TimeOfDay(begin, found.end(), found)
    return None


def clock_on(said: str, day: date, zone: tzinfo) -> datetime:
    """The moment, in UTC, of a day at which a clock shows that time: `8pm`, `20:00:30`, `midnight`.

    A time with UTC or GMT behind it is that of a clock there, on a day of the same date.

    Raises:
        ValueError: there is no such time of day.
    """
    zone, said = _zone_of(said, zone), _in_utc().sub("", said)
    if named := _NAMED.get(said.lower()):
        return from_local(datetime.combine(day, named), zone)
    fields = _FIELDS.fullmatch(said)
    if fields is None:
        raise ValueError(said)
    hour, minute, second = int(fields[1]), int(fields[2] or 0), int(fields[3] or 0)
    half = (fields[4] or "").lower()
    if half and not 1 <= hour <= _NOON:
        raise ValueError(said)
    if half:
        hour = hour % _NOON + (_NOON if half == "p" else 0)
    return from_local(datetime.combine(day, time(hour, minute, second)), zone)


def _zone_of(clock: str, zone: tzinfo) -> tzinfo:
    """The zone of a time of day: the reader's, unless it names its own."""
    return UTC if _in_utc().search(clock) else zone


@cache
def _in_utc() -> re.Pattern[str]:
    return re.compile(rf"{IN_UTC}$", re.IGNORECASE)


@cache
def _compiled() -> tuple[re.Pattern[str], re.Pattern[str]]:
    return re.compile(_BEFORE, re.IGNORECASE), re.compile(_AFTER, re.IGNORECASE)
