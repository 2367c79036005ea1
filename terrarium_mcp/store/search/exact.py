"""Exact search: all lines that a query finds, in the order of time, a page at a time.

Every restriction that the index can apply is part of the look-up. A query whose words are rare is
answered from their lines alone, which are few: they are read and looked at. For the others the
index is walked within the restrictions, and stops when the page is full.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from terrarium_mcp.chat.query import Query
from terrarium_mcp.chat.records import Room
from terrarium_mcp.chat.when import BEGINNING, EVERY_LINE, Position
from terrarium_mcp.store.database import Row
from terrarium_mcp.store.rooms import within
from terrarium_mcp.store.search.lookups import ALL_OF_THEM, Lookups, Wanted
from terrarium_mcp.store.search.matching import Match, matching

COUNTED = 1_000
"""Totals are exact up to here."""

_FEW = 400
"""So many lines that hold the words are read at once, and looked at for the restrictions."""

_LOOKED_AT = 50_000
"""Lines that are looked at where the index cannot tell which of them are wanted: half a second."""

_MORE = 8
"""How much farther to look where all those lines were of one moment."""

_LAST = 2**63 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Sought:
    """A query, and the lines among which it looks.

    `all_rooms` says that `rooms` are all there are. `since` is a timestamp as text; `until` the
    first place that is too late. No line with an id above `snapshot` is seen.
    """

    query: Query
    rooms: Sequence[Room]
    all_rooms: bool
    snapshot: int
    since: str = BEGINNING.timestamp
    until: Position = EVERY_LINE

    @property
    def match(self) -> Match:
        """How the index finds its lines."""
        return matching(self.query, () if self.all_rooms else self.rooms)

    @property
    def is_timed(self) -> bool:
        """Whether it looks at a part of the time only."""
        return self.since != BEGINNING.timestamp or self.until != EVERY_LINE


@dataclass(frozen=True, slots=True)
class Total:
    """How many lines there are, up to one more than are counted; at least, if not `exact`."""

    count: int
    exact: bool = True


@dataclass(frozen=True, slots=True)
class Part:
    """Some lines in order.

    Where there are more than could be looked at, `reached` is the place from which to go on.
    """

    rows: Sequence[Row]
    total: Total
    reached: Position | None = None


class Exact:
    """Exact search in all rooms."""

    def __init__(self, lookups: Lookups) -> None:
        self._lookups = lookups

    async def newest(self, sought: Sought, most: int, before: Position | None = None) -> Part:
        """The `most` newest lines before a place, newest first."""
        few = await self._few(sought)
        if few is not None:
            rows = [row for row in few if before is None or _place(row) < before]
            return Part(rows[:most], Total(min(len(few), COUNTED + 1)))
        wanted = _wanted(sought)
        if before:
            wanted = _onward(wanted, "<", before)
            wanted = replace(wanted, until=min(wanted.until, before.timestamp))
        while True:
            found = await self._lookups.newest(wanted, most)
            if not found.reached or before is None or found.reached < before.timestamp:
                break
            wanted = replace(wanted, at_most=wanted.at_most * _MORE)
        place = Position(found.reached, _LAST) if found.reached else None
        if before is None and len(found.rows) < most:  # these are all, or all that could be read
            return Part(found.rows, Total(len(found.rows), exact=not place), place)
        return Part(found.rows, await self.total(sought), place)

    async def oldest(self, sought: Sought, most: int, after: Position | None = None) -> Part:
        """The `most` oldest lines after a place, oldest first."""
        few = await self._few(sought)
        if few is not None:
            rows = [row for row in reversed(few) if after is None or _place(row) > after]
            return Part(rows[:most], Total(min(len(few), COUNTED + 1)))
        wanted = _wanted(sought)
        if after:
            wanted = _onward(wanted, ">", after)
            wanted = replace(wanted, since=max(wanted.since, after.timestamp))
        while True:
            found = await self._lookups.oldest(wanted, most)
            if not found.reached or after is None or found.reached > after.timestamp:
                break
            wanted = replace(wanted, at_most=wanted.at_most * _MORE)
        place = Position(found.reached) if found.reached else None
        if after is None and len(found.rows) < most:
            return Part(found.rows, Total(len(found.rows), exact=not place), place)
        return Part(found.rows, await self.total(sought), place)

    async def total(self, sought: Sought) -> Total:
        """How many lines there are."""
        match = sought.match
        if match.is_exact and not sought.is_timed:
            count = self._lookups.counted_by_index
            return Total(await count(match.expression, sought.snapshot, COUNTED + 1))
        return Total(*await self._lookups.counted(_wanted(sought), COUNTED + 1))

    async def _few(self, sought: Sought) -> list[Row] | None:
        """All lines of a restricted query whose words are rare, newest first."""
        match = sought.match
        is_restricted = match.scope or not match.is_exact or sought.is_timed
        if not match.terms or not is_restricted:
            return None
        ids = await self._lookups.ids(match.terms, sought.snapshot, _FEW + 1)
        if len(ids) > _FEW:
            return None
        wanted = _wanted(sought)
        where = [*wanted.where, *match.scope_where]
        return await self._lookups.these(ids, replace(wanted, where=where))


def _wanted(sought: Sought) -> Wanted:
    """The lines as they are looked up."""
    match = sought.match
    where = [
        within(sought.rooms, "m.room"),
        "m.redacted_at IS NULL",
        "m.id <= :snapshot",
        "(m.timestamp, m.id) < (:until, :until_id)",
        "m.timestamp >= :since",
        *match.where,
    ]
    params = {
        **match.params,
        "snapshot": sought.snapshot,
        "until": sought.until.timestamp,
        "until_id": sought.until.id,
        "since": sought.since,
    }
    return Wanted(
        match.expression,
        where,
        params,
        sought.since,
        sought.until.timestamp,
        ALL_OF_THEM if match.is_exact else _LOOKED_AT,
    )


def _onward(wanted: Wanted, beyond: str, place: Position) -> Wanted:
    """The same lines, from a place on."""
    return replace(
        wanted,
        where=[*wanted.where, f"(m.timestamp, m.id) {beyond} (:place, :place_id)"],
        params={**wanted.params, "place": place.timestamp, "place_id": place.id},
    )


def _place(row: Row) -> Position:
    return Position(row["timestamp"], row["id"])
