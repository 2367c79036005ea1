"""Scoring: the points of each line, by its own words and by those around it. Pure."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from math import log

from terrarium_mcp.chat.english.words import is_asking_word
from terrarium_mcp.chat.mentions import addressee
from terrarium_mcp.chat.question import (
    is_first_person,
    is_literal,
    names_a_time,
    said_words,
)
from terrarium_mcp.chat.question_marks import ends_with_question_mark
from terrarium_mcp.chat.terms import BEGINNING, Term, TermKind, contains_term, words_in
from terrarium_mcp.chat.times.time_expressions import TimeExpression
from terrarium_mcp.store.search.relevance import weights
from terrarium_mcp.store.search.relevance.corpus import CandidateLine, Passage
from terrarium_mcp.store.search.relevance.question import ParsedQuestion, TermGroup
from terrarium_mcp.store.search.relevance.word_hits import GroupBits, GroupWeights, WordHits

Points = Mapping[str, float]
"""The points of a line, by reason."""

TAKES_PART = "the person takes part"
"""The reason for the points of a line near which the first person named speaks or is spoken to."""

AROUND, HERE, NEARBY = (
    "words here and close by",
    "share of the words here",
    "share of the words nearby",
)
"""The reasons for the points that a line has from the words of the question."""

_NOTHING: GroupWeights = {}

_STRONG = 0.25
"""The share of a group's weight above which a line counts as holding it."""

_DAY = 86_400


class Scorer:
    """Scores lines for one question."""

    def __init__(self, parsed: ParsedQuestion) -> None:
        self._parsed = parsed
        self._people = frozenset(parsed.people)
        self._first = parsed.people[0] if parsed.people else None
        self._idf = [_weight(group, parsed.lines) for group in parsed.groups]
        self._scale = weights.POINTS / (_whole(parsed) or 1.0)
        self._times = [
            (time.nearer.timestamp(), time.until.timestamp(), _time_weight(time))
            for time in parsed.times
        ]
        self._groups_of: dict[str, list[tuple[int, float]]] = {}
        for number, group in enumerate(parsed.groups):
            for word, weight in group.words.items():
                self._groups_of.setdefault(word, []).append((number, weight))
        self._speakers = {one.speaker: f"<{one.speaker}>" for one in parsed.groups if one.speaker}
        for number, group in enumerate(parsed.groups):
            if group.speaker:
                self._groups_of[self._speakers[group.speaker]] = [(number, weights.SPEAKS)]
        self._asked = frozenset(self._groups_of)
        self._read_for = {word: _term(word) for word in self._asked if _needs_the_line(word)}
        self._strong = [_STRONG * idf for idf in self._idf]
        self._weights: dict[int, GroupWeights] = {}
        self._called: dict[int, str] = {}
        self._shares: dict[GroupBits, float] = {}

    def alone(self, line: CandidateLine) -> float:
        """Roughly the points of a line, before those around it are known."""
        by_words = weights.PROXIMITY + weights.COVERAGE
        return (
            sum(self._words(line).values()) * self._scale * by_words
            + sum(self._by_itself(line).values())
            + (weights.TAKES_PART if self._is_with_first(line) else 0.0)
        )

    def in_passage(
        self, passage: Passage, wordless: Collection[int]
    ) -> Iterator[tuple[CandidateLine, Points]]:
        """The lines of a passage that may answer, each with its points.

        They have a word of the question close by; those with a `wordless` id may do without.
        """
        hits, near_person = self.word_hits(passage), self._near_person(passage)
        also = {at for at, line in enumerate(passage) if line.id in wordless} if wordless else set()
        for at in sorted(hits.close_by.keys() | also):
            line = passage[at]
            if line.may_answer and ((spread := hits.spread(at)) or at in also):
                around = sum(spread.values())
                yield line, self._points(line, hits, at, around, takes_part=at in near_person)

    def word_hits(self, passage: Passage) -> WordHits:
        """Where the words of the question are in a passage."""
        words, replies = map(self._words, passage), self._replies(passage)
        apart = self._talk_of_others(passage, replies)
        return WordHits.among(passage, words, replies, apart, self._strong)

    def said_near(self, line: CandidateLine, passage: Passage) -> GroupWeights:
        """The groups said within `NEAR` lines of one in a passage, each with its best form."""
        at = passage.index(line)
        said: dict[int, float] = {}
        for near in passage[max(0, at - weights.NEAR) : at + weights.NEAR + 1]:
            for word in self._said(near):
                for group, weight in self._groups_of.get(word, ()):
                    said[group] = max(weight, said.get(group, 0.0))
        return said

    def addressee(self, line: CandidateLine) -> str:
        """Whom a line calls."""
        called = self._called.get(line.id)
        if called is None:
            called = self._called[line.id] = addressee(line.text)
        return called

    def _points(
        self, line: CandidateLine, hits: WordHits, at: int, around: float, *, takes_part: bool
    ) -> dict[str, float]:
        """The points of a line by reason.

        Args:
            line: the line.
            hits: those in its passage.
            at: its index there.
            around: the weight of the words in the line and close by.
            takes_part: whether the first person named speaks or is spoken to near it.
        """
        held = hits.groups[at]
        points = {
            AROUND: weights.PROXIMITY * self._scale * around,
            HERE: weights.COVERAGE * self._share(held),
            NEARBY: weights.NEARBY * self._share(hits.groups_near(at)),
            **self._by_itself(line),
        }
        if (carried := hits.carried_over(at)) is not None:
            points["answers a question"] = weights.QUESTION_CARRYOVER * self._scale * carried
        elif not held and len(said_words(line.text)) < weights.SAYS_SOMETHING:
            points["says little"] = -weights.SAYS_LITTLE
        if takes_part:
            points[TAKES_PART] = weights.TAKES_PART
        if len(self._idf) > 1 and held.bit_count() == self._findable:
            points["all words"] = weights.ALL_TERMS
        return points

    def _near_person(self, passage: Passage) -> set[int]:
        """The indices of lines within `NEAR` of one by, or to, the first person named."""
        if not self._first:
            return set()
        return {
            near
            for at, line in enumerate(passage)
            if self._is_with_first(line)
            for near in range(at - weights.NEAR, at + weights.NEAR + 1)
        }

    def _is_with_first(self, line: CandidateLine) -> bool:
        """Whether a line is by, or to, the first person that the question names."""
        return self._first is not None and self._first in (line.nick, self.addressee(line))

    def _replies(self, passage: Passage) -> dict[int, int]:
        """The replies in a passage that name whom they answer, each with the line they answer.

        Of that person's recent lines it is the latest with a word of the question, if there is one:
        people ask in several lines, and the last is often an empty `any ideas?`.
        """
        replies: dict[int, int] = {}
        for at, line in enumerate(passage):
            if nick := self.addressee(line):
                recent = range(max(0, at - weights.LATER), at)
                theirs = [other for other in recent if passage[other].nick == nick]
                if theirs:
                    replies[at] = max(theirs, key=lambda n: (bool(self._words(passage[n])), n))
        return replies

    def _talk_of_others(
        self, passage: Passage, replies: Mapping[int, int]
    ) -> dict[int, Collection[int]]:
        """Of each reply the lines beside it that neither of its two people says or is called in."""
        reach, others = len(weights.FADES), dict[int, Collection[int]]()
        for reply, answered in replies.items():
            two = {passage[reply].nick, passage[answered].nick}
            beside = range(max(0, reply - reach), min(len(passage), reply + reach + 1))
            others[reply] = {
                at
                for at in beside
                if two.isdisjoint((passage[at].nick, self.addressee(passage[at])))
            }
        return others

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
        return sum(1 for group in self._parsed.groups if group.lines)

    def _by_itself(self, line: CandidateLine) -> dict[str, float]:
        """The points of a line that do not depend on the words of the question."""
        points, text = dict[str, float](), line.text
        if self._first and line.nick == self._first:
            only = len(self._parsed.people) == 1
            points["said by the person"] = weights.SPEAKER if only else weights.FIRST_SPEAKER
            if is_first_person(text):
                points["of himself or herself"] = weights.SPEAKS_OF_SELF
        if self._times:
            points["of that time"] = max(
                weight * _nearness(line.at, since, until) for since, until, weight in self._times
            )
        elif self._people and line.nick != self.addressee(line) in self._people:
            points["said to the person"] = weights.ADDRESSED
        if not ends_with_question_mark(text):
            points["no question"] = weights.STATEMENT
        if self._parsed.asks_when and names_a_time(text):
            points["names a time"] = weights.TELLS_WHEN
        return points

    def _words(self, line: CandidateLine) -> GroupWeights:
        """The groups that a line holds, weighed as BM25 does; the best form of each counts."""
        held = self._weights.get(line.id)
        if held is None:
            words = self._said(line)
            nothing = self._asked.isdisjoint(words)  # true of most lines
            held = self._weights[line.id] = _NOTHING if nothing else self._weighed(words)
        return held

    def _said(self, line: CandidateLine) -> Sequence[str]:
        """The words of a line, and what of the question it holds beside them.

        These are words with signs, and `<nick>` if the nick that said it may be a word asked for.
        """
        words = words_in(line.text)
        if not (self._read_for or self._speakers):  # most questions, for thousands of lines
            return words
        held = [word for word, term in self._read_for.items() if contains_term(line.text, term)]
        if speaker := self._speakers.get(line.nick):
            held.append(speaker)
        return [*words, *held]

    def _weighed(self, words: Sequence[str]) -> GroupWeights:
        held: dict[int, tuple[int, float]] = {}
        for word in filter(self._asked.__contains__, words):
            for group, weight in self._groups_of[word]:
                times, best = held.get(group, (0, 0.0))
                held[group] = times + 1, max(best, weight)
        k1, b = weights.BM25_K1, weights.BM25_B
        norm = k1 * (1 - b + b * len(words) / self._parsed.length)
        return {
            group: best * self._idf[group] * times * (k1 + 1) / (times + norm)
            for group, (times, best) in held.items()
        }


def _needs_the_line(word: str) -> bool:
    """Whether a word of the question is none of those into which a line is taken apart."""
    return is_literal(word) or word.endswith(BEGINNING)


def _term(word: str) -> Term:
    if word.endswith(BEGINNING):
        return Term(word.removesuffix(BEGINNING), TermKind.PREFIX)
    return Term(word)


def _whole(parsed: ParsedQuestion) -> float:
    """The divisor that gives all words `POINTS` together.

    Beside a name it is larger: asking words count in full, and one or two words count as three.
    """
    if not parsed.people:
        return sum(_weight(group, parsed.lines) for group in parsed.groups)
    whole = sum(_rarity_weight(group, parsed.lines) for group in parsed.groups)
    return whole * max(1.0, weights.BESIDE_A_PERSON / max(1, len(parsed.groups)))


def _weight(group: TermGroup, lines: int) -> float:
    """The weight of a group among those of a question."""
    weight = _rarity_weight(group, lines)
    return weights.ASKING * weight if is_asking_word(group.word) else weight


def _rarity_weight(group: TermGroup, lines: int) -> float:
    return float(rarity(group.lines, lines) ** weights.RARITY)


def _time_weight(time: TimeExpression) -> float:
    """The points of a line within a time."""
    is_long = time.until - time.nearer > weights.LONG_TIME
    return weights.OF_A_LONG_TIME if is_long else weights.OF_THE_TIME


def rarity(holding: int, lines: int) -> float:
    """The inverse document frequency of a word that `holding` of all `lines` hold."""
    holding = min(holding, lines)
    return log(1 + (lines - holding + 0.5) / (holding + 0.5))


def _nearness(at: float, since: float, until: float) -> float:
    """1 within a time, fading over two weeks; a month is often spoken of in the next one."""
    if since <= at < until:
        return 1.0
    days = (since - at if at < since else at - until) / _DAY
    for most, near in ((1, 0.9), (7, 0.6), (14, 0.3)):
        if days <= most:
            return near
    return 0.5 if until - since > 20 * _DAY and at >= until and days <= 31 else 0.0
