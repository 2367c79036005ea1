"""Stretches: the parts of the runs that reach into a time, as ranges of ids.

A time so restricts the walk through the index itself. Where a run is in order the range is exact;
where it is not quite, by its slack, a few lines at both ends have to be looked at.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from terrarium_mcp.chat.when import BEGINNING, EVERY_LINE
from terrarium_mcp.store.database import Database
from terrarium_mcp.store.derived.runs import Run
from terrarium_mcp.store.search.order import moved


@dataclass(frozen=True, slots=True, order=True)
class Ids:
    """The ids `first` to `last`; false where these are none."""

    first: int
    last: int

    def __bool__(self) -> bool:
        return self.first <= self.last

    def __contains__(self, number: int) -> bool:
        return self.first <= number <= self.last


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of a run: `ids` are those of all its lines of a time, `within` of no others."""

    run: Run
    ids: Ids
    within: Ids

    @property
    def edges(self) -> list[Ids]:
        """The ids of which only the lines themselves can tell."""
        if not self.within:
            return [self.ids]
        before = Ids(self.ids.first, self.within.first - 1)
        after = Ids(self.within.last + 1, self.ids.last)
        return [ids for ids in (before, after) if ids]


@dataclass(frozen=True, slots=True)
class History:
    """What was recorded when a search began: the lines up to the id `snapshot`, in runs."""

    snapshot: int
    runs: tuple[Run, ...] = ()

    @property
    def ids(self) -> Ids:
        """Those of all its lines."""
        return Ids(0, self.snapshot)


Lane = list[Stretch]
"""Stretches by time, each of which is over before the next one begins."""


def lanes(along: Sequence[Stretch]) -> list[Lane]:
    """The stretches in few lanes: in one, if no import reaches into the time of other lines."""
    found: list[Lane] = []
    for stretch in sorted(along, key=lambda one: one.run.opens):
        free = (lane for lane in found if lane[-1].run.closes < stretch.run.opens)
        if lane := next(free, None):
            lane.append(stretch)
        else:
            found.append([stretch])
    return found


def closed_up(ranges: Iterable[Ids]) -> list[Ids]:
    """The same ids in as few ranges as can be."""
    closed: list[Ids] = []
    for ids in sorted(ranges):
        if closed and closed[-1].last + 1 == ids.first:
            closed[-1] = Ids(closed[-1].first, ids.last)
        else:
            closed.append(ids)
    return closed


async def stretches(
    database: Database,
    history: History,
    since: str = BEGINNING.timestamp,
    until: str = EVERY_LINE.timestamp,
) -> list[Stretch]:
    """The stretches with every line from `since` on that is not after `until`."""
    runs = [run for run in history.runs if run.ended >= since and run.began <= until]
    limits = [_Limits.of(run, since, until) for run in runs]
    first = await _first_from(
        database, [(run, moment) for run, each in zip(runs, limits, strict=True) for moment in each]
    )
    found = [
        _stretch(run, each, first, history.snapshot) for run, each in zip(runs, limits, strict=True)
    ]
    return [stretch for stretch in found if stretch.ids]


class _Limits(NamedTuple):
    """From when on the lines of a run may be, and surely are, within a time; and behind it.

    Empty where that is so from the first line on, and never.
    """

    may_be_in: str
    is_in: str
    may_be_behind: str
    is_behind: str

    @classmethod
    def of(cls, run: Run, since: str, until: str) -> "_Limits":
        """A line lies at most the run's slack before one with a smaller id."""
        early = since > run.began
        late = until <= run.ended
        return cls(
            moved(since, -run.max_disorder_ms) if early else "",
            moved(since, run.max_disorder_ms) if early else "",
            moved(until, -run.max_disorder_ms) if late else "",
            # A line of the very moment is not behind it yet.
            moved(until, run.max_disorder_ms + 1) if late else "",
        )


def _stretch(
    run: Run, limits: _Limits, first: Mapping[tuple[int, str], int], snapshot: int
) -> Stretch:
    def begin(moment: str, otherwise: int) -> int:
        return first[run.first, moment] if moment else otherwise

    behind = run.last + 1
    return Stretch(
        run,
        Ids(
            begin(limits.may_be_in, run.first),
            min(begin(limits.is_behind, behind) - 1, snapshot),
        ),
        Ids(
            begin(limits.is_in, run.first),
            min(begin(limits.may_be_behind, behind) - 1, snapshot),
        ),
    )


async def _first_from(
    database: Database, sought: Iterable[tuple[Run, str]]
) -> dict[tuple[int, str], int]:
    """The id from which on the lines of a run are at or after a moment, by its first id and that.

    Where the run is not quite in order it is one of those at which the lines step over the moment.
    It is looked for by halving. To follow the index by time would pass all lines of other runs
    that lie between: seconds, where an import was followed by years of recording.
    """
    asked = list(dict.fromkeys((run.first, run.last, moment) for run, moment in sought if moment))
    if not asked:
        return {}
    rows = await database.rows(_HALVED, {"sought": json.dumps(asked)})
    return {(asked[n][0], asked[n][2]): low for n, low in rows}


# All lines below `low` are before the moment, and those from `high` on are not.
_HALVED = """
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
