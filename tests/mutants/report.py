"""The score of a room, and its page in docs/mutants/."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.mutants.equivalent import Change, change
from tests.mutants.running import Verdict

GOAL = 0.85  # of the mutants that are not equivalent
MOST_EQUIVALENT = 0.1  # of all that were drawn

_HEAD = """# Mutants of the room {room}

{share} killed; the goal is {goal:.0%} (docs/mutants.md says what that means).

Drawn at commit `{commit}` by the seed `{seed}`, run in {minutes:.0f} minutes.

| drawn | killed | of these by time | equivalent | survived |
|---|---|---|---|---|
| {drawn} | {killed} | {timeouts} | {equivalent} | {survived} |
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


def write(file: Path, score: Score, *, commit: str, seed: str) -> None:
    """Write the score of a room, and every survivor."""
    head = _HEAD.format(
        room=score.room,
        share=f"{score.share:.1%}",
        goal=GOAL,
        commit=commit,
        seed=seed,
        minutes=score.seconds / 60,
        drawn=score.drawn,
        killed=score.killed,
        timeouts=score.timeouts,
        equivalent=len(score.equivalent),
        survived=len(score.survivors),
    )
    parts = [head, "## Survivors\n"]
    parts += [_shown(one) for one in score.survivors] or ["None.\n"]
    if score.equivalent:
        parts.append("## Equivalent\n")
        parts += [f"{_shown(one)}\n{reason}\n" for one, reason in score.equivalent]
    file.write_text("\n".join(parts), "utf-8")


def _shown(one: Verdict) -> str:
    return f"`{one.mutant.place}` {one.mutant.function}\n```diff\n{one.mutant.diff}\n```\n"
