"""Durations as people type them: `30m`, `1h`, `2d`. Pure."""

import re
from datetime import timedelta

_UNITS = {"m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1)}
_DURATION = re.compile(r"([0-9]{1,9})\s*([mhd])", re.IGNORECASE)


def parse_duration(text: str, *, most: timedelta) -> timedelta:
    """The duration that `text` names, at most `most`.

    Raises:
        ValueError: it names none, or no time at all.
    """
    found = _DURATION.fullmatch(text.strip())
    if found is None or not int(found[1]):
        raise ValueError(f"not a duration such as 1h: {text}")
    unit = _UNITS[found[2].lower()]
    return unit * min(int(found[1]), most // unit)
