"""What a question makes of a query: its times, and the words of it that say something. Pure."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from terrarium_mcp.chat.query.parsed_query import Query
from terrarium_mcp.chat.question import content_words, has_telling_words
from terrarium_mcp.chat.terms import Term, TermKind, as_written
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


def about(topic: str, times: Sequence[TimeExpression], query: Query) -> Query:
    """The query for lines of these times with the telling words of a topic of its question."""
    clauses = telling_clauses(topic, phrases_of(query))
    return narrowed_to(times, query).with_clauses(*clauses)


def telling_clauses(text: str, phrases: Iterable[Term] = ()) -> tuple[tuple[Term, ...], ...]:
    """The words that say something, all of which a line must have; phrases in the text whole."""
    phrases = [term for term in phrases if _place_of(term).search(text)]
    for phrase in phrases:
        text = _place_of(phrase).sub(" ", text)
    words = content_words(text, ()) if not phrases or has_telling_words(text) else ()
    return tuple((term,) for term in (*phrases, *(Term(as_written(word)) for word in words)))


def without_phrases(query: Query) -> str:
    """The question with its phrases blotted out, in their place: no words of them name a time."""
    text = query.question
    for phrase in phrases_of(query):
        text = _place_of(phrase).sub(lambda found: '"' * len(found[0]), text)
    return text


def phrases_of(query: Query) -> list[Term]:
    """The phrases that a line must have."""
    return [term for term in query.terms if term.kind is TermKind.PHRASE]


def _place_of(phrase: Term) -> re.Pattern[str]:
    """Where a phrase was typed: a question has blanks around each of its terms."""
    return re.compile(rf"(?<!\S){re.escape(phrase.text)}(?!\S)")
