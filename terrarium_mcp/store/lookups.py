"""Look-ups: the newest or oldest lines that the index finds, without sorting all of them.

The index is walked by id, run by run, and stops as soon as no line to come can be newer (or older)
than those found. A time is turned into ids first, so that it restricts the walk itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from terrarium_mcp.chat.when import BEGINNING, EVERY_LINE, from_text, to_text
from terrarium_mcp.store.database import Database, Row
from terrarium_mcp.store.rows import COLUMNS
from terrarium_mcp.store.runs import SELECT, Run, run_of


@dataclass(frozen=True, slots=True)
class Wanted:
    """Lines that `match` (an FTS5 expression) and `where` (conditions on `m`), within a time.

    `since` and `until` are timestamps as text; lines are at or after the one, and at or before
    the other. They only narrow the walk: `where` says the exact places.
    """

    match: str
    where: Sequence[str]
    params: dict[str, Any]
    since: str = BEGINNING.timestamp
    until: str = EVERY_LINE.timestamp


class Lookups:
    """Walks through the index of messages."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def newest(self, wanted: Wanted, most: int) -> list[Row]:
        """The `most` newest lines wanted, newest first."""
        found: list[Row] = []
        for run in sorted(await self._runs(wanted), key=lambda run: run.ended, reverse=True):
            if len(found) >= most and found[most - 1]["timestamp"] > run.ended:
                break
            lines = await self._of_run(run, wanted, most, newest_first=True)
            found = sorted([*found, *lines], key=_place, reverse=True)[:most]
        return found

    async def oldest(self, wanted: Wanted, most: int) -> list[Row]:
        """The `most` oldest lines wanted, oldest first."""
        found: list[Row] = []
        for run in sorted(await self._runs(wanted), key=lambda run: run.began):
            if len(found) >= most and found[most - 1]["timestamp"] < run.began:
                break
            lines = await self._of_run(run, wanted, most, newest_first=False)
            found = sorted([*found, *lines], key=_place)[:most]
        return found

    async def _runs(self, wanted: Wanted) -> list[Run]:
        """The runs that reach into the time wanted."""
        rows = await self._database.rows(
            f"{SELECT} WHERE ended >= :since AND began <= :until",
            {"since": wanted.since, "until": wanted.until},
        )
        return [run_of(row) for row in rows]

    async def _of_run(
        self, run: Run, wanted: Wanted, most: int, *, newest_first: bool
    ) -> list[Row]:
        """At least the `most` first lines of one run, in no particular order.

        Where the run is not quite in order, a line further on may still belong before the last
        one found, as far as the run's slack reaches.
        """
        first = await self._id_before(run, wanted.since)
        last = await self._id_after(run, wanted.until)
        lines = await self._walk(first, last, wanted, most, newest_first=newest_first)
        if not run.slack or len(lines) < most:
            return lines
        edge = sorted(line["timestamp"] for line in lines)[0 if newest_first else -1]
        if newest_first:
            first, last = await self._id_before(run, edge), lines[-1]["id"] - 1
        else:
            first, last = lines[-1]["id"] + 1, await self._id_after(run, edge)
        return [*lines, *await self._walk(first, last, wanted, None, newest_first=newest_first)]

    async def _walk(
        self, first: int, last: int, wanted: Wanted, most: int | None, *, newest_first: bool
    ) -> list[Row]:
        """The lines wanted among the ids `first` to `last`, by id."""
        limit = -1 if most is None else most
        # CROSS JOIN keeps the order: the index leads, and the rows follow by their ids.
        return await self._database.rows(
            f"SELECT {COLUMNS} FROM message_index"  # noqa: S608 -- words of strangers are parameters
            " CROSS JOIN messages m ON m.id = -message_index.rowid"
            " WHERE message_index MATCH :match AND message_index.rowid BETWEEN :low AND :high"
            f" AND {' AND '.join(wanted.where)}"
            f" ORDER BY message_index.rowid {'ASC' if newest_first else 'DESC'} LIMIT :most",
            {
                **wanted.params,
                "match": wanted.match,
                "low": -last,
                "high": -first,
                "most": limit,
            },
        )

    async def _id_before(self, run: Run, timestamp: str) -> int:
        """An id of the run below which every line was said before `timestamp`."""
        if timestamp <= run.began:
            return run.first
        return await self._id_near(
            run,
            "SELECT id FROM messages WHERE timestamp < :at AND id BETWEEN :first AND :last"
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
            "SELECT id FROM messages WHERE timestamp > :at AND id BETWEEN :first AND :last"
            " ORDER BY timestamp LIMIT 1",
            _moved(timestamp, run.slack),
            run.last,
        )

    async def _id_near(self, run: Run, sql: str, at: str, otherwise: int) -> int:
        params = {"at": at, "first": run.first, "last": run.last}
        return int(await self._database.value(sql, params, otherwise))


def _place(row: Row) -> tuple[str, int]:
    return row["timestamp"], row["id"]


def _moved(timestamp: str, milliseconds: int) -> str:
    if not milliseconds:
        return timestamp
    return to_text(from_text(timestamp) + timedelta(milliseconds=milliseconds))
