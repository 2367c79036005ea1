"""Times as people type them into a query, read in the reader's zone by the request's clock."""

import re
from datetime import UTC, datetime, timedelta, tzinfo

from terrarium_mcp.chat.times.calendar_words import PERIODS
from terrarium_mcp.chat.times.time_expressions import time_expressions, without_times

_ISO = re.compile(r"\d{4}(?:$|-)")
_YEAR_OR_MONTH = re.compile(r"(\d{4})(?:-(\d\d))?")
_WEEK = re.compile(r"\d{4}-W\d\d")
_AGO = re.compile(r"(\d{1,6})([smhdw])|(?:the )?(?:last|past) (\d{1,6}) ([mh])(?:inute|our)s?")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_MAX_CHARACTERS = 60
_SETTINGS = {
    "DATE_ORDER": "DMY",
    "PREFER_DATES_FROM": "past",
    "RETURN_TIME_AS_PERIOD": True,
    "TIMEZONE": "UTC",  # dateparser uses the machine's zone otherwise
}


def parse_moment(text: str, now: datetime, zone: tzinfo) -> datetime | None:
    """The moment, in UTC, at which the time named by `text` begins.

    None if it names no time, or one that does not exist. Examples: `2026-05-01`, `2026-05`,
    `2026-W18`, `2026-05-01T14:00Z`, `yesterday`, `2h` (ago), `last week`, `5 may`,
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


def _read(text: str, now: datetime, zone: tzinfo) -> tuple[str, datetime]:
    """The period that `text` names (`time` for a moment), and a moment in it.

    Raises:
        ValueError: it names no time.
    """
    text = " ".join(text.split())
    if not text or len(text) > _MAX_CHARACTERS:
        raise ValueError(text)
    here = now.astimezone(zone).replace(tzinfo=None)
    return _iso(text) if _ISO.match(text) else _ago(text, here) or _words(text, here)


def _expressed(text: str, now: datetime, zone: tzinfo) -> tuple[datetime, datetime] | tuple[()]:
    """The period that `text` names as a question would: `the last 3 days`, `early 2022`."""
    text = " ".join(text.split())
    if len(text) > _MAX_CHARACTERS or _ISO.match(text):  # ISO 8601 is read strictly
        return ()
    times = time_expressions(text, now, zone)
    if not times or without_times(times[:1], text).strip():
        return ()
    return min(one.since for one in times), max(one.until for one in times)


def _utc(moment: datetime, zone: tzinfo) -> datetime:
    """The moment in UTC, in whole milliseconds like the times of messages."""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=zone)
    return aware.replace(microsecond=moment.microsecond // 1000 * 1000).astimezone(UTC)


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


def _ago(text: str, here: datetime) -> tuple[str, datetime] | None:
    found = _AGO.fullmatch(text.lower())
    if not found:
        return None
    count, unit = found[1] or found[3], found[2] or found[4]
    return "time", here - timedelta(**{_UNITS[unit]: int(count)})


def _words(text: str, here: datetime) -> tuple[str, datetime]:
    """Read other text with dateparser.

    Raises:
        ValueError: it is no time, or unlikely to be meant as one: a bare number, a two-digit year.
    """
    from dateparser.date import DateDataParser  # noqa: PLC0415 -- slow to load, seldom needed

    for kind in ("relative-time", "absolute-time"):
        settings = _SETTINGS | {"RELATIVE_BASE": here, "PARSERS": [kind]}
        read = DateDataParser(languages=["en"], settings=settings).get_date_data(text)
        if read.date_obj and (kind == "relative-time" or _is_plausible(text, read.parts)):
            return read.period, read.date_obj
    raise ValueError(text)


def _is_plausible(text: str, parts: tuple[str, ...]) -> bool:
    if "year" in parts and re.search(r"\d", text):
        return re.search(r"(?<!\d)\d{4}(?!\d)", text) is not None
    return parts != ("day",)
