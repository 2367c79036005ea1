"""Structured content: the facts of an answer's text, for a program, within the same budget.

Free of the MCP SDK, for the command line.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.chat.records import Message
from terrarium_mcp.chat.times.timestamps import to_iso
from terrarium_mcp.chat.tokens import estimated_tokens
from terrarium_mcp.chat.transcript import (
    WHICH_LEFT_OUT,
    JsonForm,
    Transcript,
    as_json,
    gap_json,
)

LEAST_JSON = 250
"""Estimated tokens that one ordinary line takes as JSON, with its coverage, notes and cursor. A
smaller budget holds for the text alone."""

_LEFT_OUT = {"left_out": 99_999}
"""The fact that something was left out, as large as it gets."""

_LINES_LEFT_OUT = {**_LEFT_OUT, "which_left_out": max(WHICH_LEFT_OUT.values(), key=len)}
"""The same of lines."""


def head_facts(summary: str, covered: str, notes: Iterable[str]) -> dict[str, object]:
    """What is above the lines of a text, as facts for a program."""
    return {
        "summary": harmless(summary),
        "covered": harmless(covered),
        "notes": [harmless(note) for note in notes],
    }


def lines_json(transcript: Transcript) -> dict[str, object]:
    """The lines and gaps that a transcript shows, and how many lines it left out, and which."""
    which = {"which_left_out": transcript.which_left_out} if transcript.left_out else {}
    return {
        "messages": list(transcript.json_lines),
        "gaps": [gap_json(gap) for gap in transcript.gaps],
        "left_out": transcript.left_out,
        **which,
    }


def json_form(
    form: str,
    messages: Sequence[Message],
    facts: Mapping[str, object],
    budget: int,
    more: Mapping[int, object] | None = None,
) -> JsonForm | None:
    """Messages as structured content, within a budget that `facts` share; None for text.

    Args:
        form: `text` or `json`.
        messages: the messages.
        facts: everything else that is returned, at its largest.
        budget: estimated tokens of the whole.
        more: further facts about messages, by id.
    """
    if form != "json":
        return None
    more = more or {}
    lines = [as_json(message) for message in messages]
    return JsonForm(
        lines,
        [
            json_tokens(line) + (json_tokens(more[message.id]) if message.id in more else 0)
            for message, line in zip(messages, lines, strict=True)
        ],
        max(budget, LEAST_JSON)
        - json_tokens({**facts, **_LINES_LEFT_OUT, "messages": [], "gaps": []}),
    )


def iso_or_empty(moment: datetime | None) -> str:
    """A moment as ISO 8601; "" if there is none, as the schemas have no nulls."""
    return to_iso(moment) if moment else ""


def within_budget(facts: Mapping[str, Any], lists: Sequence[str], budget: int) -> dict[str, Any]:
    """The facts with some lists cut to a budget; `left_out` is how many items were, if any.

    Args:
        facts: everything to return.
        lists: the keys of lists and mappings that may be cut at their ends, the last of them first.
        budget: estimated tokens of the whole.
    """
    if json_tokens(facts) <= max(budget, LEAST_JSON):
        return dict(facts)
    cut = {**facts, **{key: type(facts[key])() for key in lists}}
    left = max(budget, LEAST_JSON) - json_tokens({**cut, **_LEFT_OUT})
    left_out = 0
    for key in lists:
        values = facts[key]
        items = list(values.items() if isinstance(values, Mapping) else values)
        count = 0
        while count < len(items) and (left := left - json_tokens(items[count])) >= 0:
            count += 1
        cut[key] = type(values)(items[:count])
        left_out += len(items) - count
    return {**cut, "left_out": left_out} if left_out else cut


def json_tokens(value: object) -> int:
    """Estimated tokens of a value as JSON, as an item of a list, with the spaces hosts print."""
    return estimated_tokens(_as_printed(value) + ", ")


_as_printed = json.JSONEncoder(ensure_ascii=False).encode  # `json.dumps` makes an encoder each time
