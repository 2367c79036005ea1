"""Walks: the SQL that goes through the index of messages in ranges of ids, and reads what it finds.

A range costs 10 to 60 us to enter, whatever its length (10 M lines), a statement of its own 0.1 ms.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

from terrarium_mcp.chat.when import BEGINNING, EVERY_LINE, Position
from terrarium_mcp.store.rows import COLUMNS
from terrarium_mcp.store.search.order import Order
from terrarium_mcp.store.search.stretches import History, Ids, Stretch, closed_up

# ruff: noqa: S608 -- words of strangers are parameters in every statement

COUNTED = 1_000
"""Totals are exact up to here."""

ALL_OF_THEM = -1

_AT_ONCE = (4, 32)
"""Ranges of ids that one statement goes through, at first and further on. Nearly every history has
fewer than four; an import beside a busy recorder leaves two for each of its groups."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Wanted:
    """Lines that `match` (an FTS5 expression) and `where` (conditions on `m`), within a time.

    `since` and `until` are timestamps as text; lines are at or after the one, and at or before
    the other. They only narrow the walk: `where` says the exact places. `at_most` is how many of
    the lines that the index finds are looked at in one walk; ALL_OF_THEM where the index alone
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

    @property
    def all_params(self) -> dict[str, Any]:
        """The parameters of what is wanted."""
        return {**self.params, "match": self.match, "at_most": self.at_most}


@dataclass(frozen=True, slots=True)
class Counting:
    """How all lines wanted are counted, up to one more than are counted.

    The index tells of the lines in the ranges `told`; those in the ranges `read` are looked at.
    """

    wanted: Wanted
    told: Sequence[Ids]
    read: Sequence[Ids]

    @classmethod
    def of(cls, wanted: Wanted, along: Sequence[Stretch]) -> "Counting":
        """Where the index alone tells which lines are wanted, those at the edges are read."""
        if not wanted.by_index:
            return cls(wanted, [], closed_up(stretch.ids for stretch in along))
        return cls(
            wanted,
            closed_up(stretch.within for stretch in along if stretch.within),
            closed_up(ids for stretch in along for ids in stretch.edges),
        )

    @property
    def tables(self) -> str:
        """How the statement begins."""
        return f"WITH {', '.join(_THESE.format(name) for name in ('told', 'read'))}"

    @property
    def count(self) -> str:
        """The expression for the count, over those tables."""
        parts = [f"SELECT 1 FROM {_IN_THESE.format('told')}"]
        if self.read:  # mostly there are none
            found = f"(SELECT found.rowid FROM {_IN_THESE.format('read')} LIMIT :at_most)"
            parts.append(f"SELECT 1 FROM ({lines_of(found, self.wanted.where)})")
        return f"(SELECT count(*) FROM ({' UNION ALL '.join(parts)} LIMIT {COUNTED + 1}))"

    @property
    def looked_at(self) -> str:
        """The expression for how many lines of `read` are looked at: `:at_most`, if not all."""
        return f"(SELECT count(*) FROM (SELECT 1 FROM {_IN_THESE.format('read')} LIMIT :at_most))"

    @property
    def params(self) -> dict[str, str]:
        """The parameters of the tables."""
        return {"told": _as_rowids(self.told), "read": _as_rowids(self.read)}

    def is_along(self, ranges: Sequence[Ids]) -> bool:
        """Whether the index tells of all lines, and whoever walks along these comes to all."""
        return not self.read and self.told == closed_up(ranges)


_THESE = "{0} (low, high) AS MATERIALIZED (SELECT value ->> 0, value ->> 1 FROM json_each(:{0}))"
_IN_THESE = (
    "{0} CROSS JOIN message_index found"
    " WHERE found.message_index MATCH :match AND found.rowid BETWEEN {0}.low AND {0}.high"
)


@dataclass(frozen=True, slots=True)
class Walk:
    """How the index is walked for one page, and how all lines are counted if that is full."""

    wanted: Wanted
    order: Order
    after: Position | None = None
    counting: Counting | None = None

    def sql(self, ranges: Sequence[Ids]) -> str:
        """The statement for the first `:most` lines wanted in ranges of ids."""
        where = list(self.wanted.where)
        if self.after:
            where.append(f"(m.timestamp, m.id) {self.order.beyond} (:after, :after_id)")
        found = in_ranges(len(ranges), self.order)
        if self.counting and not self.after and self.counting.is_along(ranges):  # mostly
            # The page is among the lines that are counted, as it begins with the first.
            return (
                f"WITH found AS MATERIALIZED ({found} LIMIT max(:most, {COUNTED + 1}))"
                " SELECT *, (SELECT count(*) FROM found) AS total FROM"
                f" ({lines_of('found', where)} LIMIT :most)"
            )
        lines = f"{lines_of(f'({found} LIMIT :at_most)', where)} LIMIT :most"
        if not self.counting:
            return f"SELECT *, NULL AS total FROM ({lines})"
        return (
            f"{self.counting.tables}, page AS MATERIALIZED ({lines}) SELECT page.*,"
            f" CASE WHEN (SELECT count(*) FROM page) = :most THEN {self.counting.count} END"
            " AS total FROM page"
        )

    @property
    def params(self) -> dict[str, Any]:
        """The parameters of the statement, but for the ids and how many."""
        after = self.after or BEGINNING
        return {
            **self.wanted.all_params,
            **(self.counting.params if self.counting else {}),
            "after": after.timestamp,
            "after_id": after.id,
        }


def lines_of(found: str, where: Sequence[str]) -> str:
    """The statement for the lines whose rowids were found, as far as they are wanted."""
    # CROSS JOIN keeps the order: the index leads, and the rows follow by their ids.
    return (
        f"SELECT {COLUMNS} FROM {found} found"
        f" CROSS JOIN messages m ON m.id = -found.rowid WHERE {' AND '.join(where)}"
    )


def in_ranges(ranges: int, order: Order, look: str = "", index: str = "message_index") -> str:
    """The statement for the rowids that an index finds in so many ranges, one after the other.

    `look` is part of the names of its parameters, where a statement holds several.
    """
    return " UNION ALL ".join(
        f"SELECT * FROM (SELECT rowid FROM {index} WHERE {index} MATCH :match{look}"
        f" AND rowid BETWEEN :low{look}_{n} AND :high{look}_{n} ORDER BY rowid {order.rowids})"
        for n in range(ranges)
    )


def between(ranges: Sequence[Ids], look: str = "") -> dict[str, int]:
    """The parameters for these ranges."""
    lows = {f"low{look}_{n}": -ids.last for n, ids in enumerate(ranges)}
    return lows | {f"high{look}_{n}": -ids.first for n, ids in enumerate(ranges)}


def by_parts(along: Sequence[T]) -> Iterator[list[T]]:
    """The same in parts that one statement goes through: few at first, often enough."""
    rest = iter(along)
    first, further = _AT_ONCE
    most = first
    while part := list(islice(rest, most)):
        yield part
        most = further


def _as_rowids(ranges: Sequence[Ids]) -> str:
    return json.dumps([(-ids.last, -ids.first) for ids in ranges])
