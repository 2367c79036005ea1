"""The ladder: which look-ups a search tries, in which order, and when one has answered.

All words first; when that finds nothing, what answers a question; then words that are like those
typed. By relevance the ladder goes on also where all words find hardly anything: these lines lead,
and what the next rung finds follows.
"""

from dataclasses import dataclass
from datetime import UTC, datetime

from terrarium_mcp.chat.terms import TermKind
from terrarium_mcp.store.search.exact import Sought
from terrarium_mcp.store.search.hits import Hits, Rung, Search, Sort
from terrarium_mcp.store.search.matching import restricting
from terrarium_mcp.store.search.relevance.asked import Asked

ENOUGH = 3
"""Lines with all words that answer by themselves. With fewer, others may be what was meant."""

_LOOSER = (Rung.ANY_WORD, Rung.SIMILAR)


@dataclass(frozen=True, slots=True)
class Step:
    """One rung of a search; `few` are the lines with all words, where these are too few."""

    asked: Search
    rung: Rung
    sought: Sought
    few: Hits

    @property
    def ranks(self) -> bool:
        """Whether there is a ranked head. Of a single word, the newest line leads."""
        words = {word for term in self.asked.query.terms for word in term.words}
        ranked = self.is_looser or (self.rung is Rung.ALL_WORDS and len(words) > 1)
        return ranked and self.asked.sort is Sort.RELEVANCE

    def ends_with(self, hits: Hits) -> bool:
        """Whether `hits` answer, or are more than the few that hold all words."""
        if self.rung is Rung.ALL_WORDS and hits.messages and _may_go_on(self.asked):
            return hits.total >= ENOUGH or not hits.total_is_exact
        if self.few.messages:
            more = len(hits.messages) > len(self.few.messages)
            return more or hits.total > self.few.total
        return bool(hits.messages or hits.next)

    @property
    def is_looser(self) -> bool:
        """Whether its lines need not hold all words."""
        return self.rung in _LOOSER

    @property
    def question(self) -> Asked:
        """The query as a plain question, with everything besides its words as a restriction."""
        asked, sought = self.asked, self.sought
        besides = restricting(sought.query, () if sought.all_rooms else sought.rooms)
        return Asked(
            text=asked.query.question,
            rooms=sought.rooms,
            now=asked.now or datetime.now(UTC),
            zone=asked.zone,
            history=sought.history,
            since=sought.since,
            until=sought.until,
            match=besides.scope,
            where=besides.where,
            params=besides.params,
        )


def rungs(asked: Search) -> list[Rung]:
    """Which look-ups to try, in order. A cursor stays on the rung it came from."""
    terms = asked.query.terms
    words = [term for term in terms if term.words]
    if not terms:
        return [Rung.EVERYTHING]
    if not words:
        return [Rung.SCAN]
    looser = len(terms) > 1 or any(term.literal for term in words)
    rungs = [Rung.ALL_WORDS, *([Rung.ANY_WORD] if looser else []), Rung.SIMILAR]
    return [rung for rung in rungs if not asked.cursor or rung == asked.cursor.rung] or rungs[:1]


def _may_go_on(asked: Search) -> bool:
    """Whether lines without some of the words may follow those with all of them.

    Not where the order is that of time; nor where one thing was asked for just as it is typed.
    """
    terms = asked.query.terms
    is_loose = len(terms) > 1 or not (terms[0].literal or terms[0].kind is not TermKind.WORD)
    return asked.sort is Sort.RELEVANCE and is_loose
