"""An explanation of a search, as text for the person who debugs it. Pure."""

import re
from collections.abc import Iterator, Mapping

from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.chat.records import Message
from terrarium_mcp.chat.terms import RESERVED_PREFIX
from terrarium_mcp.chat.when import day
from terrarium_mcp.store.search import Explanation, Rung, Search
from terrarium_mcp.store.search.relevance.asked import Group, Understood
from terrarium_mcp.store.search.relevance.ranking import Ranked

BEST = 10
"""Lines of which is told why they stand where they do."""

_WIDEST = 100

_BEGINNING = 40
"""Characters of a line that tell which one it is."""

_NICK = re.compile(f'"{RESERVED_PREFIX}n((?:[0-9a-f]{{2}})+)"')
_ROOM = re.compile(rf'"{RESERVED_PREFIX}r(\d+)"')


def explained(search: Search, why: Explanation) -> str:
    """How `search` was understood, what was looked up, and what the best lines got points for."""
    return "\n".join(_told(search, why))


def _told(search: Search, why: Explanation) -> Iterator[str]:
    yield f"query: {harmless(search.query.printed(search.zone)) or '(everything)'}"
    for note in search.query.notes:
        yield f"note: {harmless(note)}"
    for tried in why.tried:
        yield f"rung: {tried.rung.value}: {tried.total} lines ({_ms(tried.seconds)})"
    if why.hits.rung is Rung.SIMILAR:
        yield from _instead(search, why)
    if why.answering:
        yield from _understood(search, why.answering.about)
    rooms = {str(room.id): room.channel for room in search.rooms}
    for look in why.lookups:
        match = _readable(look.match, rooms)
        yield f"look-up: {look.found:4} lines {_ms(look.seconds):>9}  {_cut(match)}"
    ranked = {one.line.id: one for one in why.answering.ranked} if why.answering else {}
    for place, message in enumerate(why.hits.messages[:BEST], 1):
        reasons = ["it holds all words"] if place <= why.hits.exact else []
        reasons += [_points(ranked[message.id])] if message.id in ranked else []
        because = "; ".join(reasons) or "by its time"
        yield f"{place:2}. {message.id} {_begun(message)}: {because}"


def _instead(search: Search, why: Explanation) -> Iterator[str]:
    """Which words were looked for in place of those typed."""
    for typed, clause in zip(search.query.clauses, why.clauses, strict=True):
        asked = " OR ".join(map(str, typed))
        others = ", ".join(str(term) for term in clause if term not in typed)
        yield _cut(f"word: {asked}: {f'also {others}' if others else 'nothing like it was said'}")


def _readable(match: str, rooms: Mapping[str, str]) -> str:
    """An expression with nicks and channels as people know them."""
    named = _NICK.sub(lambda nick: f'"{bytes.fromhex(nick[1]).decode(errors="replace")}"', match)
    known = _ROOM.sub(lambda room: f'"{rooms.get(room[1], room[1])}"', named)
    return known.replace(RESERVED_PREFIX, "")


def _begun(message: Message) -> str:
    said = harmless(f"<{message.nick}> {message.text}")
    return said if len(said) <= _BEGINNING else f"{said[:_BEGINNING]}..."


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
