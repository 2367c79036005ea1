"""Ranking: which lines lead, and by which the answer is judged. Pure."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from terrarium_mcp.chat.mentions import without_addressee
from terrarium_mcp.chat.times.timestamps import to_text
from terrarium_mcp.store.search.relevance import weights
from terrarium_mcp.store.search.relevance.corpus import CandidateLine, Passage
from terrarium_mcp.store.search.relevance.lookup import Lookup
from terrarium_mcp.store.search.relevance.question import ParsedQuestion
from terrarium_mcp.store.search.relevance.scoring import (
    AROUND,
    HERE,
    NEARBY,
    TAKES_PART,
    Points,
    Scorer,
)
from terrarium_mcp.store.search.relevance.word_hits import GroupWeights


class RankedLine(NamedTuple):
    """A line, and its points by reason."""

    line: CandidateLine
    points: Points

    @property
    def score(self) -> float:
        """All points together."""
        return sum(self.points.values())

    @property
    def by_words(self) -> float:
        """Those that it has from the words of the question."""
        return sum(self.points.get(reason, 0.0) for reason in (AROUND, HERE, NEARBY))

    @property
    def holds_a_word(self) -> bool:
        """Whether it holds a word of the question, or one that may stand for it."""
        return self.points.get(HERE, 0.0) > 0


class JudgedLine(NamedTuple):
    """What speaks for one of the best lines, apart from its rank.

    `near` has the term groups said within `weights.NEAR` lines, each with the weight of the form
    that stands best for its word; `with_person` says whether the person named takes part there.
    """

    near: GroupWeights
    with_person: bool


@dataclass(frozen=True, slots=True)
class RankedAnswer:
    """The lines that answer a question, the best first, and how they came about.

    `parsed` is the question, `lookups` are those made. `judged` are the best lines by
    which the answer is judged, if it is.
    """

    parsed: ParsedQuestion
    lookups: Sequence[Lookup]
    ranked: Sequence[RankedLine]
    judged: Sequence[JudgedLine] = ()


class Ranking:
    """Ranks lines for one question, and judges the best of them."""

    def __init__(self, parsed: ParsedQuestion) -> None:
        self._scorer = Scorer(parsed)
        self._few = {nick for nick in parsed.people if parsed.has_few_lines(nick)}
        self._spans = [(to_text(time.since), to_text(time.until)) for time in parsed.times]

    def promising(self, lines: Collection[CandidateLine], most: int) -> list[CandidateLine]:
        """Up to `most` of the best lines by themselves, the best first.

        They are half as many and, of the next ones, those that come near the best of all.
        """
        rough = {line.id: self._scorer.alone(line) for line in lines}
        best = sorted(lines, key=lambda line: (rough[line.id], line.position), reverse=True)[:most]
        near = weights.PROMISES * max(rough.values(), default=0.0)
        return [line for n, line in enumerate(best) if n < most // 2 or rough[line.id] >= near]

    def ranked(
        self, passages: Sequence[Passage], found: Collection[CandidateLine]
    ) -> list[RankedLine]:
        """Every line of the passages that may answer, the best first.

        Those of a time that the question names lead, unless they say much less of what it asks.
        If it names a time, or a person of few lines, lines `found` may answer without any
        of its words.
        """
        wordless = {line.id for line in found if self._spans or self._is_of_few(line)}
        scored = (
            RankedLine(line, points)
            for passage in passages
            for line, points in self._scorer.in_passage(passage, wordless)
        )
        ranked = _less_for_repeats(_best_first(scored))
        if leading := self._of_the_time(ranked):
            ranked.sort(key=lambda one: one.line.id not in leading)
        return self._led_by_words(ranked, passages)

    def _is_of_few(self, line: CandidateLine) -> bool:
        """Whether a line is by, or to, one of the people named who have few lines."""
        if not self._few:
            return False
        return not self._few.isdisjoint((line.nick, self._scorer.addressee(line)))

    def _led_by_words(
        self, ranked: Sequence[RankedLine], passages: Sequence[Passage]
    ) -> list[RankedLine]:
        """The ranked lines, of which none leads by the words of others alone.

        It comes right after the best of those that lend it theirs, since read alone it answers
        nothing. Further below such a line keeps its rank.
        """
        ranks = {one.line.id: n for n, one in enumerate(ranked) if one.holds_a_word}
        leading = ranked[: min(ranks.values(), default=0)]
        after: dict[int, list[RankedLine]] = {}
        for one in leading:
            lenders = ranks.keys() & self._lenders_of(one.line, passages)
            if lenders:
                after.setdefault(min(lenders, key=ranks.__getitem__), []).append(one)
        moved = {one.line.id for later in after.values() for one in later}
        staying = (one for one in ranked if one.line.id not in moved)
        return [line for one in staying for line in (one, *after.get(one.line.id, ()))]

    def _lenders_of(self, line: CandidateLine, passages: Sequence[Passage]) -> set[int]:
        """The ids of those lines around one in the passages whose words count for it."""
        passage = _passage_of(line, passages)
        lenders = self._scorer.word_hits(passage).lenders(passage.index(line))
        return {passage[other].id for other, _ in lenders}

    def _of_the_time(self, ranked: Sequence[RankedLine]) -> set[int]:
        """The lines of a time that the question names which lead the ranked ones.

        These are the best of that time, and those that say enough of what is asked: if the person
        named takes part then, only where that is so.
        """
        if not self._spans:
            return set()
        then = [one for one in ranked if self._is_of_the_time(one.line)]
        then = [one for one in then if TAKES_PART in one.points] or then
        enough = weights.LEADS * max((one.by_words for one in ranked), default=0.0)
        return {one.line.id for one in then if one is then[0] or one.by_words >= enough}

    def _is_of_the_time(self, line: CandidateLine) -> bool:
        """Whether a line was said at a time that the question names."""
        return any(since <= line.timestamp < until for since, until in self._spans)

    def judged(self, ranked: Sequence[RankedLine], passages: Sequence[Passage]) -> list[JudgedLine]:
        """The best of the `ranked` lines of the passages.

        If the question names a person, the best where that person takes part, if there are any:
        others may have spoken of the same, but not answer what is asked of the person.
        """
        with_person = (one for one in ranked if TAKES_PART in one.points)
        best = list(islice(with_person, weights.JUDGED)) or ranked[: weights.JUDGED]
        return [
            JudgedLine(
                near=self._scorer.said_near(one.line, _passage_of(one.line, passages)),
                with_person=TAKES_PART in one.points,
            )
            for one in best
        ]


def _passage_of(line: CandidateLine, passages: Sequence[Passage]) -> Passage:
    """The passage that a line is in."""
    return next(passage for passage in passages if line in passage)


def _best_first(scored: Iterable[RankedLine]) -> list[RankedLine]:
    return sorted(scored, key=lambda one: (one.score, one.line.position), reverse=True)


def _less_for_repeats(ranked: list[RankedLine]) -> list[RankedLine]:
    """The lines, the best first; those that say again what a better one says lose points."""
    repeats = {one.line.id for one in _repeats(ranked)}
    if not repeats:  # mostly
        return ranked
    return _best_first(_as_repeat(one) if one.line.id in repeats else one for one in ranked)


def _repeats(ranked: Iterable[RankedLine]) -> Iterator[RankedLine]:
    """The lines that say again what one before them says."""
    said = set[str]()
    for one in ranked:
        if len(one.line.text) < weights.LONG:
            continue
        text = without_addressee(one.line.text)
        if len(text) < weights.LONG:
            continue
        if (folded := text.casefold()) in said:
            yield one
        said.add(folded)


def _as_repeat(one: RankedLine) -> RankedLine:
    """The line without a part of its points."""
    return one._replace(points={**one.points, "said before": -weights.REPEATED * one.score})
