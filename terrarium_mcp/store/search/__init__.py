"""Search: find what was said. All words first; when that finds nothing, what answers a question.

Then words that are like those typed. Every rung looks a bounded number of times into the index. The
ranked head of a search by relevance is at most 200 lines; all other hits follow, newest first.
"""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, tzinfo
from enum import StrEnum
from time import perf_counter

from terrarium_mcp.chat.cursors import Cursor
from terrarium_mcp.chat.query import Query
from terrarium_mcp.chat.records import Message, Room
from terrarium_mcp.chat.terms import Term, TermKind
from terrarium_mcp.chat.when import BEGINNING, EVERY_LINE, Position, to_text
from terrarium_mcp.store.database import Database
from terrarium_mcp.store.rooms import within
from terrarium_mcp.store.rows import COLUMNS, as_messages
from terrarium_mcp.store.search.exact import COUNTED, Exact, Part, Sought, Total
from terrarium_mcp.store.search.lookups import Lookups
from terrarium_mcp.store.search.matching import restricting
from terrarium_mcp.store.search.relevance.asked import Asked
from terrarium_mcp.store.search.relevance.candidates import TimedLookup
from terrarium_mcp.store.search.relevance.relevance import Answering, Relevance
from terrarium_mcp.store.search.similar import Clauses, Similar
from terrarium_mcp.store.upkeep import Upkeep, complete

HEAD = 200
"""Lines that are ranked; the rest of the hits follow by time."""

_HEADS = 200
"""Heads that are remembered for their next pages: they stay as the first page showed them."""

_INDEX = "index"
_USED = (_INDEX, "runs", "words", "counters")


class Sort(StrEnum):
    """The order of hits."""

    RELEVANCE = "relevance"
    NEWEST = "newest"
    OLDEST = "oldest"


class Rung(StrEnum):
    """Which look-up answered."""

    ALL_WORDS = "all words"
    ANY_WORD = "any word"
    SIMILAR = "similar words"
    SCAN = "bounded scan"
    EVERYTHING = "every line"


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """A question to the history: the query, where, when, and how many lines at once.

    `since` and `until` restrict the query further. `now` and `zone` are the reader's: a question
    may name a time by them.
    """

    query: Query
    rooms: Sequence[Room]
    limit: int
    sort: Sort = Sort.RELEVANCE
    since: datetime | None = None
    until: Position = EVERY_LINE
    cursor: Cursor | None = None
    now: datetime | None = None
    zone: tzinfo = UTC


@dataclass(frozen=True, slots=True)
class Hits:
    """One page of hits, which look-up found them, and how many there are (up to 1,001).

    Where the index could not tell, and not all lines could be looked at for this page, `reached`
    is the time up to which they were, and `next` goes on there. The total then is of the lines
    that were counted, unless `total_is_exact`.
    """

    messages: Sequence[Message]
    rung: Rung
    total: int
    next: Cursor | None = None
    tried: Sequence[Rung] = field(default=())
    total_is_exact: bool = True
    reached: datetime | None = None

    @property
    def total_text(self) -> str:
        """The total as people read it: exact, `1,000+`, or `14+` where there may be more."""
        if self.total > COUNTED:
            return f"{COUNTED:,}+"
        return f"{self.total}" if self.total_is_exact else f"{self.total}+"


@dataclass(frozen=True, slots=True)
class Tried:
    """A rung that was tried: how many lines it has (as `Hits.total`), and in how many seconds."""

    rung: Rung
    total: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a search found what it found; `answering` and `lookups` where its hits were ranked."""

    tried: Sequence[Tried]
    hits: Hits
    answering: Answering | None = None
    lookups: Sequence[TimedLookup] = ()


class SearchTopic:
    """Searching all rooms."""

    def __init__(self, database: Database, upkeep: Upkeep) -> None:
        self._database = database
        self._upkeep = upkeep
        self._exact = Exact(Lookups(database))
        self._similar = Similar(database)
        self._relevance = Relevance(database)
        self._heads: dict[tuple[str, int], Sequence[int]] = {}

    async def __call__(self, asked: Search, question: str) -> Hits:
        """One page of lines for `asked`; `question` is the fingerprint its cursors carry.

        Raises:
            TookTooLong: the deadline passed.
        """
        sought = await self._sought(asked)
        rungs = _rungs(asked)
        if sought is None:
            return Hits([], rungs[-1], 0, None, rungs)
        tried: list[Rung] = []
        for rung in rungs:
            tried.append(rung)
            step = _Step(asked, rung, await self._of_rung(sought, rung))
            hits = await self._page(step, question)
            if hits.messages or hits.next or asked.cursor:
                return replace(hits, tried=tuple(tried))
        return Hits([], tried[-1], 0, None, tuple(tried))

    async def explained(self, asked: Search) -> Explanation:
        """What `__call__` would find on the first page, and how it comes to that."""
        sought = await self._sought(asked)
        hits, tried = Hits([], Rung.EVERYTHING, 0), list[Tried]()
        for rung in _rungs(asked):
            if sought is None:
                break
            began = perf_counter()
            step = _Step(asked, rung, await self._of_rung(sought, rung))
            hits = await self._page(step, "explained")
            lines = max(hits.total, len(hits.messages))
            tried.append(Tried(rung, lines, perf_counter() - began))
            if not hits.messages:
                continue
            answering = await self._answering(step) if step.ranks else None
            looks = await self._relevance.timed(answering, step.question) if answering else []
            return Explanation(tried, hits, answering, looks)
        return Explanation(tried, hits)

    async def _sought(self, asked: Search) -> Sought | None:
        """Among which lines to look; None where there can be none."""
        state = await self._upkeep.rows(
            "SELECT upto, (SELECT count(*) FROM rooms) FROM derived"  # noqa: S608 -- our names
            f" WHERE name = '{_INDEX}' AND {complete(*_USED)}",
            {},
            uses=_USED,
        )
        if not state or not asked.rooms:
            return None
        cursor = asked.cursor
        since, until = _bounds(asked)
        # What is indexed now is the history that all pages show, in whatever order it came.
        return Sought(
            query=asked.query,
            rooms=asked.rooms,
            all_rooms=len(asked.rooms) == state[0][1],
            snapshot=cursor.snapshot if cursor else state[0][0],
            since=since,
            until=min(asked.until, Position(until)),
        )

    async def _page(self, step: "_Step", question: str) -> Hits:
        """The next lines of the ranked head, and after it those of the tail, by time."""
        asked, start = step.asked, step.asked.cursor
        head = await self._head(step, question) if step.ranks else []
        skip = min(start.skip if start else 0, len(head))
        ranked = head[skip : skip + asked.limit]
        page = await self._messages(ranked, asked.rooms) if ranked else []
        skip = min(skip + asked.limit, len(head))
        after = start.after if start else None
        room = asked.limit - len(page)
        in_head = skip < len(head)
        # One line more than there is room for tells whether there is a next page.
        # And an answer to a question names no total, so that it needs no tail as yet.
        part = Part([], Total(len(head), exact=False))
        if not (in_head and step.rung is Rung.ANY_WORD):
            part = await self._tail(step, head, after, 0 if in_head else room + 1)
        tail = [] if in_head else as_messages(part.rows, asked.rooms)
        reached = None if in_head or len(tail) > room else part.reached
        if tail[:room]:
            page = [*page, *tail[:room]]
            after = page[-1].position
        goes_on = in_head or len(tail) > room or reached
        since, until = _bounds(asked)
        here = Cursor(
            question,
            step.sought.snapshot,
            step.rung,
            skip,
            reached or after,
            since,
            "" if until == EVERY_LINE.timestamp else until,
        )
        return Hits(
            page,
            step.rung,
            part.total.count,
            here if goes_on else None,
            total_is_exact=part.total.exact,
            reached=reached.moment if reached else None,
        )

    async def _tail(
        self, step: "_Step", head: Collection[int], after: Position | None, most: int
    ) -> Part:
        """The hits by time from a place on, without those that the head has shown."""
        look = self._exact.oldest if step.asked.sort is Sort.OLDEST else self._exact.newest
        part = await look(step.sought, most + len(head), after)
        return replace(part, rows=[row for row in part.rows if row["id"] not in head][:most])

    async def _head(self, step: "_Step", question: str) -> Sequence[int]:
        """The ids of the ranked lines; the same ones for every page of a question."""
        key = question, step.sought.snapshot
        if key not in self._heads or not step.asked.cursor:
            self._heads[key] = await self._ranked(step)
            while len(self._heads) > _HEADS:
                self._heads.pop(next(iter(self._heads)))
        return self._heads[key]

    async def _ranked(self, step: "_Step") -> Sequence[int]:
        answering = await self._answering(step)
        return [one.line.id for one in answering.ranked[:HEAD]] if answering else []

    async def _answering(self, step: "_Step") -> Answering | None:
        """The lines of a rung that answer best; of those with all words, the newest are ranked."""
        if step.rung is not Rung.ALL_WORDS:
            return await self._relevance.answering(step.question)
        newest = await self._exact.newest(step.sought, HEAD)
        ids = [row["id"] for row in newest.rows]
        return await self._relevance.among(ids, step.question) if ids else None

    async def _messages(self, ids: Sequence[int], rooms: Sequence[Room]) -> list[Message]:
        """These messages, in this order; without those that are gone since they were ranked."""
        rows = await self._database.rows(
            f"SELECT {COLUMNS} FROM messages m"  # noqa: S608 -- no words of strangers
            f" WHERE m.id IN (SELECT value FROM json_each(:ids)) AND {within(rooms, 'm.room')}"
            " AND m.redacted_at IS NULL",
            {"ids": json.dumps(list(ids))},
        )
        by_id = {message.id: message for message in as_messages(rows, rooms)}
        return [by_id[number] for number in ids if number in by_id]

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


@dataclass(frozen=True, slots=True)
class _Step:
    """One rung of a search."""

    asked: Search
    rung: Rung
    sought: Sought

    @property
    def ranks(self) -> bool:
        """Whether there is a ranked head. Of a single word, the newest line leads."""
        words = {word for term in self.asked.query.terms for word in term.words}
        ranked = self.rung is Rung.ANY_WORD or (self.rung is Rung.ALL_WORDS and len(words) > 1)
        return ranked and self.asked.sort is Sort.RELEVANCE

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
            snapshot=sought.snapshot,
            since=sought.since,
            until=sought.until,
            match=besides.scope,
            where=besides.where,
            params=besides.params,
        )


def _bounds(asked: Search) -> tuple[str, str]:
    """From when until when, as timestamps; on later pages as it was on the first one."""
    if asked.cursor:
        return asked.cursor.since, asked.cursor.until or EVERY_LINE.timestamp
    since = [to_text(moment) for moment in (asked.since, asked.query.since) if moment]
    until = asked.query.until
    return max(since, default=BEGINNING.timestamp), (
        to_text(until) if until else EVERY_LINE.timestamp
    )


def _rungs(asked: Search) -> list[Rung]:
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
