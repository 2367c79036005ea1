"""Reading the rows of a query for an export: its lines are found by the index, a page at a time."""

# ruff: noqa: S608 -- every statement is made of constants

from collections.abc import AsyncIterator

from terrarium_mcp.store.records.archive import ArchivedMessage
from terrarium_mcp.store.search.hits import Search
from terrarium_mcp.store.sqlite.archive.reading import COLUMNS, DEADLINE, JOINED, archived
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.id_lists import AMONG_IDS, ids_params
from terrarium_mcp.store.sqlite.index.indexer import Indexer
from terrarium_mcp.store.sqlite.ingest.opt_out_rows import stored_opt_outs
from terrarium_mcp.store.sqlite.search.exact import ExactQuery, ExactSearch
from terrarium_mcp.store.sqlite.search.index_scan import IndexScan
from terrarium_mcp.store.sqlite.search.order import OLDEST, position_of
from terrarium_mcp.store.sqlite.search.snapshot import current_snapshot, search_scope

PAGE = 500
"""Lines of a page: the index finds each page in milliseconds."""

_BY_ID = f"""
SELECT {COLUMNS} FROM messages m {JOINED} WHERE {AMONG_IDS}
ORDER BY m.timestamp, m.id"""


async def matching_pages(
    database: Database, indexer: Indexer, search: Search
) -> AsyncIterator[list[ArchivedMessage]]:
    """The messages that have all words of a search and meet its conditions, oldest first."""
    snapshot = await current_snapshot(indexer, search)
    if snapshot is None or not search.rooms:
        return
    opt_outs = await stored_opt_outs(database)
    exact = ExactSearch(IndexScan(database))
    query = ExactQuery(search_scope(search, snapshot), snapshot)
    after = None
    while True:
        found = await exact.first(query, PAGE, OLDEST, after)
        ids = ids_params(row["id"] for row in found.rows)
        rows = await database.rows(_BY_ID, ids, deadline=DEADLINE)
        if page := archived(rows, opt_outs):
            yield page
        if len(found.rows) >= PAGE:
            after = position_of(found.rows[-1])
        elif found.reached:  # only so many lines are examined at once
            after = found.reached
        else:
            return
