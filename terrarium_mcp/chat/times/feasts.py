"""Feasts, as people name a time by them: of the same date in every year, and Easter. Pure."""

from datetime import date, timedelta

from terrarium_mcp.chat.times.seasons import Days

_DATES = {
    "christmas": (12, 24, 3),
    "xmas": (12, 24, 3),
    "christmas eve": (12, 24, 1),
    "christmas day": (12, 25, 1),
    "boxing day": (12, 26, 1),
    "new years eve": (12, 31, 1),
    "new year eve": (12, 31, 1),
    "new years day": (1, 1, 1),
    "new year day": (1, 1, 1),
    "valentines day": (2, 14, 1),
    "halloween": (10, 31, 1),
}
"""By name, without apostrophes: the month, the first day, and how many days."""

_NEW_YEAR = ("new year", "new years")
"""Its days are the last of the year before and the first."""

_FROM_EASTER = {
    "easter": (-2, 4),
    "easter sunday": (0, 1),
    "easter monday": (1, 1),
    "good friday": (-2, 1),
}
"""By name: how many days after Easter Sunday it begins, and how many days it has."""

FEAST = (
    r"christmas(?:\s+(?:eve|day))?|xmas|boxing\s+day|halloween"
    r"|easter(?!\s+eggs?\b)(?:\s+(?:sunday|monday))?|good\s+friday"
    r"|new\s+year(?:['\u2019]?s)?(?:\s+(?:eve|day))?|valentine['\u2019]?s\s+day"
)
"""Their names as people write them, as a regular expression. An Easter egg is a hidden joke."""


def feast(name: str, year: int) -> Days:
    """The days of a feast in a year. `name` is a match of `FEAST`, in any case."""
    if moved := _FROM_EASTER.get(_spelt(name)):
        after, days = moved
        begins = _easter_sunday(year) + timedelta(after)
    elif _spelt(name) in _NEW_YEAR:
        begins, days = date(year, 1, 1) - timedelta(1), 2
    else:
        month, first, days = _DATES[_spelt(name)]
        begins = date(year, month, first)
    return begins, begins + timedelta(days)


def latest_feast(name: str, today: date) -> Days:
    """The last of its days that have begun."""
    years = (today.year + 1, today.year, today.year - 1)
    return next(days for days in (feast(name, year) for year in years) if days[0] <= today)


def feasts_between(first: str, last: str, today: date, year: int = 0) -> Days:
    """From the first to the next feast of the name `last`; without a year, the latest begun."""
    begins, until = feast(first, year) if year else latest_feast(first, today)
    following = (feast(last, one) for one in (begins.year, begins.year + 1))
    return begins, next(days[1] for days in following if days[0] >= until)


def _easter_sunday(year: int) -> date:
    """The Sunday of the western churches, by Gauss's rule as Lichtenberg put it (1997)."""
    century, golden = year // 100, year % 19
    lunar = 15 + (3 * century + 3) // 4 - (8 * century + 13) // 25
    full_moon = (19 * golden + lunar) % 30
    late = (full_moon + golden // 11) // 29
    boundary = 21 + full_moon - late
    first_sunday = 7 - (year + year // 4 + 2 - (3 * century + 3) // 4) % 7
    days = boundary + 7 - (boundary - first_sunday) % 7
    return date(year, 3, 1) + timedelta(days - 1)


def _spelt(name: str) -> str:
    return " ".join(name.lower().replace("'", "").replace("\u2019", "").split())
