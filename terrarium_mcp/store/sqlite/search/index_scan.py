"""The index scan: reads the first hits in time order straight from the index, sorting only those.

The index is walked by id, run by run, and the walk stops as soon as no later line can belong
before those found. Statements are few: to hand one to a connection's thread and back costs 0.1 ms.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from terrarium_mcp.chat.times.timestamps import Position
from terrarium_mcp.store.search.hits import COUNTED
from terrarium_mcp.store.search.scope import SearchScope
from terrarium_mcp.store.sqlite.engine.reads import Reads, Row, united_rows
from terrarium_mcp.store.sqlite.index.message_index import MessageIndex
from terrarium_mcp.store.sqlite.search.counted_blocks import counted_blocks
from terrarium_mcp.store.sqlite.search.id_ranges import (
    IdRange,
    RunSlice,
    Strand,
    all_ids,
    coalesced,
    run_slices,
    strands,
    without,
)
from terrarium_mcp.store.sqlite.search.order import NEWEST, Order
from terrarium_mcp.store.sqlite.search.scan_plans import (
    ALL_OF_THEM,
    FirstWalk,
    ScanPlan,
    ScanSpec,
    batches,
    count_plan,
    first_lines,
    in_ranges,
    lines_in,
    lines_of,
    lines_read,
    range_params,
)
from terrarium_mcp.store.sqlite.search.snapshot import Snapshot

_EXTRA = 8
"""Extra lines to read where a run is not in order: they mostly show that no line is missing."""

_FARTHER = 8
"""How many times more lines to read where all that were read have the same timestamp."""

_MANY_RANGES = 36
"""More ranges than this are not walked for few lines, but all of these are read: it takes several
statements to walk them, each range costs as much as ten lines, and where only few lines match no
page is full before the last. Logs of overlapping times make hundreds of runs, in a strand each."""

_HOWEVER_MANY = 2**62
"""More lines than any history has; ALL_OF_THEM would mean that the index decides."""


@dataclass(frozen=True, slots=True)
class Total:
    """How many lines match, up to `COUNTED` + 1; there may be more if not `exact`."""

    count: int
    exact: bool = True


@dataclass(frozen=True, slots=True)
class ScanResult:
    """Lines in order, and the total of all matching lines, also of those before the page.

    If not all lines could be examined, `reached` is the position from which to continue.
    """

    rows: Sequence[Row]
    total: Total
    reached: Position | None = None


@dataclass(frozen=True, slots=True)
class _Scan:
    """The first rows of a scan, the time it got to (None: it saw all), the total if it is known."""

    rows: Sequence[Row]
    reached: str | None
    total: Total | None


class IndexScan:
    """Scans the index of messages.

    How runs that are not in order are handled, for the 2 newest lines of two runs (as if no line
    more than these were read, as `_EXTRA` has it):

        run A: ids 1 to 4, at 12:00 12:01 12:02 12:03, slack 0 (imported)
        run B: ids 5 to 8, at 12:10 12:12 12:11 12:13, slack 60 s (recorded, id 7 came late)

    A ends before B begins, so both are one strand, walked from the end of B. The first two lines
    are 8 (12:13) and 7 (12:11). But in B a line may be up to 60 s later than one with a larger id:
    `_missed` reads the other lines of B from 12:11 on, finds 6 (12:12), and the page is 8 and 6.

    If the index does not decide, and only those two lines may be read, `_examined_to` says how far
    lines are complete: unread lines of B can be 60 s later than 7, so that is to 12:12. The page is
    8 alone, and the next one continues from there.
    """

    def __init__(self, reads: Reads) -> None:
        self._reads = reads

    async def first(
        self,
        spec: ScanSpec,
        most: int,
        order: Order,
        after: Position | None = None,
        *,
        wants_total: bool = True,
    ) -> ScanResult:
        """The first `most` matching lines in an order, after a position.

        Without `wants_total` the total may be that of these lines, and is then not exact.
        """
        farther = spec
        while True:
            scan = await self._scanned(farther, most, order, after, wants_total=wants_total)
            if not (scan.reached and after) or order.is_before(after.timestamp, scan.reached):
                break
            # It got no farther than `after`: the next page would begin where this one does.
            farther = replace(farther, at_most=farther.at_most * _FARTHER)
        total = scan.total or (
            await self.total(spec) if wants_total else Total(len(scan.rows), exact=False)
        )
        return ScanResult(
            scan.rows,
            total,
            order.just_before(scan.reached) if scan.reached else None,
        )

    async def newest_of_each(self, lookups: Sequence[tuple[ScanSpec, int]]) -> list[Sequence[Row]]:
        """The newest lines of each scan, up to its own limit.

        Only for scans that the index decides; there are no totals. Scans of the same bounds begin
        in one statement, which mostly finds all that they want.
        """
        begun = await self._begun(lookups)
        return [
            (await self._scanned(spec, most, NEWEST, wants_total=False, begun=begun.get(n))).rows
            for n, (spec, most) in enumerate(lookups)
        ]

    async def all_of_few(self, spec: ScanSpec, index: str, most: int) -> list[Row] | None:
        """All matching lines, in no order, if an index finds at most `most`; None otherwise."""
        found = in_ranges(1, NEWEST, index=index)
        rows = await self._reads.rows(
            f"WITH found AS MATERIALIZED ({found} LIMIT :few + 1),"  # noqa: S608 -- words of strangers are parameters
            " held AS MATERIALIZED (SELECT count(*) AS held FROM found)"
            f" SELECT m.*, held FROM held LEFT JOIN ({lines_of('found', spec.where, spec.columns)}"
            " AND (SELECT held FROM held) <= :few) m",
            {**spec.all_params, **range_params([all_ids(spec.snapshot)]), "few": most},
        )
        return None if rows[0]["held"] > most else [row for row in rows if row["id"]]

    async def count(
        self, spec: ScanSpec, apart_from: Sequence[IdRange] = (), most: int = ALL_OF_THEM
    ) -> int:
        """How many lines match, however many these are and have to be read for it.

        Args:
            spec: the lines to find.
            apart_from: ids whose lines are not counted, ascending.
            most: no more than these are counted.

        Raises:
            TookTooLong: the deadline passed.
        """
        if not spec.index_decides:
            spec = replace(spec, at_most=_HOWEVER_MANY)
        slices = await self._slices(spec, spec.since, spec.until)
        plan = count_plan(spec, slices)
        plan = replace(
            plan,
            indexed=without(plan.indexed, apart_from),
            read=without(plan.read, apart_from),
            most=most,
        )
        params = {**spec.all_params, **plan.params}
        return int(await self._reads.value(f"{plan.tables} SELECT {plan.count}", params))

    async def counted_blocks(
        self, scope: SearchScope, snapshot: Snapshot, word: str, enough: int | None = None
    ) -> Mapping[IdRange, int]:
        """How many lines hold a word, by blocks in which they are counted; as `counted_blocks`."""
        return await counted_blocks(self._reads, scope, snapshot, word, enough)

    async def all_lines(self, spec: ScanSpec, columns: str) -> list[Row]:
        """Some columns of all matching lines, in no order; as `count`, whatever their number.

        Raises:
            TookTooLong: the deadline passed.
        """
        slices = await self._slices(spec, spec.since, spec.until)
        sql, params = lines_in(spec, coalesced(one.ids for one in slices), columns)
        return await self._reads.rows(sql, params)

    async def has_any(self, match: str, snapshot: Snapshot) -> bool:
        """Whether the index finds any line for an FTS5 expression."""
        params = {"match": match, **range_params([all_ids(snapshot)])}
        return bool(await self._reads.rows(f"{in_ranges(1, NEWEST)} LIMIT 1", params))

    async def ids_between(self, snapshot: Snapshot, since: str, until: str) -> tuple[IdRange, ...]:
        """Ranges with every line of a time, and few others; those of newer lines first."""
        slices = await run_slices(self._reads, snapshot, since, until)
        slices.sort(key=lambda one: one.run.ended, reverse=True)
        return tuple(one.ids for one in slices)

    async def total(self, spec: ScanSpec) -> Total:
        """How many lines match."""
        plan = count_plan(spec, await self._slices(spec, spec.since, spec.until))
        params = {**spec.all_params, **plan.params}
        count = int(await self._reads.value(f"{plan.tables} SELECT {plan.count}", params))
        if count > COUNTED or spec.index_decides:
            return Total(count)
        sql = f"{plan.tables} SELECT {plan.examined}"
        return Total(count, exact=int(await self._reads.value(sql, params)) < spec.at_most)

    async def _slices(self, spec: ScanSpec, since: str, until: str) -> list[RunSlice]:
        return await run_slices(self._reads, spec.snapshot, since, until)

    async def _scanned(
        self,
        spec: ScanSpec,
        most: int,
        order: Order,
        after: Position | None = None,
        *,
        wants_total: bool = True,
        begun: FirstWalk | None = None,
    ) -> _Scan:
        """The first lines, all of them before the time that the scan got to."""
        slices = await self._slices(spec, spec.since, spec.until)
        if len(slices) > _MANY_RANGES and spec.index_decides:
            few = await self.all_of_few(spec, MessageIndex.table, COUNTED)
            if few is not None:
                return _Scan(order.following(few, after)[:most], None, Total(len(few)))
        counting = count_plan(spec, slices) if wants_total and spec.index_decides else None
        plan = ScanPlan(spec, order, after, counting, begun)
        if after:
            since, until = order.narrowed(spec.since, spec.until, after)
            slices = await self._slices(spec, since, until)
        found: list[Row] = []
        reached, total = "", None
        for strand in _in_walking_order(strands(slices), order):
            opening = order.opening(strand[0].run)
            if len(found) >= most and order.is_before(found[most - 1]["timestamp"], opening):
                break
            lines, examined_to = await self._of_strand(strand, plan, most)
            if plan.counting and (total := _total_in(lines)):
                plan = replace(plan, counting=None)
            reached = order.first((reached, examined_to))
            found = order.arranged([*found, *lines])[:most]
        kept = [row for row in found if not reached or order.is_before(row["timestamp"], reached)]
        if not after and len(kept) < most:  # these are all, or all that could be examined
            total = Total(len(kept), exact=not reached)
        return _Scan(kept, reached or None, total)

    async def _begun(self, lookups: Sequence[tuple[ScanSpec, int]]) -> dict[int, FirstWalk]:
        """The first walks of scans, by their numbers; of the same bounds in one statement."""
        walks: dict[int, FirstWalk] = {}
        together: dict[object, dict[int, tuple[ScanSpec, int]]] = {}
        for n, (spec, most) in enumerate(lookups):
            together.setdefault(spec.bounds, {})[n] = spec, most
        for same in together.values():
            spec, _ = next(iter(same.values()))
            slices = await self._slices(spec, spec.since, spec.until)
            if strand := next(iter(_in_walking_order(strands(slices), NEWEST)), None):
                ranges = [one.ids for one in next(batches(strand))]
                walks |= await self._walked_together(same, ranges, _extra(strand))
        return walks

    async def _walked_together(
        self, lookups: Mapping[int, tuple[ScanSpec, int]], ranges: Sequence[IdRange], extra: int
    ) -> dict[int, FirstWalk]:
        """The first lines of each scan in these ranges: as many as it wants, and `extra` more."""
        found: dict[int, list[Row]] = {n: [] for n in lookups}
        selects = [
            first_lines(spec, ranges, most + extra, n) for n, (spec, most) in lookups.items()
        ]
        for row in await united_rows(self._reads, selects):
            found[row["scan"]].append(row)
        return {n: FirstWalk(ranges, rows) for n, rows in found.items()}

    async def _of_strand(self, strand: Strand, plan: ScanPlan, most: int) -> tuple[list[Row], str]:
        """At least the `most` first lines of a strand, and where the scan ended if too early."""
        enough = most + _extra(strand)
        lines: list[Row] = []
        for batch in batches(strand):
            ids = [one.ids for one in batch]
            lines += await self._walked(plan, ids, enough - len(lines))
            if len(lines) >= enough:
                return [*lines, *await self._missed(batch, plan, lines, most)], ""
            if examined_to := await self._examined_to(batch, plan):
                return lines, examined_to
        return lines, ""

    async def _missed(
        self, slices: Sequence[RunSlice], plan: ScanPlan, lines: Sequence[Row], most: int
    ) -> list[Row]:
        """The lines that the walk has not reached, and that belong before the last one wanted.

        Only the run in which the walk ended can have any, within its slack.
        """
        order, last = plan.order, lines[-1]["id"]
        run = next(one.run for one in slices if last in one.ids)
        if not run.slack_ms:
            return []
        times = [line["timestamp"] for line in order.arranged(lines)]
        # Unread lines belong at most the slack before the farthest one read, so if the last one
        # wanted belongs before even these, none is missing.
        edge, farthest = times[most - 1], times[-1]
        if order.is_before(edge, order.back(farthest, run.slack_ms)):
            return []
        alone = replace(plan.spec.snapshot, runs=(run,))
        near = await run_slices(self._reads, alone, *order.upto(edge))
        rest = replace(plan, spec=replace(plan.spec, at_most=ALL_OF_THEM), counting=None)
        ids = [_beyond(last, one.ids, order) for one in near]
        return await self._walked(rest, ids, ALL_OF_THEM) if ids else []

    async def _walked(self, plan: ScanPlan, ranges: Sequence[IdRange], most: int) -> list[Row]:
        """The first matching lines in ranges of ids, in their order."""
        if plan.begun and plan.begun.ranges == ranges:
            return list(plan.begun.rows)
        return await self._reads.rows(*plan.lookup(ranges, most))

    async def _examined_to(self, slices: Sequence[RunSlice], plan: ScanPlan) -> str:
        """The time up to which all lines have been examined; "" if these are all."""
        spec, order = plan.spec, plan.order
        if spec.index_decides:
            return ""
        number = await self._last_read(spec, slices, order)
        sql = "SELECT timestamp FROM messages WHERE id = :id"
        timestamp = await self._reads.value(sql, {"id": number}, "")
        run = next((one.run for one in slices if number in one.ids), None)
        return order.back(timestamp, run.slack_ms) if timestamp and run else ""

    async def _last_read(self, spec: ScanSpec, slices: Sequence[RunSlice], order: Order) -> int:
        """The id of the last line that may be read; 0 if all lines are."""
        found = lines_read(spec, in_ranges(len(slices), order))
        sql = f"SELECT rowid FROM ({found}) LIMIT 1 OFFSET :at_most - 1"  # noqa: S608 -- words of strangers are parameters
        params = {**spec.all_params, **range_params([one.ids for one in slices])}
        return -int(await self._reads.value(sql, params, 0))


def _total_in(lines: Sequence[Row]) -> Total | None:
    """The total that the lines of a walk carry in a column, if that walk counted all lines."""
    return next((Total(line["total"]) for line in lines if line["total"]), None)


def _extra(strand: Strand) -> int:
    """How many lines more than wanted are read of a strand."""
    return _EXTRA if any(one.run.slack_ms for one in strand) else 0


def _in_walking_order(found: Iterable[Strand], order: Order) -> list[Strand]:
    """Strands, and the slices of each, in the order in which they open."""
    if order.newest_first:
        found = [strand[::-1] for strand in found]
    return sorted(
        found, key=lambda strand: order.opening(strand[0].run), reverse=order.newest_first
    )


def _beyond(last: int, ids: IdRange, order: Order) -> IdRange:
    """The ids that a walk reaches after the last one."""
    if order.newest_first:
        return IdRange(ids.first, last - 1)
    return IdRange(last + 1, ids.last)
