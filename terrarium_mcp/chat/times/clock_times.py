"""The time of day beside a day: `at 8pm on 5 May`, `from 22:00 to 2:00`, `the evening of`. Pure.

Without a day it is that of today, or of yesterday if it is to come: `since 9am until noon`.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import NamedTuple

from terrarium_mcp.chat.english.calendar_words import BY_NUMBER_ALONE
from terrarium_mcp.chat.times.parts_of_day import PART, hours_of
from terrarium_mcp.chat.times.patterns import compiled
from terrarium_mcp.chat.times.timestamps import from_local, local, midnight

IN_UTC = r"(?:\s*(?:UTC|GMT)(?!\w))"
"""What may follow a time of day that is not one of the reader's zone. No other zone has a name that
is of one zone alone."""
_ENDS_IN_UTC = rf"{IN_UTC}$"

CLOCK = (
    r"(?:(?:\d{1,2}(?::\d\d)?\s*[ap]\.?m(?!\w)\.?|\d{1,2}:\d\d(?![\d:])|noon|midnight)"
    rf"{IN_UTC}?)"
)
"""A time of day, as a regular expression."""

OTHER_DAY = "\0"
"""What stands in a text for each character of other days, which may have an hour of their own."""
_NOT_OF_ANOTHER = "".join(
    rf"(?<!\0{between})" for between in (r"\s", r",\s", r"\sat\s", r",\sat\s")
)

_AND = r"(?:and|to|until|till|[-\u2013])"
_BEGINS = rf"(?:{CLOCK}|\d{{1,2}})"
_HOUR_OF_24 = rf"(?:1[3-9]|2[0-3]){BY_NUMBER_ALONE}"
"""The number of an hour that can only be of one half of a day: `between 14 and 16 yesterday`."""
_SINCE = (
    rf"(?P<since>{_BEGINS}(?=\s*[-\u2013])"
    rf"|{_NOT_OF_ANOTHER}{CLOCK}(?!\s*{_AND}\s*{CLOCK}\s+\0))"
)
"""Of two hours in words neither is another day's: not in `5 May 22:00 until 2:00 on 6 May`."""
_TIME = (
    rf"(?:(?:between|from)\s+(?P<begins>{_BEGINS})\s*{_AND}\s*(?P<ends>{CLOCK}|{_HOUR_OF_24})"
    rf"|{_SINCE}\s*{_AND}\s*(?P<until>{CLOCK})"
    rf"|(?:(?P<how>at|around|about|before|by|until|till|after|since|from)\s+)?(?P<at>{CLOCK}))"
)
_BEFORE = (
    rf"(?<!\S)(?:{_TIME}|(?:(?:on|in|during)\s+)?(?:the\s+)?(?P<part>{PART})\s+of"
    rf"|(?:(?:in|during)\s+the|at(?=\s+night))\s+(?P<part_on>{PART})),?\s+$"
)
_HOUR_AFTER = rf",?\s+(?P<how>at|around|about)\s+(?P<at>\d{{1,2}}){BY_NUMBER_ALONE}"
"""An hour by its number alone, which only a part of a day makes one: `this morning at 9`."""
_MOMENT_AFTER = rf",?\s+(?:at\s+)?(?P<at>{CLOCK})(?!\w)"
_WITHOUT_DAY = (
    rf"\b(?:(?:between|from|since|after)\s+(?P<begins>{_BEGINS})\s*{_AND}\s*(?P<ends>{CLOCK})"
    rf"|(?P<how>since|after|before|until|till)\s+(?P<at>{CLOCK}))(?!\w)"
)
_AFTER = rf",?\s+(?:{_TIME}|(?:(?:in|during)\s+the|at(?=\s+night))\s+(?P<part>{PART}))(?!\w)"
_OPENED = r"\b(?:between|from)\s+$"
"""What opens a time of day behind its day: `between` 5 May 22:00 and 23:00."""
_LONGEST = 50
"""Characters before a day in which its time is looked for."""

ABOUT = {"at": timedelta(minutes=30), "around": timedelta(hours=1), "about": timedelta(hours=1)}
"""How far a time reaches before and after a moment that is named so."""

_NOON = 12
_NAMED = {"noon": time(_NOON), "midnight": time()}
_IN_ALL = rf"\d|{'|'.join(_NAMED)}"
_FIELDS = re.compile(r"(\d+)(?::(\d\d))?(?::(\d\d))?\s*(?:([ap])\.?m\.?)?", re.IGNORECASE)


class TimeOfDay(NamedTuple):
    """Words beside those for a day, from `begin` to `end` of the text, and the time they name."""

    begin: int
    end: int
    found: re.Match[str]

    @property
    def goes_on(self) -> bool:
        """Whether it lasts beyond its day: `since 8pm on 5 May`."""
        return (self.found.groupdict().get("how") or "").lower() == "since"

    def on(self, day: date, zone: tzinfo, part: str = "") -> tuple[datetime, datetime]:
        """From when to when on that day in the reader's zone, or in a `part` of it.

        A zone that one clock of two names is that of both. What ends before it begins ends on the
        next day.

        Raises:
            ValueError: there is no such time of day, or nothing is left of the part.
        """
        fields = self.found.groupdict("")
        if named := fields.get("part") or fields.get("part_on"):
            return hours_of(named.lower(), day, zone)
        if ends := fields.get("ends") or fields.get("until"):
            return _between(fields["begins"] or fields["since"], ends, day, zone, part)
        whole = hours_of(part, day, zone)
        how, moment = (fields["how"] or "at").lower(), _moment(fields["at"], day, zone, part)
        if around := ABOUT.get(how):
            return moment - around, moment + around
        if how in ("after", "since", "from"):
            ordered = moment, whole[1]
        elif moment == whole[0]:
            ordered = whole  # before midnight, which is also that at its end
        else:
            ordered = whole[0], moment
        if ordered[0] >= ordered[1]:
            raise ValueError(self.found[0])
        return ordered


def time_of_day(text: str, begin: int, end: int, part: str = "") -> TimeOfDay | None:
    """The time of day that stands before or after the words for a day, from `begin` to `end`.

    After those for a `part` of a day, it may be the number of an hour. In the place of other days
    `text` has OTHER_DAY.
    """
    start = max(0, begin - _LONGEST)
    if found := compiled(_BEFORE).search(text[:begin], start):
        return TimeOfDay(found.start(), end, found)
    afterwards = (_AFTER, _HOUR_AFTER) if part else (_AFTER,)
    for pattern in afterwards:
        if found := compiled(pattern).match(text, end):
            if found.groupdict().get("until"):
                opened = compiled(_OPENED).search(text[:begin], start)
                begin = opened.start() if opened else begin
            return TimeOfDay(begin, found.end(), found)
    return None


def moment_after(
    text: str, end: int, day: date, zone: tzinfo, part: str
) -> tuple[datetime, int] | None:
    """The moment of a day whose words end at `end`, named behind them, and where its words end.

    None if none is named.

    Raises:
        ValueError: there is no such time of day.
    """
    found = compiled(_MOMENT_AFTER).match(text, end)
    if found is None and part:
        found = compiled(_HOUR_AFTER).match(text, end)
    return (_moment(found["at"], day, zone, part), found.end()) if found else None


def may_name_an_hour(text: str) -> bool:
    """Whether `text` holds what is in every time of day: a digit, noon or midnight."""
    return re.search(_IN_ALL, text, re.IGNORECASE) is not None


def times_without_a_day(
    text: str, now: datetime, zone: tzinfo
) -> Iterator[tuple[re.Match[str], datetime, datetime]]:
    """The words for a time up to an hour or since the last one of that name; from when to when."""
    today = local(now, zone).date()
    for found in compiled(_WITHOUT_DAY).finditer(text):
        with suppress(ValueError, OverflowError):  # 25:00
            tomorrow = midnight(today + timedelta(1), zone)
            since, until = _without_a_day(found, today, tomorrow, zone)
            if since > now:
                since, until = _without_a_day(found, today - timedelta(1), tomorrow, zone)
            if since < until:
                yield found, since, until


def _without_a_day(
    found: re.Match[str], day: date, tomorrow: datetime, zone: tzinfo
) -> tuple[datetime, datetime]:
    """From when to when a time that names no day is if it is of this one; `since 9am` to tomorrow.

    Raises:
        ValueError, OverflowError: there is no such time of day.
    """
    if ends := found["ends"]:
        return _between(found["begins"], ends, day, zone, "")
    moment = clock_on(found["at"], day, zone)
    if found["how"].lower() in ("since", "after"):
        return moment, tomorrow
    return midnight(day, zone), moment


def clock_on(said: str, day: date, zone: tzinfo, part: str = "") -> datetime:
    """The moment, in UTC, of a day at which a clock shows that time: `8pm`, `20:00:30`, `midnight`.

    In a night, which is a `part` of the day, it may be on the next day. A time with UTC or GMT
    behind it is that of a clock there, on a day of the same date.

    Raises:
        ValueError: there is no such time of day.
    """
    if part:
        next_day = clock_on(said, day + timedelta(1), zone)
        if next_day < hours_of(part, day, zone)[1]:
            return next_day
    zone, said = _zone_of(said, zone), compiled(_ENDS_IN_UTC).sub("", said)
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


def _moment(said: str, day: date, zone: tzinfo, part: str) -> datetime:
    """As `clock_on`; an hour by its number alone is that of the part.

    Raises:
        ValueError: there is no such time of day, or the part has no such hour.
    """
    if not said.isdigit():
        return clock_on(said, day, zone, part)
    first, after = hours_of(part, day, zone)
    for spelt in _spellings(int(said)):
        if first <= (moment := clock_on(spelt, day, zone, part)) < after:
            return moment
    raise ValueError(said)


def _between(
    begins: str, ends: str, day: date, zone: tzinfo, part: str
) -> tuple[datetime, datetime]:
    """From one time of day to another, that minute included."""
    zone = _zone_of(begins, _zone_of(ends, zone))
    end = clock_on(ends, day, zone, part)
    spelt = [begins] if not begins.isdigit() else _spellings(int(begins), ends)
    moments = (clock_on(one, day, zone, part) for one in spelt)
    begin = min(moments, key=lambda moment: (end - moment) % timedelta(1))
    if end <= begin:
        end = clock_on(ends, local(begin, zone).date() + timedelta(1), zone)
    return begin, end + timedelta(minutes=1)


def _spellings(hour: int, ends: str = "") -> list[str]:
    """What an hour may be that has no more than its number, in front of a time: `8 and 10pm`."""
    is_of_24 = not 1 <= hour <= _NOON or re.match(r"\d+:\d\d(?!.*[ap]\.?m)", ends, re.IGNORECASE)
    return [f"{hour}:00"] if is_of_24 else [f"{hour}am", f"{hour}pm"]


def _zone_of(clock: str, zone: tzinfo) -> tzinfo:
    """The zone of a time of day: the reader's, unless it names its own."""
    return UTC if compiled(_ENDS_IN_UTC).search(clock) else zone
