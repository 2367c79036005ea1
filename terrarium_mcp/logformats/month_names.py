"""Names of months, as programs write them in the language of their user. Pure."""

from collections.abc import Iterator, Mapping
from datetime import date
from functools import cache
from importlib import import_module

from terrarium_mcp.chat.english.calendar_words import MONTHS

_ABBREVIATED = {name[:3]: number for number, name in enumerate(MONTHS, 1)}
"""What clients write unless a locale is set."""

LANGUAGES = (
    *("en", "be", "bg", "ca", "cs", "da", "de", "el", "es", "et", "eu", "fi", "fr", "gl", "he"),
    *("hu", "is", "it", "lt", "lv", "mk", "nb", "nl", "pl", "pt", "ro", "ru", "sk", "sl", "sr"),
    *("sr-Latn", "sv", "tr", "uk"),
)
"""Those whose months have names that are theirs alone, or are the same month elsewhere."""

_ALSO = {"agu": 8, "čen": 6, "čec": 7, "jän": 1, "xuñ": 6}
"""As glibc abbreviates August in Indonesian, June and July in Czech, January in Austrian German,
and June in Galician."""

_NUMBERED = "月월"
"""What follows the number of a month in Chinese and Japanese, and in Korean."""

_CROATIAN_WEEKDAYS = ("pon", "uto", "sri", "čet", "pet", "sub", "ned")


def month_number(name: str) -> int | None:
    """The number of a month by its name or abbreviation; None if it is not certain."""
    word = name.casefold().rstrip(".")
    return _ABBREVIATED.get(word) or _in_any_language().get(word)


def month_of_day(name: str, weekday: str, day: int, year: int) -> int | None:
    """The number of a month by its name and a weekday in it; None if it is not certain.

    Lis, lip and srp are October, June and July in Croatian, each a month before those that are
    called so in Polish or Czech: a weekday in Croatian proves which is meant.
    """
    number = _in_croatian().get(name.casefold())
    is_croatian = number and _is_croatian(weekday, day, number, year)
    return number if is_croatian else month_number(name)


def croatian_month(name: str) -> int:
    """The number of a month whose name is that of another month elsewhere; 0 for all other names.

    Without a weekday, only the days before it tell which is meant.
    """
    word = name.casefold().rstrip(".")
    if word in _ABBREVIATED:
        return 0
    number = _in_croatian().get(word, 0)
    return 0 if number == month_number(word) else number


def _is_croatian(weekday: str, day: int, month: int, year: int) -> bool:
    try:
        expected = _CROATIAN_WEEKDAYS[date(year, month, day).weekday()]
    except ValueError:
        return False
    return weekday.casefold().startswith(expected)


@cache
def _in_any_language() -> Mapping[str, int]:
    """The months by their names, without those that are another month in another language.

    In Croatian only those have their names that no other language has.
    """
    meant: dict[str, set[int]] = {}
    for word, number in _names():
        meant.setdefault(word, set()).add(number)
    elsewhere = {word: number for word, (number, *others) in meant.items() if not others}
    return {
        word: number for word, number in _in_croatian().items() if word not in meant
    } | elsewhere


@cache
def _in_croatian() -> Mapping[str, int]:
    return dict(names_in("hr"))


def _names() -> Iterator[tuple[str, int]]:
    yield from _ALSO.items()
    for number in range(1, len(MONTHS) + 1):
        yield from ((f"{number}{mark}", number) for mark in _NUMBERED)
    for language in LANGUAGES:
        yield from names_in(language)


def names_in(language: str) -> Iterator[tuple[str, int]]:
    """The names of one language, loaded when the first name is met that is not English."""
    info = import_module(f"dateparser.data.date_translation_data.{language}").info
    for number, month in enumerate(MONTHS, 1):
        for name in info[month]:
            yield name.casefold().rstrip("."), number
