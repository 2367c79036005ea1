"""`!search`: the best hits, each with the id that `!context` takes."""

from collections.abc import Mapping
from typing import Any

from terrarium_mcp.chat.query.legacy_search import BadSearchValue, search_words
from terrarium_mcp.irc_bridge.ask.command_context import CommandContext
from terrarium_mcp.irc_bridge.ask.short_commands.tool_answers import (
    how_read,
    in_the_last,
    nothing_found,
    quoted_by_id,
    refused,
    time_read,
)
from terrarium_mcp.store import Rung

SEARCH_LIMIT = 20
"""Hits that !search asks for: the first are said, the rest is kept for !more."""

_LOOSE_RUNGS = (Rung.ANY_WORD, Rung.SIMILAR)
"""How a search finds lines that need not hold all words."""

_WITHOUT = "without any of them"


async def search(context: CommandContext) -> list[str]:
    """!search WORDS: the best hits; the rest under !more."""
    prefix = context.settings.command_prefix
    try:
        words = search_words(context.command.rest)
    except BadSearchValue as error:
        return [str(error)]
    if words.is_empty:
        return [f"Search for what? For example: {prefix}search deploy script"]
    arguments = {**words.arguments, "limit": SEARCH_LIMIT, "format": "json"}
    found = await context.toolbox.call("search_irc_history", arguments, context.view)
    if found.failed:
        return refused(found, context)
    time = time_read(found)
    lines = _nearest_marked(quoted_by_id(found, context), found.facts, has_time=bool(time))
    if lines:
        return [*how_read(found), *filter(None, [time]), *lines]
    return [nothing_found(found, context, f"Nothing found{in_the_last(words.hours)}")]


def _nearest_marked(
    lines: Mapping[str, str], facts: Mapping[str, Any], *, has_time: bool
) -> list[str]:
    """The lines a search found, by their ids; those that need not hold all its words say so.

    So the first of them, and each that holds none: it was found by what is said around it. Words
    for a time (`has_time`) are in few lines: there none is said to lack words for want of them.
    """
    exact = facts.get("with_all_words", 0) if facts.get("rung") in _LOOSE_RUNGS else len(lines)
    ids, wordless = [*lines], {*facts.get("without_words", ())}
    found, nearest = [lines[one] for one in ids[:exact]], ids[exact:]
    if not nearest:
        return found
    none = "nothing else" if found else "nothing"
    first, *others = [lines[one] for one in nearest]
    if wordless.issuperset(nearest):
        return [*found, f"{none} with any of these words; perhaps: {first}", *others]
    marks = [f"{_WITHOUT}: " if one in wordless else "" for one in nearest[1:]]
    nearest_of_all = f"the nearest, {_WITHOUT}" if nearest[0] in wordless else "the nearest"
    lacking = "" if has_time else f"{none} with all these words; "
    return [
        *found,
        f"{lacking}{nearest_of_all}: {first}",
        *(mark + line for mark, line in zip(marks, others, strict=True)),
    ]
