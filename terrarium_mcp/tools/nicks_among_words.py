"""Words of a search that finds nothing, and that are nicks: what those people said, no line says.

`Eve` alone is a word like any other, and finds the lines that hold it.
"""

from dataclasses import replace

from terrarium_mcp.chat.english.words import is_stop_word
from terrarium_mcp.chat.identity import fold
from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.chat.named_people import possible_nicks
from terrarium_mcp.request import Request
from terrarium_mcp.store import Search
from terrarium_mcp.tools.exact_hits import found_exactly, total_of

_MOST_NICKS = 8
"""Words of a search that are tried as nicks: each costs a search."""


async def queries_by_nick(request: Request, search: Search) -> list[str]:
    """`the query from:eve finds 1 line`, for each word of the search that is a nick with lines.

    Whoever names people by operators has said who is meant.
    """
    query = search.query
    if query.people:
        return []
    finds = []
    for nick in _nicks_typed(query.question)[:_MOST_NICKS]:
        theirs = replace(query.with_clauses(), people=(nick,), notes=())
        found = await found_exactly(theirs, search, request)
        if found.messages:
            lines = total_of(found, "line")
            finds.append(harmless(f"the query {theirs.printed(search.zone)} finds {lines}"))
    return finds


def _nicks_typed(text: str) -> list[str]:
    """What in a text may be a nick, as it was typed: no verb is, without a sentence for a sign."""
    folded = fold(text)
    nicks = [nick for nick in possible_nicks(text) if not is_stop_word(nick)]
    begins = [folded.find(nick) for nick in nicks]
    return [text[at : at + len(nick)] for at, nick in zip(begins, nicks, strict=True)]
