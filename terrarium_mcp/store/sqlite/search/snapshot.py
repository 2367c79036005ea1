"""The snapshot of a search: the part of the history that all of its look-ups and pages see."""

from dataclasses import dataclass
from functools import partial

from terrarium_mcp.chat.times.timestamps import Position
from terrarium_mcp.store.search.hits import Search
from terrarium_mcp.store.search.scope import SearchScope
from terrarium_mcp.store.sqlite.engine.reads import Reads
from terrarium_mcp.store.sqlite.index.counters import Counters
from terrarium_mcp.store.sqlite.index.indexer import Indexer
from terrarium_mcp.store.sqlite.index.message_index import MessageIndex
from terrarium_mcp.store.sqlite.index.phrase_index import PhraseIndex
from terrarium_mcp.store.sqlite.index.sorted_runs import Run, Runs
from terrarium_mcp.store.sqlite.index.structure import watermark_sql
from terrarium_mcp.store.sqlite.index.vocabulary import WordsIndex
from terrarium_mcp.store.sqlite.index.watermarks import current_sql
from terrarium_mcp.store.sqlite.search.term_stats import (
    STATISTICS,
    TermStats,
    statistics_params,
    term_stats,
)

_INDEX = MessageIndex.name
SEARCHED = (_INDEX, PhraseIndex.name, Runs.name, WordsIndex.name, Counters.name)
"""The structures that a search reads."""

_STATEMENT = (
    "SELECT upto, (SELECT count(*) FROM rooms),"  # noqa: S608 -- our names
    " EXISTS (SELECT 1 FROM voices WHERE aside NOT NULL),"
    f" upto = {watermark_sql(WordsIndex.name)},"
    f" {STATISTICS}, runs.* FROM derived LEFT JOIN runs"
    f" WHERE name = '{_INDEX}' AND {current_sql(*SEARCHED)}"
)
"""A row for each run, or one without; none if anything is to be indexed yet."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The lines up to the id `last_id`, in runs; and what is known about the words of the query.

    `room_count` is the number of all rooms, `has_asides` says whether any line is one, `is_counted`
    whether `stats` count exactly these lines.
    """

    last_id: int
    runs: tuple[Run, ...]
    room_count: int
    stats: TermStats
    has_asides: bool = False
    is_counted: bool = False


async def take_snapshot(reads: Reads, search: Search, *, is_current: bool) -> Snapshot | None:
    """The snapshot for a search, read in one statement; None if anything is to be indexed yet.

    Every page sees the messages that were indexed when the first page was read: the cursor carries
    the last id of these. `is_current`: everything is indexed, or cannot be.
    """
    params = {**statistics_params(search.query), "is_current": is_current}
    state = await reads.rows(_STATEMENT, params)
    if not state:
        return None
    upto, room_count, has_asides, is_counted, lines, prefixes, *_ = state[0]
    last_id = search.cursor.snapshot if search.cursor else upto
    return Snapshot(
        last_id,
        tuple(Run(*row[6:]) for row in state if row[6] is not None),
        room_count,
        term_stats(upto, lines, prefixes),
        bool(has_asides),
        bool(is_counted and last_id == upto),
    )


async def current_snapshot(indexer: Indexer, search: Search) -> Snapshot | None:
    """A snapshot of the history once everything is indexed; None if there is no history yet."""
    return await indexer.read_whole(partial(take_snapshot, search=search), uses=SEARCHED)


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
