"""Names of months, as programs write them in the language of their user. Pure."""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module

from terrarium_mcp.chat.times.calendar_words import MONTHS

_ABBREVIATED = {name[:3]: number for number, name in enumerate(MONTHS, 1)}
"""What clients write unless a locale is set."""

_LANGUAGES = (
    *("en", "cs", "da", "de", "es", "fi", "fr", "hu", "it", "nb", "nl", "pl", "pt", "ro", "ru"),
    *("sv", "tr", "uk"),
)

_ALSO = {"čen": 6, "čec": 7}
"""June and July in Czech, as glibc abbreviates them."""


def month_number(name: str) -> int | None:
    """The number of a month by its name or abbreviation; None if it is not certain."""
    word = name.casefold().rstrip(".")
    return _ABBREVIATED.get(word) or _in_any_language().get(word)


@cache
def _in_any_language() -> Mapping[str, int]:
    """The months by their names, without those that are another month in another language."""
    meant: dict[str, set[int]] = {}
    for word, number in _names():
        meant.setdefault(word, set()).add(number)
    return {word: number for word, (number, *others) in meant.items() if not others}


def _names() -> Iterator[tuple[str, int]]:
    yield from _ALSO.items()
    for language in _LANGUAGES:  # loaded when the first of their names is met
        info = import_module(f"dateparser.data.date_translation_data.{language}").info
        for number, month in enumerate(MONTHS, 1):
            for name in info[month]:
                yield name.casefold().rstrip("."), number
