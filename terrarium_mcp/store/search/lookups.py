"""Look-ups: the first lines of an order that the index finds, without sorting all of them.

The index is walked by id, run by run, and stops as soon as no line to come can be before those
found. Statements are few: to hand one over to a connection's thread and back costs 0.1 ms.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from terrarium_mcp.chat.when import BEGINNING, EVERY_LINE, Position
from terrarium_mcp.store.database import Database, Row
from terrarium_mcp.store.rows import COLUMNS
from terrarium_mcp.store.search.order import NEWEST, Order
from terrarium_mcp.store.search.stretches import History, Ids, Stretch, stretches

COUNTED = 1_000
"""Totals are exact up to here."""

ALL_OF_THEM = -1

_BESIDES = 8
"""Lines read besides those wanted: they mostly tell that no line of the slack is missing."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Lines that `match` (an FTS5 expression) and `where` (conditions on `m`), within a time.

    `since` and `until` are timestamps as text; lines are at or after the one, and at or before
    the other. They only narrow the walk: `where` says the exact places. `at_most` is how many of
    the lines that the index finds are looked at, in each run; ALL_OF_THEM where the index alone
    tells which lines are wanted, but for their time.
    """

    match: str
    where: Sequence[str]
    params: Mapping[str, Any]
    history: History
    since: str = BEGINNING.timestamp
    until: str = EVERY_LINE.timestamp
    at_most: int = ALL_OF_THEM

    @property
    def by_index(self) -> bool:
        """Whether the index alone tells which lines are wanted."""
        return self.at_most == ALL_OF_THEM


@dataclass(frozen=True, slots=True)
class Total:
    """How many lines there are, up to one more than are counted; at least, if not `exact`."""

    count: int
    exact: bool = True


@dataclass(frozen=True, slots=True)
class Found:
    """Lines in order; where not all could be looked at, those before `reached`.

    The `total` is told where it is known: of all lines wanted, also of those before a place.
    """

    rows: Sequence[Row]
    reached: str = ""
    total: Total | None = None


class Lookups:
    """Walks through the index of messages."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def first(
        self, wanted: Wanted, most: int, order: Order, after: Position | None = None
    ) -> Found:
        """The first `most` lines wanted in an order, after a place."""
        along = await self._stretches(wanted, wanted.since, wanted.until)
        counting = _counting(wanted, along) if wanted.by_index else ("NULL", {})
        walk = _Walk(wanted, order, after, *counting)
        if after:
            since, until = order.narrowed(wanted.since, wanted.until, after)
            along = await self._stretches(wanted, since, until)
        along.sort(key=lambda stretch: order.opening(stretch.run), reverse=order.newest_first)
        found: list[Row] = []
        reached, total = "", None
        for stretch in along:
            opening = order.opening(stretch.run)
            if len(found) >= most and order.is_before(found[most - 1]["timestamp"], opening):
                break
            lines, looked_at = await self._of(stretch, walk, most)
            if lines and lines[0]["total"]:
                total = Total(lines[0]["total"])
            reached = order.first((reached, looked_at))
            found = order.arranged([*found, *lines])[:most]
        kept = [row for row in found if not reached or order.is_before(row["timestamp"], reached)]
        if not after and len(kept) < most:  # these are all, or all that could be looked at
            total = Total(len(kept), exact=not reached)
        return Found(kept, reached, total)

    async def few(self, match: str, wanted: Wanted, most: int) -> list[Row] | None:
        """The lines wanted among those that `match` finds, if these are at most so many."""
        rows = await self._database.rows(
            f"WITH found AS MATERIALIZED ({_index()} LIMIT :few + 1),"  # noqa: S608 -- words of strangers are parameters
            " held AS MATERIALIZED (SELECT count(*) AS held FROM found)"
            f" SELECT m.*, held FROM held LEFT JOIN ({_lines('found', wanted.where)}"
            " AND (SELECT held FROM held) <= :few) m",
            {**wanted.params, **_between(Ids(0, wanted.history.snapshot))}
            | {"match": match, "few": most},
        )
        return None if rows[0]["held"] > most else [row for row in rows if row["id"]]

    async def has(self, match: str, history: History) -> bool:
        """Whether the index finds any line."""
        params = {"match": match, **_between(Ids(0, history.snapshot))}
        return bool(await self._database.rows(f"{_index()} LIMIT 1", params))

    async def total(self, wanted: Wanted) -> Total:
        """How many lines are wanted."""
        along = await self._stretches(wanted, wanted.since, wanted.until)
        sql, numbers = _counting(wanted, along)
        count = int(
            await self._database.value(
                f"SELECT {sql}",
                {**wanted.params, **numbers, "match": wanted.match, "at_most": wanted.at_most},
            )
        )
        if count > COUNTED or wanted.by_index:
            return Total(count)
        cut_short = [
            await self._nth(wanted, stretch.ids, wanted.at_most, NEWEST) for stretch in along
        ]
        return Total(count, exact=not any(cut_short))

    async def ids_between(self, history: History, since: str, until: str) -> tuple[Ids, ...]:
        """Ranges that hold every line of a time, and few others; those of newer lines first."""
        along = await stretches(self._database, history, since, until)
        along.sort(key=lambda stretch: stretch.run.ended, reverse=True)
        return tuple(stretch.ids for stretch in along)

    async def _stretches(self, wanted: Wanted, since: str, until: str) -> list[Stretch]:
        return await stretches(self._database, wanted.history, since, until)

    async def _of(self, stretch: Stretch, walk: "_Walk", most: int) -> tuple[list[Row], str]:
        """At least the `most` first lines of a stretch, and where looking ended, if too early.

        Where its run is not quite in order, a line further on may still belong before the last
        one found, as far as the run's slack reaches.
        """
        wanted, order, slack = walk.wanted, walk.order, stretch.run.slack
        enough = most + (_BESIDES if slack else 0)
        lines = await self._walked(walk, stretch.ids, enough)
        if len(lines) < enough:
            return lines, await self._looked_at(stretch, wanted, order)
        times = [line["timestamp"] for line in order.arranged(lines)]
        edge, farthest = times[most - 1], times[-1]
        if not slack or order.is_before(edge, order.back(farthest, slack)):
            return lines, ""
        run = replace(wanted.history, runs=(stretch.run,))
        (near,) = await stretches(self._database, run, *order.upto(edge))
        rest = replace(walk, wanted=replace(wanted, at_most=ALL_OF_THEM))
        last = lines[-1]["id"]
        newer, older = Ids(last + 1, near.ids.last), Ids(near.ids.first, last - 1)
        ids = older if order.newest_first else newer
        return [*lines, *await self._walked(rest, ids, -1)], ""

    async def _walked(self, walk: "_Walk", ids: Ids, most: int) -> list[Row]:
        """The first lines with some ids."""
        return await self._database.rows(walk.sql, {**walk.params, **_between(ids), "most": most})

    async def _looked_at(self, stretch: Stretch, wanted: Wanted, order: Order) -> str:
        """The time up to which all lines of a run were looked at; "" where these are all it has."""
        number = await self._nth(wanted, stretch.ids, wanted.at_most, order)
        if not number:
            return ""
        sql = "SELECT timestamp FROM messages WHERE id = :id"
        timestamp = await self._database.value(sql, {"id": number}, "")
        return timestamp and order.back(timestamp, stretch.run.slack)

    async def _nth(self, wanted: Wanted, ids: Ids, n: int, order: Order) -> int:
        """The id of the n-th line that the index finds; 0 where it finds fewer, or for any n."""
        if n == ALL_OF_THEM:
            return 0
        sql = f"{_index(order)} LIMIT 1 OFFSET :n - 1"
        params = {**_between(ids), "match": wanted.match, "n": n}
        return -int(await self._database.value(sql, params, 0))


@dataclass(frozen=True, slots=True)
class _Walk:
    """How the index is walked for one page, and how all lines are counted if that is full."""

    wanted: Wanted
    order: Order
    after: Position | None
    total: str
    numbers: Mapping[str, int]

    @property
    def sql(self) -> str:
        """The statement for the first `:most` lines wanted with the ids between two."""
        where = list(self.wanted.where)
        if self.after:
            where.append(f"(m.timestamp, m.id) {self.order.beyond} (:after, :after_id)")
        lines = _lines(f"({_index(self.order)} LIMIT :at_most)", where)
        return (
            f"WITH page AS MATERIALIZED ({lines} LIMIT :most)"  # noqa: S608 -- words of strangers are parameters
            " SELECT page.*, CASE WHEN (SELECT count(*) FROM page) = :most"
            f" THEN {self.total} END AS total FROM page"
        )

    @property
    def params(self) -> dict[str, Any]:
        """The parameters of the statement, but for the ids and how many."""
        wanted, after = self.wanted, self.after or BEGINNING
        return {
            **wanted.params,
            **self.numbers,
            "match": wanted.match,
            "at_most": wanted.at_most,
            "after": after.timestamp,
            "after_id": after.id,
        }


def _lines(found: str, where: Sequence[str]) -> str:
    """The statement for the lines whose rowids were found, as far as they are wanted."""
    # CROSS JOIN keeps the order: the index leads, and the rows follow by their ids.
    return (
        f"SELECT {COLUMNS} FROM {found} found"  # noqa: S608 -- words of strangers are parameters
        f" CROSS JOIN messages m ON m.id = -found.rowid WHERE {' AND '.join(where)}"
    )


def _counting(wanted: Wanted, along: Sequence[Stretch]) -> tuple[str, dict[str, int]]:
    """The SQL that counts the lines wanted, up to one more than are counted; its parameters.

    Where the index alone tells which they are, it only reads the lines at the edges of the time.
    """
    read = [ids for one in along for ids in (one.edges if wanted.by_index else [one.ids])]
    told = [one.within for one in along if wanted.by_index and one.within]
    parts, numbers = [], dict[str, int]()
    for n, ids in enumerate([*told, *read]):
        numbers |= {f"low{n}": -ids.last, f"high{n}": -ids.first}
        found = _index(NEWEST, n)
        lines = _lines(f"({found} LIMIT :at_most)", wanted.where)
        parts.append(found if n < len(told) else lines)
    each = " UNION ALL ".join(f"SELECT 1 FROM ({part})" for part in parts)  # noqa: S608 -- words of strangers are parameters
    return f"(SELECT count(*) FROM ({each} LIMIT {COUNTED + 1}))" if parts else "0", numbers  # noqa: S608


def _index(order: Order = NEWEST, n: int | str = "") -> str:
    """The rowids between two that the index finds."""
    return (
        "SELECT rowid FROM message_index WHERE message_index MATCH :match"  # noqa: S608 -- words of strangers are parameters
        f" AND rowid BETWEEN :low{n} AND :high{n} ORDER BY rowid {order.rowids}"
    )


def _between(ids: Ids) -> dict[str, int]:
    return {"low": -ids.last, "high": -ids.first}
