"""The parts of a day: `this morning`, `the evening of 5 May`, `last night`. Pure."""

import re
from datetime import date, datetime, time, timedelta, tzinfo

from terrarium_mcp.chat.times.timestamps import from_local

PART = r"(?:morning|afternoon|evening|night)"
"""The parts of a day, as a regular expression."""

_WHOLE = (0, 24)
_HOURS = {"morning": (5, 12), "afternoon": (12, 18), "evening": (18, 24), "night": (18, 30)}
"""From which hour to which each part is, generously. A night ends on the next day, and `last night`
is also the evening before it."""

FIRST_HOUR = timedelta(hours=5)
"""How long after midnight people still call the day before `this evening` and `tonight`."""


def part_named(said: str) -> str:
    """The part of the day in the words for a day, or "": `night` of `tonight` and `last night`."""
    found = re.search(rf"({PART})\b", said, re.IGNORECASE)
    return found[1].lower() if found else ""


def hours_of(part: str, day: date, zone: tzinfo) -> tuple[datetime, datetime]:
    """From when to when (exclusive), in UTC, a part of a day of the reader is; "" is all of it.

    Raises:
        OverflowError: it is outside the calendar.
    """
    midnight = datetime.combine(day, time.min)
    first, after = (timedelta(hours=hour) for hour in _HOURS.get(part, _WHOLE))
    return from_local(midnight + first, zone), from_local(midnight + after, zone)
