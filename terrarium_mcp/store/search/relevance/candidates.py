"""Candidates: up to twenty look-ups for a question, each for the newest lines it finds.

Never "any word, the newest": in a large log that finds one answer in sixty (1.6 %).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from time import perf_counter

from terrarium_mcp.chat.terms import words_in
from terrarium_mcp.chat.times.time_expressions import TimeExpression
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
"""Newest lines of each look-up where rooms or operators restrict the question. In a channel of
233,208 lines 300 find as many: of 80 answers in the oldest third 60 are among the first ten hits.
So do 60 of which half are spread over the older lines."""

_COMBINED = 6
"""Content words that are combined: the rarest."""

_ALONE = 2
"""Of these, those that are also looked up alone. A third loses one answer in a thousand."""

_CROWDED = 4
"""If a word and its kin are in more than this many times as many lines as the word in one of its
forms, it is also looked up without them."""

_PEOPLE, _TIMES = 2, 2
"""People and times of a question that have look-ups of their own."""

_SHORT_TIME, _OF_A_SHORT_TIME = timedelta(days=2), 60
"""For a named time of up to two days, 60 lines are candidates whatever their words, unless many
rooms are searched: to `what food came yesterday?` a line of that day is an answer without `food`.
"""

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


@dataclass(frozen=True, slots=True)
class _Plan:
    """Plans look-ups for the words of a question, among the lines of a restriction and a time.

    `since` and `until` are timestamps, both inclusive.
    """

    parsed: ParsedQuestion
    restriction: Sequence[AnyOf]
    since: str
    until: str

    def by(self, person: _PersonConditions) -> "_Plan":
        """The plan for the person's own lines among these."""
        return replace(self, restriction=[person.speaker, *self.restriction])

    def between(self, since: datetime, until: datetime) -> "_Plan":
        """The plan for a part of the time."""
        first, last = max(self.since, to_text(since)), min(self.until, to_text(until))
        return replace(self, since=first, until=last)

    def without(self, nick: str) -> "_Plan":
        """The plan for the words beside one that may be a nick: few people say their own."""
        groups = tuple(group for group in self.parsed.groups if group.speaker != nick)
        return replace(self, parsed=replace(self.parsed, groups=groups))

    def around(self, time: TimeExpression) -> "_Plan":
        """The plan for a time that the question names and the days around it.

        Of `before May` only the last days are looked up, from `time.nearer` on.
        """
        return self.between(time.nearer - _BEFORE, time.until + _AFTER)

    def for_words(self) -> Iterator[Lookup]:
        """Look-ups for lines with the words, by anybody and of any time."""
        if self.restriction and _expected(self.parsed) < EACH:
            yield self.with_any_word(2 * EACH)
        yield from self.in_tiers(EACH_HERE if self.restriction else EACH)

    def for_person(self, person: _PersonConditions) -> Iterator[Lookup]:
        """Look-ups for a person's own lines and for those with the nick, of any time."""
        own = self.by(person)
        yield from own.in_tiers(EACH // 2)
        yield own.with_any_word(2 * EACH)
        for name in person.names:
            yield self.with_any_word(EACH, besides=name)
        if person.has_few_lines:  # any of them may answer, whatever its words
            for conditions in ([person.speaker], *person.names):
                yield self.lookup(conditions, EACH)

    def at_time(self, time: TimeExpression) -> Iterator[Lookup]:
        """Look-ups for lines around a time, by anybody."""
        around = self.around(time)
        yield around.with_any_word(EACH)
        yield from around.in_tiers(EACH // 2)

    def by_person_at(self, person: _PersonConditions, time: TimeExpression) -> Iterator[Lookup]:
        """Look-ups for a person's own lines and for those with the nick, around a time."""
        around = self.around(time)
        own = around.by(person)
        yield own.with_any_word(EACH)
        yield own.whatever_the_words(EACH)
        for name in person.names:
            yield around.lookup(name, EACH)

    def in_tiers(self, most: int) -> Iterator[Lookup]:
        """Look-ups from strict to loose.

        All words; the 4, then 3 rarest; the rarest with each other word; the 2nd with the 3rd, in
        case the rarest is misspelt or missing; the two rarest alone. Related words are tried only
        with the rarest and alone: elsewhere they add no answers. Where they are much more frequent,
        the word is looked up without them, too: `think` would leave no room for `thinkpad`.
        """
        groups = self.parsed.groups[:_COMBINED]
        words = [_any_of([group]) for group in groups]
        forms = [_form_of(group) for group in groups]
        tiers = [forms, *(forms[:few] for few in (4, 3) if len(forms) > few)]
        tiers += [*([words[0], other] for other in forms[1:]), forms[1:3]]
        tiers += [[word] for word in words[:_ALONE]]
        tiers += [
            [form]
            for form, group in zip(forms[:_ALONE], groups, strict=False)
            if group.found_in > _CROWDED * group.lines > 0
        ]
        return (self.lookup(tier, most) for tier in tiers if tier)

    def with_any_word(self, most: int, besides: Sequence[AnyOf] = ()) -> Lookup:
        """The look-up for lines with any of the rarest words, and what else is given."""
        return self.lookup([_any_of(self.parsed.groups[:_COMBINED]), *besides], most)

    def whatever_the_words(self, most: int) -> Lookup:
        """The look-up for everything said."""
        return self.lookup([speech(self.parsed.lines)], most)

    def lookup(self, conditions: Sequence[AnyOf], most: int) -> Lookup:
        """The look-up for lines that meet these conditions."""
        all_of = tuple(part for part in (*conditions, *self.restriction) if part.conditions)
        return Lookup(all_of, most, self.since, self.until)


def planned_lookups(question: PlainQuestion, parsed: ParsedQuestion) -> list[Lookup]:
    """The look-ups for a question, the most promising first; each once."""
    scope = question.scope
    restriction = [in_scope(parsed.lines_in_rooms)] if question.is_restricted else []
    plan = _Plan(parsed, restriction, scope.since, scope.until.timestamp)
    is_narrow = question.is_restricted or len(scope.rooms) == 1
    possible = [group.speaker for group in parsed.groups if group.speaker]
    nicks = list(dict.fromkeys([*parsed.people, *possible]))[:_PEOPLE]
    people = [_PersonConditions.named(nick, parsed) for nick in nicks]
    lookups = [*plan.for_words()]
    for nick, person in zip(nicks, people, strict=True):
        lookups += plan.without(nick).for_person(person)
    for time in parsed.times[:_TIMES]:
        lookups += plan.at_time(time)
        if is_narrow and time.until - time.nearer <= _SHORT_TIME:
            then = plan.between(time.nearer, time.until)
            lookups.append(then.whatever_the_words(_OF_A_SHORT_TIME))
        for nick, person in zip(nicks, people, strict=True):
            lookups += plan.without(nick).by_person_at(person, time)
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


def _expected(parsed: ParsedQuestion) -> float:
    """Roughly how many lines in the rooms hold one of the words that are looked up alone.

    If these are few, one look-up for any word most likely finds all that the others could find. It
    asks for more than these words: the rarest of the whole history may be missing there.
    """
    found_in = sum(group.found_in for group in parsed.groups[:_ALONE])
    return parsed.lines_in_rooms * found_in / parsed.lines


def _any_of(groups: Sequence[TermGroup]) -> AnyOf:
    """Anything that may stand for one of the words."""
    words = {word for group in groups for word in group.words}
    return any_word(words, sum(group.found_in for group in groups))


def _form_of(group: TermGroup) -> AnyOf:
    """The word itself, or one of its forms."""
    return any_word((word for word, weight in group.words.items() if weight >= FORM), group.lines)
