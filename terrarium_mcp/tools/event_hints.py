"""A note below a search by a question for events: the query that finds them."""

from dataclasses import replace

from terrarium_mcp.chat.event_questions import event_query, may_ask_for_events
from terrarium_mcp.chat.query import Query
from terrarium_mcp.chat.times.time_expressions import time_expressions, without_times
from terrarium_mcp.request import Request
from terrarium_mcp.store import Rung, Search, Sort

_EXACT = (Rung.ALL_WORDS, Rung.EVERYTHING)
"""How a search finds only what its query says."""


async def event_notes(request: Request, search: Search) -> list[str]:
    """The query that finds the events asked for, if it finds any; only on the first page."""
    query = None if search.cursor else _asked(search)
    if query is None:
        return []
    found = replace(search, query=query, sort=Sort.NEWEST, limit=1)
    hits = await request.store.search(found, "events")
    if not hits.messages or hits.rung not in _EXACT:
        return []
    printed = query.printed(request.settings.zone)
    finds = f"note: the query {printed} finds {hits.total_text}"
    plural = "" if hits.total == 1 else "s"
    if query.has_link:
        return [f"{finds} line{plural} with a link"]
    return [f"{finds} event{plural}; a question finds only what was said"]


def _asked(search: Search) -> Query | None:
    """The query for the events that the question of a search asks for, in its place and time."""
    query = search.query
    if query.kinds or query.has_link or not may_ask_for_events(query.question):
        return None
    times = time_expressions(query.question, search.now, search.zone) if search.now else ()
    asked = event_query(" ".join(without_times(times, query.question).split()))
    if asked is None:
        return None
    since = [moment for moment in (query.since, *(one.since for one in times[:1])) if moment]
    until = [moment for moment in (query.until, *(one.until for one in times[:1])) if moment]
    return replace(
        query,
        clauses=asked.clauses,
        people=asked.people or query.people,
        kinds=asked.kinds,
        has_link=asked.has_link,
        since=max(since, default=None),
        until=min(until, default=None),
        notes=(),
    )
