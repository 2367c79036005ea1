"""Notes for questions that ask for no words: the query that finds an event, or a last sign."""

from collections.abc import Sequence
from dataclasses import replace

from terrarium_mcp.chat.questions.events import event_query, may_ask_for_events
from terrarium_mcp.chat.questions.narrowing import narrowed_to
from terrarium_mcp.chat.questions.presence import last_seen_of
from terrarium_mcp.chat.times.time_expressions import TimeExpression
from terrarium_mcp.request import Request
from terrarium_mcp.store import Rung, Search, Sort
from terrarium_mcp.tools.known_nicks import people_called

_EXACT = (Rung.ALL_WORDS, Rung.EVERYTHING)
"""How a search finds only what its query says."""


async def question_hints(
    rest: str, times: Sequence[TimeExpression], search: Search, request: Request
) -> list[str]:
    """What finds the answer that no line says; nothing where that finds nothing.

    Args:
        rest: the question without the words for its `times`.
        times: those it names.
        search: where it asks.
        request: who asks.
    """
    if nick := last_seen_of(rest):
        known = await people_called(request, nick, search.rooms)
        return [f"from:{nick}, sorted by newest, shows when they last spoke"] if known else []
    return await _event_hints(rest, times, search, request)


async def _event_hints(
    rest: str, times: Sequence[TimeExpression], search: Search, request: Request
) -> list[str]:
    """The query that finds the events asked for, if it finds any."""
    query = search.query
    asked = event_query(rest) if not query.kinds and may_ask_for_events(rest) else None
    if asked is None:
        return []
    sought = replace(
        narrowed_to(times, query).with_clauses(*asked.clauses),
        people=asked.people or query.people,
        kinds=asked.kinds,
        notes=(),
    )
    found = replace(search, query=sought, sort=Sort.NEWEST, limit=1, wants_total=True)
    hits = await request.store.search(found, "events")
    if not hits.messages or hits.rung not in _EXACT:
        return []
    events = "event" if hits.total == 1 else "events"
    finds = f"the query {sought.printed(search.zone)} finds {hits.total_text} {events}"
    return [f"{finds}; a question finds only what was said"]
