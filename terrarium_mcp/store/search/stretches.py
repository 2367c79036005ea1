"""Stretches: the parts of the runs that reach into a time, as ranges of ids.

A time so restricts the walk through the index itself. Where a run is in order the range is exact;
where it is not quite, by its slack, a few lines at both ends have to be looked at.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from terrarium_mcp.chat.when import BEGINNING, EVERY_LINE
from terrarium_mcp.store.database import Database
from terrarium_mcp.store.derived.runs import Run
from terrarium_mcp.store.search.order import moved


@dataclass(frozen=True, slots=True)
class Ids:
    """The ids `first` to `last`; false where these are none."""

    first: int
    last: int

    def __bool__(self) -> bool:
        return self.first <= self.last


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


async def stretches(
    database: Database,
    history: History,
    since: str = BEGINNING.timestamp,
    until: str = EVERY_LINE.timestamp,
) -> list[Stretch]:
    """The stretches with every line from `since` on that is not after `until`."""
    runs = [run for run in history.runs if run.ended >= since and run.began <= until]
    limits = [_limits(run, since, until) for run in runs]
    near: Sequence[Sequence[int | None]] = [_NOWHERE] * len(runs)
    if any(limit for _, _, *timestamps in limits for limit in timestamps):
        near = await database.rows(_NEAR, {"limits": json.dumps(limits)})
    found = [
        _stretch(run, limit, ids, history.snapshot)
        for run, limit, ids in zip(runs, limits, near, strict=True)
    ]
    return [stretch for stretch in found if stretch.ids]


_Limits = tuple[int, int, str | None, str | None, str | None, str | None]
"""First and last id of a run; the moments before and after which its lines surely are on this side
and on that of `since`, and of `until`. None where a whole run is on the right side."""

_NOWHERE = (None, None, None, None)


def _limits(run: Run, since: str, until: str) -> _Limits:
    early, late = since > run.began, until <= run.ended
    return (
        run.first,
        run.last,
        moved(since, -run.slack) if early else None,
        moved(since, run.slack) if early else None,
        moved(until, -run.slack) if late else None,
        moved(until, run.slack) if late else None,
    )


def _stretch(run: Run, limits: _Limits, near: Sequence[int | None], snapshot: int) -> Stretch:
    too_early, surely_since, surely_until, too_late = near
    first, last = run.first, run.last
    if limits[2] and surely_since is None:
        first = last + 1
    if limits[4] and surely_until is None:
        last = first - 1
    return Stretch(
        run,
        Ids(too_early or run.first, min(too_late or run.last, snapshot)),
        Ids(surely_since or first, min(surely_until or last, snapshot)),
    )


# The plus sign keeps SQLite from reading all ids of the run and sorting them.
_OF_RUN = "+id BETWEEN value ->> 0 AND value ->> 1"
_BEFORE = (
    f"(SELECT id FROM messages WHERE timestamp < value ->> {{}} AND {_OF_RUN}"  # noqa: S608 -- made of constants
    " ORDER BY timestamp DESC LIMIT 1)"
)
_AFTER = (
    f"(SELECT id FROM messages WHERE timestamp > value ->> {{}} AND {_OF_RUN}"  # noqa: S608 -- made of constants
    " ORDER BY timestamp LIMIT 1)"
)
_NEAR = (
    f"SELECT {_BEFORE.format(2)}, {_AFTER.format(3)}, {_BEFORE.format(4)}, {_AFTER.format(5)}"  # noqa: S608 -- made of constants
    " FROM json_each(:limits)"
)
