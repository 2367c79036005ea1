"""The explanation of a search as text, for the person who debugs it. Pure."""

from collections.abc import Iterator

from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.chat.question import is_literal
from terrarium_mcp.chat.records import Message
from terrarium_mcp.chat.terms import as_written
from terrarium_mcp.chat.times.timestamps import day
from terrarium_mcp.chat.transcript import speaker
from terrarium_mcp.store import (
    MOST_ROOMS,
    AnyOf,
    Condition,
    ConditionKind,
    Explanation,
    Lookup,
    ParsedQuestion,
    RankedLine,
    Rung,
    Search,
    TermGroup,
)
from terrarium_mcp.wording import note, quantity, shown

BEST = 10
"""Lines whose rank is explained."""

_WIDEST = 100

_BEGINNING = 40
"""Characters that identify a line."""


def explained(search: Search, why: Explanation) -> str:
    """How `search` was understood, what was looked up, and what the best lines got points for."""
    return "\n".join(_lines(search, why))


def _lines(search: Search, why: Explanation) -> Iterator[str]:
    yield f"query: {harmless(search.query.printed(search.zone)) or '(everything)'}"
    for sentence in search.query.notes:
        yield note(harmless(sentence))
    for tried in why.tried:
        yield f"rung: {tried.rung.value}: {quantity(tried.total, 'line')} ({_ms(tried.seconds)})"
    if why.clauses and why.hits.rung is Rung.SIMILAR:
        yield from _substitutes(search, why)
    if why.answer:
        yield from _question(search, why.answer.parsed)
    for report in why.lookups:
        conditions = _cut(_conditions(search, report.lookup))
        lines = "line " if report.found == 1 else "lines"
        yield f"look-up: {report.found:4} {lines} {_ms(report.seconds):>9}  {conditions}"
    ranked = {one.line.id: one for one in why.answer.ranked} if why.answer else {}
    for place, message in enumerate(why.hits.messages[:BEST], 1):
        reasons = ["it holds all words"] if place <= why.hits.with_all_words else []
        reasons += [_points(ranked[message.id])] if message.id in ranked else []
        because = "; ".join(reasons) or "by its time"
        yield f"{place:2}. {message.id} {_start(message)}: {because}"


def _substitutes(search: Search, why: Explanation) -> Iterator[str]:
    """Which words were searched for in place of those typed."""
    for typed, clause in zip(search.query.clauses, why.clauses, strict=True):
        asked = " OR ".join(map(str, typed))
        others = ", ".join(str(term) for term in clause if term not in typed)
        yield _cut(f"word: {asked}: {f'also {others}' if others else 'nothing like it was said'}")


def _conditions(search: Search, lookup: Lookup) -> str:
    """The conditions of a look-up, and its limit."""
    rarest_first = sorted(lookup.all_of, key=lambda part: part.lines)
    conditions = " AND ".join(_any(search, part) for part in rarest_first)
    return f"newest {lookup.most}: {conditions}"


def _any(search: Search, part: AnyOf) -> str:
    alternatives = sorted(_condition(search, one) for one in part.conditions)
    return alternatives[0] if len(alternatives) == 1 else f"({' OR '.join(alternatives)})"


def _condition(search: Search, condition: Condition) -> str:
    match condition:
        case (ConditionKind.WORD, word):
            return f'"{word}"'
        case (ConditionKind.SPEAKER, nick):
            return f'by "{nick}"'
        case (ConditionKind.SPEECH, _):
            return "anything said"
    return _scope(search)


def _scope(search: Search) -> str:
    """The restrictions of a search: what its look-ups have besides words."""
    query = search.query
    parts = [f'"{room.channel}"' for room in search.rooms if len(search.rooms) <= MOST_ROOMS]
    parts += [f'by "{nick}"' for nick in query.people]
    parts += [f"type {kind.lower()}" for kind in query.kinds]
    parts += ["with a link"] if query.has_link else []
    parts += ["commands to the bot"] if query.only_commands else []
    return f"in ({', '.join(parts)})"


def _start(message: Message) -> str:
    return shown(f"<{speaker(message)}> {message.text}", _BEGINNING)


def _question(search: Search, parsed: ParsedQuestion) -> Iterator[str]:
    if parsed.people:
        yield f"people: {harmless(', '.join(parsed.people))}"
    for time in parsed.times:
        yield (
            f"time: {harmless(time.said)!r} is {day(time.since, search.zone)}"
            f" to before {day(time.until, search.zone)}"
        )
    for group in parsed.groups:
        yield f"word: {_group(group)}"


def _group(group: TermGroup) -> str:
    others = ", ".join(
        f"{word} {weight:g}" for word, weight in group.words.items() if word != group.word
    )
    counted = "weighs as if in" if is_literal(group.word) else "in"
    speaker = ", those by this nick included" if group.speaker else ""
    return _cut(
        f"{group.word}: {counted} {quantity(group.lines, 'line')}{speaker}"
        + (f"; also {others}" if others else "")
    )


def _points(ranked: RankedLine) -> str:
    parts = [f"{name} {points:.1f}" for name, points in ranked.points.items() if points]
    return f"{ranked.score:.1f} points: {', '.join(parts)}"


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms"


def _cut(text: str) -> str:
    return shown(as_written(text), _WIDEST)
