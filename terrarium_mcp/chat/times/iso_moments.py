"""Moments as programs write them, in a question: `after 2026-05-01T14:00:00Z`. Pure.

Answers in JSON have them so, and a model that asks on copies them from there.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta, tzinfo
from typing import NamedTuple

from terrarium_mcp.chat.times.clock_times import ABOUT, IN_UTC
from terrarium_mcp.chat.times.joined_times import UP_TO
from terrarium_mcp.chat.times.patterns import compiled
from terrarium_mcp.chat.times.timestamps import from_local

_RELATION = (
    r"(?:(?P<since>since|after|from)|(?P<until>before|prior\s+to|until|till|up\s+to|by)"
    r"|(?P<around>around|about)|on|at|between)"
)
_OFFSET = r"(?:[+-](?:0\d|1[01]):?[0-5]\d|\+1[23]:?[0-5]\d|(?:-12|\+14):?00)"
"""From -12:00 to +14:00: any other zone is nowhere, and `T12:00-13:00` is an hour."""
_ZONE = rf"(?:{_OFFSET}|Z|{IN_UTC})"
_UTC = rf"(?:Z|{IN_UTC})$"
_CLOCK = rf"\d\d:\d\d(?::\d\d(?:\.\d{{1,9}})?)?{_ZONE}?"
_DAY = r"\d{4}-\d\d-\d\d"
_END = (
    rf"(?:\s+(?:and|{UP_TO})\s+|\s*[-\u2013\u2014]\s*|/(?:(?P<last_day>{_DAY})[T ])?)"
    rf"(?P<ends>{_CLOCK})"
)
_MOMENT = (
    rf"(?<![\w./:-])(?:{_RELATION}\s+)?(?P<day>{_DAY})"
    rf"(?:T|,?\s+(?:at\s+)?(?=\d\d:\d\d(?::|Z|\+\d)))(?P<clock>{_CLOCK})"
    rf"(?(until)|(?:{_END})?)(?![\w:]|[.+-]\w)"
)
"""Behind a blank a time has seconds, a Z or an offset with a plus: `clock_times` reads any other,
such as `20:30-20:40`. What was before a moment has no other end."""


class IsoMoment(NamedTuple):
    """The words `found` for a `moment` in UTC, what is in front of it, and any end they name."""

    found: re.Match[str]
    moment: datetime
    ends: datetime | None

    def bounds(self, _: datetime, end: datetime) -> tuple[datetime | None, datetime]:
        """From when to when (exclusive); what was before a moment has no beginning.

        What goes on goes on to `end`, the end of today, or for a day if that ends later.
        """
        if self.ends:
            return self.moment, self.ends
        if self.found["since"]:
            return self.moment, max(end, self.moment + timedelta(1))
        if self.found["until"]:
            return None, self.moment
        around = ABOUT["around" if self.found["around"] else "at"]
        return self.moment - around, self.moment + around


def iso_moments(text: str, zone: tzinfo) -> Iterator[IsoMoment]:
    """The moments that `text` names, of the reader's `zone` unless they name another."""
    for found in compiled(_MOMENT).finditer(text):
        with suppress(ValueError, OverflowError):  # 25:00, the 31st of June
            yield _read(found, zone)


def _read(found: re.Match[str], zone: tzinfo) -> IsoMoment:
    """The moment, and its end if one is named; a zone that one clock of two names is that of both.

    An hour that would be before the moment is one of the next day.

    Raises:
        ValueError, OverflowError: there is no such day or time, or it is outside the calendar.
    """
    here = _shown(found["day"], found["clock"])
    if not found["ends"]:
        return IsoMoment(found, _moment(here, zone), None)
    ends = _shown(found["last_day"] or found["day"], found["ends"])
    moment, end = _moment(here, ends.tzinfo or zone), _moment(ends, here.tzinfo or zone)
    if end <= moment and not found["last_day"]:
        end = _moment(ends + timedelta(1), here.tzinfo or zone)
    return IsoMoment(found, moment, end)


def _shown(day: str, clock: str) -> datetime:
    """What a clock shows on a day, with the zone that is named behind it, if any is."""
    return datetime.fromisoformat(f"{day}T{compiled(_UTC).sub('Z', clock)}")


def _moment(here: datetime, zone: tzinfo) -> datetime:
    """The moment, in UTC, at which a clock shows that, of `zone` unless it names its own."""
    return here.astimezone(UTC) if here.tzinfo else from_local(here, zone)
