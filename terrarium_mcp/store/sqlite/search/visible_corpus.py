"""The corpus of a question that may see only a part of the history: nothing else has influence."""

import json
from collections.abc import Collection, Sequence

from terrarium_mcp.chat.identity import fold
from terrarium_mcp.chat.terms import words_in
from terrarium_mcp.store.search.relevance.corpus import LogStatistics
from terrarium_mcp.store.search.relevance.lookup import Lookup
from terrarium_mcp.store.search.relevance.question import PlainQuestion
from terrarium_mcp.store.search.vocabulary_queries import VocabularyQuery, WordsAmong
from terrarium_mcp.store.sqlite.engine.functions import as_text, storable
from terrarium_mcp.store.sqlite.engine.index_words import ASIDE_WORD, nick_words
from terrarium_mcp.store.sqlite.engine.reads import Reads
from terrarium_mcp.store.sqlite.engine.rooms import within
from terrarium_mcp.store.sqlite.index.fts_syntax import all_speech, one_of, ordered_and
from terrarium_mcp.store.sqlite.search.lookup_expression import lookup_expression
from terrarium_mcp.store.sqlite.search.scope_corpus import ScopeCorpus
from terrarium_mcp.store.sqlite.search.snapshot import Snapshot
from terrarium_mcp.store.sqlite.search.visible_lines import NewestLines, VisibleLines
from terrarium_mcp.store.sqlite.search.visible_vocabulary import VisibleVocabulary

_ID_AND_TIME = "m.id, m.timestamp"


class VisibleCorpus(ScopeCorpus):
    """A `Corpus` whose counts, vocabulary and look-ups know only the lines of the scope."""

    def __init__(self, reads: Reads, snapshot: Snapshot, question: PlainQuestion) -> None:
        super().__init__(reads, snapshot, question)
        self._visible = VisibleLines(reads, snapshot, question.scope)
        self._words_said = VisibleVocabulary(reads, self._visible)

    async def statistics(self, nicks: Collection[str]) -> LogStatistics:
        """The sizes of the scope, and of what these nicks wrote in it."""
        totals = await self._visible.totals()
        lines_by = await self._lines_by([storable(nick) for nick in nicks])
        names = {nick: nick for nick in lines_by if words_in(nick) == (nick,)}
        (said,) = await self.most_frequent(WordsAmong(set(names.values())))
        return LogStatistics(
            lines=totals.lines,
            words=totals.words,
            lines_in_rooms=totals.lines,
            lines_by=lines_by,
            lines_with={nick: said[word] for nick, word in names.items() if word in said},
        )

    async def most_frequent(self, *queries: VocabularyQuery) -> list[dict[str, int]]:
        """For each query its words and their lines, about, the most frequent first."""
        return await self._words_said.most_frequent(*queries)

    async def find(self, lookups: Sequence[Lookup]) -> dict[Lookup, list[int]]:
        """The ids that each look-up finds, newest first."""
        wanted = [
            NewestLines(
                lookup_expression(lookup, self._query), lookup.most, lookup.since, lookup.until
            )
            for lookup in lookups
        ]
        found = await self._visible.newest(wanted, _ID_AND_TIME)
        return {
            lookup: [row["id"] for row in rows] for lookup, rows in zip(lookups, found, strict=True)
        }

    async def _lines_by(self, nicks: Sequence[str]) -> dict[str, int]:
        """How many lines each of these nicks wrote here; without those that wrote none."""
        rows = await self._reads.rows(
            "SELECT folded, sum(lines) FROM nick_counts"  # noqa: S608 -- ids of ours
            f" WHERE {within(self._visible.rooms)} AND lines > 0"
            " AND folded IN (SELECT value FROM json_each(:nicks)) GROUP BY folded",
            {"nicks": json.dumps(list(nicks))},
        )
        if not self._visible.has_cutoff:
            return dict(map(tuple, rows))
        by = {nick: await self._sampled_lines_by(nick) for nick, _ in rows}
        return {nick: lines for nick, lines in by.items() if lines}

    async def _sampled_lines_by(self, nick: str) -> int:
        """About how many visible lines a nick wrote; the index finds too many spellings.

        Without asides, as `nick_counts` has them: else who wrote only commands would be a speaker
        once a hidden line is theirs.
        """
        where = self._visible.in_rooms or all_speech()
        by_nick = ordered_and([one_of(nick_words(nick)), where])
        sample = await self._words_said.sample(f"({by_nick}) NOT {one_of([ASIDE_WORD])}")
        count = sum(fold(as_text(line["nick"])) == nick for line in sample.lines)
        return sample.estimated(count) if count else 0
