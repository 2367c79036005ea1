"""Hours and minutes up to now: `in the last 2 hours`, `half an hour ago`. Pure.

They are counted from the moment of the question, not from a day of the calendar, and not on the
reader's clock: where it is put forward or back, an hour is still sixty minutes.
"""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import cache
from typing import NamedTuple

from terrarium_mcp.chat.english.calendar_words import COUNT_WORD, number_of, roughly

_UNITS = {"s": timedelta(seconds=1), "m": timedelta(minutes=1), "h": timedelta(hours=1)}
_UNIT = r"(?P<unit>s(?:ec(?:ond)?s?)?|m(?:in(?:ute)?s?)?|h(?:(?:ou)?rs?)?)"
_COUNT = (
    rf"(?:a\s+)?(?P<count>\d{{1,6}}(?:\.\d)?\s*|half\s+(?:an?\s+)?"
    rf"|quarter\s+of\s+an?\s+|{COUNT_WORD}\s+(?:of\s+)?)"
)
_MORE, _HALF_MORE = r"(?P<more>and\s+a\s+half\s+)?", r"(?P<half>\s+and\s+a\s+half)?"
_IN = r"(?:in|during|over|within|from|for|of|since)\s+(?:the\s+)?"
_RELATION = r"(?P<relation>since|after|before|prior\s+to|until|till|up\s+to|around|about)"
_TO = (
    rf"(?:(?:(?:between|from)\s+)?(?P<near>\d{{1,6}}|{COUNT_WORD})"
    r"(?:\s+(?:to|and(?!\s+a\b)|or)\s+|\s*[-\u2013\u2014]\s*))"
)
"""In front of a count, the nearer of two times: `2 to 3 hours ago`."""
_PATTERNS = (
    rf"(?:{_IN}|the\s+)?(?:last|past)\s+{_COUNT}{_MORE}{_UNIT}{_HALF_MORE}(?!\s+of\b)",
    rf"(?:{_IN}|the\s+)?(?:last|past)\s+(?P<unit>hour){_HALF_MORE}(?!\s+of\b)",
    # Without `in` it is a saying: `at the last minute`.
    rf"{_IN}(?:last|past)\s+(?P<unit>minute|second)(?!\s+of\b)",
    # The words after `and a` are the end of a longer count.
    (
        rf"(?:{_RELATION}\s+)?(?<!\band\s)(?<!\band\sa\s){_TO}?{_COUNT}"
        rf"{_MORE}{_UNIT}{_HALF_MORE}\s+ago"
    ),
)
_IN_ALL = r"\b(?:ago|last|past)\b"
"""Something of this is in all of them: most texts are read no further."""

_MOST_AROUND = timedelta(minutes=30)
_HALF = 0.5
_FRACTIONS = {"half": _HALF, "quarter": 0.25}


class RecentTime(NamedTuple):
    """The words `found` for a time up to now, which began so `long` before it.

    `A few hours ago` may be from `least` to `most` before it.
    """

    found: re.Match[str]
    long: timedelta
    least: timedelta
    most: timedelta

    @property
    def relation(self) -> str:
        """The word in front of `2 hours ago`, such as `since`; empty without one."""
        return (self.found.groupdict().get("relation") or "").split(" ")[0].casefold()

    def bounds(self, now: datetime, end: datetime) -> tuple[datetime | None, datetime]:
        """From when to when (exclusive) at `now`, a moment in UTC; what goes on goes on to `end`.

        `an hour ago` is from half of that time before to half of it after, or half an hour if that
        is less. What was before a moment has no beginning.
        """
        moment, around = now - self.long, min(self.least / 2, _MOST_AROUND)
        if self.relation in ("since", "after") or "relation" not in self.found.groupdict():
            return moment, end
        if self.relation in ("", "around", "about"):
            return now - self.most - around, now - self.least + around
        return None, moment


def recent_times(text: str) -> Iterator[RecentTime]:
    """The times that `text` names by the hours, minutes or seconds up to now."""
    patterns = _compiled() if re.search(_IN_ALL, text, re.IGNORECASE) else ()
    for pattern in patterns:
        for found in pattern.finditer(text):
            unit, count, more = _UNITS[found["unit"][0].casefold()], _count(found), _more(found)
            if long := unit * (_number(count) + more):
                part = _FRACTIONS.get(count)
                least, most = (part, part) if part else roughly(count)
                if near := found.groupdict().get("near"):
                    least = min(number_of(near), least)
                yield RecentTime(found, long, unit * (least + more), unit * (most + more))


def how_long_ago(text: str) -> timedelta | None:
    """How long ago a time began that is all of `text`, as a query has it: `last hour`, `2h`."""
    for named in (text, f"in {text}", f"{text} ago"):
        for one in recent_times(named):
            if one.found[0] == named and not one.relation:
                return one.long
    return None


def _count(found: re.Match[str]) -> str:
    """How many of the unit, in words or digits; one if that is not said."""
    return (found.groupdict().get("count") or "1").split()[0].casefold()


def _more(found: re.Match[str]) -> float:
    """The half of `two and a half`."""
    fields = found.groupdict()
    return _HALF if fields.get("more") or fields.get("half") else 0


def _number(count: str) -> float:
    return _FRACTIONS.get(count) or number_of(count)


@cache
def _compiled() -> list[re.Pattern[str]]:
    """The patterns, compiled at the first use."""
    return [re.compile(rf"(?<![\w.]){words}(?!\w)", re.IGNORECASE) for words in _PATTERNS]
