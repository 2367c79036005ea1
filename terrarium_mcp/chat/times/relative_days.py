"""Readers of days that are told from today: `yesterday`, `two weeks ago`, `last Friday`. Pure.

Each reads a match of a pattern of `named_days`, on a day that is today, and raises ValueError for
days that do not exist.
"""

import re
from collections.abc import Callable
from datetime import date, timedelta

from terrarium_mcp.chat.english.calendar_words import (
    PERIODS,
    WEEKDAY,
    number_of,
    roughly,
    weekday_number,
)
from terrarium_mcp.chat.times.seasons import (
    Days,
    latest_season,
    one_day,
    part_of_month,
    part_of_year,
    past_season,
    whole,
)
from terrarium_mcp.chat.times.times_alone import (
    asks_for_talk_besides,
    is_in_a_question,
    is_of_the_past,
)

Reader = Callable[[re.Match[str], date], list[Days]]
"""Reads a match on a day that is today. Raises ValueError for days that do not exist."""

_UNIT_DAYS = {"d": 1, "day": 1, "w": 7, "week": 7, "fortnight": 14, "month": 30, "year": 365}
"""About how many days each unit has: `two months ago` is not exact either."""

_AROUND_DAYS = {"week": 0, "month": 3, "year": 15}
"""How many days on each side are meant by this time of the last such unit."""


def day_before_yesterday(_: re.Match[str], today: date) -> list[Days]:
    """Two days ago."""
    return [one_day(today - timedelta(2))]


def yesterday(_: re.Match[str], today: date) -> list[Days]:
    """One day ago, or its evening and night: `last night`."""
    return [one_day(today - timedelta(1))]


def today_itself(_: re.Match[str], today: date) -> list[Days]:
    """Today."""
    return [one_day(today)]


def this_part(_: re.Match[str], today: date) -> list[Days]:
    """Today, of which a part is meant."""
    return [one_day(today)]


def tonight(found: re.Match[str], today: date) -> list[Days]:
    """Today, in a question; among other words it may be one of them: `the tonight show`."""
    if not is_in_a_question(found):
        raise ValueError(found[0])
    return [one_day(today)]


def last_day(_: re.Match[str], today: date) -> list[Days]:
    """The day up to now, which began yesterday; `their last day` is another."""
    return [(today - timedelta(1), today + timedelta(1))]


def weekend(found: re.Match[str], today: date) -> list[Days]:
    """The latest weekend that has begun, or that before this week."""
    this = _weekend_of_week(today)
    is_this = found["which"].lower() != "last" and today >= this[0]
    return [this if is_this else weekend_before(one_day(today))]


def weekend_before(days: Days) -> Days:
    """The last weekend that is over before some days, and is not that of their week."""
    return _weekend_of_week(days[0] - timedelta(7))


def weekend_after(days: Days) -> Days:
    """The first weekend that begins after some days."""
    return _weekend_of_week(days[1] + timedelta(1))  # a Sunday's own has begun


def _weekend_of_week(day: date) -> Days:
    saturday = PERIODS["week"].first_day(day) + timedelta(5)
    return saturday, saturday + timedelta(2)


def some_time_ago(found: re.Match[str], today: date) -> list[Days]:
    """That long ago, plus and minus half of the unit; a few are between two and six."""
    return [so_long_before(one_day(today), found["count"], found["unit"])]


def between_times_ago(found: re.Match[str], today: date) -> list[Days]:
    """From the longer ago of two such times to the other: `3 to 5 days ago`."""
    times = [so_long_before(one_day(today), found[one], found["unit"]) for one in ("near", "count")]
    return [(min(first for first, _ in times), max(after for _, after in times))]


def so_long_before(days: Days, count: str, unit: str) -> Days:
    """What is so many days, weeks, months or years before some days, as people count them."""
    least, most, around = _far(days, count, unit)
    return days[0] - most - around, days[1] - least + around


def so_long_after(days: Days, count: str, unit: str) -> Days:
    """What is so many days, weeks, months or years after some days."""
    least, most, around = _far(days, count, unit)
    return days[0] + least - around, days[1] + most + around


def this_time_last(found: re.Match[str], today: date) -> list[Days]:
    """The day a week ago, or the days around that of a month or a year ago."""
    unit = found["unit"].lower()
    middle, around = today - timedelta(_UNIT_DAYS[unit]), timedelta(_AROUND_DAYS[unit])
    return [(middle - around, middle + around + timedelta(1))]


def and_a_half_ago(found: re.Match[str], today: date) -> list[Days]:
    """Half a unit ago, and perhaps a count of them before, plus and minus a quarter of one."""
    unit = _UNIT_DAYS[found["unit"].lower()]
    count = number_of(found.groupdict().get("count") or "0")
    middle, around = today - timedelta(int(count) * unit + unit // 2), timedelta(unit // 4)
    return [(middle - around, middle + around + timedelta(1))]


def ago_today(found: re.Match[str], today: date) -> list[Days]:
    """The day of that date so many years ago, or so many days or weeks ago."""
    number, unit = _count_and_days(found)
    if found["unit"].lower() == "year":
        return [one_day(today.replace(year=today.year - number))]
    return [one_day(today - timedelta(number * unit))]


def last_few(found: re.Match[str], today: date) -> list[Days]:
    """So many days up to today, or about as many as a week, month or year has, or several do."""
    number, unit = _count_and_days(found)
    return [(today - timedelta(number * unit), today + timedelta(1))]


def this_or_last(found: re.Match[str], today: date) -> list[Days]:
    """The calendar week, month or year, up to today if it is this one."""
    unit = found["unit"].lower()
    first = PERIODS[unit].first_day(today)
    if found["which"].lower() == "this":
        return [(first, today + timedelta(1))]
    return [(PERIODS[unit].first_day(first - timedelta(1)), first)]


def part_of_this_or_last(found: re.Match[str], today: date) -> list[Days]:
    """The early, middle or late part of this or the last month or year."""
    ((first, _),) = this_or_last(found, today)
    return [_part_of_period(found, first)]


def period_before_last(found: re.Match[str], today: date) -> list[Days]:
    """The calendar week, month or year before the last one."""
    period = PERIODS[found["unit"].lower()]
    last = period.first_day(period.first_day(today) - timedelta(1))
    return [(period.first_day(last - timedelta(1)), last)]


def beginning_of_this(found: re.Match[str], today: date) -> list[Days]:
    """The early part of this month or year, or the first day of this week."""
    unit = found["unit"].lower()
    first = PERIODS[unit].first_day(today)
    return [one_day(first) if unit == "week" else _part_of_period(found, first)]


def this_or_last_season(found: re.Match[str], today: date) -> list[Days]:
    """This season, or the last one that is over."""
    read = past_season if found["which"].lower() == "last" else latest_season
    return [read(found["season"].lower(), today)]


def last_weekday(found: re.Match[str], today: date) -> list[Days]:
    """The last such weekday before today, which itself may be `this` one."""
    back = (today.weekday() - weekday_number(found["weekday"])) % 7
    if not back and not found.groupdict().get("this"):
        back = 7
    return [one_day(today - timedelta(back))]


def last_short_weekday(found: re.Match[str], today: date) -> list[Days]:
    """A weekday by its first letters; `on sun` is also a machine, unless nothing else is asked."""
    is_machine = found["weekday"].lower() == "sun" and found["sign"].lower() != "last"
    if is_machine and not asks_for_talk_besides(found):
        raise ValueError(found[0])
    return last_weekday(found, today)


def weekdays_ago(found: re.Match[str], today: date) -> list[Days]:
    """Such a weekday so many weeks back: of `two Fridays ago` one Friday is between."""
    ((first, _),) = last_weekday(found, today)
    number = _counted(found)
    return [one_day(first - timedelta(7 * (number - 1)))]


def weekday_before_last(found: re.Match[str], today: date) -> list[Days]:
    """Such a weekday a week before the last one."""
    ((first, _),) = last_weekday(found, today)
    return [one_day(first - timedelta(7))]


def between_weekdays(found: re.Match[str], today: date) -> list[Days]:
    """From one weekday to another, of which the second may be today."""
    first, last = (weekday_number(found[end]) for end in ("first", "last"))
    ends = today - timedelta((today.weekday() - last) % 7)
    return [(ends - timedelta((last - first) % 7), ends + timedelta(1))]


def from_weekday(found: re.Match[str], today: date) -> list[Days]:
    """As `between_weekdays`, of what is past; `open from Monday to Friday?` is of every week.

    Raises:
        ValueError: nothing shows that these days are past.
    """
    if not is_of_the_past(found):
        raise ValueError(found[0])
    return between_weekdays(found, today)


def last_weekdays(found: re.Match[str], today: date) -> list[Days]:
    """From the first to the last of several such weekdays; the one named last may be today.

    Unless it is `this` one, it is a week ago if that is nearer to the others.
    """
    *named, last = map(weekday_number, re.findall(WEEKDAY, found["weekdays"].lower()))
    others = [(today.weekday() - weekday - 1) % 7 + 1 for weekday in named]
    ago = (today.weekday() - last) % 7
    is_nearer_a_week_ago = 7 - min(others) < max(others)
    if ago == 0 and is_nearer_a_week_ago and not found.groupdict().get("this"):
        ago = 7
    back = [*others, ago]
    return [(today - timedelta(max(back)), today - timedelta(min(back) - 1))]


def to_its_end(found: re.Match[str], read: Reader, days: Days) -> Days:
    """The days, and of `this week`, `this month` or `this year` also those that are to come."""
    try:
        return whole(found["unit"].lower(), days[0]) if read is this_or_last else days
    except (ValueError, OverflowError):  # the year 9999
        return days


def _part_of_period(found: re.Match[str], first: date) -> Days:
    """The early, middle or late part of the month or year with this first day."""
    part = found["part"].split()[0].lower()
    is_month = found["unit"].lower() == "month"
    return part_of_month(part, first) if is_month else part_of_year(part, first.year)


def _far(days: Days, count: str, unit: str) -> tuple[timedelta, timedelta, timedelta]:
    """The least and the most of a count of units, and what it leaves open.

    That is half of a unit which is longer than the days from which it is counted.
    """
    least, most = roughly(count)
    length = _UNIT_DAYS[unit.lower()]
    around = length // 2 if days[1] - days[0] < timedelta(length) else 0
    return timedelta(least * length), timedelta(most * length), timedelta(around)


def how_long(count: str, unit: str) -> timedelta:
    """About how long so many days, weeks, months or years are."""
    return timedelta(number_of(count) * _UNIT_DAYS[unit.lower()])


def _count_and_days(found: re.Match[str]) -> tuple[int, int]:
    """How many of a unit, one if that is not said, and about how many days the unit has."""
    return _counted(found), _UNIT_DAYS[found["unit"].lower()]


def _counted(found: re.Match[str]) -> int:
    return int(number_of(found.groupdict().get("count", "one")))
