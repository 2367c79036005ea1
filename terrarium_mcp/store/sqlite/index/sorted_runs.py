"""Runs: ranges of ids within which time rises, so that newest-first needs no sort.

The rowid of an index is the id with a minus sign. Live recording is one run, and each import that
is sorted by time one more. Measured on a million recorded messages with a million imported ones
from before them, against a dense place in time for each message (bench/order.py): runs take 39
bytes a message and places 51, nothing is ever renumbered, and look-ups cost the same within a
quarter.

Messages need not be quite in order: server clocks differ, and a bouncer plays back what was missed.
A run's slack says how far, at most, one of its messages is dated before one with a smaller id.

A run ends where it would reach the end of another: what is recorded during or after an import does
not continue the import. So nearly every run has a time of its own, and a look-up for the newest
messages ends in the first runs that contain enough, however many runs there are.

An example. Ids 1 to 3 are recorded at 12:00, 13:00 and 12:50 (another server's clock): one run of
12:00 to 13:00, whose slack is ten minutes. Ids 4 and 5 are imported from 09:00 and 10:00. That
is more than `TOLERATED` before 13:00, so they begin a second run. Id 6 is recorded at 14:00: the
second run would grow past 13:00, the end of the first, so a third begins.

    ids 1-3  12:00-13:00  slack 10 min
    ids 4-5  09:00-10:00  slack 0
    ids 6-6  14:00-14:00  slack 0

The newest two messages: the third run gives id 6. The first is read from its highest id down: id 3
(12:50) comes first, but ids below it may be dated up to ten minutes later, so id 2 (13:00) is read
too, and is the newer. No message of the first run is later than its end, so the answer is ids 6 and
2; the second run ends at 10:00 and is not read.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from datetime import timedelta
from itertools import pairwise
from typing import NamedTuple

from terrarium_mcp.chat.times.timestamps import from_text
from terrarium_mcp.store.sqlite.engine.reads import Row
from terrarium_mcp.store.sqlite.engine.writes import Writer
from terrarium_mcp.store.sqlite.index.index_texts import IndexTexts
from terrarium_mcp.wording import quantity

TOLERATED = timedelta(hours=1)
"""A message dated further back than this begins a new run."""

FEW = 8
"""More runs than this are joined, where the slack of the result stays within `JOINABLE`."""

JOINABLE = timedelta(days=1)

_MS = timedelta(milliseconds=1)


class Run(NamedTuple):
    """A run of messages. A named tuple for speed: every search reads all runs.

    Attributes:
        first: its first id.
        last: its last id; ids between may be missing.
        began: the earliest timestamp.
        ended: the latest timestamp.
        slack_ms: how many milliseconds a message is dated before one with a smaller id, at
            most.
    """

    first: int
    last: int
    began: str
    ended: str
    slack_ms: int = 0

    @property
    def opens(self) -> tuple[str, int]:
        """A position at or before every message of the run."""
        return self.began, self.first

    @property
    def closes(self) -> tuple[str, int]:
        """A position at or after every message of the run."""
        return self.ended, self.last

    def extended(self, number: int, timestamp: str) -> "Run | None":
        """The run with one more message at its end; None if that is dated too far back."""
        slack = self.slack_ms
        if timestamp < self.ended:
            slack = max(slack, _milliseconds(timestamp, self.ended))
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
        """This run joined with the one of the next ids."""
        overlap = _milliseconds(later.began, self.ended) if later.began < self.ended else 0
        return Run(
            self.first,
            later.last,
            min(self.began, later.began),
            max(self.ended, later.ended),
            max(self.slack_ms, later.slack_ms, overlap),
        )


def runs_of(lines: Sequence[tuple[int, str]], known: Sequence[Run] = ()) -> list[Run]:
    """Arrange messages, (id, timestamp) by rising id, in runs that continue those `known`."""
    runs = list(known)
    limit = _limit_of_last(runs)
    for number, timestamp in lines:
        longer = runs[-1].extended(number, timestamp) if runs else None
        if longer and not runs[-1].ended <= limit < timestamp:
            runs[-1] = longer
        else:
            runs.append(Run(number, number, timestamp, timestamp))
            limit = _limit_of_last(runs)
    return runs


def _limit_of_last(runs: Sequence[Run]) -> str:
    """The time past which the last run must not grow: the next end of another; "" if none."""
    return min((run.ended for run in runs[:-1] if run.ended >= runs[-1].ended), default="")


def few(runs: Sequence[Run]) -> list[Run]:
    """At most `FEW` runs with the same messages, as far as their slack stays within `JOINABLE`.

    Neighbours are joined, first those whose slack is then the smallest.
    """
    joined = list(runs)
    while len(joined) > FEW:
        ends = sorted(run.ended for run in joined)
        pairs = [(one.joined(other).slack_ms, n) for n, (one, other) in enumerate(pairwise(joined))]
        joinable = sorted(pair for pair in pairs if pair[0] <= JOINABLE // _MS)
        at = next(
            (n for _, n in joinable if not _has_end_between(ends, joined[n], joined[n + 1])), None
        )
        if at is None:
            break
        joined[at : at + 2] = [joined[at].joined(joined[at + 1])]
    return joined


def _has_end_between(ends: Sequence[str], one: Run, other: Run) -> bool:
    """Whether another run ends between the end of a run and the beginning of the next.

    `ends` are those of all runs, sorted: that of `one` is the first from there on.
    """
    return bisect_left(ends, other.began) - bisect_left(ends, one.ended) > 1


class Runs:
    """The runs of a database, derived from the ids and timestamps of its messages."""

    name = "runs"
    tables = ("runs",)

    async def add(self, writer: Writer, first: int, last: int) -> None:
        """Arrange the messages `first` to `last`, which have the highest ids."""
        rows = await writer.rows(
            "SELECT id, timestamp FROM messages WHERE id BETWEEN :first AND :last"
            " AND room NOT NULL AND timestamp NOT NULL ORDER BY id",
            {"first": first, "last": last},
        )
        await self._add(writer, [(row[0], row[1]) for row in rows])

    async def add_texts(self, writer: Writer, texts: IndexTexts) -> None:
        """Arrange messages, which have the highest ids, by timestamps that are at hand."""
        await self._add(writer, list(zip(texts.ids, texts.timestamps, strict=True)))

    async def _add(self, writer: Writer, lines: Sequence[tuple[int, str]]) -> None:
        if lines and not await self._extend_last(writer, lines):
            await self._arrange(writer, lines)

    async def _extend_last(self, writer: Writer, lines: Sequence[tuple[int, str]]) -> bool:
        """Extend the last run if messages continue it in order, as they nearly always do.

        Returns:
            Whether it was extended.
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
        """Do nothing: a run without some of its messages is still a run."""

    async def clear(self, writer: Writer) -> None:
        """Delete every run."""
        await writer.run("DELETE FROM runs")

    async def differences(self, writer: Writer) -> list[str]:
        """Look for messages outside of every run, and for runs less in order than they claim."""
        outside = await writer.value(
            "SELECT count(*) FROM messages m WHERE m.room NOT NULL AND NOT EXISTS"
            " (SELECT 1 FROM runs r WHERE m.id BETWEEN r.first AND r.last"
            "  AND m.timestamp BETWEEN r.began AND r.ended)"
        )
        found = [f"runs: {quantity(outside, 'message')} outside of every run"] if outside else []
        for run in [run_of(row) for row in await writer.rows(SELECT)]:
            lines = await writer.rows(
                "SELECT id, timestamp FROM messages WHERE id BETWEEN :first AND :last"
                " AND room NOT NULL ORDER BY id",
                {"first": run.first, "last": run.last},
            )
            if _slack(row[1] for row in lines) > run.slack_ms:
                found.append(f"runs: the run from id {run.first} is less in order than it claims")
        return found


SELECT = "SELECT first, last, began, ended, slack FROM runs"


def run_of(row: Row) -> Run:
    """A row of `runs`."""
    return Run(*row)


def _slack(timestamps: Iterable[str]) -> int:
    """How many milliseconds a message is dated before one with a smaller id, at most."""
    latest, most = "", 0
    for timestamp in timestamps:
        if timestamp < latest:
            most = max(most, _milliseconds(timestamp, latest))
        latest = max(latest, timestamp)
    return most


def _milliseconds(earlier: str, later: str) -> int:
    """The milliseconds between two timestamps, rounded up."""
    return -(-(from_text(later) - from_text(earlier)) // _MS)
