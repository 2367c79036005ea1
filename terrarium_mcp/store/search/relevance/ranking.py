"""Ranking: how well each line answers, by its own words and by those around it. Pure.

A word counts where it is said and, faded, one or two lines away; a question hands its words to its
answer.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log

from terrarium_mcp.chat.question import is_question, names_a_time, speaks_of_itself
from terrarium_mcp.chat.terms import words_in
from terrarium_mcp.store.search.relevance import weights
from terrarium_mcp.store.search.relevance.asked import Understood
from terrarium_mcp.store.search.relevance.surroundings import Line

Said = Mapping[int, float]
"""Which groups of a question a line holds (by number), and how much that weighs."""

_STRONG = 0.25
"""The part of a group's weight from which on a line counts as holding it."""

_DAY = 86_400


@dataclass(frozen=True, slots=True)
class Ranked:
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
        self._said: dict[int, Said] = {}

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
        said = [self._words(line) for line in talk]
        strong = [
            {group for group, weight in words.items() if weight > _STRONG * self._idf[group]}
            for words in said
        ]
        asks = [is_question(line.text) for line in talk]
        for at, line in enumerate(talk):
            if not line.may_answer:
                continue
            here = self._spread(talk, said, asks, at)
            if not here and line.id not in found:
                continue
            near = slice(max(0, at - weights.NEAR), at + weights.NEAR + 1)
            points = {
                "words here and close by": weights.HERE * self._scale * sum(here.values()),
                "share of the words here": weights.COVERED * self._share(strong[at]),
                "share of the words nearby": weights.NEARBY
                * self._share(set().union(*strong[near])),
                **self._itself(line),
            }
            if at and asks[at - 1]:
                handed = sum(max(0.0, w - said[at].get(g, 0.0)) for g, w in said[at - 1].items())
                points["answers a question"] = weights.HANDED_OVER * self._scale * handed
            if self._first and any(other.nick == self._first for other in talk[near]):
                points["the person takes part"] = weights.TAKES_PART
            if len(self._idf) > 1 and len(strong[at]) == self._findable:
                points["all words"] = weights.WHOLE
            yield Ranked(line, points)

    def _share(self, groups: Collection[int]) -> float:
        return self._scale * sum(self._idf[group] for group in groups)

    @cached_property
    def _findable(self) -> int:
        """How many groups there are that any line holds."""
        return sum(1 for group in self._about.groups if group.lines)

    def _spread(
        self, talk: Sequence[Line], said: Sequence[Said], asks: Sequence[bool], at: int
    ) -> dict[int, float]:
        """The words of a line and, faded, of the two on each side."""
        here = dict(said[at])
        for distance, fade in enumerate(weights.FADES, 1):
            for other in (at - distance, at + distance):
                if not 0 <= other < len(talk) or not said[other]:
                    continue
                if abs(talk[other].at - talk[at].at) > weights.SILENCE:
                    continue
                counts = weights.ASKED_BEFORE if other == at - 1 and asks[other] else fade
                for group, weight in said[other].items():
                    here[group] = max(here.get(group, 0.0), weight * counts)
        return here

    def _itself(self, line: Line) -> dict[str, float]:
        """Points that a line gets whatever its words are."""
        points = {}
        if self._first and line.nick == self._first:
            only = len(self._about.people) == 1
            points["said by the person"] = weights.SPEAKER if only else weights.FIRST_SPEAKER
            if speaks_of_itself(line.text):
                points["of himself or herself"] = weights.OF_HIMSELF
        if self._times:
            near = max(_nearness(line.at, *one) for one in self._times)
            points["of that time"] = weights.OF_THE_TIME * near
        if not is_question(line.text):
            points["no question"] = weights.STATEMENT
        if self._about.asks_when and names_a_time(line.text):
            points["names a time"] = weights.TELLS_WHEN
        return points

    def _words(self, line: Line) -> Said:
        """The groups that a line holds, weighed as BM25 does; the best form of each counts."""
        if line.id not in self._said:
            self._said[line.id] = self._weighed(words_in(line.text))
        return self._said[line.id]

    def _weighed(self, words: Sequence[str]) -> Said:
        if self._groups_of.keys().isdisjoint(words):  # as it is with most lines
            return {}
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
