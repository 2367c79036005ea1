"""Moments as programs write them, in a question: `after 2026-05-01T14:00:00Z`. Pure.

Answers in JSON have them so, and a model that asks on copies them from there.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta, tzinfo
from typing import NamedTuple

from terrarium_mcp.chat.times.patterns import compiled
from terrarium_mcp.chat.times.timestamps import from_local

_RELATION = (
    r"(?:(?P<since>since|after|from)|(?P<until>before|prior\s+to|until|till|up\s+to|by)"
    r"|(?P<around>around|about)|on|at)"
)
_OFFSET = r"[+-]\d\d:?\d\d"
_MOMENT = (
    rf"(?<![\w./:-])(?:{_RELATION}\s+)?(?P<day>\d{{4}}-\d\d-\d\d)"
    r"(?:T|,?\s+(?:at\s+)?(?=\d\d:\d\d(?::|Z|\+\d)))(?P<clock>\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)"
    rf"(?:(?P<offset>{_OFFSET})|(?P<utc>Z|\s*(?:UTC|GMT)))?(?![\w:]|[.+-]\w)"
)
"""Behind a blank a time has seconds or a zone: `clock_times` reads any other, as `20:30-20:40`."""

_AROUND = timedelta(hours=1)
_AT = timedelta(minutes=30)
"""How far a time reaches before and after a moment, with `around` and without, as beside a day."""


class IsoMoment(NamedTuple):
    """The words `found` for a `moment` in UTC, and what stands in front of it."""

    found: re.Match[str]
    moment: datetime

    def bounds(self, _: datetime, end: datetime) -> tuple[datetime | None, datetime]:
        """From when to when (exclusive); what goes on goes on to `end`, the end of today.

        What was before the moment has no beginning.
        """
        if self.found["since"]:
            return self.moment, max(end, self.moment + timedelta(1))
        if self.found["until"]:
            return None, self.moment
        around = _AROUND if self.found["around"] else _AT
        return self.moment - around, self.moment + around


def iso_moments(text: str, zone: tzinfo) -> Iterator[IsoMoment]:
    """The moments that `text` names, of the reader's `zone` unless they name another."""
    for found in compiled(_MOMENT).finditer(text):
        with suppress(ValueError, OverflowError):  # 25:00, the 31st of June
            offset = "Z" if found["utc"] else found["offset"] or ""
            moment = datetime.fromisoformat(f"{found['day']}T{found['clock']}{offset}")
            in_utc = moment.astimezone(UTC) if offset else from_local(moment, zone)
            yield IsoMoment(found, in_utc)
