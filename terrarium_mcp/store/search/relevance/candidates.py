"""Candidates: up to twenty look-ups for a question, each for the newest lines it finds.

Never "any word, the newest": in a large log that finds one answer in sixty (1.6 %).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from time import perf_counter

from terrarium_mcp.chat.terms import words_in
from terrarium_mcp.chat.times.timestamps import to_text
from terrarium_mcp.store.search.relevance.corpus import Corpus
from terrarium_mcp.store.search.relevance.lookup import (
    AnyOf,
    Lookup,
    LookupReport,
    any_word,
    by_speaker,
    in_scope,
    speech,
)
from terrarium_mcp.store.search.relevance.question import ParsedQuestion, PlainQuestion, TermGroup
from terrarium_mcp.store.search.relevance.weights import FORM

EACH = 100
"""Newest lines of each look-up. 30 cost half, but miss lines by people the question does not name;
400 find no more."""

EACH_HERE = 60
"""Newest lines of each look-up where rooms or operators restrict the question: more are no use."""

_COMBINED = 6
"""Content words that are combined: the rarest."""

_ALONE = 2
"""Of these, those that are also looked up alone. A third loses one answer in a thousand."""

_CROWDED = 4
"""So many times as many lines hold a word or its kin as hold the word, in one of its forms."""

_PEOPLE, _TIMES = 2, 2
"""People and times of a question that have look-ups of their own."""

_SHORT_TIME, _THEN = timedelta(days=2), 60
"""Of a time up to this long so many lines are found whatever their words, unless many rooms may
answer: to `what food came yesterday?` a line of that day is an answer without `food`."""

_BEFORE, _AFTER = timedelta(days=1), timedelta(days=7)
"""How far around a time people speak of it: mostly afterwards."""


@dataclass(frozen=True, slots=True)
class _PersonConditions:
    """How to look up a person's own lines, and those that hold the nick: mostly said to them.

    `names` has one look-up's conditions, or none for a nick without letters and digits.
    """

    speaker: AnyOf
    names: Sequence[Sequence[AnyOf]]
    has_few_lines: bool

    @classmethod
    def named(cls, nick: str, parsed: ParsedQuestion) -> "_PersonConditions":
        """The person with a folded nick."""
        lines = parsed.lines_by.get(nick, 0)
        words = [any_word([word], lines) for word in words_in(nick)]
        return cls(by_speaker(nick, lines), [words] if words else [], parsed.has_few_lines(nick))


def planned_lookups(question: PlainQuestion, parsed: ParsedQuestion) -> list[Lookup]:
    """The look-ups for a question, the most promising first; each once."""
    scope = question.scope
    first, last = scope.since, scope.until.timestamp
    restriction = [in_scope(parsed.lines_in_rooms)] if question.is_restricted else []
    is_narrow = question.is_restricted or len(scope.rooms) == 1
    each = EACH_HERE if restriction else EACH
    groups = parsed.groups
    lookups = list[Lookup]()
    any_group = _any_of(groups[:_COMBINED])
    if restriction and _expected(parsed) < EACH:
        lookups.append(_lookup([any_group, *restriction], 2 * EACH, first, last))
    lookups += _tiers(groups, restriction, each, first, last)
    people = [_PersonConditions.named(nick, parsed) for nick in parsed.people[:_PEOPLE]]
    for person in people:
        spoken = [person.speaker, *restriction]
        lookups += _tiers(groups, spoken, EACH // 2, first, last)
        lookups.append(_lookup([any_group, *spoken], 2 * EACH, first, last))
        lookups += [
            _lookup([any_group, *name, *restriction], EACH, first, last) for name in person.names
        ]
        if person.has_few_lines:
            everything = [[person.speaker], *person.names]
            lookups += [_lookup([*one, *restriction], EACH, first, last) for one in everything]
    for time in parsed.times[:_TIMES]:
        since = max(first, to_text(time.nearer - _BEFORE))
        until = min(last, to_text(time.until + _AFTER))
        lookups.append(_lookup([any_group, *restriction], EACH, since, until))
        lookups += _tiers(groups, restriction, EACH // 2, since, until)
        if is_narrow and time.until - time.nearer <= _SHORT_TIME:
            then = max(first, to_text(time.nearer)), min(last, to_text(time.until))
            lookups.append(_lookup([speech(parsed.lines), *restriction], _THEN, *then))
        for person in people:
            spoken = [person.speaker, *restriction]
            lookups.append(_lookup([any_group, *spoken], EACH, since, until))
            lookups.append(_lookup([speech(parsed.lines), *spoken], EACH, since, until))
            lookups += [_lookup([*name, *restriction], EACH, since, until) for name in person.names]
    return [lookup for lookup in dict.fromkeys(lookups) if lookup.all_of]


async def found_by(lookups: Sequence[Lookup], corpus: Corpus) -> dict[Lookup, list[int]]:
    """The ids that the look-ups find, without look-ups that cannot add any line.

    The widest run first. Once one of them has returned all its lines, the look-ups it includes are
    skipped: mostly the most expensive ones, for many words that never occur together.
    """
    found: dict[Lookup, list[int]] = {}
    pending = sorted(lookups, key=lambda lookup: len(lookup.all_of))
    while pending:
        widest = [
            lookup
            for n, lookup in enumerate(pending)
            if not any(other.includes(lookup) for other in pending[:n])
        ]
        found |= await corpus.find(widest)
        complete = [lookup for lookup in widest if len(found.get(lookup, ())) < lookup.most]
        pending = [
            lookup
            for lookup in pending
            if lookup not in found and not any(other.includes(lookup) for other in complete)
        ]
    return {lookup: found[lookup] for lookup in lookups if lookup in found}


async def timed(lookups: Sequence[Lookup], corpus: Corpus) -> list[LookupReport]:
    """Each look-up by itself: how many lines it finds, and how long it takes."""
    reports = []
    for lookup in lookups:
        began = perf_counter()
        found = await corpus.find([lookup])
        reports.append(LookupReport(lookup, len(found[lookup]), perf_counter() - began))
    return reports


def _tiers(
    groups: Sequence[TermGroup], restriction: Sequence[AnyOf], most: int, since: str, until: str
) -> Iterator[Lookup]:
    """Look-ups from strict to loose.

    All words; the 4, then 3 rarest; the rarest with each other word; the 2nd with the 3rd, in case
    the rarest is misspelt or missing; the two rarest alone. Related words are tried only with the
    rarest and alone: elsewhere they add no answers. Where they are much more frequent, the word is
    looked up without them, too: `think` would leave no room for `thinkpad`.
    """
    words = [_any_of([group]) for group in groups[:_COMBINED]]
    forms = [_form_of(group) for group in groups[:_COMBINED]]
    together = [forms, *(forms[:few] for few in (4, 3) if len(forms) > few)]
    together += [*([words[0], other] for other in forms[1:]), forms[1:3]]
    together += [[one] for one in words[:_ALONE]]
    together += [
        [form]
        for form, group in zip(forms[:_ALONE], groups, strict=False)
        if group.found_in > _CROWDED * group.lines > 0
    ]
    return (_lookup([*tier, *restriction], most, since, until) for tier in together if tier)


def _expected(parsed: ParsedQuestion) -> float:
    """Roughly how many lines here hold one of the words that are looked up alone.

    If these are few, one look-up for any word most likely finds all that the others could find. It
    asks for more than these words: the rarest of the whole history may be missing here.
    """
    found_in = sum(group.found_in for group in parsed.groups[:_ALONE])
    return parsed.lines_in_rooms * found_in / parsed.lines


def _lookup(all_of: Sequence[AnyOf], most: int, since: str, until: str) -> Lookup:
    return Lookup(tuple(one for one in all_of if one.conditions), most, since, until)


def _any_of(groups: Sequence[TermGroup]) -> AnyOf:
    """Anything that may stand for one of the words."""
    words = {word for group in groups for word in group.words}
    return any_word(words, sum(group.found_in for group in groups))


def _form_of(group: TermGroup) -> AnyOf:
    """The word itself, or one of its forms."""
    return any_word((word for word, weight in group.words.items() if weight >= FORM), group.lines)
