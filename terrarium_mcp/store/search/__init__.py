"""Search: find what was said, on the first rung of the ladder that answers.

What flows, and which step makes it:

    Query      --(caller)------------>  Search         who asks what of which rooms, a page's size
    Search     --(message_search)---->  SearchScope    its terms, rooms and time (scope.py)
                                        + Snapshot     the history that all pages see
    each rung  --(ladder)------------>  SearchScope    the terms of that rung
    ranked:    --(relevance/)-------->  PlainQuestion -> ParsedQuestion -> Lookup -> RankedAnswer
    by time:   --(exact, fts_query)-->  ExactQuery -> FtsQuery -> ScanSpec
               --(index_scan)-------->  ScanPlan and CountPlan (scan_plans) -> ScanResult
    both       --(paging)------------>  Hits           a ranked head, then the others by time

The ladder and relevance/ are here, and what words may be looked up beside those typed
(vocabulary_queries, spelling, compounds, stand_ins); the other steps are in `store/sqlite/search/`.
Down to SearchScope and in all of relevance/ a query is data; FTS5 and SQL begin behind it, in
implementations of `Corpus` and in `ExactQuery`. Every rung makes a bounded number of look-ups.
"""

from terrarium_mcp.store.search.hits import (
    COUNTED,
    ENOUGH,
    HEAD,
    Explanation,
    Hits,
    Rung,
    RungReport,
    Search,
    Sort,
)

__all__ = [
    "COUNTED",
    "ENOUGH",
    "HEAD",
    "Explanation",
    "Hits",
    "Rung",
    "RungReport",
    "Search",
    "Sort",
]
