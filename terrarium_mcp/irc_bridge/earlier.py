"""The tool names of terrarium-irc, which a model may still know, in today's words. Pure."""

from collections.abc import Mapping
from typing import Any


def in_todays_words(name: str, arguments: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """A call by the name and arguments that today's tools have.

    `search_chat_logs(query, user, hours)` became `search_irc_history`, whose query says `from:`.
    """
    if name != "search_chat_logs":
        return name, dict(arguments)
    rest = {key: value for key, value in arguments.items() if key not in ("query", "user")}
    user, query = (str(arguments.get(key) or "").strip() for key in ("user", "query"))
    words = f"from:{user} {query}" if user else query
    return "search_irc_history", {"query": words.strip(), **rest}
