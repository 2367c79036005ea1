"""Message search: climbs the ladder until a rung answers, over one snapshot."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import perf_counter

from terrarium_mcp.chat.records import Room
from terrarium_mcp.chat.times.timestamps import Position
from terrarium_mcp.store.search.hits import Explanation, Hits, RungReport, Search
from terrarium_mcp.store.search.ladder import Attempt, is_worth_trying, relaxed, rungs
from terrarium_mcp.store.search.relevance.query_analysis import QuestionAnalysis
from terrarium_mcp.store.search.scope import SearchScope
from terrarium_mcp.store.search.vocabulary_queries import Vocabulary
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.failures import deadline
from terrarium_mcp.store.sqlite.engine.read_cache import ReadCache
from terrarium_mcp.store.sqlite.engine.rooms import within
from terrarium_mcp.store.sqlite.engine.rows import IS_SPEECH
from terrarium_mcp.store.sqlite.index.indexer import Indexer
from terrarium_mcp.store.sqlite.index.watermarks import current_sql
from terrarium_mcp.store.sqlite.search.paging import PageRequest, Pages
from terrarium_mcp.store.sqlite.search.snapshot import SEARCHED, Snapshot, take_snapshot
from terrarium_mcp.store.sqlite.search.visible_lines import VisibleLines, last_visible_id
from terrarium_mcp.store.sqlite.search.visible_vocabulary import VisibleVocabulary
from terrarium_mcp.store.sqlite.search.vocabulary import SqliteVocabulary

DEADLINE = 8.0
"""Seconds for a whole search. Each of its reads has its own deadline, but the reads of 26 prefixes,
up to six a rung, took 13 s together."""


@dataclass(frozen=True, slots=True)
class _Climb:
    """The rungs that were tried, the page of the last one that found anything, asides left out."""

    tried: Sequence[RungReport]
    hits: Hits
    page: PageRequest | None
    left_out: int = 0


class MessageSearch:
    """Searches the rooms that a search names."""

    def __init__(self, database: Database, indexer: Indexer) -> None:
        self._indexer = indexer
        self._database = database
        self._pages = Pages(database)
        self._is_current = ReadCache[None, bool](database, self._read_whether_current)

    async def __call__(self, search: Search, fingerprint: str) -> Hits:
        """One page of hits, whose cursors carry the `fingerprint` of the question.

        Raises:
            TookTooLong: the deadline passed.
            RankedAnew: the page continues a ranking that is forgotten and would differ now.
        """
        climb = await self._climbed_in_time(search, fingerprint)
        tried = tuple(report.rung for report in climb.tried)
        return climb.hits._replace(tried=tried, left_out=climb.left_out)

    async def explained(self, search: Search) -> Explanation:
        """The hits of the first page, and how the search comes to them."""
        climb = await self._climbed_in_time(search, "explained")
        if climb.page is None:
            return Explanation(climb.tried, climb.hits)
        answer, lookups = await self._pages.explained(climb.page)
        clauses = climb.page.attempt.scope.query.clauses
        return Explanation(climb.tried, climb.hits, clauses, answer, lookups)

    async def unsearchable(self, rooms: Sequence[Room], until: Position) -> int:
        """How many lines of rooms before a position no search or figure holds: the disk is full.

        Raises:
            StillOpening: the history is being indexed.
            StoreFailed: it cannot be, for another reason than a full disk.
        """
        if await self._is_current.get(None) or await self._indexer.ensure_current(*SEARCHED):
            return 0
        indexed = (await self._indexer.state()).lowest(SEARCHED)
        return int(
            await self._database.value(
                f"SELECT count(*) FROM messages m WHERE m.id > :indexed AND {IS_SPEECH}"  # noqa: S608 -- constants and our own ids
                f" AND {within(rooms, 'm.room')} AND (m.timestamp, m.id) < (:until, :until_id)",
                {"indexed": indexed, "until": until.timestamp, "until_id": until.id},
                0,
            )
        )

    async def _read_whether_current(self, _: None) -> bool:
        current = f"SELECT {current_sql(*SEARCHED)}"
        return bool(await self._database.value(current, {"is_current": False}))

    async def _climbed_in_time(self, search: Search, fingerprint: str) -> _Climb:
        """Climb, as long as the deadline allows."""
        too_long = (
            f"The search took more than {DEADLINE:g} s."
            " Name a channel or a shorter time, or search for fewer words."
        )
        with deadline(DEADLINE, too_long):
            return await self._climbed(search, fingerprint)

    async def _climbed(self, search: Search, fingerprint: str) -> _Climb:
        """Try one rung after the other until one answers."""
        ladder, tried = rungs(search), list[RungReport]()
        few, best = Hits([], ladder[-1], 0), None
        snapshot = await self._snapshot(search)
        if snapshot is None or not search.rooms:
            return _Climb([RungReport(rung, 0, 0.0) for rung in ladder], few, None)
        scope = search_scope(search, snapshot)
        vocabulary = self._vocabulary(scope, snapshot)
        analysis, left_out = QuestionAnalysis(), 0
        for rung in ladder:
            if not is_worth_trying(rung, few):
                break
            began = perf_counter()
            looser = await relaxed(scope, search.sort, rung, vocabulary)
            attempt = Attempt(search, rung, looser, few)
            page = PageRequest(attempt, snapshot, fingerprint, analysis)
            is_first = rung is ladder[0] and not search.cursor
            if is_first and await self._pages.has_none(page):
                hits = Hits([], rung, 0)
            else:
                left_out += await self._pages.left_out(page) if is_first else 0
                hits = await self._pages.page(page)
            lines = max(hits.total, len(hits.messages))
            tried.append(RungReport(rung, lines, perf_counter() - began))
            if search.cursor or attempt.is_answered_by(hits):
                return _Climb(tried, hits._replace(with_all_words=few.total), page, left_out)
            if hits.messages and not few.messages:
                few, best = hits, page
        return _Climb(tried, few, best, left_out)

    async def _snapshot(self, search: Search) -> Snapshot | None:
        """What the search sees; where lines are hidden, their ids do not show in its cursors."""
        snapshot = await take_snapshot(self._indexer, search)
        if snapshot is None or search.cursor or not search.visible_only:
            return snapshot
        last = await last_visible_id(self._database, snapshot, search.rooms, search.until)
        return replace(snapshot, last_id=last)

    def _vocabulary(self, scope: SearchScope, snapshot: Snapshot) -> Vocabulary:
        """The words that may have been meant: those that the search may see."""
        if not scope.visible_only:
            return SqliteVocabulary(self._database)
        lines = VisibleLines(self._database, snapshot, scope)
        return VisibleVocabulary(self._database, lines)


def search_scope(search: Search, snapshot: Snapshot) -> SearchScope:
    """What a search looks for, and among which lines of a snapshot."""
    since, until = search.bounds
    return SearchScope(
        query=search.query,
        rooms=search.rooms,
        all_rooms=len(search.rooms) == snapshot.room_count and not search.visible_only,
        since=since,
        until=min(search.until, Position(until)),
        visible_only=search.visible_only,
    )
