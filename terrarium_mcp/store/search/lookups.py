"""Look-ups: the newest or oldest lines that the index finds, without sorting all of them.

The index is walked by id, run by run, and stops as soon as no line to come can be newer (or older)
than those found. A time is turned into ids first, so that it restricts the walk itself.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from terrarium_mcp.chat.when import BEGINNING, EVERY_LINE, from_text, to_text
from terrarium_mcp.store.database import Database, Row
from terrarium_mcp.store.derived.runs import SELECT, Run, run_of
from terrarium_mcp.store.rows import COLUMNS

ALL_OF_THEM = -1

_BESIDES = 8
"""Lines read besides those wanted: they mostly tell that no line of the slack is missing."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Lines that `match` (an FTS5 expression) and `where` (conditions on `m`), within a time.

    `since` and `until` are timestamps as text; lines are at or after the one, and at or before
    the other. They only narrow the walk: `where` says the exact places. `at_most` is how many of
    the lines that the index finds are looked at, in each run; ALL_OF_THEM for no bound.
    """

    match: str
    where: Sequence[str]
    params: dict[str, Any]
    since: str = BEGINNING.timestamp
    until: str = EVERY_LINE.timestamp
    at_most: int = ALL_OF_THEM


@dataclass(frozen=True, slots=True)
class Found:
    """Lines in order; where not all could be looked at, those on this side of `reached`."""

    rows: Sequence[Row]
    reached: str = ""


@dataclass(frozen=True, slots=True)
class Ids:
    """The ids `first` to `last`."""

    first: int
    last: int


class Lookups:
    """Walks through the index of messages."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def newest(self, wanted: Wanted, most: int) -> Found:
        """The `most` newest lines wanted, newest first."""
        found: list[Row] = []
        reached = ""
        for run in await self._newest_first(wanted.since, wanted.until):
            if len(found) >= most and found[most - 1]["timestamp"] > run.ended:
                break
            lines, looked_at = await self._of_run(run, wanted, most, newest_first=True)
            reached = max(reached, looked_at)
            found = sorted([*found, *lines], key=_place, reverse=True)[:most]
        return Found([row for row in found if row["timestamp"] > reached], reached)

    async def oldest(self, wanted: Wanted, most: int) -> Found:
        """The `most` oldest lines wanted, oldest first."""
        found: list[Row] = []
        reached = ""
        runs = await self._newest_first(wanted.since, wanted.until)
        for run in sorted(runs, key=lambda run: run.began):
            if len(found) >= most and found[most - 1]["timestamp"] < run.began:
                break
            lines, looked_at = await self._of_run(run, wanted, most, newest_first=False)
            reached = min(filter(None, (reached, looked_at)), default="")
            found = sorted([*found, *lines], key=_place)[:most]
        kept = [row for row in found if not reached or row["timestamp"] < reached]
        return Found(kept, reached)

    async def ids(self, match: str, snapshot: int, most: int) -> list[int]:
        """The ids of the `most` last lines up to a snapshot that the index finds."""
        params = {"match": match, "low": -snapshot, "high": 0, "most": most}
        sql = f"{_found('-rowid', newest_first=True)} LIMIT :most"
        return [row[0] for row in await self._database.rows(sql, params)]

    async def these(self, ids: Sequence[int], wanted: Wanted) -> list[Row]:
        """Those of the lines with these ids that are wanted, newest first."""
        rows = await self._database.rows(
            f"SELECT {COLUMNS} FROM json_each(:ids) found CROSS JOIN messages m"  # noqa: S608 -- words of strangers are parameters
            f" ON m.id = found.value WHERE {' AND '.join(wanted.where)}",
            {**wanted.params, "ids": json.dumps(ids)},
        )
        return sorted(rows, key=_place, reverse=True)

    async def counted(self, wanted: Wanted, most: int) -> tuple[int, bool]:
        """How many lines are wanted, up to `most`; and whether all of them could be looked at."""
        count, all_of_them = 0, True
        for ids in await self.ids_between(wanted.since, wanted.until):
            params = {"match": wanted.match, "low": -ids.last, "high": -ids.first}
            found = f"({_found('rowid', newest_first=True)} LIMIT :at_most) found"
            count += await self._database.value(
                f"SELECT count(*) FROM (SELECT 1 FROM {found}"  # noqa: S608 -- words of strangers are parameters
                " CROSS JOIN messages m ON m.id = -found.rowid"
                f" WHERE {' AND '.join(wanted.where)} LIMIT :most)",
                {**wanted.params, **params, "at_most": wanted.at_most, "most": most - count},
            )
            if count >= most:
                return count, True
            all_of_them &= not await self._nth(params, wanted.at_most)
        return count, all_of_them

    async def counted_by_index(self, match: str, snapshot: int, most: int) -> int:
        """How many lines up to a snapshot the index finds, up to `most`."""
        params = {"match": match, "low": -snapshot, "high": 0, "most": most}
        found = f"{_found('1', newest_first=True)} LIMIT :most"
        return int(await self._database.value(f"SELECT count(*) FROM ({found})", params))  # noqa: S608 -- words of strangers are parameters

    async def ids_between(self, since: str, until: str) -> tuple[Ids, ...]:
        """Ranges that hold every line of a time, and few others; those of newer lines first."""
        ranges = [
            Ids(await self._id_before(run, since), await self._id_after(run, until))
            for run in await self._newest_first(since, until)
        ]
        return tuple(ids for ids in ranges if ids.first <= ids.last)

    async def _newest_first(self, since: str, until: str) -> list[Run]:
        """The runs that reach into a time."""
        rows = await self._database.rows(
            f"{SELECT} WHERE ended >= :since AND began <= :until ORDER BY ended DESC",
            {"since": since, "until": until},
        )
        return [run_of(row) for row in rows]

    async def _of_run(
        self, run: Run, wanted: Wanted, most: int, *, newest_first: bool
    ) -> tuple[list[Row], str]:
        """At least the `most` first lines of one run, and where looking ended, if too early.

        Where the run is not quite in order, a line further on may still belong before the last
        one found, as far as the run's slack reaches.
        """
        first = await self._id_before(run, wanted.since)
        last = await self._id_after(run, wanted.until)
        lines = await self._walk(first, last, wanted, most + _BESIDES, newest_first=newest_first)
        if len(lines) < most + _BESIDES:
            found = {"match": wanted.match, "low": -last, "high": -first}
            return lines, await self._looked_at(
                run, found, wanted.at_most, newest_first=newest_first
            )
        times = sorted((line["timestamp"] for line in lines), reverse=newest_first)
        edge, farthest = times[most - 1], times[-1]
        if newest_first:
            if not run.slack or edge > _moved(farthest, run.slack):
                return lines, ""
            first, last = await self._id_before(run, edge), lines[-1]["id"] - 1
        else:
            if not run.slack or edge < _moved(farthest, -run.slack):
                return lines, ""
            first, last = lines[-1]["id"] + 1, await self._id_after(run, edge)
        wanted = replace(wanted, at_most=ALL_OF_THEM)
        rest = await self._walk(first, last, wanted, None, newest_first=newest_first)
        return [*lines, *rest], ""

    async def _looked_at(
        self, run: Run, params: Mapping[str, object], at_most: int, *, newest_first: bool
    ) -> str:
        """The time up to which all lines of a run were looked at; "" where these are all it has."""
        number = await self._nth(params, at_most, newest_first=newest_first)
        if not number:
            return ""
        sql = "SELECT timestamp FROM messages WHERE id = :id"
        timestamp = await self._database.value(sql, {"id": number}, "")
        return timestamp and _moved(timestamp, run.slack if newest_first else -run.slack)

    async def _nth(self, params: Mapping[str, object], n: int, *, newest_first: bool = True) -> int:
        """The id of the n-th line that the index finds; 0 where it finds fewer, or for any n."""
        if n == ALL_OF_THEM:
            return 0
        sql = f"{_found('-rowid', newest_first=newest_first)} LIMIT 1 OFFSET :n - 1"
        return int(await self._database.value(sql, {**params, "n": n}, 0))

    async def _walk(
        self, first: int, last: int, wanted: Wanted, most: int | None, *, newest_first: bool
    ) -> list[Row]:
        """The lines wanted among the ids `first` to `last`, by id."""
        limit = -1 if most is None else most
        found = f"{_found('rowid', newest_first=newest_first)} LIMIT :at_most"
        # CROSS JOIN keeps the order: the index leads, and the rows follow by their ids.
        return await self._database.rows(
            f"SELECT {COLUMNS} FROM ({found}) found"  # noqa: S608 -- words of strangers are parameters
            " CROSS JOIN messages m ON m.id = -found.rowid"
            f" WHERE {' AND '.join(wanted.where)} LIMIT :most",
            {
                **wanted.params,
                "match": wanted.match,
                "low": -last,
                "high": -first,
                "at_most": wanted.at_most,
                "most": limit,
            },
        )

    async def _id_before(self, run: Run, timestamp: str) -> int:
        """An id of the run below which every line was said before `timestamp`."""
        if timestamp <= run.began:
            return run.first
        return await self._id_near(
            run,
            "SELECT id FROM messages WHERE timestamp < :at AND +id BETWEEN :first AND :last"
            " ORDER BY timestamp DESC LIMIT 1",
            _moved(timestamp, -run.slack),
            run.first,
        )

    async def _id_after(self, run: Run, timestamp: str) -> int:
        """An id of the run above which every line was said after `timestamp`."""
        if timestamp >= run.ended:
            return run.last
        return await self._id_near(
            run,
            "SELECT id FROM messages WHERE timestamp > :at AND +id BETWEEN :first AND :last"
            " ORDER BY timestamp LIMIT 1",
            _moved(timestamp, run.slack),
            run.last,
        )

    # The plus sign keeps SQLite from reading all ids of the run and sorting them.
    async def _id_near(self, run: Run, sql: str, at: str, otherwise: int) -> int:
        params = {"at": at, "first": run.first, "last": run.last}
        return int(await self._database.value(sql, params, otherwise))


def _found(column: str, *, newest_first: bool) -> str:
    """The lines that the index finds, by id."""
    order = "ASC" if newest_first else "DESC"
    return (
        f"SELECT {column} FROM message_index WHERE message_index MATCH :match"  # noqa: S608 -- words of strangers are parameters
        f" AND rowid BETWEEN :low AND :high ORDER BY rowid {order}"
    )


def _place(row: Row) -> tuple[str, int]:
    return row["timestamp"], row["id"]


def _moved(timestamp: str, milliseconds: int) -> str:
    if not milliseconds:
        return timestamp
    return to_text(from_text(timestamp) + timedelta(milliseconds=milliseconds))
