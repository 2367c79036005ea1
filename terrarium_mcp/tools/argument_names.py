"""What a caller means by the name of an argument that a tool does not have. Pure."""

from collections.abc import Mapping
from typing import Any

from terrarium_mcp.wording import did_you_mean

_NUMBERS = ("limit", "count", "n", "max", "max_results", "lines")
"""Names of how many there are to be: whole numbers, as `after` is where it counts lines."""

_ALIKE = (
    ("message_id", "id", "msgid", "message", "line_id", "line"),
    ("channel", "room", "chan"),
    ("nick", "user", "username", "person", "who", "author", "sender", "from", "from_nick"),
    ("query", "q", "text", "search", "words", "keywords", "question"),
    _NUMBERS,
    ("after", "since", "start", "start_time", "start_date", "from_date", "date_from"),
    ("before", "until", "end", "end_time", "end_date", "to_date", "date_to"),
)
"""Names of the same thing: those of our tools, and others by which models and people call them."""

_BACK_FROM_NOW = ("hours", "days")
_WAYS_BACK = (("hours", "integer", "24"), ("since", "string", "24h"), ("after", "string", "24h"))
"""How our tools take a time up to now: an argument, its type, and its value for a day."""

_OPERATORS = {"nick": "from:ada", "after": "after:2026-05-01", "before": "before:2026-05-01"}
"""How the query language says the same, by the first name of each."""


def name_hint(name: str, properties: Mapping[str, Mapping[str, Any]]) -> str:
    """` Did you mean message_id?` for `id`, or how a query says it; "" if nothing is near.

    `properties` are those of the tool's schema, by their names.
    """
    folded = name.lower()
    if folded in _BACK_FROM_NOW:
        return _way_back(properties)
    names = next((names for names in _ALIKE if folded in names), None)
    if names is None:
        return did_you_mean(name, list(properties))
    kind = "integer" if names == _NUMBERS else "string"
    for known, schema in properties.items():
        if known in names and schema.get("type") == kind:
            return f" Did you mean {known}?"
    if names[0] in _OPERATORS and {"query", "channel"} <= properties.keys():
        return f" Write it into the query, like {_OPERATORS[names[0]]}."
    longer = [known for known in properties if known.startswith(f"{folded}_")]
    if not longer and names[0] == "after":
        return _way_back(properties)
    return did_you_mean(name, longer)  # `since` is no slip of `scope`


def _way_back(properties: Mapping[str, Mapping[str, Any]]) -> str:
    """` Write hours=24 for the last day.`; "" for a tool that goes by no time."""
    for argument, kind, day in _WAYS_BACK:
        if properties.get(argument, {}).get("type") == kind:
            return f" Write {argument}={day} for the last day."
    return ""
