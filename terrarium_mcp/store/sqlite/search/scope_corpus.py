"""What every corpus of a plain question reads: the lines of its scope, and those around them."""

from collections.abc import Iterable, Sequence

from terrarium_mcp.store.search.relevance.corpus import CandidateLine, Passage
from terrarium_mcp.store.search.relevance.question import PlainQuestion
from terrarium_mcp.store.sqlite.engine.reads import Reads
from terrarium_mcp.store.sqlite.search.fts_query import restriction_query
from terrarium_mcp.store.sqlite.search.neighbours import Neighbours
from terrarium_mcp.store.sqlite.search.snapshot import Snapshot


class ScopeCorpus:
    """The part of a `Corpus` that reads lines: a snapshot, seen through the question's scope."""

    def __init__(self, reads: Reads, snapshot: Snapshot, question: PlainQuestion) -> None:
        scope = question.scope
        self._reads = reads
        self._query = restriction_query(
            scope.query, scope.narrowed_rooms, has_asides=snapshot.has_asides
        )
        self._neighbours = Neighbours(reads, scope, snapshot.last_id, self._query)

    async def lines(self, ids: Iterable[int]) -> list[CandidateLine]:
        """Those of the lines that may answer the question."""
        return await self._neighbours.lines(ids)

    async def around(self, lines: Sequence[CandidateLine]) -> list[Passage]:
        """The lines, the best first, and their neighbours; windows that overlap are one passage."""
        return await self._neighbours.around(lines)
