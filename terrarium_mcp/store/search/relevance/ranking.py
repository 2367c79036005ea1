"""Ranking: how well each line answers, by its own words and by those around it. Pure.

A word counts in the line that holds it and, faded, one or two lines away; the words of a question
also count for the line that follows it.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log
from typing import NamedTuple

from terrarium_mcp.chat.question import is_first_person, is_question, names_a_time
from terrarium_mcp.chat.terms import words_in
from terrarium_mcp.store.search.relevance import weights
from terrarium_mcp.store.search.relevance.corpus import CandidateLine, Passage
from terrarium_mcp.store.search.relevance.lookup import Lookup
from terrarium_mcp.store.search.relevance.question import ParsedQuestion

GroupWeights = Mapping[int, float]
"""The term groups of a question that a line holds (by number), each with its weight there."""

GroupBits = int
"""A set of term groups, one bit each, by number."""

_NOTHING: GroupWeights = {}

_STRONG = 0.25
"""The share of a group's weight above which a line counts as holding it."""

_DAY = 86_400


class RankedLine(NamedTuple):
    """A line and its points, by reason."""

    line: CandidateLine
    points: Mapping[str, float]

    @property
    def score(self) -> float:
        """All points together."""
        return sum(self.points.values())


@dataclass(frozen=True, slots=True)
class RankedAnswer:
    """The lines that answer a question, the best first; how it was parsed; the look-ups made."""

    about: ParsedQuestion
    lookups: Sequence[Lookup]
    ranked: Sequence[RankedLine]


class Scorer:
    """Scores lines for one question."""

    def __init__(self, about: ParsedQuestion) -> None:
        self._about = about
        self._first = about.people[0] if about.people else None
        self._idf = [_idf(group.lines, about.lines) for group in about.groups]
        self._scale = weights.POINTS / (sum(self._idf) or 1.0)
        self._times = [(one.since.timestamp(), one.until.timestamp()) for one in about.times]
        self._groups_of: dict[str, list[tuple[int, float]]] = {}
        for number, group in enumerate(about.groups):
            for word, weight in group.words.items():
                self._groups_of.setdefault(word, []).append((number, weight))
        self._asked = frozenset(self._groups_of)
        self._strong = [_STRONG * idf for idf in self._idf]
        self._weights: dict[int, GroupWeights] = {}
        self._shares: dict[GroupBits, float] = {}

    def promising(self, lines: Collection[CandidateLine], most: int) -> list[CandidateLine]:
        """The `most` best lines by themselves, the best first."""
        alone = weights.PROXIMITY + weights.COVERAGE
        rough = {
            line.id: sum(self._words(line).values()) * self._scale * alone
            + sum(self._by_itself(line).values())
            for line in lines
        }
        return sorted(lines, key=lambda line: (rough[line.id], line.place), reverse=True)[:most]

    def ranked(
        self, passages: Sequence[Passage], found: Collection[CandidateLine]
    ) -> list[RankedLine]:
        """Every line of the passages that may answer, the best first.

        If the question names a time, lines `found` may answer without any of its words.
        """
        ids = {line.id for line in found} if self._times else set[int]()
        scored = [one for passage in passages for one in self._in_passage(passage, ids)]
        return sorted(scored, key=lambda one: (one.score, one.line.place), reverse=True)

    def _in_passage(self, passage: Passage, found: Collection[int]) -> Iterator[RankedLine]:
        """The lines of a passage with a word of the question close by, or that were `found`."""
        hits = _word_hits(passage, map(self._words, passage))
        held = {at: self._held(words) for at, words in hits.weights.items()}
        by_time = (
            {at for at, line in enumerate(passage) if line.id in found} if found else set[int]()
        )
        by_person = self._by_person(passage)
        for at in sorted(hits.close_by.keys() | by_time):
            line = passage[at]
            if not line.may_answer:
                continue
            here = _spread(hits, at)
            if not here and at not in by_time:
                continue
            nearby = 0
            for other, groups in held.items():
                if -weights.NEAR <= other - at <= weights.NEAR:
                    nearby |= groups
            points = {
                "words here and close by": weights.PROXIMITY * self._scale * sum(here.values()),
                "share of the words here": weights.COVERAGE * self._share(held.get(at, 0)),
                "share of the words nearby": weights.NEARBY * self._share(nearby),
                **self._by_itself(line),
            }
            if at - 1 in hits.questions:
                points["answers a question"] = (
                    weights.QUESTION_CARRYOVER * self._scale * _carried_over(hits, at)
                )
            if any(abs(other - at) <= weights.NEAR for other in by_person):
                points["the person takes part"] = weights.TAKES_PART
            if len(self._idf) > 1 and held.get(at, 0).bit_count() == self._findable:
                points["all words"] = weights.ALL_TERMS
            yield RankedLine(line, points)

    def _by_person(self, passage: Passage) -> set[int]:
        """The positions in a passage of the lines by the first person that the question names."""
        if not self._first:
            return set()
        return {at for at, line in enumerate(passage) if line.nick == self._first}

    def _held(self, words: GroupWeights) -> GroupBits:
        """The groups that a line counts as holding."""
        return sum(1 << group for group, weight in words.items() if weight > self._strong[group])

    def _share(self, groups: GroupBits) -> float:
        """The weight of these groups together."""
        share = self._shares.get(groups)
        if share is None:  # few of all combinations occur, and these on many lines
            weighed = (idf for group, idf in enumerate(self._idf) if groups >> group & 1)
            share = self._shares[groups] = self._scale * sum(weighed)
        return share

    @cached_property
    def _findable(self) -> int:
        """How many groups any line holds."""
        return sum(1 for group in self._about.groups if group.lines)

    def _by_itself(self, line: CandidateLine) -> dict[str, float]:
        """The points of a line that do not depend on the words of the question."""
        points, text = dict[str, float](), line.text
        if self._first and line.nick == self._first:
            only = len(self._about.people) == 1
            points["said by the person"] = weights.SPEAKER if only else weights.FIRST_SPEAKER
            if is_first_person(text):
                points["of himself or herself"] = weights.SPEAKS_OF_SELF
        if self._times:
            near = max(_nearness(line.at, *one) for one in self._times)
            points["of that time"] = weights.OF_THE_TIME * near
        if not is_question(text):
            points["no question"] = weights.STATEMENT
        if self._about.asks_when and names_a_time(text):
            points["names a time"] = weights.TELLS_WHEN
        return points

    def _words(self, line: CandidateLine) -> GroupWeights:
        """The groups that a line holds, weighed as BM25 does; the best form of each counts."""
        held = self._weights.get(line.id)
        if held is None:
            words = words_in(line.text)
            nothing = self._asked.isdisjoint(words)  # true of most lines
            held = self._weights[line.id] = _NOTHING if nothing else self._weighed(words)
        return held

    def _weighed(self, words: Sequence[str]) -> GroupWeights:
        held: dict[int, tuple[int, float]] = {}
        for word in words:
            for group, weight in self._groups_of.get(word, ()):
                times, best = held.get(group, (0, 0.0))
                held[group] = times + 1, max(best, weight)
        k1, b = weights.BM25_K1, weights.BM25_B
        norm = k1 * (1 - b + b * len(words) / self._about.length)
        return {
            group: best * self._idf[group] * times * (k1 + 1) / (times + norm)
            for group, (times, best) in held.items()
        }


@dataclass(frozen=True, slots=True)
class _WordHits:
    """The words of a question in a passage, by position.

    `weights` has the lines with a word, `questions` those of them that are questions, and
    `close_by` the lines within reach of a word, with their time in seconds since 1970.
    """

    weights: Mapping[int, GroupWeights]
    questions: Collection[int]
    close_by: Mapping[int, float]


def _word_hits(passage: Passage, lines: Iterable[GroupWeights]) -> _WordHits:
    """Most lines of a passage hold no word, and are not looked at any further."""
    held = {at: words for at, words in enumerate(lines) if words}
    reach = range(-len(weights.FADES), len(weights.FADES) + 1)
    close_by = {at + by for at in held for by in reach if 0 <= at + by < len(passage)}
    return _WordHits(
        held,
        {at for at in held if is_question(passage[at].text)},
        {at: passage[at].at for at in close_by},
    )


def _spread(hits: _WordHits, at: int) -> dict[int, float]:
    """The words of a line and, faded, of the two on each side."""
    here = dict(hits.weights.get(at, {}))
    for distance, fade in enumerate(weights.FADES, 1):
        for other in (at - distance, at + distance):
            words = hits.weights.get(other)
            if not words or abs(hits.close_by[other] - hits.close_by[at]) > weights.SILENCE:
                continue
            share = weights.ASKED_BEFORE if other == at - 1 and other in hits.questions else fade
            for group, weight in words.items():
                here[group] = max(here.get(group, 0.0), weight * share)
    return here


def _carried_over(hits: _WordHits, at: int) -> float:
    """The weight of the words of the line before that the line itself lacks."""
    mine = hits.weights.get(at, {})
    asked = hits.weights[at - 1]
    return sum(max(0.0, weight - mine.get(group, 0.0)) for group, weight in asked.items())


def _idf(holding: int, lines: int) -> float:
    holding = min(holding, lines)
    return float(log(1 + (lines - holding + 0.5) / (holding + 0.5)) ** weights.RARITY)


def _nearness(at: float, since: float, until: float) -> float:
    """1 within a time, fading over two weeks; a month is often spoken of in the next one."""
    if since <= at < until:
        return 1.0
    days = (since - at if at < since else at - until) / _DAY
    for most, near in ((1, 0.9), (7, 0.6), (14, 0.3)):
        if days <= most:
            return near
    return 0.5 if until - since > 20 * _DAY and at >= until and days <= 31 else 0.0
