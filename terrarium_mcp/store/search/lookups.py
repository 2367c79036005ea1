"""Look-ups: the first lines of an order that the index finds, without sorting all of them.

The index is walked by id, run by run, and stops as soon as no line to come can be before those
found. Statements are few: to hand one over to a connection's thread and back costs 0.1 ms.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from terrarium_mcp.chat.when import Position
from terrarium_mcp.store.database import Database, Row
from terrarium_mcp.store.search.order import NEWEST, Order
from terrarium_mcp.store.search.stretches import History, Ids, Lane, Stretch, lanes, stretches
from terrarium_mcp.store.search.walks import (
    ALL_OF_THEM,
    COUNTED,
    Counting,
    Walk,
    Wanted,
    between,
    by_parts,
    in_ranges,
    lines_of,
)

_BESIDES = 8
"""Lines read besides those wanted: they mostly tell that no line of the slack is missing."""


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
        walk = Walk(wanted, order, after, Counting.of(wanted, along) if wanted.by_index else None)
        if after:
            since, until = order.narrowed(wanted.since, wanted.until, after)
            along = await self._stretches(wanted, since, until)
        found: list[Row] = []
        reached, total = "", None
        for lane in _as_walked(lanes(along), order):
            opening = order.opening(lane[0].run)
            if len(found) >= most and order.is_before(found[most - 1]["timestamp"], opening):
                break
            lines, looked_at = await self._of(lane, walk, most)
            if counted := next((line["total"] for line in lines if line["total"]), 0):
                total, walk = Total(counted), replace(walk, counting=None)
            reached = order.first((reached, looked_at))
            found = order.arranged([*found, *lines])[:most]
        kept = [row for row in found if not reached or order.is_before(row["timestamp"], reached)]
        if not after and len(kept) < most:  # these are all, or all that could be looked at
            total = Total(len(kept), exact=not reached)
        return Found(kept, reached, total)

    async def few(self, wanted: Wanted, index: str, most: int) -> list[Row] | None:
        """The lines wanted among those that an index finds, if these are at most so many."""
        found = in_ranges(1, NEWEST, index=index)
        rows = await self._database.rows(
            f"WITH found AS MATERIALIZED ({found} LIMIT :few + 1),"  # noqa: S608 -- words of strangers are parameters
            " held AS MATERIALIZED (SELECT count(*) AS held FROM found)"
            f" SELECT m.*, held FROM held LEFT JOIN ({lines_of('found', wanted.where)}"
            " AND (SELECT held FROM held) <= :few) m",
            {**wanted.all_params, **between([wanted.history.ids]), "few": most},
        )
        return None if rows[0]["held"] > most else [row for row in rows if row["id"]]

    async def has(self, match: str, history: History) -> bool:
        """Whether the index finds any line."""
        sql = f"{in_ranges(1, NEWEST)} LIMIT 1"
        return bool(await self._database.rows(sql, {"match": match, **between([history.ids])}))

    async def total(self, wanted: Wanted) -> Total:
        """How many lines are wanted."""
        along = await self._stretches(wanted, wanted.since, wanted.until)
        counting = Counting.of(wanted, along)
        params = {**wanted.all_params, **counting.params}
        count = int(
            await self._database.value(f"{counting.tables} SELECT {counting.count}", params)
        )
        if count > COUNTED or wanted.by_index:
            return Total(count)
        sql = f"{counting.tables} SELECT {counting.looked_at}"
        return Total(count, exact=int(await self._database.value(sql, params)) < wanted.at_most)

    async def ids_between(self, history: History, since: str, until: str) -> tuple[Ids, ...]:
        """Ranges that hold every line of a time, and few others; those of newer lines first."""
        along = await stretches(self._database, history, since, until)
        along.sort(key=lambda stretch: stretch.run.ended, reverse=True)
        return tuple(stretch.ids for stretch in along)

    async def _stretches(self, wanted: Wanted, since: str, until: str) -> list[Stretch]:
        return await stretches(self._database, wanted.history, since, until)

    async def _of(self, lane: Lane, walk: Walk, most: int) -> tuple[list[Row], str]:
        """At least the `most` first lines of a lane, and where looking ended, if too early."""
        enough = most + (_BESIDES if any(stretch.run.max_disorder_ms for stretch in lane) else 0)
        lines: list[Row] = []
        for some in by_parts(lane):
            ids = [stretch.ids for stretch in some]
            lines += await self._walked(walk, ids, enough - len(lines))
            if len(lines) >= enough:
                return [*lines, *await self._missed(some, walk, lines, most)], ""
            if looked_at := await self._looked_at(some, walk):
                return lines, looked_at
        return lines, ""

    async def _missed(
        self, along: Sequence[Stretch], walk: Walk, lines: Sequence[Row], most: int
    ) -> list[Row]:
        """The lines that a walk has not come to, and that belong before the last one wanted.

        Where the run that it ended in is not quite in order there may be some, as far as the run's
        slack reaches.
        """
        order, last = walk.order, lines[-1]["id"]
        run = next(stretch.run for stretch in along if last in stretch.ids)
        times = [line["timestamp"] for line in order.arranged(lines)]
        edge, farthest = times[most - 1], times[-1]
        if not run.max_disorder_ms or order.is_before(
            edge, order.back(farthest, run.max_disorder_ms)
        ):
            return []
        history = replace(walk.wanted.history, runs=(run,))
        near = await stretches(self._database, history, *order.upto(edge))
        rest = replace(walk, wanted=replace(walk.wanted, at_most=ALL_OF_THEM), counting=None)
        ids = [_beyond(last, stretch.ids, order) for stretch in near]
        return await self._walked(rest, ids, ALL_OF_THEM) if ids else []

    async def _walked(self, walk: Walk, ranges: Sequence[Ids], most: int) -> list[Row]:
        """The first lines in ranges of ids, in their order."""
        params = {**walk.params, **between(ranges), "most": most}
        return await self._database.rows(walk.sql(ranges), params)

    async def _looked_at(self, along: Sequence[Stretch], walk: Walk) -> str:
        """The time up to which all lines were looked at; "" where these are all there are."""
        wanted, order = walk.wanted, walk.order
        if wanted.by_index:
            return ""
        number = await self._nth(wanted, along, wanted.at_most, order)
        sql = "SELECT timestamp FROM messages WHERE id = :id"
        timestamp = await self._database.value(sql, {"id": number}, "")
        run = next((stretch.run for stretch in along if number in stretch.ids), None)
        return order.back(timestamp, run.max_disorder_ms) if timestamp and run else ""

    async def _nth(self, wanted: Wanted, along: Sequence[Stretch], n: int, order: Order) -> int:
        """The id of the n-th line that the index finds; 0 where it finds fewer."""
        found = in_ranges(len(along), order)
        sql = f"SELECT rowid FROM ({found}) LIMIT 1 OFFSET :n - 1"  # noqa: S608 -- words of strangers are parameters
        params = {**between([one.ids for one in along]), "match": wanted.match, "n": n}
        return -int(await self._database.value(sql, params, 0))


def _as_walked(found: Iterable[Lane], order: Order) -> list[Lane]:
    """Lanes, and what is in each, in the order in which they open."""
    if order.newest_first:
        found = [lane[::-1] for lane in found]
    return sorted(found, key=lambda lane: order.opening(lane[0].run), reverse=order.newest_first)


def _beyond(last: int, ids: Ids, order: Order) -> Ids:
    """The ids that a walk would come to after the last one."""
    return Ids(ids.first, last - 1) if order.newest_first else Ids(last + 1, ids.last)
