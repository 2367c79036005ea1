"""An explanation of a search, as text for the person who debugs it. Pure."""

from collections.abc import Iterator

from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.chat.when import day
from terrarium_mcp.store.search import Explanation, Search
from terrarium_mcp.store.search.relevance.asked import Group, Understood
from terrarium_mcp.store.search.relevance.ranking import Ranked

BEST = 10
"""Lines of which is told why they stand where they do."""

_WIDEST = 100


def explained(search: Search, why: Explanation) -> str:
    """How `search` was understood, what was looked up, and what the best lines got points for."""
    return "\n".join(_told(search, why))


def _told(search: Search, why: Explanation) -> Iterator[str]:
    yield f"query: {harmless(search.query.printed(search.zone)) or '(everything)'}"
    for tried in why.tried:
        yield f"rung: {tried.rung.value}: {tried.total} lines ({_ms(tried.seconds)})"
    if why.answering is None:
        return
    yield from _understood(search, why.answering.about)
    for look in why.lookups:
        yield f"look-up: {look.found:4} lines {_ms(look.seconds):>9}  {_cut(look.match)}"
    places = {one.line.id: one for one in why.answering.ranked}
    for place, message in enumerate(why.hits.messages[:BEST], 1):
        if message.id in places:
            yield f"{place:2}. {message.id}: {_points(places[message.id])}"


def _understood(search: Search, about: Understood) -> Iterator[str]:
    if about.people:
        yield f"people: {harmless(', '.join(about.people))}"
    for one in about.times:
        yield (
            f"time: {harmless(one.said)!r} is {day(one.since, search.zone)}"
            f" to before {day(one.until, search.zone)}"
        )
    for group in about.groups:
        yield f"word: {_group(group)}"


def _group(group: Group) -> str:
    others = ", ".join(
        f"{word} {weight:g}" for word, weight in group.words.items() if word != group.word
    )
    told = f"{group.word}: in {group.lines} lines" + (f"; also {others}" if others else "")
    return _cut(told)


def _points(ranked: Ranked) -> str:
    parts = [f"{name} {points:.1f}" for name, points in ranked.points.items() if points]
    return f"{ranked.score:.1f} points: {', '.join(parts)}"


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms"


def _cut(text: str) -> str:
    text = harmless(text)
    return text if len(text) <= _WIDEST else f"{text[:_WIDEST]}..."
