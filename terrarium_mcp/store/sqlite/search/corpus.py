"""The corpus of a plain question that may see all: its counts are those of the whole history."""

import json
from collections.abc import Collection, Sequence

from terrarium_mcp.chat.terms import words_in
from terrarium_mcp.store.search.relevance.corpus import LogStatistics
from terrarium_mcp.store.search.relevance.lookup import Lookup
from terrarium_mcp.store.search.relevance.question import PlainQuestion
from terrarium_mcp.store.search.vocabulary_queries import VocabularyQuery
from terrarium_mcp.store.sqlite.engine.functions import storable
from terrarium_mcp.store.sqlite.engine.reads import Reads
from terrarium_mcp.store.sqlite.engine.rooms import within
from terrarium_mcp.store.sqlite.search.candidate_scan import CandidateScan
from terrarium_mcp.store.sqlite.search.scope_corpus import ScopeCorpus
from terrarium_mcp.store.sqlite.search.snapshot import Snapshot
from terrarium_mcp.store.sqlite.search.vocabulary import SqliteVocabulary


class SqliteCorpus(ScopeCorpus):
    """A `Corpus` whose counts and vocabulary are of all lines, in whichever room."""

    def __init__(self, reads: Reads, snapshot: Snapshot, question: PlainQuestion) -> None:
        super().__init__(reads, snapshot, question)
        self._rooms = question.scope.rooms
        self._vocabulary = SqliteVocabulary(reads)
        self._candidates = CandidateScan(reads, snapshot, self._query)

    async def statistics(self, nicks: Collection[str]) -> LogStatistics:
        """The sizes of the history, and of what these nicks wrote, in one statement."""
        nicks = [storable(nick) for nick in nicks]
        names = {nick: nick for nick in nicks if words_in(nick) == (nick,)}
        in_rooms = within(self._rooms)
        rows = await self._reads.rows(
            "SELECT NULL, sum(lines), sum(words),"  # noqa: S608 -- ids of ours
            f" sum(lines) FILTER (WHERE {in_rooms}) FROM room_counts"
            f" UNION ALL SELECT folded, sum(lines), NULL, NULL FROM nick_counts WHERE {in_rooms}"
            " AND folded IN (SELECT value FROM json_each(:nicks)) GROUP BY folded"
            " UNION ALL SELECT key, NULL, lines, NULL"
            " FROM json_each(:names) CROSS JOIN words ON word = value",
            {"nicks": json.dumps(nicks), "names": json.dumps(names)},
        )
        (_, lines, words, lines_in_rooms), *found = rows
        return LogStatistics(
            lines=lines or 1,
            words=words or 1,
            lines_in_rooms=lines_in_rooms or 1,
            lines_by={nick: count for nick, count, _, _ in found if count is not None},
            lines_with={nick: count for nick, _, count, _ in found if count is not None},
        )

    async def most_frequent(self, *queries: VocabularyQuery) -> list[dict[str, int]]:
        """For each query its words and their lines, the most frequent first."""
        return await self._vocabulary.most_frequent(*queries)

    async def find(self, lookups: Sequence[Lookup]) -> dict[Lookup, list[int]]:
        """The ids that each look-up finds, newest first."""
        return await self._candidates.find(lookups)
