"""Times mentioned in a plain English question: `yesterday`, `in May`, `the summer of 2021`.

Unlike `on:` and `after:` they do not restrict a search. People talk about an event before and after
it, so messages of that time only rank higher.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import cache

from terrarium_mcp.chat.times.calendar_words import MONTHS, PERIODS, WEEKDAYS
from terrarium_mcp.chat.times.feasts import FEAST, feast, latest_feast
from terrarium_mcp.chat.times.seasons import (
    SEASONS,
    Days,
    latest_season,
    part_of_year,
    past_season,
    season,
    seasons_called,
)
from terrarium_mcp.chat.times.timestamps import local

_COUNTS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "couple": 2, "three": 3, "few": 3, "four": 4, "five": 5,
    "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
}  # fmt: skip
_UNIT_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}
"""About how many days each unit has: `two months ago` is not exact either."""

_MONTH = rf"(?P<month>{'|'.join(f'{name}|{name[:3]}' for name in MONTHS)}|sept)\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_ON = rf"(?:on\s+)?(?:(?:{'|'.join(WEEKDAYS)}),?\s+)?(?:the\s+)?"
_ISO_DAY = r"(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)"
_DAY_MONTH = rf"{_DAY}\s+(?:of\s+)?{_MONTH}"
_MONTH_DAY = rf"{_MONTH}\s+{_DAY}"
_WEEK = r"(?:in\s+|during\s+)?(?:the\s+)?week\s+(?P<from>of|from|beginning|starting)\s+" + _ON
_SEASON = rf"(?P<season>{'|'.join(SEASONS)})"
_FEAST = rf"(?P<feast>{FEAST})"
_AT = r"(?:on|at|over|since|around|during|last|this)\s+"
# Bounded, because strangers write it.
_DURING = r"(?:(?:in|during|over|since|by|until|around|early|late|mid)[\s-]+|the\s+){0,3}"


@dataclass(frozen=True, slots=True)
class TimeExpression:
    """A time from `since` to `until` (exclusive), and the words `said`, which begin at `at`.

    One that begins with the word since goes on up to today.
    Words that may name two times, such as `winter 2008`, make two expressions.
    """

    said: str
    since: datetime
    until: datetime
    at: int = 0


def time_expressions(text: str, now: datetime, zone: tzinfo) -> tuple[TimeExpression, ...]:
    """The times that `text` names, the most certain first, read at `now` in the reader's `zone`."""
    today = local(now, zone).date()
    taken: list[tuple[int, int]] = []
    times: list[TimeExpression] = []
    for match, read in _matches(text):
        try:
            named = [_expression(match, days, today, zone) for days in read(match, today)]
        except (ValueError, OverflowError):  # the 31st of June, the year 10,000
            continue
        if not any(begin < match.end() and match.start() < end for begin, end in taken):
            taken.append(match.span())
            times += named
    return tuple(times)


def without_times(times: tuple[TimeExpression, ...], text: str) -> str:
    """`text` without the words that name these times."""
    for at, said in sorted({(one.at, one.said) for one in times}, reverse=True):
        text = f"{text[:at]} {text[at + len(said) :]}"
    return text


def _expression(found: re.Match[str], days: Days, today: date, zone: tzinfo) -> TimeExpression:
    first, after = days
    if found[0].lower().startswith("since"):
        after = max(after, today + timedelta(1))
    return TimeExpression(found[0], _midnight(first, zone), _midnight(after, zone), found.start())


def _on(found: re.Match[str], today: date) -> list[Days]:
    return [_day(_date(found, today))]


def _in_month(found: re.Match[str], today: date) -> list[Days]:
    """A month; without a year, the latest one that has begun."""
    month = _month(found["month"])
    year = int(found.groupdict().get("year") or 0) or _last_year_with((month, 1), today)
    return [_whole("month", date(year, month, 1))]


def _in_year(found: re.Match[str], _: date) -> list[Days]:
    return [_whole("year", date(int(found["year"]), 1, 1))]


def _before_yesterday(_: re.Match[str], today: date) -> list[Days]:
    return [_day(today - timedelta(2))]


def _yesterday(_: re.Match[str], today: date) -> list[Days]:
    return [_day(today - timedelta(1))]


def _today(_: re.Match[str], today: date) -> list[Days]:
    return [_day(today)]


def _ago(found: re.Match[str], today: date) -> list[Days]:
    """That long ago, plus and minus half of the unit."""
    count, unit = found["count"], _UNIT_DAYS[found["unit"]]
    middle = today - timedelta((int(count) if count.isdigit() else _COUNTS[count.lower()]) * unit)
    return [(middle - timedelta(unit // 2), middle + timedelta(unit // 2 + 1))]


def _this_or_last(found: re.Match[str], today: date) -> list[Days]:
    """The calendar week, month or year, up to today if it is this one; `past` ones end today."""
    which, unit = found["which"].lower(), found["unit"].lower()
    if which == "past":
        return [(today - timedelta(_UNIT_DAYS[unit]), today + timedelta(1))]
    first = PERIODS[unit].first_day(today)
    if which == "this":
        return [(first, today + timedelta(1))]
    return [(PERIODS[unit].first_day(first - timedelta(1)), first)]


def _last_few(found: re.Match[str], today: date) -> list[Days]:
    """So many days up to today, or about as many as that many weeks, months or years have."""
    count = found["count"].lower()
    number = int(count) if count.isdigit() else _COUNTS[count]
    return [(today - timedelta(number * _UNIT_DAYS[found["unit"].lower()]), today + timedelta(1))]


def _weekday(found: re.Match[str], today: date) -> list[Days]:
    """The last such weekday before today."""
    back = (today.weekday() - WEEKDAYS.index(found["weekday"].lower())) % 7 or 7
    return [_day(today - timedelta(back))]


def _week_of(found: re.Match[str], today: date) -> list[Days]:
    """The week that contains a day, or the seven days that begin with it."""
    day = _date(found, today)
    if found["from"].lower() == "of":
        return [_whole("week", PERIODS["week"].first_day(day))]
    return [(day, day + timedelta(7))]


def _seasons_of(found: re.Match[str], _: date) -> list[Days]:
    return seasons_called(found["season"].lower(), int(found["year"]))


def _season_between(found: re.Match[str], _: date) -> list[Days]:
    """A season named by two years, such as `winter 2008/09`."""
    return [season(found["season"].lower(), int(found["year"]))]


def _this_or_last_season(found: re.Match[str], today: date) -> list[Days]:
    read = past_season if found["which"].lower() == "last" else latest_season
    return [read(found["season"].lower(), today)]


def _latest_season(found: re.Match[str], today: date) -> list[Days]:
    return [latest_season(found["season"].lower(), today)]


def _feast_of(found: re.Match[str], _: date) -> list[Days]:
    return [feast(found["feast"], int(found["year"]))]


def _latest_feast(found: re.Match[str], today: date) -> list[Days]:
    return [latest_feast(found["feast"], today)]


def _part_of_year(found: re.Match[str], _: date) -> list[Days]:
    return [part_of_year(found["part"].split()[0].lower(), int(found["year"]))]


Reader = Callable[[re.Match[str], date], list[Days]]
"""Reads a match on a day that is today. Raises ValueError for days that do not exist."""

_READERS: tuple[tuple[str, Reader], ...] = (
    (_WEEK + _ISO_DAY, _week_of),
    (rf"{_WEEK}{_DAY_MONTH},?\s+{_YEAR}", _week_of),
    (rf"{_WEEK}{_MONTH_DAY},?\s+{_YEAR}", _week_of),
    (_WEEK + _DAY_MONTH, _week_of),
    (_WEEK + _MONTH_DAY, _week_of),
    (_ON + _ISO_DAY, _on),
    (rf"{_ON}{_DAY_MONTH},?\s+{_YEAR}", _on),
    (rf"{_ON}{_MONTH_DAY},?\s+{_YEAR}", _on),
    (_ON + _DAY_MONTH, _on),
    (rf"{_ON}{_MONTH_DAY}(?!\s*:)", _on),
    (r"(?:in\s+)?(?P<year>\d{4})-(?P<month>\d\d)(?!-)", _in_month),
    (rf"(?:(?:in|during|of|since|early|late|mid)\s+){{0,3}}{_MONTH},?\s+{_YEAR}", _in_month),
    (rf"{_DURING}{_SEASON}\s+(?:of\s+)?{_YEAR}\s*[/-]\s*(?:\d\d)?\d\d", _season_between),
    (rf"{_DURING}{_SEASON}\s+(?:of\s+)?{_YEAR}", _seasons_of),
    (
        rf"{_DURING}(?P<part>early|mid|late|(?:beginning|start|middle|end)\s+of)[\s-]+{_YEAR}",
        _part_of_year,
    ),
    (rf"(?:{_AT})?{_FEAST}\s+(?:of\s+|in\s+)?{_YEAR}", _feast_of),
    (_AT + _FEAST, _latest_feast),
    (rf"(?:in\s+|during\s+)?(?P<which>last|this)\s+{_SEASON}", _this_or_last_season),
    (rf"(?:in|during|over|since)\s+the\s+(?:early\s+|late\s+)?{_SEASON}", _latest_season),
    # Where more follows, it may be the word of something else, such as a framework.
    (rf"(?:in|during|over|since)\s+{_SEASON}(?=\s*(?:[?.,!;]|$))", _latest_season),
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
    (
        (
            r"(?:(?:in|during|over|within|from|of)\s+)?(?:the\s+)?(?:last|past)\s+"
            rf"(?P<count>\d{{1,4}}|{'|'.join(_COUNTS)})(?:\s+of)?\s+"
            r"(?P<unit>day|week|month|year)s?"
        ),
        _last_few,
    ),
    (r"(?:the\s+)?(?P<which>last|this|past)\s+(?P<unit>week|month|year)", _this_or_last),
    (rf"(?:last|on|this|since)\s+(?P<weekday>{'|'.join(WEEKDAYS)})", _weekday),
)
"""The expressions that name a time, the most certain first, and what reads each."""


@cache
def _compiled() -> list[tuple[re.Pattern[str], Reader]]:
    """The readers with their patterns, compiled at the first use: a hundredth of a start."""
    return [
        (re.compile(rf"\b(?:since\s+)?{words}(?!\w)", re.IGNORECASE), read)
        for words, read in _READERS
    ]


def _matches(text: str) -> Iterator[tuple[re.Match[str], Reader]]:
    return ((match, read) for words, read in _compiled() for match in words.finditer(text))


def _date(found: re.Match[str], today: date) -> date:
    """The day of a month that was found; without a year, the latest one that has come."""
    fields = found.groupdict()
    month, day = _month(fields["month"]), int(fields["day"])
    year = int(fields.get("year") or 0) or _last_year_with((month, day), today)
    return date(year, month, day)


def _month(name: str) -> int:
    if name.isdigit():
        return int(name)
    return next(n for n, month in enumerate(MONTHS, 1) if month.startswith(name[:3].lower()))


def _last_year_with(day: tuple[int, int], today: date) -> int:
    return today.year if day <= (today.month, today.day) else today.year - 1


def _day(day: date) -> Days:
    return day, day + timedelta(1)


def _whole(period: str, first: date) -> Days:
    return first, PERIODS[period].following(first)


def _midnight(day: date, zone: tzinfo) -> datetime:
    return datetime.combine(day, time.min, zone).astimezone(UTC)
