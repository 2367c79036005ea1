"""Look-ups for candidates in the index: many in few statements, each for its newest lines."""

from collections.abc import Mapping, Sequence
from itertools import zip_longest

from terrarium_mcp.store.search.relevance.lookup import Lookup
from terrarium_mcp.store.sqlite.engine.reads import Reads, united_rows
from terrarium_mcp.store.sqlite.search.fts_query import FtsQuery
from terrarium_mcp.store.sqlite.search.id_ranges import IdRange, coalesced
from terrarium_mcp.store.sqlite.search.index_scan import IndexScan
from terrarium_mcp.store.sqlite.search.lookup_expression import lookup_expression
from terrarium_mcp.store.sqlite.search.order import NEWEST
from terrarium_mcp.store.sqlite.search.scan_plans import LookupSql, batches, in_ranges, range_params
from terrarium_mcp.store.sqlite.search.snapshot import Snapshot

_MANY_RANGES = 8
"""Above this many ranges the whole index is asked first. With 2 or 3 ranges, looking twice for a
common word costs as much as is saved."""

IdRanges = tuple[IdRange, ...]


class CandidateScan:
    """Runs look-ups in a snapshot; `query` has the restrictions of the question."""

    def __init__(self, reads: Reads, snapshot: Snapshot, query: FtsQuery) -> None:
        self._reads = reads
        self._snapshot = snapshot
        self._query = query
        self._index = IndexScan(reads)
        self._ranges_of: dict[tuple[str, str], IdRanges] = {}

    async def find(self, lookups: Sequence[Lookup]) -> dict[Lookup, list[int]]:
        """The ids that each look-up finds, newest first, in few statements.

        Look-ups whose time has no lines are left out. A rare word costs as much in a range of ids
        as in the whole index: where there are many ranges, they are first taken together, as far as
        they are contiguous.
        """
        ranges = await self._ranges(lookups)
        scattered = {
            lookup: coalesced(ids) for lookup, ids in ranges.items() if len(ids) > _MANY_RANGES
        }
        found = await self._in(scattered, extra=1)
        complete = {lookup: ids for lookup, ids in found.items() if len(ids) <= lookup.most}
        rest = {lookup: ids for lookup, ids in ranges.items() if lookup not in complete}
        found = complete | {lookup: [] for lookup in rest}
        for step in zip_longest(*map(batches, rest.values()), fillvalue=[]):
            pending = {
                lookup: ids
                for lookup, ids in zip(rest, step, strict=True)
                if ids and len(found[lookup]) < lookup.most
            }
            for lookup, more in (await self._in(pending)).items():
                found[lookup] = [*found[lookup], *more][: lookup.most]
        return found

    async def _ranges(self, lookups: Sequence[Lookup]) -> dict[Lookup, IdRanges]:
        """The ranges of ids of each look-up's time, newest first, if there are any."""
        found: dict[Lookup, IdRanges] = {}
        for lookup in lookups:
            since, until = time = lookup.since, lookup.until
            if time not in self._ranges_of:
                ranges = await self._index.ids_between(self._snapshot, since, until)
                self._ranges_of[time] = ranges
            if ids := self._ranges_of[time]:
                found[lookup] = ids
        return found

    async def _in(
        self, ranges: Mapping[Lookup, Sequence[IdRange]], extra: int = 0
    ) -> dict[Lookup, list[int]]:
        """The first ids that look-ups find in ranges: as many as each wants, and `extra` more."""
        found: dict[Lookup, list[int]] = {lookup: [] for lookup in ranges}
        lookups = [*ranges]
        selects = [
            self._newest(n, lookup, ranges[lookup], lookup.most + extra)
            for n, lookup in enumerate(lookups)
        ]
        for n, rowid in await united_rows(self._reads, selects):
            found[lookups[n]].append(-rowid)
        return found

    def _newest(self, n: int, lookup: Lookup, ids: Sequence[IdRange], most: int) -> LookupSql:
        """One of several look-ups of a statement: `n` and the `most` newest rowids."""
        newest = in_ranges(len(ids), NEWEST, f"{n}")
        sql = f"SELECT * FROM (SELECT {n}, * FROM ({newest}) LIMIT :most{n})"  # noqa: S608 -- words of strangers are parameters
        match = lookup_expression(lookup, self._query)
        return sql, {f"match{n}": match, f"most{n}": most, **range_params(ids, f"{n}")}
