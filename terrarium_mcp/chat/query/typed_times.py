"""The times of a query: the values of `after:`, `before:` and `on:`, and the words behind these."""

import re
from collections.abc import Iterator
from datetime import datetime, tzinfo
from typing import NamedTuple

from terrarium_mcp.chat.query.notes import read_as_text, shown
from terrarium_mcp.chat.query.syntax import MOST_CHARACTERS, value_in
from terrarium_mcp.chat.times.query_dates import (
    is_time,
    names_a_moment,
    parse_moment,
    parse_period,
)

MOST_TIMES = 8
"""Times that are read, or tried and found to be none: reading one may take 5 ms."""

TIME_HINT = "write a time as 2026-05-01, 2026-05, yesterday or 2h"

_OPERATOR = re.compile(r"(?<!\w)(?:after|before|on)[:\uff1a]", re.IGNORECASE)
_COMPLETE = re.compile(r"\d+[a-z]$", re.IGNORECASE)
"""A value that is a time without the words after it: `2h`."""
_TIME_OF_DAY = r"\d{1,2}(?::\d\d){1,2}(?:[+-]\d\d:\d\d)?[^\s:\"]*"
_CLOCK_BEHIND = re.compile(rf"\s+({_TIME_OF_DAY})(?!\S)")
_BESIDE_A_DAY = "write a time of day behind its day, as after:2026-05-01 14:00"
_ZONE_BEHIND = re.compile(r"\s+([A-Z]{1,4}T|[+-]\d\d:?\d\d)(?!\S)")
_BESIDE_A_TIME = "write an offset directly behind its time, as after:2026-05-01 14:00+02:00"
_NEXT_WORDS = re.compile(rf"(?:\s+(?:{_TIME_OF_DAY}|\d{{4}}-\d\d-\d\d|[^\s:\"-]+)(?!\S)){{1,7}}")
"""Up to seven words after a value, which may continue its time: `after:3 days ago`, and
`on:the 5th of may 2026 at 8 pm`. An operator, a phrase or an excluded word (with `:`, `"` or `-`)
ends them; a time of day and a date do not."""


def may_name_times(text: str) -> bool:
    """Whether `text` may name dates: reading each of them takes milliseconds."""
    return _OPERATOR.search(text[:MOST_CHARACTERS]) is not None


class TypedTime(NamedTuple):
    """Where a time ends in the text of a query, and the notes on how it was read."""

    end: int
    notes: tuple[str, ...]


class TypedTimes:
    """The times of a query.

    Args:
        text: the query, as `readable` returns it.
        now: the aware moment to which `yesterday` is relative.
        zone: the reader's zone, in which days begin.
    """

    def __init__(self, text: str, now: datetime, zone: tzinfo) -> None:
        self._text = text
        self._now = now
        self._zone = zone
        self._since: list[datetime] = []
        self._until: list[datetime] = []
        self._tried = 0

    @property
    def since(self) -> datetime | None:
        """The latest time after which lines are wanted."""
        return max(self._since, default=None)

    @property
    def until(self) -> datetime | None:
        """The earliest time before which they are wanted."""
        return min(self._until, default=None)

    def take(self, key: str, typed: str, end: int) -> TypedTime | None:
        """Read a time, with the words after it that belong to it.

        Args:
            key: the operator.
            typed: its value, in quotes if it is typed so.
            end: where that ends in the text.

        Returns:
            Where the time ends; None if there is none, or too many are named.
        """
        if self._tried >= MOST_TIMES:
            return None
        self._tried += 1
        value = value_in(typed)
        for named, behind in [(value, end)] if typed[0] == '"' else self._possible(value, end):
            if self._took(key, named):
                return TypedTime(behind, tuple(self._notes(key, named, behind)))
        return None

    def _took(self, key: str, named: str) -> bool:
        """Whether `named` is a time, which then counts."""
        if key == "on":
            if period := parse_period(named, self._now, self._zone):
                self._since.append(period[0])
                self._until.append(period[1])
            return period is not None
        if moment := parse_moment(named, self._now, self._zone):
            (self._since if key == "after" else self._until).append(moment)
        return moment is not None

    def _notes(self, key: str, named: str, end: int) -> Iterator[str]:
        if key == "on" and names_a_moment(named, self._now, self._zone):
            yield f"on:{shown(named)} is the whole of that day; after: begins then"
        if beside := _CLOCK_BEHIND.match(self._text, end):
            yield read_as_text(beside[1], _BESIDE_A_DAY)
        zone = _ZONE_BEHIND.match(self._text, end)
        if zone and names_a_moment(named, self._now, self._zone):
            yield read_as_text(zone[1], _BESIDE_A_TIME)

    def _possible(self, value: str, end: int) -> Iterator[tuple[str, int]]:
        """The possible times that begin with `value`, and where each ends; the longest first."""
        following = None if _COMPLETE.match(value) else _NEXT_WORDS.match(self._text, end)
        while following:
            named = value_in(value + following[0])
            if is_time(named, self._now, self._zone):
                yield named, following.end()
            shorter = following.end() - len(following[0].split()[-1])
            following = _NEXT_WORDS.fullmatch(self._text[:shorter].rstrip(), end)
        yield value, end
