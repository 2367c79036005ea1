"""Runs: ranges of ids within which time rises, so that newest-first needs no sort.

The index's rowid is the id with a minus sign. Live recording is one run, each import that is
sorted by time one more. Measured on a million recorded lines with a million imported ones from
before them, against a dense place in time for each line (bench/order.py): runs take 39 bytes a line
and places 51, nothing is ever renumbered, and look-ups cost the same within a quarter.

Lines need not be quite in order: clocks of servers differ, and a bouncer plays back what was
missed. `slack` says by how much at most a line of the run lies before one with a smaller id.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import pairwise

from terrarium_mcp.chat.when import from_text
from terrarium_mcp.store.database import Row, Writer

TABLES = """
-- Ranges of ids within which time rises, but for `slack` milliseconds.
CREATE TABLE runs (
  first INTEGER PRIMARY KEY,
  last INTEGER NOT NULL,
  began TEXT NOT NULL,
  ended TEXT NOT NULL,
  slack INTEGER NOT NULL
);
"""

TOLERATED = timedelta(hours=1)
"""A line that lies further back than this begins a new run."""

FEW = 8
"""More runs than this are joined, where the joint run's slack stays below a day."""

JOINABLE = timedelta(days=1)

_MS = timedelta(milliseconds=1)


@dataclass(frozen=True, slots=True)
class Run:
    """The ids `first` to `last`; `began` and `ended` are the earliest and latest timestamp."""

    first: int
    last: int
    began: str
    ended: str
    slack: int = 0

    def taking(self, number: int, timestamp: str) -> "Run | None":
        """The run with one more line at its end; None if the line lies too far back."""
        slack = self.slack
        if timestamp < self.ended:
            slack = max(slack, _apart(timestamp, self.ended))
            if slack > TOLERATED // _MS:
                return None
        return Run(
            self.first,
            number,
            min(self.began, timestamp),
            max(self.ended, timestamp),
            slack,
        )

    def joined(self, later: "Run") -> "Run":
        """This run and the one with the next ids as one."""
        overlap = _apart(later.began, self.ended) if later.began < self.ended else 0
        return Run(
            self.first,
            later.last,
            min(self.began, later.began),
            max(self.ended, later.ended),
            max(self.slack, later.slack, overlap),
        )


def runs_of(lines: Sequence[tuple[int, str]], last: Run | None = None) -> list[Run]:
    """Arrange lines, (id, timestamp) by rising id, in runs; the first may continue `last`."""
    if last and _goes_on(lines, last):  # nearly always: a tenth of going through them one by one
        number, timestamp = lines[-1]
        return [replace(last, last=number, ended=timestamp)]
    runs: list[Run] = []
    for number, timestamp in lines:
        longer = last.taking(number, timestamp) if last else None
        if longer is None:
            if last:
                runs.append(last)
            longer = Run(number, number, timestamp, timestamp)
        last = longer
    return [*runs, last] if last else runs


def _goes_on(lines: Sequence[tuple[int, str]], last: Run) -> bool:
    """Whether lines continue a run, and each other, without a step backwards."""
    timestamps = [last.ended, *(timestamp for _, timestamp in lines)]
    return len(timestamps) > 1 and timestamps == sorted(timestamps)


def few(runs: Sequence[Run]) -> list[Run]:
    """The same lines in at most `FEW` runs, as far as that costs little order.

    Neighbours are joined, those first whose joint slack is the smallest.
    """
    joined = list(runs)
    while len(joined) > FEW:
        pairs = [one.joined(other) for one, other in pairwise(joined)]
        at = min(range(len(pairs)), key=lambda n: pairs[n].slack)
        if pairs[at].slack > JOINABLE // _MS:
            break
        joined[at : at + 2] = [pairs[at]]
    return joined


class Runs:
    """The runs of the database, derived from the ids and times of its messages."""

    name = "runs"
    tables = ("runs",)

    async def add(self, writer: Writer, first: int, last: int) -> None:
        """Arrange the lines `first` to `last`, which follow all others."""
        lines = await writer.rows(
            "SELECT id, timestamp FROM messages WHERE id BETWEEN :first AND :last"
            " AND room NOT NULL AND timestamp NOT NULL ORDER BY id",
            {"first": first, "last": last},
        )
        if not lines:
            return
        known = [run_of(row) for row in await writer.rows(f"{SELECT} ORDER BY first")]
        arranged = runs_of([(row[0], row[1]) for row in lines], known[-1] if known else None)
        runs = few([*known[:-1], *arranged])
        if runs == known:
            return
        await self.clear(writer)
        await writer.many(
            "INSERT INTO runs (first, last, began, ended, slack) VALUES (?, ?, ?, ?, ?)",
            [(run.first, run.last, run.began, run.ended, run.slack) for run in runs],
        )

    async def remove(self, writer: Writer, ids: Sequence[int]) -> None:
        """Nothing to give up: a run without some of its lines is still a run."""

    async def clear(self, writer: Writer) -> None:
        """Hold no run."""
        await writer.run("DELETE FROM runs")

    async def differences(self, writer: Writer) -> list[str]:
        """Whether a line stands outside of every run, or breaks the order of its own."""
        astray = await writer.value(
            "SELECT count(*) FROM messages m WHERE m.room NOT NULL AND NOT EXISTS"
            " (SELECT 1 FROM runs r WHERE m.id BETWEEN r.first AND r.last"
            "  AND m.timestamp BETWEEN r.began AND r.ended)"
        )
        told = [f"runs: {astray} lines stand outside of every run"] if astray else []
        for run in [run_of(row) for row in await writer.rows(SELECT)]:
            lines = await writer.rows(
                "SELECT id, timestamp FROM messages WHERE id BETWEEN :first AND :last"
                " AND room NOT NULL ORDER BY id",
                {"first": run.first, "last": run.last},
            )
            if _disorder(row[1] for row in lines) > run.slack:
                told.append(f"runs: the run from id {run.first} is less in order than it says")
        return told


SELECT = "SELECT first, last, began, ended, slack FROM runs"


def run_of(row: Row) -> Run:
    """A row of `runs`."""
    return Run(*row)


def _disorder(timestamps: Iterable[str]) -> int:
    """By how many milliseconds a line lies before one with a smaller id, at most."""
    latest, most = "", 0
    for timestamp in timestamps:
        if timestamp < latest:
            most = max(most, _apart(timestamp, latest))
        latest = max(latest, timestamp)
    return most


def _apart(earlier: str, later: str) -> int:
    """Milliseconds between two timestamps, rounded up."""
    return -(-(from_text(later) - from_text(earlier)) // _MS)
