"""Message search: climbs the ladder in a reader's thread, and keeps rankings for the next pages."""

from collections.abc import Sequence
from functools import partial

from terrarium_mcp.bounded_dict import BoundedDict
from terrarium_mcp.chat.records import Room
from terrarium_mcp.chat.times.timestamps import Position
from terrarium_mcp.store.errors import TookTooLong
from terrarium_mcp.store.search.hits import Explanation, Hits, Search
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.failures import deadline
from terrarium_mcp.store.sqlite.engine.reads_in_turns import read_in_turns
from terrarium_mcp.store.sqlite.engine.rooms import within
from terrarium_mcp.store.sqlite.engine.rows import IS_SPEECH
from terrarium_mcp.store.sqlite.engine.sql_expressions import BEFORE_CUTOFF, position_params
from terrarium_mcp.store.sqlite.index.indexer import Indexer
from terrarium_mcp.store.sqlite.search.climb import Climb, climbed, without_history
from terrarium_mcp.store.sqlite.search.paging import HeadKey, Pages, RankedHead
from terrarium_mcp.store.sqlite.search.snapshot import SEARCHED

DEADLINE = 8.0
"""Seconds for a whole search: from a cold disk each of its dozen statements is slow."""

QUICK = 0.25
"""Seconds for which a search may hold a reader; nearly every one has ended by then. One that takes
longer begins again, and others have their turns between its statements."""

_HEADS = 200
"""Heads kept for their next pages, which so continue the ranking of the first page."""


class MessageSearch:
    """Searches the rooms that a search names."""

    def __init__(self, database: Database, indexer: Indexer) -> None:
        self._indexer = indexer
        self._database = database
        self._heads = BoundedDict[HeadKey, RankedHead](_HEADS)

    async def __call__(self, search: Search, fingerprint: str) -> Hits:
        """One page of hits, whose cursors carry the `fingerprint` of the question.

        Raises:
            TookTooLong: the deadline passed.
            RankedAnew: the page continues a ranking that is forgotten and would differ now.
        """
        return (await self._climbed_in_time(search, fingerprint)).hits

    async def explained(self, search: Search) -> Explanation:
        """The hits of the first page, and how the search comes to them."""
        climb = await self._climbed_in_time(search, "explained")
        if (page := climb.page) is None:
            return Explanation(climb.tried, climb.hits)
        answer, lookups = await self._database.read_whole(
            lambda reads: Pages(reads, {}).explained(page), deadline=DEADLINE
        )
        clauses = page.attempt.scope.query.clauses
        return Explanation(climb.tried, climb.hits, clauses, answer, lookups)

    async def unsearchable(self, rooms: Sequence[Room], until: Position) -> int:
        """How many lines of rooms before a position no search or figure holds: the disk is full.

        Raises:
            StillOpening: the history is being indexed.
            StoreFailed: it cannot be, for another reason than a full disk.
        """
        if await self._indexer.ensure_current(*SEARCHED):
            return 0
        indexed = (await self._indexer.state()).lowest(SEARCHED)
        return int(
            await self._database.value(
                f"SELECT count(*) FROM messages m WHERE m.id > :indexed AND {IS_SPEECH}"  # noqa: S608 -- constants and our own ids
                f" AND {within(rooms, 'm.room')} AND {BEFORE_CUTOFF}",
                {"indexed": indexed, **position_params("until", until)},
                0,
            )
        )

    async def _climbed_in_time(self, search: Search, fingerprint: str) -> Climb:
        """Climb, as long as the deadline allows."""
        if not search.rooms:
            return without_history(search)
        too_long = (
            f"The search took more than {DEADLINE:g} s."
            " Name a channel or a shorter time, or search for fewer words."
        )
        climb = partial(climbed, search=search, fingerprint=fingerprint, kept=self._heads)
        with deadline(DEADLINE, too_long):  # of all together: also of what is indexed first
            try:
                found = await self._indexer.read_whole(climb, uses=SEARCHED, deadline=QUICK)
            except TookTooLong:  # perhaps before it was known whether anything is to be indexed
                await self._indexer.ensure_current(*SEARCHED)
                found = await read_in_turns(self._database, partial(climb, is_current=True))
        if found is None:
            return without_history(search)
        self._heads.update(found.ranked)
        return found
