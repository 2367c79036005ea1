"""The scores of one run, for each kind of question and in all."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from bench.quality.questions.development_set import DevelopmentQuestion

CLOSE = 8
"""Lines said between a hit and an answer, up to which reading around the hit shows the answer."""


@dataclass(frozen=True, slots=True)
class ScoredAnswer:
    """How a question was answered.

    Attributes:
        question: what was asked.
        rank: the place of the first hit that answers, from 1; 0 if there is none.
        distance: how many lines lie between an answer and the hit that is nearest to one; None
            where no hit is in the log.
        is_weak: whether the answer says that its best hit is weak.
        hits: how many lines were returned.
    """

    question: DevelopmentQuestion
    rank: int
    distance: int | None
    is_weak: bool
    hits: int

    @property
    def is_close(self) -> bool:
        """Whether an answer stands within `CLOSE` lines of a hit."""
        return self.distance is not None and self.distance <= CLOSE

    @property
    def promises_nothing(self) -> bool:
        """Whether nothing was found, or nothing but weak hits."""
        return self.is_weak or not self.hits


def table(answers: Sequence[ScoredAnswer]) -> str:
    """A row for each kind of question, and one for all that can be answered."""
    answerable = [one for one in answers if one.question.is_answerable]
    kinds = sorted({one.question.kind for one in answerable})
    rows = [
        "| kind | questions | found | within 8 lines | MRR | weak or nothing |",
        "|---|---|---|---|---|---|",
        *(_row(kind, [one for one in answerable if one.question.kind == kind]) for kind in kinds),
        _row("**all**", answerable),
    ]
    halves = sorted({one.question.half for one in answerable})
    rows += [
        _row(half, [one for one in answerable if one.question.half == half]) for half in halves
    ]
    absent = [one for one in answers if not one.question.is_answerable]
    for kind in sorted({one.question.kind for one in absent}):
        some = [one for one in absent if one.question.kind == kind]
        rows.append(f"| {kind} | {len(some)} | | | | {_weak(some)} |")
    return "\n".join(rows)


def _row(name: str, answers: Sequence[ScoredAnswer]) -> str:
    found = [one.rank > 0 for one in answers]
    close = [one.is_close for one in answers]
    reciprocal = fmean(1 / one.rank if one.rank else 0.0 for one in answers)
    return (
        f"| {name} | {len(answers)} | {_percent(found)} | {_percent(close)} | {reciprocal:.3f}"
        f" | {_weak(answers)} |"
    )


def _weak(answers: Sequence[ScoredAnswer]) -> str:
    weak = [one.promises_nothing for one in answers]
    return f"{sum(weak)} ({_percent(weak)})"


def _percent(values: Iterable[bool]) -> str:
    return f"{100 * fmean(values):.1f} %"
