"""Times as people type them into a query, read in the reader's zone by the request's clock."""

import re
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cache

from terrarium_mcp.chat.times.calendar_words import (
    COUNTS,
    DAY_OF_MONTH,
    MONTH,
    PERIODS,
    WEEKDAYS,
    YEAR,
)
from terrarium_mcp.chat.times.recent_hours import how_long_ago
from terrarium_mcp.chat.times.time_expressions import time_expressions
from terrarium_mcp.chat.times.timestamps import from_local

_ISO = re.compile(r"\d{4}(?:$|-)")
_YEAR_OR_MONTH = re.compile(r"(\d{4})(?:-(\d\d))?")
_WEEK = re.compile(r"\d{4}-W\d\d")
_DAYS_AGO = re.compile(r"(\d{1,6})([dw])")
_UNITS = {"d": "days", "w": "weeks"}
_MAX_CHARACTERS = 60
_COUNT = rf"(?:\d{{1,4}}|(?:a\s+)?(?:{'|'.join(COUNTS)})(?:\s+of)?)"
_UNIT = r"(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?)"
_COUNTED = (
    rf"(?:the\s+)?(?:(?P<digits>\d{{1,6}}(?:\.\d)?)\s*|(?:a\s+)?(?P<word>{'|'.join(COUNTS)})\s+(?:of\s+)?)"
    r"(?P<unit>[a-z].*?)(?P<ago>\s+ago)?"
)
"""So long before now: `2 weeks`, `a couple of months ago`."""
_WEEKDAY = rf"(?:{'|'.join(f'{name}|{name[:3]}' for name in WEEKDAYS)}|tues|thurs?)"
_CLOCK = r"(?:\d{1,2}(?::\d\d){1,2}(?:\s*[ap]m)?|\d{1,2}\s*[ap]m|noon|midnight)"
_SEVERAL_WORDS = (
    rf"(?:the\s+)?{_COUNT}\s+{_UNIT}(?:\s+ago)?"
    rf"|(?:the\s+)?(?:last|past|this)\s+(?:{_COUNT}\s+)?(?:{_UNIT}|{_WEEKDAY}|{MONTH})"
    rf"|(?:(?:{_WEEKDAY},?\s+)?(?:the\s+)?(?:{DAY_OF_MONTH}\s+(?:of\s+)?{MONTH}|{MONTH}\s+{DAY_OF_MONTH})(?:,?\s+{YEAR})?"
    rf"|{MONTH},?\s+{YEAR}|(?:last\s+)?{_WEEKDAY}|yesterday|today)"
    rf"(?:\s+(?:morning|afternoon|evening|night))?(?:,?\s+(?:at\s+)?{_CLOCK})?"
)
"""Times of several words that dateparser reads, beside those that a question may name. It ignores
what it does not know, and takes `apt` for a time zone, so that `yesterday apt` would be one."""
_SETTINGS = {
    "DATE_ORDER": "DMY",
    "PREFER_DATES_FROM": "past",
    "RETURN_TIME_AS_PERIOD": True,
    "TIMEZONE": "UTC",  # dateparser uses the machine's zone otherwise
}
_MOMENT = (
    r"\dT\d|\d:\d\d|\d\s*[smh]\Z|\d\s*[ap]m\b|\b(?:noon|midnight|morning|afternoon|evening)\b"
    r"|\b(?:sec(?:ond)?|min(?:ute)?|h(?:ou)?r)s?\b"
)


def names_a_moment(text: str) -> bool:
    """Whether a time is one of a day: `2h`, `yesterday evening`, `2026-05-01T14:00Z`."""
    return _compiled(_MOMENT).search(text) is not None


def parse_moment(text: str, now: datetime, zone: tzinfo) -> datetime | None:
    """The moment, in UTC, at which the time named by `text` begins.

    None if it names no time, or one that does not exist. Examples: `2026-05-01`, `2026-05`,
    `2026-W18`, `2026-05-01T14:00Z`, `yesterday`, `2h` and `2 weeks` (ago), `last week`, `5 may`,
    `the last 3 days`, `early 2022`. A date without a year is the last one before `now`.
    """
    try:
        period, named = _read(text, now, zone)
        if period in PERIODS:
            named = PERIODS[period].first_day(_midnight(named))
        return _utc(named, zone)
    except (ValueError, OverflowError):  # no time, or outside the calendar
        return next(iter(_expressed(text, now, zone)), None)


def parse_period(text: str, now: datetime, zone: tzinfo) -> tuple[datetime, datetime] | None:
    """The period named by `text`: its beginning and its end (exclusive), in UTC.

    A moment, such as `2h`, stands for its day. None as in `parse_moment`.
    """
    try:
        name, named = _read(text, now, zone)
        local = named.astimezone(zone).replace(tzinfo=None) if named.tzinfo else named
        period = PERIODS.get(name, PERIODS["day"])
        first = period.first_day(_midnight(local))
        return _utc(first, zone), _utc(period.following(first), zone)
    except (ValueError, OverflowError):
        return _expressed(text, now, zone) or None


def is_time(text: str, now: datetime, zone: tzinfo) -> bool:
    """Whether all of several words name a time together: `3 days ago`, not `yesterday apt`."""
    named = " ".join(text.split())
    return bool(_compiled(_SEVERAL_WORDS).fullmatch(named) or _expressed(named, now, zone))


def _read(text: str, now: datetime, zone: tzinfo) -> tuple[str, datetime]:
    """The period that `text` names (`time` for a moment), and a moment in it.

    Raises:
        ValueError: it names no time.
    """
    text = " ".join(text.split())
    if not text or len(text) > _MAX_CHARACTERS:
        raise ValueError(text)
    here = now.astimezone(zone).replace(tzinfo=None)
    return _iso(text) if _ISO.match(text) else _ago(text, now, here) or _words(text, here)


def _expressed(text: str, now: datetime, zone: tzinfo) -> tuple[datetime, datetime] | tuple[()]:
    """The period that `text` names as a question would: `the last 3 days`, `christmas 2012`.

    Of two readings, such as the winters of one year, it is the likelier.
    """
    text = " ".join(text.split())
    if len(text) > _MAX_CHARACTERS or _ISO.match(text):  # ISO 8601 is read strictly
        return ()
    for named in (text, f"on {text}", f"in {text}"):
        times = time_expressions(named, now, zone)
        if times and times[0].said == named and times[0].has_beginning:
            return times[0].since, times[0].until
    return ()


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """One of the large patterns, compiled when it is first needed: 2 ms of a start."""
    return re.compile(pattern, re.IGNORECASE)


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


def _ago(text: str, now: datetime, here: datetime) -> tuple[str, datetime] | None:
    """A time so long ago: days and weeks on the reader's clock, which is `here`, hours on none."""
    if found := _DAYS_AGO.fullmatch(text.lower()):
        return "time", here - timedelta(**{_UNITS[found[2]]: int(found[1])})
    long = how_long_ago(text)
    return None if long is None else ("time", now.astimezone(UTC) - long)


def _words(text: str, here: datetime) -> tuple[str, datetime]:
    """Read other text with dateparser. A count, such as `2 weeks`, is a moment: that long ago.

    Raises:
        ValueError: it is no time, or unlikely to be meant as one: a bare number, a two-digit year.
    """
    from dateparser.date import DateDataParser  # noqa: PLC0415 -- slow to load, seldom needed

    counted = _compiled(_COUNTED).fullmatch(text)
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
