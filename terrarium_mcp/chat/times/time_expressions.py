"""Times mentioned in a plain English question: `yesterday`, `in May`, `two weeks ago`.

Unlike `on:` and `after:` they do not restrict a search. People talk about an event before and after
it, so messages of that time only rank higher.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from terrarium_mcp.chat.times.calendar_words import MONTHS, PERIODS, WEEKDAYS

_COUNTS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "couple": 2, "three": 3, "few": 3, "four": 4, "five": 5,
    "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
}  # fmt: skip
_UNIT_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}
"""About how many days each unit has: `two months ago` is not exact either."""

_MONTH = rf"(?P<month>{'|'.join(f'{name}|{name[:3]}' for name in MONTHS)}|sept)\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:19|20)\d\d)"


@dataclass(frozen=True, slots=True)
class TimeExpression:
    """A time from `since` to `until` (exclusive), and the words `said` that name it."""

    said: str
    since: datetime
    until: datetime


def time_expressions(text: str, now: datetime, zone: tzinfo) -> tuple[TimeExpression, ...]:
    """The times that `text` names, the most certain first, read at `now` in the reader's `zone`."""
    today = now.astimezone(zone).date()
    taken: list[tuple[int, int]] = []
    times: list[TimeExpression] = []
    for match, read in _matches(text):
        try:
            days = read(match, today)
        except (ValueError, OverflowError):  # the 31st of June, the year 10,000
            continue
        if not any(begin < match.end() and match.start() < end for begin, end in taken):
            taken.append(match.span())
            times.append(TimeExpression(match[0], *(_midnight(day, zone) for day in days)))
    return tuple(times)


def without_times(times: tuple[TimeExpression, ...], text: str) -> str:
    """`text` without the words that name these times."""
    for named in times:
        text = text.replace(named.said, " ", 1)
    return text


Days = tuple[date, date]
"""The first day, and the day after the last."""


def _on(found: re.Match[str], today: date) -> Days:
    """A day of a month; without a year, the latest one that has come."""
    fields = found.groupdict()
    month, day = _month(fields["month"]), int(fields["day"])
    year = int(fields.get("year") or 0) or _last_year_with((month, day), today)
    first = date(year, month, day)
    return first, first + timedelta(1)


def _in_month(found: re.Match[str], today: date) -> Days:
    """A month; without a year, the latest one that has begun."""
    month = _month(found["month"])
    year = int(found.groupdict().get("year") or 0) or _last_year_with((month, 1), today)
    return _whole("month", date(year, month, 1))


def _in_year(found: re.Match[str], _: date) -> Days:
    return _whole("year", date(int(found["year"]), 1, 1))


def _before_yesterday(_: re.Match[str], today: date) -> Days:
    return today - timedelta(2), today - timedelta(1)


def _yesterday(_: re.Match[str], today: date) -> Days:
    return today - timedelta(1), today


def _today(_: re.Match[str], today: date) -> Days:
    return today, today + timedelta(1)


def _ago(found: re.Match[str], today: date) -> Days:
    """That long ago, plus and minus half of the unit."""
    count, unit = found["count"], _UNIT_DAYS[found["unit"]]
    middle = today - timedelta((int(count) if count.isdigit() else _COUNTS[count.lower()]) * unit)
    return middle - timedelta(unit // 2), middle + timedelta(unit // 2 + 1)


def _this_or_last(found: re.Match[str], today: date) -> Days:
    """The calendar week, month or year, up to today if it is this one; `past` ones end today."""
    which, unit = found["which"].lower(), found["unit"].lower()
    if which == "past":
        return today - timedelta(_UNIT_DAYS[unit]), today + timedelta(1)
    first = PERIODS[unit].first_day(today)
    if which == "this":
        return first, today + timedelta(1)
    return PERIODS[unit].first_day(first - timedelta(1)), first


def _weekday(found: re.Match[str], today: date) -> Days:
    """The last such weekday before today."""
    back = (today.weekday() - WEEKDAYS.index(found["weekday"].lower())) % 7 or 7
    return today - timedelta(back), today - timedelta(back - 1)


_READERS: tuple[tuple[str, Callable[[re.Match[str], date], Days]], ...] = (
    (r"(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)", _on),
    (rf"(?:on\s+)?(?:the\s+)?{_DAY}\s+(?:of\s+)?{_MONTH},?\s+{_YEAR}", _on),
    (rf"(?:on\s+)?{_MONTH}\s+{_DAY},?\s+{_YEAR}", _on),
    (rf"(?:on\s+)?(?:the\s+)?{_DAY}\s+(?:of\s+)?{_MONTH}", _on),
    (rf"(?:on\s+)?{_MONTH}\s+{_DAY}(?!\s*:)", _on),
    (rf"(?:(?:in|during|of|since|early|late|mid)\s+)*{_MONTH},?\s+{_YEAR}", _in_month),
    (
        r"(?:in|during|last|since|this|of|by|until|around)\s+(?:(?:early|late|mid)\s+)?" + _MONTH,
        _in_month,
    ),
    (rf"(?:in|during|of|since|from|year)\s+{_YEAR}", _in_year),
    (r"(?:the\s+)?day\s+before\s+yesterday", _before_yesterday),
    (r"yesterday", _yesterday),
    (r"today", _today),
    (
        (
            rf"(?:a\s+)?(?P<count>\d{{1,4}}|{'|'.join(_COUNTS)})(?:\s+of)?\s+"
            r"(?P<unit>day|week|month|year)s?\s+ago"
        ),
        _ago,
    ),
    (r"(?P<which>last|this|past)\s+(?P<unit>week|month|year)", _this_or_last),
    (rf"(?:last|on|this)\s+(?P<weekday>{'|'.join(WEEKDAYS)})", _weekday),
)
"""The expressions that name a time, the most certain first, and what reads each."""

_COMPILED = [(re.compile(rf"\b{words}(?!\w)", re.IGNORECASE), read) for words, read in _READERS]


def _matches(text: str) -> Iterator[tuple[re.Match[str], Callable[[re.Match[str], date], Days]]]:
    return ((match, read) for words, read in _COMPILED for match in words.finditer(text))


def _month(name: str) -> int:
    if name.isdigit():
        return int(name)
    return next(n for n, month in enumerate(MONTHS, 1) if month.startswith(name[:3].lower()))


def _last_year_with(day: tuple[int, int], today: date) -> int:
    return today.year if day <= (today.month, today.day) else today.year - 1


def _whole(period: str, first: date) -> Days:
    return first, PERIODS[period].following(first)


def _midnight(day: date, zone: tzinfo) -> datetime:
    return datetime.combine(day, time.min, zone).astimezone(UTC)
