"""Id ranges: turns a span of time into ranges of ids, which the index itself can apply.

Where a run is in order the range is exact; where it is not, a few lines at both ends have to be
examined, as far as the run's slack reaches.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from terrarium_mcp.chat.times.timestamps import BEGINNING, EVERY_LINE
from terrarium_mcp.store.sqlite.engine.reads import Reads
from terrarium_mcp.store.sqlite.index.sorted_runs import Run
from terrarium_mcp.store.sqlite.search.order import moved
from terrarium_mcp.store.sqlite.search.snapshot import Snapshot


@dataclass(frozen=True, slots=True, order=True)
class IdRange:
    """The ids `first` to `last`; false if there are none."""

    first: int
    last: int

    def __bool__(self) -> bool:
        return self.first <= self.last

    def __contains__(self, number: int) -> bool:
        return self.first <= number <= self.last


@dataclass(frozen=True, slots=True)
class RunSlice:
    """The part of a run that reaches into a time.

    `ids` has all lines of that time, and perhaps others. `sure` has only lines of that time, and
    none with its last timestamp: a search may end between two of these.
    """

    run: Run
    ids: IdRange
    sure: IdRange

    @property
    def edges(self) -> list[IdRange]:
        """The ids whose lines have to be read to know their time."""
        if not self.sure:
            return [self.ids]
        before = IdRange(self.ids.first, self.sure.first - 1)
        after = IdRange(self.sure.last + 1, self.ids.last)
        return [ids for ids in (before, after) if ids]


Strand = list[RunSlice]
"""Slices by time, each of which ends before the next one begins."""


def all_ids(snapshot: Snapshot) -> IdRange:
    """The ids of all lines of a snapshot."""
    return IdRange(0, snapshot.last_id)


def strands(slices: Sequence[RunSlice]) -> list[Strand]:
    """The slices in few strands: in one, if no import overlaps the time of other lines."""
    found: list[Strand] = []
    for piece in sorted(slices, key=lambda one: one.run.opens):
        free = (strand for strand in found if strand[-1].run.closes < piece.run.opens)
        if strand := next(free, None):
            strand.append(piece)
        else:
            found.append([piece])
    return found


def coalesced(ranges: Iterable[IdRange]) -> list[IdRange]:
    """The same ids in as few ranges as possible, ascending."""
    joined: list[IdRange] = []
    for ids in sorted(ranges):
        if joined and ids.first <= joined[-1].last + 1:
            joined[-1] = IdRange(joined[-1].first, max(joined[-1].last, ids.last))
        else:
            joined.append(ids)
    return joined


def without(ranges: Sequence[IdRange], gone: Sequence[IdRange]) -> list[IdRange]:
    """The ids in `ranges` that are in none of `gone`, both ascending."""
    left: list[IdRange] = []
    for ids in ranges:
        first = ids.first
        for hole in gone:
            if hole.last >= first and hole.first <= ids.last:
                left.append(IdRange(first, hole.first - 1))
                first = hole.last + 1
        left.append(IdRange(first, ids.last))
    return [ids for ids in left if ids]


async def run_slices(
    reads: Reads,
    snapshot: Snapshot,
    since: str = BEGINNING.timestamp,
    until: str = EVERY_LINE.timestamp,
) -> list[RunSlice]:
    """The slices with every line from `since` up to and including `until`."""
    runs = [run for run in snapshot.runs if run.ended >= since and run.began <= until]
    limits = [_limits(run, since, until) for run in runs]
    first = await _first_from(
        reads, [(run, moment) for run, each in zip(runs, limits, strict=True) for moment in each]
    )
    found = [
        _slice(run, each, first, snapshot.last_id) for run, each in zip(runs, limits, strict=True)
    ]
    return [one for one in found if one.ids]


class _Limits(NamedTuple):
    """Where a run may begin to overlap a span of time, certainly overlaps, may stop, has stopped.

    Each is a timestamp; "" if the run begins that way, or never gets there.
    """

    may_be_in: str
    is_in: str
    may_be_behind: str
    is_behind: str


def _limits(run: Run, since: str, until: str) -> _Limits:
    """A line is earlier than one with a smaller id by the run's slack at most."""
    early = since > run.began
    late = until <= run.ended
    return _Limits(
        moved(since, -run.slack_ms) if early else "",
        moved(since, run.slack_ms) if early else "",
        moved(until, -run.slack_ms) if late else "",
        # A line with exactly this timestamp still belongs to the time.
        moved(until, run.slack_ms + 1) if late else "",
    )


def _slice(
    run: Run, limits: _Limits, first: Mapping[tuple[int, str], int], last_id: int
) -> RunSlice:
    def begin(moment: str, otherwise: int) -> int:
        return first[run.first, moment] if moment else otherwise

    behind = run.last + 1
    return RunSlice(
        run,
        IdRange(
            begin(limits.may_be_in, run.first),
            min(begin(limits.is_behind, behind) - 1, last_id),
        ),
        IdRange(
            begin(limits.is_in, run.first),
            min(begin(limits.may_be_behind, behind) - 1, last_id),
        ),
    )


async def _first_from(
    reads: Reads, wanted: Iterable[tuple[Run, str]]
) -> dict[tuple[int, str], int]:
    """For each run and moment, the id from which the lines of the run are at or after the moment.

    The keys are (first id of the run, moment). In a run that is not in order it is one of the ids
    at which the lines step over the moment. A binary search finds it: the index by time would pass
    through all lines of other runs in between, for seconds where years of recording follow an
    import.
    """
    asked = list(dict.fromkeys((run.first, run.last, moment) for run, moment in wanted if moment))
    if not asked:
        return {}
    rows = await reads.rows(_BISECTED, {"sought": json.dumps(asked)})
    return {(asked[n][0], asked[n][2]): low for n, low in rows}


# All lines below `low` are before the moment, and those from `high` on are not.
_BISECTED = """
WITH RECURSIVE sought (n, moment, low, high) AS (
  SELECT key, value ->> 2, value ->> 0, (value ->> 1) + 1 FROM json_each(:sought)
  UNION ALL
  SELECT n, moment,
    iif(m.timestamp < moment, m.id + 1, low),
    iif(m.timestamp < moment, high, (low + high) / 2)
  FROM sought LEFT JOIN messages m ON m.id = (
    SELECT id FROM messages
    WHERE id >= (low + high) / 2 AND id < high AND room NOT NULL AND timestamp NOT NULL
    ORDER BY id LIMIT 1)
  WHERE low < high
)
SELECT n, low FROM sought WHERE low >= high
"""
