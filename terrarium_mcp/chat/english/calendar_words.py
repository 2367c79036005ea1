"""The calendar in English: names of months and weekdays, and where a period begins and ends.

All that read times use it, whether typed into a query, mentioned in a question or written in a log.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TypeVar

Day = TypeVar("Day", bound=date)
"""A date, or a datetime, of which the time of day and the zone stay as they are."""

MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

WEEKDAY = rf"(?:{'|'.join(WEEKDAYS)})"
MONTH = rf"(?:{'|'.join(f'{name}|{name[:3]}' for name in MONTHS)}|sept)\.?"
DAY_OF_MONTH = r"\d{1,2}(?:st|nd|rd|th)?"
YEAR = r"(?:19|20)\d\d"
"""A weekday and a month by name, a day of that, and a year, as regular expressions."""

SHORT_WEEKDAY = r"(?:mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)"
"""A weekday by its first letters."""

BY_NUMBER_ALONE = (
    r"(?=\s*(?:[?.,!;]|$)|\s+(?:at|around|about|between|before|after|in|by|from|and|or)\b)"
)
"""What follows a day or a quarter that is named by its number alone, and not `the 5th floor`."""

COUNTS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "couple": 2, "three": 3, "few": 3, "four": 4, "five": 5,
    "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
}  # fmt: skip
"""Numbers in words, as people count days and weeks."""

COUNT_WORD = rf"(?:{'|'.join(COUNTS)})"
"""One of them, as a regular expression."""


def number_of(count: str) -> float:
    """How many a count is, in words or digits."""
    return COUNTS.get(count.lower()) or float(count)


def roughly(count: str) -> tuple[float, float]:
    """The least and the most that a count means, in words or digits: `a few` are two to six.

    `A couple` and `a few` reach up to twice their number; any other is exact.
    """
    number = number_of(count)
    return (2, 2 * number) if count.lower() in ("couple", "few") else (number, number)


ORDINALS = tuple(
    """first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth
    fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first
    twenty-second twenty-third twenty-fourth twenty-fifth twenty-sixth twenty-seventh twenty-eighth
    twenty-ninth thirtieth thirty-first""".split()  # noqa: SIM905 -- a list would be a page of quotation marks
)
"""The days of a month in words."""

_LEAP_YEARS = 8
"""Years within which every day of the calendar comes, also around 1900."""


def latest_year_with(month: int, day: int, today: date) -> int:
    """The latest year whose day of that month has come; this year's or the last, but for 29 Feb.

    Raises:
        ValueError: there is no such day.
    """
    for year in range(today.year, today.year - _LEAP_YEARS - 1, -1):
        try:
            if date(year, month, day) <= today:
                return year
        except ValueError:  # not in this year, or in none
            continue
    raise ValueError(f"no day {day} of month {month}")


def latest_day(day: int, today: date, weekday: str = "") -> date:
    """The latest day of that number in any month, and of that weekday if one is named.

    Raises:
        ValueError: there is none within eight years.
    """
    first = today.replace(day=1)
    for _ in range(12 * _LEAP_YEARS):
        try:
            found = first.replace(day=day)
        except ValueError:  # not in this month, or in none
            found = None
        is_meant = found and not (weekday and found.weekday() != WEEKDAYS.index(weekday))
        if found and found <= today and is_meant:
            return found
        first = (first - timedelta(1)).replace(day=1)
    raise ValueError(f"no {weekday} the {day}")


def month_number(name: str) -> int:
    """The number of a month, by its name, its first three letters, or that number in digits."""
    if name.isdigit():
        return int(name)
    return next(n for n, month in enumerate(MONTHS, 1) if month.startswith(name[:3].lower()))


def weekday_number(name: str) -> int:
    """The number of a weekday, from 0 on, by its name or its first letters."""
    return next(n for n, day in enumerate(WEEKDAYS) if day.startswith(name[:3].lower()))


@dataclass(frozen=True, slots=True)
class Period:
    """A unit of the calendar, which lasts a number of months or days."""

    _offset: Callable[[date], timedelta]
    _months: int = 0
    _days: int = 0

    def first_day(self, day: Day) -> Day:
        """The first day of the period that contains `day`."""
        return day - self._offset(day)

    def following(self, first: Day) -> Day:
        """The first day of the next period, from the `first` day of this one.

        Raises:
            ValueError, OverflowError: it is beyond the year 9999.
        """
        years, month = divmod(first.month - 1 + self._months, 12)
        return first.replace(year=first.year + years, month=month + 1) + timedelta(self._days)


def _days_into_quarter(day: date) -> timedelta:
    first_month = day.month - (day.month - 1) % 3
    return timedelta(day.toordinal() - date(day.year, first_month, 1).toordinal())


PERIODS = {
    "day": Period(lambda _: timedelta(), _days=1),
    "week": Period(lambda day: timedelta(day.weekday()), _days=7),
    "month": Period(lambda day: timedelta(day.day - 1), _months=1),
    "quarter": Period(_days_into_quarter, _months=3),
    "year": Period(lambda day: timedelta(day.timetuple().tm_yday - 1), _months=12),
}
"""The periods by name. A week begins on Monday."""
