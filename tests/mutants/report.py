"""The score of a room, and docs/mutants.md."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.mutants.equivalent import Change, change
from tests.mutants.running import Verdict

GOAL = 0.85  # of the mutants that are not equivalent
MOST_EQUIVALENT = 0.1  # of all that were drawn

_HEAD = """# Mutants

How well the tests notice a wrong line: `make mutants` changes one thing at a time and runs the
tests of that room. The goal is {goal:.0%} killed in each; at most {most:.0%} of those drawn may be
marked as equivalent, each with its reason in tests/mutants/equivalent/.

Drawn at commit `{commit}` by the seed `{seed}`.

| room | drawn | killed | of these by time | equivalent | survived | score | minutes |
|---|---|---|---|---|---|---|---|
{rows}
"""


@dataclass(frozen=True)
class Score:
    """What became of the mutants of one room. `seconds` is how long it took."""

    room: str
    killed: int
    timeouts: int  # counted among the killed
    survivors: list[Verdict]
    equivalent: list[tuple[Verdict, str]]
    seconds: float

    @classmethod
    def counted(
        cls,
        room: str,
        verdicts: Sequence[Verdict],
        marked: Mapping[Change, str],
        seconds: float,
    ) -> "Score":
        """The score of these verdicts. A marked mutant that was killed counts as killed."""
        left = [one for one in verdicts if not one.is_killed]
        reasons = [(one, marked.get(change(one.mutant), "")) for one in left]
        return cls(
            room=room,
            killed=len(verdicts) - len(left),
            timeouts=sum(one.verdict == "timeout" for one in verdicts),
            survivors=[one for one, reason in reasons if not reason],
            equivalent=[(one, reason) for one, reason in reasons if reason],
            seconds=seconds,
        )

    @property
    def drawn(self) -> int:
        """How many mutants there were."""
        return self.killed + len(self.survivors) + len(self.equivalent)

    @property
    def share(self) -> float:
        """The share that was killed of those that a test can kill."""
        return self.killed / ((self.drawn - len(self.equivalent)) or 1)

    @property
    def is_good(self) -> bool:
        """Whether the goal is met."""
        return self.share >= GOAL and len(self.equivalent) <= MOST_EQUIVALENT * self.drawn

    def __str__(self) -> str:
        return (
            f"{self.share:.1%} killed ({self.killed} of {self.drawn}, {self.timeouts} by time,"
            f" {len(self.equivalent)} equivalent, {len(self.survivors)} survived),"
            f" {self.seconds / 60:.1f} min"
        )


def write(file: Path, scores: Sequence[Score], *, commit: str, seed: str) -> None:
    """Write the table and every survivor."""
    rows = [
        f"| {one.room} | {one.drawn} | {one.killed} | {one.timeouts} | {len(one.equivalent)}"
        f" | {len(one.survivors)} | {one.share:.1%} | {one.seconds / 60:.0f} |"
        for one in scores
    ]
    parts = [
        _HEAD.format(
            goal=GOAL, most=MOST_EQUIVALENT, commit=commit, seed=seed, rows="\n".join(rows)
        )
    ]
    for score in scores:
        parts.append(f"## {score.room}: survivors\n")
        parts += [_shown(one) for one in score.survivors] or ["None.\n"]
        if score.equivalent:
            parts.append(f"## {score.room}: equivalent\n")
            parts += [f"{_shown(one)}\n{reason}\n" for one, reason in score.equivalent]
    file.write_text("\n".join(parts), "utf-8")


def _shown(one: Verdict) -> str:
    return f"`{one.mutant.place}` {one.mutant.function}\n```diff\n{one.mutant.diff}\n```\n"
