"""Phrases that every text needs: how many, which ones, and names from outside. Pure."""

import json
from collections.abc import Sequence
from difflib import get_close_matches

from terrarium_mcp.chat.identity import CHANNEL_PREFIXES, is_channel
from terrarium_mcp.chat.irctext import harmless

NOTE = "note: "
"""How a note on a question or its answer begins, for the programs that look for one."""

_LONGEST_NAME = 200
"""Characters of the longest channel name (RFC 1459 1.3). Comparing takes quadratic time."""

_QUOTED = 4
"""Of a long text this many times what is shown is looked at: some of it may be formatting codes."""


def did_you_mean(name: str, known: Sequence[str]) -> str:
    """` Did you mean #terrarium?`, or nothing when no known name is near."""
    if len(name) > _LONGEST_NAME:
        return ""
    folded = {_folded(spelling): one for one in known for spelling in _spellings(one)}
    near = get_close_matches(_folded(name), folded, n=1)
    return f" Did you mean {harmless(folded[near[0]])}?" if near else ""


def _folded(name: str) -> str:
    return name.lower().lstrip(CHANNEL_PREFIXES)


def _spellings(known: str) -> list[str]:
    """A name as it is listed, and a channel that is listed with its network also without that."""
    channel = known.partition("/")[2]
    return [known, channel] if is_channel(channel) and not is_channel(known) else [known]


def shown(name: str, most: int = 60) -> str:
    """A name from outside, made safe and cut to `most` characters so that an error can quote it."""
    beginning = name[: _QUOTED * most]
    clean = harmless(beginning)
    whole = len(clean) <= most and beginning == name
    return clean if whole else clean[:most] + "..."


def and_more(names: Sequence[str], limit: int) -> str:
    """The first `limit` of `names` and how many are left: `a, b, c and 4 more`."""
    listed = ", ".join(names[:limit])
    left = len(names) - limit
    return f"{listed} and {left} more" if left > 0 else listed


def quantity(number: int, noun: str) -> str:
    """`1 line`, `2,000 lines`."""
    return f"1 {noun}" if number == 1 else f"{number:,} {noun}s"


def people(number: int) -> str:
    """`1 person`, `2,000 people`."""
    return "1 person" if number == 1 else f"{number:,} people"


def note(sentence: str) -> str:
    """A sentence as a note, marked as our words: `note: no one called zoe is recorded here`."""
    return f"{NOTE}{sentence}"


def compact_json(value: object) -> str:
    """A value as JSON on one line without blanks, with letters of any script as they are."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
