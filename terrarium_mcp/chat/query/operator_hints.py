"""Text that was probably meant as an operator of a query: `frmo:ada`, `user:ada`. Pure."""

import re

from terrarium_mcp.chat.near_misses import is_one_slip
from terrarium_mcp.chat.query.syntax import OPERATORS

_OTHER_NAMES = {
    "user": "from",
    "nick": "from",
    "author": "from",
    "by": "from",
    "to": "mentions",
    "channel": "in",
    "since": "after",
    "hours": "after",
    "until": "before",
    "date": "on",
    "day": "on",
    "month": "on",
    "year": "on",
}
"""Operators of other searches; terrarium-irc had user: and hours:."""

_ARGUMENTS = ("sort", "limit", "context", "per")
"""What the tools take beside the query."""

_SHORTEST = 4
"""Letters of an operator from which a slip is recognised; `is:` is one letter from `in:`."""

_KEYED = re.compile(r"-?([a-z]{2,12}):[^\s:/]\S*", re.IGNORECASE)
"""A value directly after one colon: neither a URL nor `std::move`."""


def operator_hint(word: str) -> str:
    """What a word was probably meant as, and how that is written here; "" of any other word."""
    keyed = _KEYED.fullmatch(word)
    if keyed and keyed[1].lower() in _ARGUMENTS:
        return f"{keyed[1]}: is not an operator: {keyed[1].lower()} is an argument beside the query"
    if meant := operator_meant(word):
        typed, operator = meant
        return f"{typed}: is not an operator; did you mean {operator}:?"
    return ""


def operator_meant(word: str) -> tuple[str, str] | None:
    """The key as typed and the operator that it resembles: `("frmo", "from")` for `frmo:ada`."""
    keyed = _KEYED.fullmatch(word)
    if not keyed:
        return None
    key = keyed[1].lower()
    if key in OPERATORS:
        return None
    slips = (name for name in OPERATORS if len(name) >= _SHORTEST and is_one_slip(key, name))
    meant = _OTHER_NAMES.get(key) or next(slips, None)
    return (keyed[1], meant) if meant else None
