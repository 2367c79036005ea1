"""The climb of one search: the rungs of the ladder one after the other, until one answers.

A rung is a kind of look-up, such as all words or any of them. On each the climb makes an `Attempt`
(the search with the terms of that rung: store/search/ladder.py), has paging.py make the page that
was asked for of what it finds (a `PageRequest`), and lets the attempt judge whether that is enough.

All its statements, and the thinking between them, run in one reader's thread: to hand each
statement over and its rows back costs more than most of them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter

from terrarium_mcp.store.search.hits import Hits, RungReport, Search
from terrarium_mcp.store.search.ladder import Attempt, is_worth_trying, relaxed, rungs
from terrarium_mcp.store.search.relevance.question_analysis import QuestionAnalysis
from terrarium_mcp.store.search.scope import SearchScope
from terrarium_mcp.store.search.vocabulary_queries import Vocabulary
from terrarium_mcp.store.sqlite.engine.reads import Reads
from terrarium_mcp.store.sqlite.search.paging import HeadKey, PageRequest, Pages, RankedHead
from terrarium_mcp.store.sqlite.search.snapshot import Snapshot, search_scope, take_snapshot
from terrarium_mcp.store.sqlite.search.visible_lines import VisibleLines, last_visible_id
from terrarium_mcp.store.sqlite.search.visible_vocabulary import VisibleVocabulary
from terrarium_mcp.store.sqlite.search.vocabulary import SqliteVocabulary


@dataclass(frozen=True, slots=True)
class Climb:
    """The outcome of a climb.

    Args:
        tried: the rungs that were tried.
        hits: the page of the last one that found anything.
        page: what that page was asked with; None if there is no history.
        ranked: the heads that were ranked, for the next pages.
    """

    tried: Sequence[RungReport]
    hits: Hits
    page: PageRequest | None = None
    ranked: Mapping[HeadKey, RankedHead] = field(default_factory=dict)


def without_history(search: Search) -> Climb:
    """The climb of a search where there is nothing to search."""
    ladder = rungs(search)
    tried = [RungReport(rung, 0, 0.0) for rung in ladder]
    return Climb(tried, _completed(Hits([], ladder[-1], 0), tried))


async def climbed(
    reads: Reads,
    search: Search,
    fingerprint: str,
    kept: Mapping[HeadKey, RankedHead],
    *,
    is_current: bool,
) -> Climb | None:
    """Try one rung after the other until one answers; None if anything is to be indexed yet.

    Args:
        reads: where it reads.
        search: what is searched for.
        fingerprint: what the cursors of its pages carry.
        kept: the heads of earlier searches.
        is_current: whether everything is indexed, or cannot be.
    """
    snapshot = await _snapshot(reads, search, is_current=is_current)
    if snapshot is None:
        return None
    ladder, tried = rungs(search), list[RungReport]()
    few, best = Hits([], ladder[-1], 0), None
    scope, pages = search_scope(search, snapshot), Pages(reads, kept)
    vocabulary = _vocabulary(reads, scope, snapshot)
    analysis, asked = QuestionAnalysis(), list[PageRequest]()
    for rung in ladder:
        if not is_worth_trying(rung, few):
            break
        began = perf_counter()
        looser = await relaxed(scope, rung, vocabulary)
        attempt = Attempt(search, rung, looser, few)
        page = PageRequest(attempt, snapshot, fingerprint, analysis)
        asked.append(page)
        is_first = rung is ladder[0] and not search.cursor
        none = is_first and await pages.has_none(page)
        hits = Hits([], rung, 0) if none else await pages.page(page)
        lines = max(hits.total, len(hits.messages))
        tried.append(RungReport(rung, lines, perf_counter() - began))
        if search.cursor or attempt.is_answered_by(hits):
            left_out = await _left_out(pages, search, [page])
            hits = _completed(hits, tried, left_out, with_all_words=few.total)
            return Climb(tried, hits, page, pages.ranked)
        if hits.messages and not few.messages:
            few, best = hits, page
    left_out = await _left_out(pages, search, [best] if best else asked)
    return Climb(tried, _completed(few, tried, left_out), best, pages.ranked)


async def _left_out(pages: Pages, search: Search, asked: Sequence[PageRequest]) -> int:
    """How many asides a first page leaves out: of the first of these requests that has any.

    They are those that its own rung would have found. Where nothing was found, it is asked of one
    rung after the other, as for other lines.
    """
    if search.cursor or search.is_exact:
        return 0
    for page in asked:
        if left_out := await pages.left_out(page):
            return left_out
    return 0


def _completed(
    hits: Hits, tried: Sequence[RungReport], left_out: int = 0, *, with_all_words: int = 0
) -> Hits:
    """A page with what only the whole climb knows of it."""
    return hits._replace(
        tried=tuple(report.rung for report in tried),
        left_out=left_out,
        with_all_words=with_all_words,
    )


async def _snapshot(reads: Reads, search: Search, *, is_current: bool) -> Snapshot | None:
    """What the search sees; where lines are hidden, their ids do not show in its cursors."""
    snapshot = await take_snapshot(reads, search, is_current=is_current)
    if snapshot is None or search.cursor or not search.visible_only:
        return snapshot
    last = await last_visible_id(reads, snapshot, search.rooms, search.until)
    return replace(snapshot, last_id=last)


def _vocabulary(reads: Reads, scope: SearchScope, snapshot: Snapshot) -> Vocabulary:
    """The words that may have been meant: those that the search may see."""
    if not scope.visible_only:
        return SqliteVocabulary(reads)
    return VisibleVocabulary(reads, VisibleLines(reads, snapshot, scope))
