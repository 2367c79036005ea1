"""Readers of days that have a date, a month, a year, a season or a feast: `on 5 May`. Pure.

Each reads a match of a pattern of `named_days`, on a day that is today, and raises ValueError for
days that do not exist.
"""

import re
from datetime import date, timedelta

from terrarium_mcp.chat.english.calendar_words import (
    ORDINALS,
    PERIODS,
    WEEKDAYS,
    latest_day,
    latest_year_with,
    month_number,
    number_of,
    weekday_number,
)
from terrarium_mcp.chat.times.feasts import feast, feasts_between, latest_feast
from terrarium_mcp.chat.times.relative_days import this_or_last
from terrarium_mcp.chat.times.seasons import (
    Days,
    latest_season,
    one_day,
    part_of_month,
    part_of_year,
    season,
    seasons_called,
    whole,
)
from terrarium_mcp.chat.times.times_alone import is_all_that_is_asked

_NTH = {"first": 1, "second": 2, "third": 3, "fourth": 4}

_MONTHS_OF_A_YEAR = 12


def on_day(found: re.Match[str], today: date) -> list[Days]:
    """A day of a month, of the latest year in which it has come, unless that is named."""
    return [one_day(_date(found, today))]


def on_day_of_week(found: re.Match[str], today: date) -> list[Days]:
    """A day with its weekday behind it, as in a transcript; of another day that is only a word."""
    day = _date(found, today)
    if day.weekday() != weekday_number(found["weekday"]):
        raise ValueError(found[0])
    return [one_day(day)]


def on_day_dot_month(found: re.Match[str], today: date) -> list[Days]:
    """A day in digits where only what was said on it is asked, or nothing.

    Else it may be a version that ends a sentence: `no sound on 10.04.`, `anyone on 10.04.?`
    """
    if not is_all_that_is_asked(found):
        raise ValueError(found[0])
    return on_day(found, today)


def on_nth_day(found: re.Match[str], today: date) -> list[Days]:
    """The latest day of that number; with a weekday in front, the latest that is one."""
    name = found.groupdict().get("weekday")
    weekday = WEEKDAYS[weekday_number(name)] if name else ""
    return [one_day(latest_day(_nth(found), today, weekday))]


def on_nth_of_month(found: re.Match[str], today: date) -> list[Days]:
    """A day of a month by its number, also in words, of this month or the last one, or by name."""
    fields = found.groupdict()
    if name := fields.get("month"):
        month, day = month_number(name), _nth(found)
        year = int(fields.get("year") or 0) or latest_year_with(month, day, today)
        return [one_day(date(year, month, day))]
    ((first, _),) = this_or_last(found, today)
    return [one_day(first.replace(day=_nth(found)))]


def in_month(found: re.Match[str], today: date) -> list[Days]:
    """A month, or a third of it; without a year, the latest one that has begun.

    The `last` one of that name is over, as is the last weekday of a name.
    """
    fields = found.groupdict()
    month = month_number(fields["month"])
    newest = PERIODS["month"].first_day(today) - timedelta(1) if fields.get("last") else today
    year = _year(found, today) or latest_year_with(month, 1, newest)
    if part := fields.get("part"):
        return [part_of_month(part.split()[0].lower(), date(year, month, 1))]
    return [whole("month", date(year, month, 1))]


def on_day_in_numbers(found: re.Match[str], _: date) -> list[Days]:
    """A date in numbers, the day first, unless that is no month."""
    day, month, year = (int(found[name]) for name in ("day", "month", "year"))
    is_day_first = month <= _MONTHS_OF_A_YEAR
    return [one_day(date(year, month, day) if is_day_first else date(year, day, month))]


def in_week_of_month(found: re.Match[str], today: date) -> list[Days]:
    """Seven days of a month: `the first week of May` begins on the 1st."""
    ((first, after),) = in_month(found, today)
    if found["nth"].lower() == "last":
        return [(after - timedelta(7), after)]
    begins = first + timedelta(7 * (_NTH[found["nth"].lower()] - 1))
    return [(begins, begins + timedelta(7))]


def on_nth_weekday_of_month(found: re.Match[str], today: date) -> list[Days]:
    """Such a weekday of a month, or such a weekend, which is of the month of its Saturday."""
    read = in_month if found["month"] else this_or_last
    ((first, _),) = read(found, today)
    after, name = PERIODS["month"].following(first), found["weekday"]
    weekday = weekday_number(name or "saturday")
    if found["nth"].lower() == "last":
        begins = after - timedelta((after.weekday() - weekday - 1) % 7 + 1)
    else:
        begins = first + timedelta((weekday - first.weekday()) % 7)
        begins += timedelta(7 * (_NTH[found["nth"].lower()] - 1))
    return [(begins, begins + timedelta(1 if name else 2))]


def in_week_of_year(found: re.Match[str], _: date) -> list[Days]:
    """A week by its number (ISO 8601)."""
    return [whole("week", date.fromisocalendar(int(found["year"]), int(found["week"]), 1))]


def at_end_of_period(found: re.Match[str], today: date) -> list[Days]:
    """The first or last days, weeks or months of a month or a year, or of this or the last period.

    Raises:
        ValueError: it has not that many.
    """
    first, after = _period(found, today)
    count, unit = int(number_of(found["count"] or "one")), found["length"].lower()
    if found["end"].lower() == "first":
        part = first, _later(first, count, unit)
    else:
        part = _later(after, -count, unit), after
    if not first <= part[0] < part[1] <= after:
        raise ValueError(found[0])
    return [part]


def in_half_of_year(found: re.Match[str], _: date) -> list[Days]:
    """The first or the second half of a year."""
    year = int(found["year"])
    middle = date(year, 7, 1)
    if found["nth"].lower() == "first":
        return [(date(year, 1, 1), middle)]
    return [(middle, date(year + 1, 1, 1))]


def in_quarter(found: re.Match[str], today: date) -> list[Days]:
    """A quarter; without a year, the latest of that number that has begun."""
    nth = found["nth"].lower()
    month = 3 * (int(nth) if nth.isdigit() else _NTH.get(nth, 4)) - 2
    year = int(found.groupdict().get("year") or 0) or latest_year_with(month, 1, today)
    return [whole("quarter", date(year, month, 1))]


def in_year(found: re.Match[str], _: date) -> list[Days]:
    """A whole year."""
    return [whole("year", date(int(found["year"]), 1, 1))]


def in_part_of_year(found: re.Match[str], _: date) -> list[Days]:
    """The early, middle or late part of a year."""
    return [part_of_year(found["part"].split()[0].lower(), int(found["year"]))]


def in_week_of_day(found: re.Match[str], today: date) -> list[Days]:
    """The week or weekend of a day, or the seven days that begin with it."""
    day = _date(found, today)
    monday = PERIODS["week"].first_day(day)
    if found.groupdict().get("weekend"):
        return [(monday + timedelta(5), monday + timedelta(7))]
    if found["from"].lower() == "of":
        return [whole("week", monday)]
    return [(day, day + timedelta(7))]


def in_seasons(found: re.Match[str], _: date) -> list[Days]:
    """The seasons that a name and a year may mean."""
    return seasons_called(found["season"].lower(), int(found["year"]))


def in_season_between_years(found: re.Match[str], _: date) -> list[Days]:
    """A season named by two years, such as `winter 2008/09`."""
    return [season(found["season"].lower(), int(found["year"]))]


def in_latest_season(found: re.Match[str], today: date) -> list[Days]:
    """The latest season of a name that has begun."""
    return [latest_season(found["season"].lower(), today)]


def at_feast(found: re.Match[str], _: date) -> list[Days]:
    """A feast in a year."""
    return [feast(found["feast"], int(found["year"]))]


def between_feasts(found: re.Match[str], today: date) -> list[Days]:
    """From one feast to another."""
    return [feasts_between(found["feast"], found["to"], today, int(found["year"] or 0))]


def at_latest_feast(found: re.Match[str], today: date) -> list[Days]:
    """The latest feast of a name."""
    return [latest_feast(found["feast"], today)]


def _period(found: re.Match[str], today: date) -> Days:
    """The month, the year, or this or the last period that was found, with its days to come."""
    if found["unit"]:
        ((first, _),) = this_or_last(found, today)
        return whole(found["unit"].lower(), first)
    if found["all_of"]:
        return whole("year", date(int(found["all_of"]), 1, 1))
    ((first, after),) = in_month(found, today)
    return first, after


def _later(day: date, count: int, unit: str) -> date:
    """The day so many days, weeks or months later, or earlier."""
    if unit == "month":
        years, month = divmod(day.month - 1 + count, _MONTHS_OF_A_YEAR)
        return day.replace(year=day.year + years, month=month + 1)
    return day + timedelta(count * (7 if unit == "week" else 1))


def _year(found: re.Match[str], today: date) -> int:
    """The year that was found, 0 without one; of `'98`, the latest that ends so."""
    fields = found.groupdict()
    if short := fields.get("short_year"):
        return today.year - (today.year - int(short)) % 100
    return int(fields.get("year") or 0)


def _nth(found: re.Match[str]) -> int:
    fields = found.groupdict()
    return int(fields.get("day") or 0) or ORDINALS.index(fields["ordinal"].lower()) + 1


def _date(found: re.Match[str], today: date) -> date:
    """The day of a month that was found; without a year, the latest that has come."""
    fields = found.groupdict()
    month, day = month_number(fields["month"]), int(fields["day"])
    year = _year(found, today) or latest_year_with(month, day, today)
    return date(year, month, day)
