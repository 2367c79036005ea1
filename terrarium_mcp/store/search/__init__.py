"""Search: find what was said, on the first rung of the ladder that answers.

Every rung looks a bounded number of times into the index.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import perf_counter

from terrarium_mcp.chat.terms import Term, TermKind
from terrarium_mcp.chat.when import Position
from terrarium_mcp.store.database import Database
from terrarium_mcp.store.derived.runs import Run
from terrarium_mcp.store.search.exact import Sought
from terrarium_mcp.store.search.hits import Hits, Rung, Search, Sort
from terrarium_mcp.store.search.known import KNOWN, Known, asked_of
from terrarium_mcp.store.search.ladder import ENOUGH, Step, rungs
from terrarium_mcp.store.search.pages import HEAD, Pages, RankedAnew
from terrarium_mcp.store.search.relevance.candidates import TimedLookup
from terrarium_mcp.store.search.relevance.relevance import Answering, Relevance
from terrarium_mcp.store.search.similar import Clauses, Similar
from terrarium_mcp.store.search.stretches import History
from terrarium_mcp.store.upkeep import Upkeep, complete

__all__ = [
    "ENOUGH",
    "HEAD",
    "Explanation",
    "Hits",
    "RankedAnew",
    "Rung",
    "Search",
    "SearchTopic",
    "Sort",
    "Tried",
]

_INDEX = "index"
_USED = (_INDEX, "phrases", "runs", "words", "counters")


@dataclass(frozen=True, slots=True)
class Tried:
    """A rung that was tried: how many lines it has (as `Hits.total`), and in how many seconds."""

    rung: Rung
    total: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a search found what it found; `answering` and `lookups` where its hits were ranked.

    `clauses` are what was looked for in the end, in place of those of the query.
    """

    tried: Sequence[Tried]
    hits: Hits
    clauses: Clauses = ()
    answering: Answering | None = None
    lookups: Sequence[TimedLookup] = ()


@dataclass(frozen=True, slots=True)
class _Climbed:
    """The rungs that were tried, and what was found on the last of them that found anything."""

    tried: Sequence[Tried]
    hits: Hits
    step: Step | None


class SearchTopic:
    """Searching all rooms."""

    def __init__(self, database: Database, upkeep: Upkeep) -> None:
        self._database = database
        self._upkeep = upkeep
        self._similar = Similar(database)
        self._relevance = Relevance(database)
        self._pages = Pages(database, self._relevance)

    async def __call__(self, asked: Search, question: str) -> Hits:
        """One page of lines for `asked`; `question` is the fingerprint its cursors carry.

        Raises:
            TookTooLong: the deadline passed.
            RankedAnew: a page goes on in a head that is forgotten, and would be another one now.
        """
        climbed = await self._climbed(asked, question)
        return replace(climbed.hits, tried=tuple(tried.rung for tried in climbed.tried))

    async def explained(self, asked: Search) -> Explanation:
        """What `__call__` would find on the first page, and how it comes to that."""
        climbed = await self._climbed(asked, "explained")
        step = climbed.step
        if step is None:
            return Explanation(climbed.tried, climbed.hits)
        answering = await self._pages.answering(step) if step.ranks else None
        looks = await self._relevance.timed(answering) if answering else []
        clauses = step.sought.query.clauses
        return Explanation(climbed.tried, climbed.hits, clauses, answering, looks)

    async def _climbed(self, asked: Search, question: str) -> _Climbed:
        """Try one rung after the other until one answers."""
        sought = await self._sought(asked)
        ladder, tried = rungs(asked), list[Tried]()
        few, best = Hits([], ladder[-1], 0), None
        if sought is None:
            return _Climbed([Tried(rung, 0, 0.0) for rung in ladder], few, None)
        for rung in ladder:
            began = perf_counter()
            step = Step(asked, rung, await self._of_rung(sought, rung), few)
            hits = await self._pages.page(step, question)
            lines = max(hits.total, len(hits.messages))
            tried.append(Tried(rung, lines, perf_counter() - began))
            if asked.cursor or step.ends_with(hits):
                return _Climbed(tried, replace(hits, exact=few.total), step)
            if hits.messages and not few.messages:
                few, best = hits, step
        return _Climbed(tried, few, best)

    async def _sought(self, asked: Search) -> Sought | None:
        """Among which lines to look; None where there can be none."""
        state = await self._upkeep.rows(
            "SELECT upto, (SELECT count(*) FROM rooms),"  # noqa: S608 -- our names
            " (SELECT group_concat(DISTINCT casemapping) FROM networks),"
            f" {KNOWN}, runs.* FROM derived LEFT JOIN runs"
            f" WHERE name = '{_INDEX}' AND {complete(*_USED)}",
            asked_of(asked.query),
            uses=_USED,
        )
        if not state or not asked.rooms:
            return None
        upto, rooms, casemappings, lines, begun, *_ = state[0]
        runs = tuple(Run(*row[5:]) for row in state if row[5] is not None)
        cursor = asked.cursor
        since, until = asked.bounds
        # What is indexed now is the history that all pages show, in whatever order it came.
        return Sought(
            query=asked.query,
            rooms=asked.rooms,
            all_rooms=len(asked.rooms) == rooms,
            casemappings=str(casemappings).split(","),
            history=History(cursor.snapshot if cursor else upto, runs),
            known=Known.of(upto, lines, begun),
            since=since,
            until=min(asked.until, Position(until)),
        )

    async def _of_rung(self, sought: Sought, rung: Rung) -> Sought:
        """What is looked for on a rung."""
        words = [term for term in sought.query.terms if term.words]
        if rung is Rung.ANY_WORD:
            some = [Term(" ".join(term.words), TermKind.PHRASE) for term in words]
            clauses: Clauses = (tuple(dict.fromkeys(some)),)
        elif rung is Rung.SIMILAR:
            clauses = await self._similar.clauses(sought.query.clauses)
        else:
            return sought
        return replace(sought, query=replace(sought.query, clauses=clauses))
