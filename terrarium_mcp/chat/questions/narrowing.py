"""What a question makes of a query: its times, and the words of it that say something. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from terrarium_mcp.chat.query.parsed_query import Query
from terrarium_mcp.chat.question import content_words
from terrarium_mcp.chat.terms import Term, as_written
from terrarium_mcp.chat.times.time_expressions import TimeExpression


def likelier(times: Iterable[TimeExpression]) -> tuple[TimeExpression, ...]:
    """The times without the second reading of words that may name two, which have one place."""
    by_place: dict[int, TimeExpression] = {}
    for time in times:
        by_place.setdefault(time.at, time)
    return tuple(by_place.values())


def narrowed_to(times: Sequence[TimeExpression], query: Query) -> Query:
    """The query narrowed to the times, from the beginning of the first to the end of the last."""
    if not times:
        return query
    meant = likelier(times)
    until = max(one.until for one in meant)
    query = replace(query, until=min(until, query.until or until))
    if not all(one.has_beginning for one in meant):
        return query
    since = min(one.since for one in meant)
    return replace(query, since=max(since, query.since or since))


def telling_clauses(text: str) -> tuple[tuple[Term, ...], ...]:
    """The words that say something, all of which a line must have."""
    return tuple((Term(as_written(word)),) for word in content_words(text, ()))
