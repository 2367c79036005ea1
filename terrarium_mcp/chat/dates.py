"""Times as people write them into a query, read by the reader's zone and the request's clock."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo

_ISO = re.compile(r"\d{4}(?:$|-)")
_MONTH = re.compile(r"(\d{4})(?:-(\d\d))?")
_AGO = re.compile(r"(\d{1,6})([smhdw])")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_LONGEST = 60
_SETTINGS = {
    "DATE_ORDER": "DMY",
    "PREFER_DATES_FROM": "past",
    "RETURN_TIME_AS_PERIOD": True,
    "TIMEZONE": "UTC",  # it asks the machine for its own zone otherwise
}


def moment_of(text: str, now: datetime, zone: tzinfo) -> datetime | None:
    """The moment, in UTC, at which the time begins that `text` names.

    None where it names none, or one that does not exist. For example `2026-05-01`, `2026-05`,
    `2026-05-01T14:00Z`, `yesterday`, `2h` (ago), `last week`, `5 may`. What could be several dates
    is the last one before `now`.
    """
    try:
        period, named = _named(text, now, zone)
        return _utc(_PERIODS[period].begins(named) if period in _PERIODS else named, zone)
    except (ValueError, OverflowError):  # no time, or beyond the calendar
        return None


def stretch_of(text: str, now: datetime, zone: tzinfo) -> tuple[datetime, datetime] | None:
    """The whole time that `text` names: its beginning and its end, which is no longer in it.

    Of a moment, such as `2h`, it is the day.
    """
    try:
        period, named = _named(text, now, zone)
        local = named.astimezone(zone).replace(tzinfo=None) if named.tzinfo else named
        whole = _PERIODS.get(period, _DAY)
        begins = whole.begins(local)
        return _utc(begins, zone), _utc(whole.ends(begins), zone)
    except (ValueError, OverflowError):
        return None


def _named(text: str, now: datetime, zone: tzinfo) -> tuple[str, datetime]:
    """What `text` names: a period of `_PERIODS`, or a moment; and a time in it.

    Raises:
        ValueError: it names no time.
    """
    text = " ".join(text.split())
    if not text or len(text) > _LONGEST:
        raise ValueError(text)
    here = now.astimezone(zone).replace(tzinfo=None)
    return _iso(text) if _ISO.match(text) else _ago(text, here) or _words(text, here)


def _utc(moment: datetime, zone: tzinfo) -> datetime:
    """In UTC, and as exact as the times of lines are."""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=zone)
    return aware.replace(microsecond=moment.microsecond // 1000 * 1000).astimezone(UTC)


def _iso(text: str) -> tuple[str, datetime]:
    """What looks like ISO 8601 is that, or nothing: `2026-02-30` is no other day."""
    if found := _MONTH.fullmatch(text):
        year, month = found.groups()
        return "month" if month else "year", datetime(int(year), int(month or 1), 1)  # noqa: DTZ001 -- the reader's zone
    return ("time" if len(text) > 10 else "day"), datetime.fromisoformat(text)


def _ago(text: str, here: datetime) -> tuple[str, datetime] | None:
    found = _AGO.fullmatch(text.lower())
    return ("time", here - timedelta(**{_UNITS[found[2]]: int(found[1])})) if found else None


def _words(text: str, here: datetime) -> tuple[str, datetime]:
    """What the library makes of it.

    Raises:
        ValueError: nothing, or what was hardly meant: a bare number, a year of two digits.
    """
    from dateparser.date import DateDataParser  # noqa: PLC0415 -- slow to load, seldom needed

    for kind in ("relative-time", "absolute-time"):
        settings = _SETTINGS | {"RELATIVE_BASE": here, "PARSERS": [kind]}
        read = DateDataParser(languages=["en"], settings=settings).get_date_data(text)
        if read.date_obj and (kind == "relative-time" or _is_meant(text, read.parts)):
            return read.period, read.date_obj
    raise ValueError(text)


def _is_meant(text: str, parts: tuple[str, ...]) -> bool:
    if "year" in parts and re.search(r"\d", text):
        return re.search(r"(?<!\d)\d{4}(?!\d)", text) is not None
    return parts != ("day",)


def _of_day(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def _of_week(moment: datetime) -> datetime:
    return _of_day(moment) - timedelta(days=moment.weekday())


def _of_month(moment: datetime) -> datetime:
    return _of_day(moment).replace(day=1)


def _of_quarter(moment: datetime) -> datetime:
    return _of_month(moment).replace(month=moment.month - (moment.month - 1) % 3)


def _of_year(moment: datetime) -> datetime:
    return _of_month(moment).replace(month=1)


@dataclass(frozen=True, slots=True)
class _Period:
    """A part of the calendar: where the one around a moment begins, and how long it lasts."""

    begins: Callable[[datetime], datetime]
    months: int = 0
    days: int = 0

    def ends(self, begins: datetime) -> datetime:
        """Where the next one begins."""
        years, month = divmod(begins.month - 1 + self.months, 12)
        later = begins.replace(year=begins.year + years, month=month + 1)
        return later + timedelta(days=self.days)


_DAY = _Period(_of_day, days=1)
_PERIODS = {
    "day": _DAY,
    "week": _Period(_of_week, days=7),
    "month": _Period(_of_month, months=1),
    "quarter": _Period(_of_quarter, months=3),
    "year": _Period(_of_year, months=12),
}
