"""Feasts that have the same date in every year, as people name a time by them. Pure."""

from datetime import date, timedelta

from terrarium_mcp.chat.times.seasons import Days

_DATES = {
    "christmas": (12, 24, 3),
    "xmas": (12, 24, 3),
    "christmas eve": (12, 24, 1),
    "christmas day": (12, 25, 1),
    "boxing day": (12, 26, 1),
    "new years eve": (12, 31, 1),
    "new years day": (1, 1, 1),
    "valentines day": (2, 14, 1),
    "halloween": (10, 31, 1),
}
"""By name, without apostrophes: the month, the first day, and how many days."""

FEAST = (
    r"christmas(?:\s+(?:eve|day))?|xmas|boxing\s+day|halloween"
    r"|new\s+year['\u2019]?s\s+(?:eve|day)|valentine['\u2019]?s\s+day"
)
"""Their names as people write them, as a regular expression."""


def feast(name: str, year: int) -> Days:
    """The days of a feast in a year. `name` is a match of `FEAST`, in any case."""
    month, first, days = _DATES[_spelt(name)]
    begins = date(year, month, first)
    return begins, begins + timedelta(days)


def latest_feast(name: str, today: date) -> Days:
    """The last of its days that have begun."""
    this = feast(name, today.year)
    return this if this[0] <= today else feast(name, today.year - 1)


def _spelt(name: str) -> str:
    return " ".join(name.lower().replace("'", "").replace("\u2019", "").split())
