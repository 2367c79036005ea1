"""What a question makes of a query: its times, and the words of it that say something. Pure."""

from collections.abc import Sequence
from dataclasses import replace

from terrarium_mcp.chat.query import Query
from terrarium_mcp.chat.question import content_words
from terrarium_mcp.chat.terms import Term
from terrarium_mcp.chat.times.time_expressions import TimeExpression


def narrowed_to(times: Sequence[TimeExpression], query: Query) -> Query:
    """The query narrowed to the times, from the beginning of the first to the end of the last.

    Of two readings of the same words, which have one place, the first is meant.
    """
    if not times:
        return query
    meant = [one for one in times if one is times[0] or one.at != times[0].at]
    until = max(one.until for one in meant)
    query = replace(query, until=min(until, query.until or until))
    if not all(one.has_beginning for one in meant):
        return query
    since = min(one.since for one in meant)
    return replace(query, since=max(since, query.since or since))


def telling_clauses(text: str) -> tuple[tuple[Term, ...], ...]:
    """The words that say something, all of which a line must have."""
    return tuple((Term(word),) for word in content_words(text, ()))
