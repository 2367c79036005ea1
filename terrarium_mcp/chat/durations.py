"""Lengths of time as people type them: `30m`, `2 hours`, `a week`. Pure."""

import re
from datetime import timedelta

from terrarium_mcp.chat.english.calendar_words import COUNT_WORD, number_of

_LENGTH = re.compile(
    rf"(?:(?P<digits>[0-9]{{1,9}})\s*|(?P<word>{COUNT_WORD})\s+)"
    r"(?P<unit>m(?:in(?:ute)?s?)?|h(?:(?:ou)?rs?)?|d(?:ays?)?|w(?:eeks?)?|months?|y(?:ears?)?)",
    re.IGNORECASE,
)
_UNITS = {
    "m": timedelta(minutes=1),
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
    "w": timedelta(days=7),
    "mo": timedelta(days=30),
    "y": timedelta(days=365),
}
"""How long a unit is, by its beginning."""


def length_named(text: str) -> timedelta | None:
    """The length of time that `text` names and nothing else; None if it names none."""
    match = _LENGTH.fullmatch(text.strip())
    if match is None:
        return None
    name = match["unit"].lower()
    unit = _UNITS["mo" if name.startswith("mo") else name[0]]
    return unit * min(int(number_of(match["digits"] or match["word"])), timedelta.max // unit)
