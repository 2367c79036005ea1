"""The calendar in English: names of months and weekdays, and where a period begins and ends.

Both date readers use it: `query_dates` for a time typed into a query, `time_expressions` for one
mentioned in a question.
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


def month_number(name: str) -> int:
    """The number of a month, by its name, its first three letters, or that number in digits."""
    if name.isdigit():
        return int(name)
    return next(n for n, month in enumerate(MONTHS, 1) if month.startswith(name[:3].lower()))


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
