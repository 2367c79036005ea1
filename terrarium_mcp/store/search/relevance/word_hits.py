"""Word hits: where the words of a question are in a passage, and which lines they count for. Pure.

A word counts in the line that holds it and, faded, one or two lines away, and between a line and
its replies; the words of a question also count for the line that follows it. A reply takes no words
from the talk of others beside it.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_

from terrarium_mcp.chat.question_marks import ends_with_question_mark
from terrarium_mcp.store.search.relevance import weights
from terrarium_mcp.store.search.relevance.corpus import Passage

GroupWeights = Mapping[int, float]
"""The term groups of a question that a line holds (by number), each with its weight there."""

GroupBits = int
"""A set of term groups, one bit each, by number."""


@dataclass(frozen=True, slots=True)
class WordHits:
    """The words of a question in a passage, by the index of each line.

    Attributes:
        words: the lines with a word.
        groups: of every line the term groups that it holds strongly enough to count.
        questions: those of them that are questions.
        close_by: the lines within reach of a word, with their time in seconds since 1970.
        replies: of each reply the line that it answers.
        linked: the other ends of the replies from and to a line.
        apart: of each reply the lines beside it that are talk of others.
    """

    words: Mapping[int, GroupWeights]
    groups: Sequence[GroupBits]
    questions: Collection[int]
    close_by: Mapping[int, float]
    replies: Mapping[int, int]
    linked: Mapping[int, Collection[int]]
    apart: Mapping[int, Collection[int]]

    @classmethod
    def among(
        cls,
        passage: Passage,
        words_of_lines: Iterable[GroupWeights],
        replies: Mapping[int, int],
        apart: Mapping[int, Collection[int]],
        enough: Sequence[float],
    ) -> "WordHits":
        """The hits in a passage.

        Most lines of a passage hold no word, and are not looked at any further.

        Args:
            passage: its lines.
            words_of_lines: the words of each of them.
            replies: as the attribute.
            apart: as the attribute.
            enough: of each term group the weight above which a line counts as holding it.
        """
        words = {at: held for at, held in enumerate(words_of_lines) if held}
        reach = range(-len(weights.FADES), len(weights.FADES) + 1)
        close_by = {at + by for at in words for by in reach if 0 <= at + by < len(passage)}
        linked: dict[int, list[int]] = {}
        for reply, answered in replies.items():
            linked.setdefault(reply, []).append(answered)
            linked.setdefault(answered, []).append(reply)
        close_by |= {other for at in words for other in linked.get(at, ())}
        groups = [0] * len(passage)
        for at, held in words.items():
            groups[at] = _held_strongly(held, enough)
        return cls(
            words=words,
            groups=groups,
            questions={at for at in words if ends_with_question_mark(passage[at].text)},
            close_by={at: passage[at].at for at in close_by},
            replies=replies,
            linked=linked,
            apart=apart,
        )

    def groups_near(self, at: int) -> GroupBits:
        """The groups said within `weights.NEAR` lines of a line, or in its replies."""
        near = reduce(or_, self.groups[max(0, at - weights.NEAR) : at + weights.NEAR + 1])
        for other in self.linked.get(at, ()):
            near |= self.groups[other]
        return near

    def spread(self, at: int) -> dict[int, float]:
        """The words of a line and, faded, of the two on each side and of what it replies to."""
        spread = dict(self.words.get(at, {}))
        for other, share in self.lenders(at):
            for group, weight in self.words[other].items():
                spread[group] = max(spread.get(group, 0.0), weight * share)
        return spread

    def lenders(self, at: int) -> Iterator[tuple[int, float]]:
        """The lines whose words count for a line, each with the share that does."""
        apart = self.apart.get(at, ())
        for distance, fade in enumerate(weights.FADES, 1):
            for other in (at - distance, at + distance):
                if other not in self.words or other in apart:
                    continue
                if abs(self.close_by[other] - self.close_by[at]) > weights.SILENCE:
                    continue
                is_asked = other == at - 1 and other in self.questions
                yield other, weights.ASKED_BEFORE if is_asked else fade
        for other in self.linked.get(at, ()):
            if other in self.words:
                is_asked = other == self.replies.get(at) and other in self.questions
                yield other, weights.ASKED_BEFORE if is_asked else weights.REPLIED

    def carried_over(self, at: int) -> float | None:
        """The weight of the words that a question adds to the line that may answer it.

        The question is the line before it, or that it replies to; of two the one that adds more.
        None if there is none.
        """
        asked = {at - 1, self.replies.get(at, at - 1)}.intersection(self.questions)
        return max(self._lacking(at, question) for question in asked) if asked else None

    def _lacking(self, at: int, question: int) -> float:
        """The weight of the words of a question that a line lacks."""
        held = self.words.get(at, {})
        asked = self.words[question].items()
        return sum(max(0.0, weight - held.get(group, 0.0)) for group, weight in asked)


def _held_strongly(words: GroupWeights, enough: Sequence[float]) -> GroupBits:
    return sum(1 << group for group, weight in words.items() if weight > enough[group])
