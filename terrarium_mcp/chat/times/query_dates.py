"""Times as people type them into a query, read in the reader's zone by the request's clock."""

import re
from datetime import UTC, date, datetime, timedelta, tzinfo
from unicodedata import decimal

from terrarium_mcp.chat.english.calendar_words import (
    COUNT_WORD,
    COUNTS,
    DAY_OF_MONTH,
    MONTH,
    PERIODS,
    SHORT_WEEKDAY,
    WEEKDAY,
    WEEKDAYS,
    YEAR,
    weekday_number,
)
from terrarium_mcp.chat.times.clock_times import CLOCK, IN_UTC, clock_on
from terrarium_mcp.chat.times.parts_of_day import hours_of, part_named
from terrarium_mcp.chat.times.patterns import compiled, in_ascii_letters
from terrarium_mcp.chat.times.recent_hours import how_long_ago
from terrarium_mcp.chat.times.time_expressions import time_expressions
from terrarium_mcp.chat.times.timestamps import from_local, local

_OTHER_DIGIT = re.compile(r"(?![0-9])\d")
"""A decimal digit of another script, such as Arabic, or of another width."""
_ISO = re.compile(r"\d{4}(?:$|-)")
_ISO_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_GOES_ON_IN_WORDS = re.compile(rf"\s(?:(?:and|or)\s|{WEEKDAY}\b)", re.IGNORECASE)
"""A day of ISO 8601 that another time follows, or its weekday, as in a transcript."""
_YEAR_OR_MONTH = re.compile(r"(\d{4})(?:-(\d\d))?")
_WEEK = re.compile(r"\d{4}-W\d\d")
_DAYS_AGO = re.compile(r"(\d{1,6})([dw])")
_UNITS = {"d": "days", "w": "weeks"}
_MAX_CHARACTERS = 60
_COUNT = rf"(?:\d{{1,4}}|(?:a\s+)?{COUNT_WORD}(?:\s+of)?)"
_UNIT = r"(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?)"
_COUNTED = (
    rf"(?:the\s+)?(?:(?P<digits>\d{{1,6}}(?:\.\d)?)\s*|(?:a\s+)?(?P<word>{COUNT_WORD})\s+(?:of\s+)?)"
    r"(?P<unit>[a-z].*?)(?P<ago>\s+ago)?"
)
"""So long before now: `2 weeks`, `a couple of months ago`."""
_SHORT_WEEKDAY = rf"\b{SHORT_WEEKDAY}\b\.?"
_AT = rf"(?:\d{{1,2}}:\d\d:\d\d(?:\s*[ap]m)?{IN_UTC}?|{CLOCK})"
_AT_CLOCK = (
    rf"(?P<day>.+?),?\s+(?:at\s+)?(?P<clock>{_AT})",
    rf"(?:at\s+)?(?P<clock>{_AT}),?\s+(?:on\s+)?(?P<day>.+)",
)
"""A time of day after a day, and before one."""
_SEVERAL_WORDS = (
    rf"(?:the\s+)?{_COUNT}\s+{_UNIT}(?:\s+ago)?"
    rf"|(?:the\s+)?(?:last|past|this)\s+(?:{_COUNT}\s+)?(?:{_UNIT}|{WEEKDAY}|{MONTH})"
    rf"|(?:(?:{WEEKDAY},?\s+)?(?:the\s+)?(?:{DAY_OF_MONTH}\s+(?:of\s+)?{MONTH}|{MONTH}\s+(?:the\s+)?{DAY_OF_MONTH})(?:,?\s+{YEAR})?"
    rf"|{MONTH},?\s+{YEAR}|(?:last\s+)?{WEEKDAY}|yesterday|today)"
    r"(?:\s+(?:morning|afternoon|evening|night))?"
    r"|\d{4}-\d\d-\d\d \d\d:\d\d\S*"
)
"""Times of several words that dateparser reads, beside those that a question may name. It ignores
what it does not know, and takes `apt` for a time zone, so that `yesterday apt` would be one."""
_SETTINGS = {
    "DATE_ORDER": "DMY",
    "PREFER_DATES_FROM": "past",
    "RETURN_TIME_AS_PERIOD": True,
    "TIMEZONE": "UTC",  # dateparser uses the machine's zone otherwise
}
PeriodBounds = tuple[datetime, datetime | None]
"""From when to when (exclusive), in UTC; without an end if that is beyond the year 9999."""


def names_a_moment(text: str, now: datetime, zone: tzinfo) -> bool:
    """Whether a time is one of a day: `2h`, `yesterday 20:00`, `2026-05-01T14:00Z`."""
    return isinstance(_read(text, now, zone), datetime)


def parse_moment(text: str, now: datetime, zone: tzinfo) -> datetime | None:
    """The moment, in UTC, at which the time named by `text` begins.

    None if it names no time, or one that does not exist. Examples: `2026-05-01`, `2026-05`,
    `2026-W18`, `2026-05-01T14:00Z`, `yesterday`, `2h` and `2 weeks` (ago), `last week`, `5 may`,
    `the last 3 days`, `early 2022`. A date without a year is the last one before `now`.
    """
    read = _day_ago(text, now, zone) or _read(text, now, zone)
    return read[0] if isinstance(read, tuple) else read


def parse_period(text: str, now: datetime, zone: tzinfo) -> tuple[datetime, datetime] | None:
    """The period named by `text`: its beginning and its end (exclusive), in UTC.

    A moment, such as `2h`, stands for its day. None as in `parse_moment`.
    """
    read = _read(text, now, zone)
    if isinstance(read, datetime):
        read = _day_of(read, zone)
    return None if read is None or read[1] is None else (read[0], read[1])


def is_time(text: str, now: datetime, zone: tzinfo) -> bool:
    """Whether all of several words name a time together: `3 days ago`, not `yesterday apt`."""
    named = _plain(text)
    try:
        at_clock = _at_clock(named, now, zone)
    except (ValueError, OverflowError):  # 25:00
        return False
    return at_clock is not None or _is_time_of_words(named, now, zone)


def _plain(text: str) -> str:
    """The words of a time, one space apart, in digits and letters of ASCII, with weekdays in full.

    `this mon` is `this monday`.
    """

    def in_full(found: re.Match[str]) -> str:
        return WEEKDAYS[weekday_number(found[0])]

    letters = in_ascii_letters(" ".join(text.split()))
    words = _OTHER_DIGIT.sub(lambda digit: str(decimal(digit[0])), letters)
    return compiled(_SHORT_WEEKDAY).sub(in_full, words)


def _read(text: str, now: datetime, zone: tzinfo) -> datetime | PeriodBounds | None:
    """The moment or the period that `text` names; None if it names none.

    What a question may name is read as in one: `this monday` is over, and `this morning` is today.
    """
    named = _plain(text)
    if not named or len(named) > _MAX_CHARACTERS:
        return None
    try:
        return _at_clock(named, now, zone) or _without_clock(named, now, zone)
    except (ValueError, OverflowError):  # no time, or outside the calendar
        return None


def _without_clock(text: str, now: datetime, zone: tzinfo) -> datetime | PeriodBounds:
    """The moment or the period that `text` names without a time of day beside a day.

    Raises:
        ValueError, OverflowError: it names none, or one outside the calendar.
    """
    here = now.astimezone(zone).replace(tzinfo=None)
    if ago := _ago(text, now, here):
        return _utc(ago, zone)
    if expressed := _expressed(text, now, zone):
        return expressed
    period, moment = _iso(text) if _ISO.match(text) else _words(text, here)
    return _bounded(period, moment, zone)


def _bounded(period: str, moment: datetime, zone: tzinfo) -> datetime | PeriodBounds:
    """The period of that name around a moment; the moment itself if it is `time`."""
    if period == "time":
        return _utc(moment, zone)
    return _calendar_period(period, moment, zone)


def _day_of(moment: datetime, zone: tzinfo) -> PeriodBounds:
    """The day of a moment, in the reader's zone."""
    return _calendar_period("day", local(moment, zone).replace(tzinfo=None), zone)


def _calendar_period(name: str, here: datetime, zone: tzinfo) -> PeriodBounds:
    """The day, week, month or year that contains `here`, on the reader's clock."""
    period = PERIODS.get(name, PERIODS["day"])
    first = period.first_day(_midnight(here))
    begins = _utc(first, zone)
    try:
        return begins, _utc(period.following(first), zone)
    except (ValueError, OverflowError):
        return begins, None


def _expressed(text: str, now: datetime, zone: tzinfo) -> tuple[datetime, datetime] | None:
    """The period that `text` names as a question would: `the last 3 days`, `christmas 2012`.

    Of two readings, such as the winters of one year, it is the likelier.

    Raises:
        ValueError: it names all that was before a time, or nothing: `after:"before yesterday"` has
            no meaning, nor has `on:"from yesterday to 3 May"`.
    """
    is_iso = _ISO.match(text) and not _GOES_ON_IN_WORDS.search(text)
    if len(text) > _MAX_CHARACTERS or is_iso:  # ISO 8601 is read strictly
        return None
    for named in (text, f"on {text}", f"in {text}"):
        times = time_expressions(f"what was said {named}?", now, zone)
        if times and times[0].said == named:
            if not times[0].has_beginning or times[0].since >= times[0].until:
                raise ValueError(text)
            return times[0].since, times[0].until
    return None


def _at_clock(text: str, now: datetime, zone: tzinfo) -> datetime | None:
    """The moment that a day and a time of it name: `2026-05-01 9:30`, `8pm on 5 May`.

    Raises:
        ValueError, OverflowError: the day has no such time, or there is no such day.
    """
    if len(text) > _MAX_CHARACTERS:
        return None
    for pattern in _AT_CLOCK:
        found = compiled(pattern).fullmatch(text)
        day = found and _one_day(found["day"], now, zone)
        if found and day:
            return clock_on(found["clock"], day, zone, part_named(found["day"]))
    return None


def _one_day(text: str, now: datetime, zone: tzinfo) -> date | None:
    """The day of which `text` names all or a part; None if it names something else, as a week."""
    if not (_ISO_DAY.fullmatch(text) or _is_time_of_words(text, now, zone)):
        return None
    read = _without_clock(text, now, zone)
    if isinstance(read, datetime):
        return None
    day = local(read[0], zone).date()
    is_day = read in (_day_of(read[0], zone), hours_of(part_named(text), day, zone))
    return day if is_day else None


def _is_time_of_words(text: str, now: datetime, zone: tzinfo) -> bool:
    """Whether words name a time, without a time of day that a query alone may have beside it."""
    if compiled(_SEVERAL_WORDS).fullmatch(text):
        return True
    try:
        return _expressed(text, now, zone) is not None
    except ValueError:
        return False


def _day_ago(text: str, now: datetime, zone: tzinfo) -> datetime | None:
    """When the day so long ago begins, of days and longer: `2 weeks ago`.

    The period of that name is longer: people count weeks and months roughly.
    """
    named = _plain(text)
    found = compiled(_COUNTED).fullmatch(named)
    if found is None or found["ago"] is None or how_long_ago(named):
        return None
    moment = _read(named[: found.start("ago")], now, zone)
    return _day_of(moment, zone)[0] if isinstance(moment, datetime) else None


def _utc(moment: datetime, zone: tzinfo) -> datetime:
    """The moment in UTC, in whole milliseconds like the times of messages."""
    whole = moment.replace(microsecond=moment.microsecond // 1000 * 1000)
    return whole.astimezone(UTC) if whole.tzinfo else from_local(whole, zone)


def _midnight(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def _iso(text: str) -> tuple[str, datetime]:
    """Read ISO 8601 strictly: dateparser would make another day of `2026-02-30`."""
    if found := _YEAR_OR_MONTH.fullmatch(text):
        year, month = found.groups()
        return "month" if month else "year", datetime(int(year), int(month or 1), 1)  # noqa: DTZ001 -- the reader's zone
    if _WEEK.fullmatch(text):
        return "week", datetime.fromisoformat(text)
    return ("time" if len(text) > 10 else "day"), datetime.fromisoformat(text)


def _ago(text: str, now: datetime, here: datetime) -> datetime | None:
    """A time so long ago: days and weeks on the reader's clock, which is `here`, hours on none."""
    if found := _DAYS_AGO.fullmatch(text.lower()):
        return here - timedelta(**{_UNITS[found[2]]: int(found[1])})
    long = how_long_ago(text)
    return None if long is None else now.astimezone(UTC) - long


def _words(text: str, here: datetime) -> tuple[str, datetime]:
    """Read other text with dateparser. A count, such as `2 weeks`, is a moment: that long ago.

    Raises:
        ValueError: it is no time, or unlikely to be meant as one: a bare number, a two-digit year.
    """
    from dateparser.date import DateDataParser  # noqa: PLC0415 -- slow to load, seldom needed

    counted = compiled(_COUNTED).fullmatch(text)
    in_digits = _in_digits(counted) if counted else text
    for kind, said in (("relative-time", in_digits), ("absolute-time", text)):
        settings = _SETTINGS | {"RELATIVE_BASE": here, "PARSERS": [kind]}
        read = DateDataParser(languages=["en"], settings=settings).get_date_data(said)
        if not read.date_obj or not _keeps_its_year(text, read.date_obj):
            continue
        if kind == "relative-time":
            return "time" if counted and not counted["ago"] else read.period, read.date_obj
        if _is_plausible(text, read.parts):
            return read.period, read.date_obj
    raise ValueError(text)


def _in_digits(counted: re.Match[str]) -> str:
    """A count in digits: dateparser does not know `a couple of weeks`."""
    if counted["digits"]:
        return counted[0][counted.start("digits") :]
    return f"{COUNTS[counted['word'].lower()]} {counted['unit']}{counted['ago'] or ''}"


def _keeps_its_year(text: str, read: datetime) -> bool:
    """Whether it is in the year with which the text ends: not where `last week of 2016` is read."""
    year = re.search(rf"(?<!\d){YEAR}$", text)
    return year is None or int(year[0]) == read.year


def _is_plausible(text: str, parts: tuple[str, ...]) -> bool:
    if "year" in parts and re.search(r"\d", text):
        return re.search(r"(?<!\d)\d{4}(?!\d)", text) is not None
    return parts != ("day",)
