"""Seasons, and the early, middle and late part of a year or month, as days of the calendar."""

from datetime import date, timedelta

from terrarium_mcp.chat.english.calendar_words import PERIODS

Days = tuple[date, date]
"""The first day, and the day after the last."""

SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
"""The month with which each begins in the north, where it lasts three months."""

SEASON = rf"(?:{'|'.join(SEASONS)})"
"""A season, as a regular expression."""

_PARTS = {
    "early": 1, "beginning": 1, "start": 1, "mid": 5, "middle": 5, "late": 9, "end": 9,
}  # fmt: skip
"""The month with which each part of a year begins, which lasts four months."""

_TENTHS = {
    "early": 0, "beginning": 0, "start": 0, "mid": 1, "middle": 1, "late": 2, "end": 2,
}  # fmt: skip
"""How many times ten days of a month come before each part of it."""


def one_day(day: date) -> Days:
    """The days of one day."""
    return day, day + timedelta(1)


def whole(period: str, first: date) -> Days:
    """The days of the week, month, quarter or year that begins with `first`."""
    return first, PERIODS[period].following(first)


def season(name: str, year: int) -> Days:
    """The season that begins in `year`."""
    return _months(year, SEASONS[name], 3)


def seasons_called(name: str, year: int) -> list[Days]:
    """The seasons meant by `winter 2008`: of two winters, that which begins in the year leads."""
    if name != "winter":
        return [season(name, year)]
    return [season(name, year), season(name, year - 1)]


def latest_season(name: str, today: date) -> Days:
    """The latest season of that name that has begun."""
    first, after = season(name, today.year)
    return (first, after) if first <= today else season(name, today.year - 1)


def past_season(name: str, today: date) -> Days:
    """The latest season of that name that is over."""
    first, after = latest_season(name, today)
    return (first, after) if after <= today else season(name, first.year - 1)


def part_of_year(name: str, year: int) -> Days:
    """The `early`, `mid` or `late` part of a year."""
    return _months(year, _PARTS[name], 4)


def part_of_month(name: str, first: date) -> Days:
    """The `early`, `mid` or `late` part of the month with that first day: ten days, or the rest."""
    begins = first + timedelta(10 * _TENTHS[name])
    is_last = _TENTHS[name] == max(_TENTHS.values())
    return begins, PERIODS["month"].following(first) if is_last else begins + timedelta(10)


def _months(year: int, month: int, count: int) -> Days:
    first = after = date(year, month, 1)
    for _ in range(count):
        after = PERIODS["month"].following(after)
    return first, after
