"""Ranking: how well each line answers, by its own words and by those around it. Pure.

A word counts where it is said and, faded, one or two lines away; a question hands its words to its
answer.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log
from typing import NamedTuple

from terrarium_mcp.chat.question import is_question, names_a_time, speaks_of_itself
from terrarium_mcp.chat.terms import words_in
from terrarium_mcp.store.search.relevance import weights
from terrarium_mcp.store.search.relevance.asked import Understood
from terrarium_mcp.store.search.relevance.surroundings import Line

Said = Mapping[int, float]
"""Which groups of a question a line holds (by number), and how much that weighs."""

Groups = int
"""Groups of a question: of each its bit, by its number."""

_NOTHING: Said = {}

_STRONG = 0.25
"""The part of a group's weight from which on a line counts as holding it."""

_DAY = 86_400


class Ranked(NamedTuple):
    """A line and the points it got, by what for."""

    line: Line
    points: Mapping[str, float]

    @property
    def score(self) -> float:
        """All points together."""
        return sum(self.points.values())


class Ranking:
    """Ranks lines for one question."""

    def __init__(self, about: Understood) -> None:
        self._about = about
        self._first = about.people[0] if about.people else None
        self._idf = [_idf(group.lines, about.lines) for group in about.groups]
        self._scale = weights.POINTS / (sum(self._idf) or 1.0)
        self._times = [(one.since.timestamp(), one.until.timestamp()) for one in about.times]
        self._groups_of: dict[str, list[tuple[int, float]]] = {}
        for number, group in enumerate(about.groups):
            for word, counts in group.words.items():
                self._groups_of.setdefault(word, []).append((number, counts))
        self._asked = frozenset(self._groups_of)
        self._strong = [_STRONG * idf for idf in self._idf]
        self._said: dict[int, Said] = {}
        self._shares: dict[Groups, float] = {}

    def promising(self, lines: Collection[Line], most: int) -> list[Line]:
        """The `most` best lines by themselves, the best first."""
        alone = weights.HERE + weights.COVERED
        rough = {
            line.id: sum(self._words(line).values()) * self._scale * alone
            + sum(self._itself(line).values())
            for line in lines
        }
        return sorted(lines, key=lambda line: (rough[line.id], line.place), reverse=True)[:most]

    def rank(self, talks: Sequence[Sequence[Line]], found: Collection[Line]) -> list[Ranked]:
        """Every line of the talks that may answer, the best first.

        What was `found` by its time alone may answer without a word of the question.
        """
        ids = {line.id for line in found} if self._times else set[int]()
        ranked = [one for talk in talks for one in self._of_talk(talk, ids)]
        return sorted(ranked, key=lambda one: (one.score, one.line.place), reverse=True)

    def _of_talk(self, talk: Sequence[Line], found: Collection[int]) -> Iterator[Ranked]:
        """The lines of a talk with a word of the question close by, or that were `found`."""
        heard = _Heard.of(talk, map(self._words, talk))
        held = {at: self._held(words) for at, words in heard.said.items()}
        answered = {at for at, line in enumerate(talk) if line.id in found} if found else set[int]()
        by_person = self._by_person(talk)
        for at in sorted(heard.close_by.keys() | answered):
            line = talk[at]
            if not line.may_answer:
                continue
            here = _spread(heard, at)
            if not here and at not in answered:
                continue
            nearby = 0
            for other, groups in held.items():
                if -weights.NEAR <= other - at <= weights.NEAR:
                    nearby |= groups
            points = {
                "words here and close by": weights.HERE * self._scale * sum(here.values()),
                "share of the words here": weights.COVERED * self._share(held.get(at, 0)),
                "share of the words nearby": weights.NEARBY * self._share(nearby),
                **self._itself(line),
            }
            if at - 1 in heard.asks:
                mine = heard.said.get(at, {})
                handed = sum(max(0.0, w - mine.get(g, 0.0)) for g, w in heard.said[at - 1].items())
                points["answers a question"] = weights.HANDED_OVER * self._scale * handed
            if any(abs(other - at) <= weights.NEAR for other in by_person):
                points["the person takes part"] = weights.TAKES_PART
            if len(self._idf) > 1 and held.get(at, 0).bit_count() == self._findable:
                points["all words"] = weights.WHOLE
            yield Ranked(line, points)

    def _by_person(self, talk: Sequence[Line]) -> set[int]:
        """Where in a talk the person says something whom the question names first."""
        if not self._first:
            return set()
        return {at for at, line in enumerate(talk) if line.nick == self._first}

    def _held(self, said: Said) -> Groups:
        """The groups that a line counts as holding."""
        return sum(1 << group for group, weight in said.items() if weight > self._strong[group])

    def _share(self, groups: Groups) -> float:
        """What these groups weigh."""
        share = self._shares.get(groups)
        if share is None:  # few of all the combinations occur, and these on many lines
            weighed = (idf for group, idf in enumerate(self._idf) if groups >> group & 1)
            share = self._shares[groups] = self._scale * sum(weighed)
        return share

    @cached_property
    def _findable(self) -> int:
        """How many groups there are that any line holds."""
        return sum(1 for group in self._about.groups if group.lines)

    def _itself(self, line: Line) -> dict[str, float]:
        """Points that a line gets whatever its words are."""
        points, text = dict[str, float](), line.text
        if self._first and line.nick == self._first:
            only = len(self._about.people) == 1
            points["said by the person"] = weights.SPEAKER if only else weights.FIRST_SPEAKER
            if speaks_of_itself(text):
                points["of himself or herself"] = weights.OF_HIMSELF
        if self._times:
            near = max(_nearness(line.at, *one) for one in self._times)
            points["of that time"] = weights.OF_THE_TIME * near
        if not is_question(text):
            points["no question"] = weights.STATEMENT
        if self._about.asks_when and names_a_time(text):
            points["names a time"] = weights.TELLS_WHEN
        return points

    def _words(self, line: Line) -> Said:
        """The groups that a line holds, weighed as BM25 does; the best form of each counts."""
        said = self._said.get(line.id)
        if said is None:
            words = words_in(line.text)
            nothing = self._asked.isdisjoint(words)  # as it is with most lines
            said = self._said[line.id] = _NOTHING if nothing else self._weighed(words)
        return said

    def _weighed(self, words: Sequence[str]) -> Said:
        held: dict[int, tuple[int, float]] = {}
        for word in words:
            for group, counts in self._groups_of.get(word, ()):
                times, best = held.get(group, (0, 0.0))
                held[group] = times + 1, max(best, counts)
        k1, b = weights.SATURATION, weights.LENGTH
        norm = k1 * (1 - b + b * len(words) / self._about.length)
        return {
            group: best * self._idf[group] * times * (k1 + 1) / (times + norm)
            for group, (times, best) in held.items()
        }


@dataclass(frozen=True, slots=True)
class _Heard:
    """What of a question is heard in a talk, by the numbers of its lines.

    `said` is what lines with a word of it hold, `asks` which of these are questions, and
    `close_by` the lines that the words reach, each with its time in seconds since 1970.
    """

    said: Mapping[int, Said]
    asks: Collection[int]
    close_by: Mapping[int, float]

    @classmethod
    def of(cls, talk: Sequence[Line], said: Iterable[Said]) -> "_Heard":
        """Most lines of a talk hold no word, and are not looked at any further."""
        held = {at: words for at, words in enumerate(said) if words}
        reach = range(-len(weights.FADES), len(weights.FADES) + 1)
        reached = {at + by for at in held for by in reach if 0 <= at + by < len(talk)}
        return cls(
            held,
            {at for at in held if is_question(talk[at].text)},
            {at: talk[at].at for at in reached},
        )


def _spread(heard: _Heard, at: int) -> dict[int, float]:
    """The words of a line and, faded, of the two on each side."""
    here = dict(heard.said.get(at, {}))
    for distance, fade in enumerate(weights.FADES, 1):
        for other in (at - distance, at + distance):
            words = heard.said.get(other)
            if not words or abs(heard.close_by[other] - heard.close_by[at]) > weights.SILENCE:
                continue
            counts = weights.ASKED_BEFORE if other == at - 1 and other in heard.asks else fade
            for group, weight in words.items():
                here[group] = max(here.get(group, 0.0), weight * counts)
    return here


def _idf(holding: int, lines: int) -> float:
    holding = min(holding, lines)
    return float(log(1 + (lines - holding + 0.5) / (holding + 0.5)) ** weights.RARITY)


def _nearness(at: float, since: float, until: float) -> float:
    """1 inside of a time, fading over two weeks; of a month people often tell in the next one."""
    if since <= at < until:
        return 1.0
    days = (since - at if at < since else at - until) / _DAY
    for most, near in ((1, 0.9), (7, 0.6), (14, 0.3)):
        if days <= most:
            return near
    return 0.5 if until - since > 20 * _DAY and at >= until and days <= 31 else 0.0
