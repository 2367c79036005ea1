"""Translates tool calls by terrarium-irc's old names, which a model may still know. Pure."""

from collections.abc import Mapping
from typing import Any

from terrarium_mcp.chat.query.legacy_search import BadSearchValue, search_words


def current_call(name: str, arguments: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The call with the name and arguments of a current tool.

    `search_chat_logs(query, user, hours)` became `search_irc_history`, with `from:` in its query.
    """
    if name != "search_chat_logs":
        return name, dict(arguments)
    rest = {key: value for key, value in arguments.items() if key not in ("query", "user")}
    user, query = (str(arguments.get(key) or "").strip() for key in ("user", "query"))
    words = f"from:{user} {query}" if user else query
    return "search_irc_history", {**_search_arguments(words.strip()), **rest}


def _search_arguments(words: str) -> dict[str, object]:
    """What the old search understood in its words; a value that it could not read stays text."""
    try:
        return search_words(words).arguments
    except BadSearchValue:
        return {"query": words}
