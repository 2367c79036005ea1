"""Scan plans: the SQL that walks the index in ranges of ids and reads the lines it finds.

To enter a range costs 10 to 60 us, whatever its length (10 M lines); a statement costs 0.1 ms.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

from terrarium_mcp.chat.times.timestamps import Position
from terrarium_mcp.store.search.hits import COUNTED
from terrarium_mcp.store.sqlite.engine.reads import Row
from terrarium_mcp.store.sqlite.engine.rows import COLUMNS
from terrarium_mcp.store.sqlite.engine.sql_expressions import position_params
from terrarium_mcp.store.sqlite.search.id_ranges import IdRange, RunSlice, coalesced
from terrarium_mcp.store.sqlite.search.order import NEWEST, Order
from terrarium_mcp.store.sqlite.search.snapshot import Snapshot

# ruff: noqa: S608 -- words of strangers are parameters in every statement

ALL_OF_THEM = -1

_AT_ONCE = (4, 32)
"""Ranges of ids in one statement, the first one and later ones. Nearly every history has fewer
than four; an import beside a busy recorder leaves two for each of its groups."""

T = TypeVar("T")

LookupSql = tuple[str, dict[str, Any]]
"""A statement and its parameters."""


@dataclass(frozen=True, slots=True)
class ScanSpec:
    """The lines to find: those that `match` (FTS5) and `where` (conditions on `m`), within a time.

    `columns` are those wanted of each line, `id` and `timestamp` among them.
    `since` and `until` are the first and the last timestamp. They only narrow the walk: `where`
    decides. `at_most` is how many lines found by the index are read in one walk; ALL_OF_THEM if
    the index alone decides which lines match, apart from their time. Only lines that meet
    `read_where` (conditions on `m`) count as read.
    """

    match: str
    where: Sequence[str]
    params: Mapping[str, Any]
    snapshot: Snapshot
    since: str
    until: str
    at_most: int
    read_where: Sequence[str] = ()
    columns: str = COLUMNS

    @property
    def bounds(self) -> tuple[object, ...]:
        """Its time and its parameters, which scans of one statement must have in common."""
        return self.since, self.until, *self.params.items()

    @property
    def index_decides(self) -> bool:
        """Whether the index alone decides which lines match."""
        return self.at_most == ALL_OF_THEM

    @property
    def all_params(self) -> dict[str, Any]:
        """The parameters of all these."""
        return {**self.params, "match": self.match, "at_most": self.at_most}


@dataclass(frozen=True, slots=True)
class CountPlan:
    """How all matching lines are counted, up to `most`.

    The index alone counts the lines in the ranges `indexed`; those in the ranges `read` are read.
    """

    spec: ScanSpec
    indexed: Sequence[IdRange]
    read: Sequence[IdRange]
    most: int = COUNTED + 1

    @property
    def tables(self) -> str:
        """The beginning of the statement."""
        return f"WITH {', '.join(_RANGES.format(name) for name in ('indexed', 'read'))}"

    @property
    def count(self) -> str:
        """The expression for the count, over those tables."""
        parts = [f"SELECT 1 FROM {_IN_RANGES.format('indexed')}"]
        if self.read:  # mostly there are none
            parts.append(f"SELECT 1 FROM ({lines_of(f'({self._lines_read})', self.spec.where)})")
        return f"(SELECT count(*) FROM ({' UNION ALL '.join(parts)} LIMIT {self.most}))"

    @property
    def examined(self) -> str:
        """The expression for how many lines of `read` are read: `:at_most` if not all."""
        return f"(SELECT count(*) FROM ({self._lines_read}))"

    @property
    def _lines_read(self) -> str:
        return lines_read(self.spec, f"SELECT found.rowid FROM {_IN_RANGES.format('read')}")

    @property
    def params(self) -> dict[str, str]:
        """The parameters of the tables."""
        return {"indexed": _as_rowids(self.indexed), "read": _as_rowids(self.read)}

    def covers_exactly(self, ranges: Sequence[IdRange]) -> bool:
        """Whether the index alone counts all lines, and these ranges hold all of them."""
        return not self.read and self.indexed == coalesced(ranges)


def count_plan(spec: ScanSpec, slices: Sequence[RunSlice]) -> CountPlan:
    """The plan for these slices: where the index decides, only their edges are read."""
    if not spec.index_decides:
        return CountPlan(spec, [], coalesced(one.ids for one in slices))
    return CountPlan(
        spec,
        coalesced(one.sure for one in slices if one.sure),
        coalesced(ids for one in slices for ids in one.edges),
    )


_RANGES = "{0} (low, high) AS MATERIALIZED (SELECT value ->> 0, value ->> 1 FROM json_each(:{0}))"
_IN_RANGES = (
    "{0} CROSS JOIN message_index found"
    " WHERE found.message_index MATCH :match AND found.rowid BETWEEN {0}.low AND {0}.high"
)


@dataclass(frozen=True, slots=True)
class FirstWalk:
    """What a walk of these ranges of ids has read: the first lines there."""

    ranges: Sequence[IdRange]
    rows: Sequence[Row]


@dataclass(frozen=True, slots=True)
class ScanPlan:
    """How the index is walked for one page, and all lines are counted once the page is full.

    `begun` is the first walk, where it was made together with those of other scans.
    """

    spec: ScanSpec
    order: Order
    after: Position | None = None
    counting: CountPlan | None = None
    begun: FirstWalk | None = None

    def lookup(self, ranges: Sequence[IdRange], most: int) -> LookupSql:
        """The statement for the first `most` matching lines in ranges of ids, and its parameters.

        With `counting` each line carries the `total` of all matching lines, or NULL where fewer
        than `most` are found.
        """
        where = list(self.spec.where)
        params = {**self.spec.all_params, **range_params(ranges), "most": most}
        if self.after:
            where.append(f"(m.timestamp, m.id) {self.order.beyond} (:after, :after_id)")
            params |= position_params("after", self.after)
        found = in_ranges(len(ranges), self.order)
        if self.counting and not self.after and self.counting.covers_exactly(ranges):  # mostly
            # The page is among the lines that are counted, as it begins with the first.
            sql = (
                f"WITH found AS MATERIALIZED ({found} LIMIT max(:most, {COUNTED + 1}))"
                " SELECT *, (SELECT count(*) FROM found) AS total FROM"
                f" ({lines_of('found', where, self.spec.columns)} LIMIT :most)"
            )
            return sql, params
        read = f"({lines_read(self.spec, found)})"
        lines = f"{lines_of(read, where, self.spec.columns)} LIMIT :most"
        if not self.counting:
            return lines, params
        sql = (
            f"{self.counting.tables}, page AS MATERIALIZED ({lines}) SELECT page.*,"
            f" CASE WHEN (SELECT count(*) FROM page) = :most THEN {self.counting.count} END"
            " AS total FROM page"
        )
        return sql, params | self.counting.params


def lines_read(spec: ScanSpec, found: str) -> str:
    """The statement for those of the rowids found that are read."""
    if not spec.read_where:
        return f"SELECT * FROM ({found}) LIMIT :at_most"
    return (
        f"SELECT found.rowid FROM ({found}) found"
        f" CROSS JOIN messages m ON m.id = -found.rowid WHERE {' AND '.join(spec.read_where)}"
        " LIMIT :at_most"
    )


def lines_of(found: str, where: Sequence[str], columns: str = COLUMNS) -> str:
    """The statement for the lines with the rowids found that meet the conditions."""
    # CROSS JOIN keeps the order: the index leads, and the rows follow by their ids.
    return (
        f"SELECT {columns} FROM {found} found"
        f" CROSS JOIN messages m ON m.id = -found.rowid WHERE {' AND '.join(where)}"
    )


def first_lines(spec: ScanSpec, ranges: Sequence[IdRange], most: int, n: int) -> LookupSql:
    """One of several scans of a statement: `n` and the `most` first matching lines, newest first.

    They must have the same bounds. What is read is not limited: the index decides.
    """
    found = f"({in_ranges(len(ranges), NEWEST, f'{n}')})"
    lines = lines_of(found, spec.where, f"{n} AS scan, {spec.columns}")
    sql = f"SELECT * FROM ({lines} LIMIT {most})"
    return sql, {**spec.params, f"match{n}": spec.match, **range_params(ranges, f"{n}")}


def lines_in(spec: ScanSpec, ranges: Sequence[IdRange], columns: str) -> LookupSql:
    """The statement for all matching lines in ranges of ids, however many, and its parameters."""
    found = f"(SELECT found.rowid FROM {_IN_RANGES.format('read')})"
    sql = f"WITH {_RANGES.format('read')} {lines_of(found, spec.where, columns)}"
    return sql, {**spec.all_params, "read": _as_rowids(ranges)}


def in_ranges(ranges: int, order: Order, lookup: str = "", index: str = "message_index") -> str:
    """The statement for the rowids that an index finds in this many ranges, one after the other.

    `lookup` is a part of its parameters' names, for a statement with several look-ups. The LIMIT
    keeps the order: in a join SQLite omits the ORDER BY of a subquery without one, and FTS5 then
    returns rowids as they rise. Where they are wanted so, the plan without a LIMIT is kept.
    """
    limit = "" if order.newest_first else " LIMIT -1"
    return " UNION ALL ".join(
        f"SELECT * FROM (SELECT rowid FROM {index} WHERE {index} MATCH :match{lookup}"
        f" AND rowid BETWEEN :low{lookup}_{n} AND :high{lookup}_{n}"
        f" ORDER BY rowid {order.rowids}{limit})"
        for n in range(ranges)
    )


def range_params(ranges: Sequence[IdRange], lookup: str = "") -> dict[str, int]:
    """The parameters of `in_ranges` for these ranges."""
    lows = {f"low{lookup}_{n}": -ids.last for n, ids in enumerate(ranges)}
    return lows | {f"high{lookup}_{n}": -ids.first for n, ids in enumerate(ranges)}


def batches(ranges: Sequence[T]) -> Iterator[list[T]]:
    """The same in batches for one statement each: few first, which are often enough."""
    rest = iter(ranges)
    first, later = _AT_ONCE
    most = first
    while batch := list(islice(rest, most)):
        yield batch
        most = later


def _as_rowids(ranges: Sequence[IdRange]) -> str:
    return json.dumps([(-ids.last, -ids.first) for ids in ranges])
