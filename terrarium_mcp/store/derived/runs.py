"""Runs: ranges of ids within which time rises, so that newest-first needs no sort.

The index's rowid is the id with a minus sign. Live recording is one run, each import that is
sorted by time one more. Measured on a million recorded lines with a million imported ones from
before them, against a dense place in time for each line (bench/order.py): runs take 39 bytes a line
and places 51, nothing is ever renumbered, and look-ups cost the same within a quarter.

Lines need not be quite in order: clocks of servers differ, and a bouncer plays back what was
missed. `slack` says by how much at most a line of the run lies before one with a smaller id.

No run goes on beyond the end of another: what is recorded while an import goes on, or after it,
does not continue the import. So nearly every run has a time to itself, and a look-up for the newest
lines ends in the first ones that hold enough, however many there are.
"""

from collections.abc import Iterable, Sequence
from datetime import timedelta
from itertools import pairwise
from typing import NamedTuple

from terrarium_mcp.chat.when import from_text
from terrarium_mcp.store.database import Row, Writer

TOLERATED = timedelta(hours=1)
"""A line that lies further back than this begins a new run."""

FEW = 8
"""More runs than this are joined, where the joint run's slack stays below a day."""

JOINABLE = timedelta(days=1)

_MS = timedelta(milliseconds=1)


class Run(NamedTuple):
    """The ids `first` to `last`; `began` and `ended` are the earliest and latest timestamp.

    A named tuple for the sake of speed: every search reads all runs.
    """

    first: int
    last: int
    began: str
    ended: str
    slack: int = 0

    @property
    def opens(self) -> tuple[str, int]:
        """No line of it is before this time and id."""
        return self.began, self.first

    @property
    def closes(self) -> tuple[str, int]:
        """No line of it is after this time and id."""
        return self.ended, self.last

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


def runs_of(lines: Sequence[tuple[int, str]], known: Sequence[Run] = ()) -> list[Run]:
    """Arrange lines, (id, timestamp) by rising id, in runs that go on from those known."""
    runs = list(known)
    border = _border(runs)
    for number, timestamp in lines:
        longer = runs[-1].taking(number, timestamp) if runs else None
        if longer and not runs[-1].ended <= border < timestamp:
            runs[-1] = longer
        else:
            runs.append(Run(number, number, timestamp, timestamp))
            border = _border(runs)
    return runs


def _border(runs: Sequence[Run]) -> str:
    """The first end of another run at which the last one has to stop; "" where there is none."""
    return min((run.ended for run in runs[:-1] if run.ended >= runs[-1].ended), default="")


def few(runs: Sequence[Run]) -> list[Run]:
    """The same lines in at most `FEW` runs, as far as that costs little order.

    Neighbours are joined, those first whose joint slack is the smallest.
    """
    joined = list(runs)
    while len(joined) > FEW:
        pairs = [(one.joined(other).slack, n) for n, (one, other) in enumerate(pairwise(joined))]
        near = sorted(pair for pair in pairs if pair[0] <= JOINABLE // _MS)
        at = next((n for _, n in near if not _are_apart(joined, n)), None)
        if at is None:
            break
        joined[at : at + 2] = [joined[at].joined(joined[at + 1])]
    return joined


def _are_apart(runs: Sequence[Run], n: int) -> bool:
    """Whether another run ends between a run and the next."""
    ended, began = runs[n].ended, runs[n + 1].began
    others = (run for m, run in enumerate(runs) if m not in (n, n + 1))
    return any(ended <= run.ended < began for run in others)


class Runs:
    """The runs of the database, derived from the ids and times of its messages."""

    name = "runs"
    tables = ("runs",)

    async def add(self, writer: Writer, first: int, last: int) -> None:
        """Arrange the lines `first` to `last`, which follow all others."""
        rows = await writer.rows(
            "SELECT id, timestamp FROM messages WHERE id BETWEEN :first AND :last"
            " AND room NOT NULL AND timestamp NOT NULL ORDER BY id",
            {"first": first, "last": last},
        )
        lines = [(row[0], row[1]) for row in rows]
        if lines and not await self._go_on(writer, lines):
            await self._arrange(writer, lines)

    async def _go_on(self, writer: Writer, lines: Sequence[tuple[int, str]]) -> bool:
        """Whether lines continue the last run without a step backwards, as they nearly always do.

        Then it is made longer.
        """
        timestamps = [timestamp for _, timestamp in lines]
        if timestamps != sorted(timestamps):
            return False
        longer = await writer.rows(
            "UPDATE runs SET last = :last, ended = :until"
            " WHERE first = (SELECT max(first) FROM runs) AND ended <= :since AND NOT EXISTS"
            " (SELECT 1 FROM runs other WHERE other.first < runs.first"
            "  AND other.ended >= runs.ended AND other.ended < :until) RETURNING first",
            {"last": lines[-1][0], "since": timestamps[0], "until": timestamps[-1]},
        )
        return bool(longer)

    async def _arrange(self, writer: Writer, lines: Sequence[tuple[int, str]]) -> None:
        known = [run_of(row) for row in await writer.rows(f"{SELECT} ORDER BY first")]
        runs = few(runs_of(lines, known))
        gone = {run.first for run in known} - {run.first for run in runs}
        await writer.many("DELETE FROM runs WHERE first = ?", [(first,) for first in gone])
        await writer.many(
            "INSERT OR REPLACE INTO runs (first, last, began, ended, slack) VALUES (?, ?, ?, ?, ?)",
            sorted(set(runs) - set(known)),
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
