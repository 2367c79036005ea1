"""Search: find what was said. All words first; when that finds nothing, what answers a question.

Then words that are like those typed. By relevance the ladder goes on also where all words find
hardly anything: these lines lead, and what the next rung finds follows. Every rung looks a bounded
number of times into the index. The ranked head of a search by relevance is at most 200 lines; all
other hits follow, newest first.
"""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, tzinfo
from enum import StrEnum
from time import perf_counter

from terrarium_mcp.chat.cursors import Cursor, fingerprint
from terrarium_mcp.chat.query import Query
from terrarium_mcp.chat.records import Message, Room
from terrarium_mcp.chat.terms import Term, TermKind
from terrarium_mcp.chat.when import BEGINNING, EVERY_LINE, Position, to_text
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.store.database import Database
from terrarium_mcp.store.derived.runs import Run
from terrarium_mcp.store.rooms import within
from terrarium_mcp.store.rows import COLUMNS, as_messages
from terrarium_mcp.store.search.exact import Exact, Part, Sought
from terrarium_mcp.store.search.lookups import COUNTED, Lookups, Total
from terrarium_mcp.store.search.matching import restricting
from terrarium_mcp.store.search.order import NEWEST, OLDEST
from terrarium_mcp.store.search.relevance.asked import Asked
from terrarium_mcp.store.search.relevance.candidates import TimedLookup
from terrarium_mcp.store.search.relevance.relevance import Answering, Relevance
from terrarium_mcp.store.search.similar import Clauses, Similar
from terrarium_mcp.store.search.stretches import History
from terrarium_mcp.store.search.words import Words
from terrarium_mcp.store.upkeep import Upkeep, complete

HEAD = 200
"""Lines that are ranked; the rest of the hits follow by time."""

ENOUGH = 3
"""Lines with all words that answer by themselves. With fewer, others may be what was meant."""

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
    that were counted, unless `total_is_exact`. The first page of a looser look-up tells `exact`:
    how many lines hold all words, which lead it.
    """

    messages: Sequence[Message]
    rung: Rung
    total: int
    next: Cursor | None = None
    tried: Sequence[Rung] = field(default=())
    total_is_exact: bool = True
    reached: datetime | None = None
    exact: int = 0

    @property
    def total_text(self) -> str:
        """The total as people read it: exact, `1,000+`, or `14+` where there may be more."""
        if self.total > COUNTED:
            return f"{COUNTED:,}+"
        return f"{self.total}" if self.total_is_exact else f"{self.total}+"


class RankedAnew(TerrariumError):
    """A ranking of which the first pages were shown can no longer be made."""

    def __init__(self) -> None:
        super().__init__(
            "The ranking that this cursor goes on in is forgotten: the server was started anew,"
            " and the history has changed. Leave the cursor out to begin at the first page, or"
            " page with sort=newest, which never changes."
        )


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


_LOOSER = (Rung.ANY_WORD, Rung.SIMILAR)


class SearchTopic:
    """Searching all rooms."""

    def __init__(self, database: Database, upkeep: Upkeep) -> None:
        self._database = database
        self._upkeep = upkeep
        self._exact = Exact(Lookups(database), Words(database))
        self._similar = Similar(database)
        self._relevance = Relevance(database)
        self._heads: dict[tuple[str, str], _Head] = {}

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
        answering = await self._answering(step) if step.ranks else None
        looks = await self._relevance.timed(answering) if answering else []
        clauses = step.sought.query.clauses
        return Explanation(climbed.tried, climbed.hits, clauses, answering, looks)

    async def _climbed(self, asked: Search, question: str) -> "_Climbed":
        """Try one rung after the other until one answers."""
        sought = await self._sought(asked)
        rungs, tried = _rungs(asked), list[Tried]()
        few, best = Hits([], rungs[-1], 0), None
        if sought is None:
            return _Climbed([Tried(rung, 0, 0.0) for rung in rungs], few, None)
        for rung in rungs:
            began = perf_counter()
            step = _Step(asked, rung, await self._of_rung(sought, rung), few.total)
            hits = await self._page(step, question)
            lines = max(hits.total, len(hits.messages))
            tried.append(Tried(rung, lines, perf_counter() - began))
            if asked.cursor or step.ends_with(hits, few):
                return _Climbed(tried, replace(hits, exact=few.total), step)
            if hits.messages and not few.messages:
                few, best = hits, step
        return _Climbed(tried, few, best)

    async def _sought(self, asked: Search) -> Sought | None:
        """Among which lines to look; None where there can be none."""
        state = await self._upkeep.rows(
            "SELECT upto, (SELECT count(*) FROM rooms), runs.* FROM derived LEFT JOIN runs"  # noqa: S608 -- our names
            f" WHERE name = '{_INDEX}' AND {complete(*_USED)}",
            {},
            uses=_USED,
        )
        if not state or not asked.rooms:
            return None
        runs = tuple(Run(*row[2:]) for row in state if row[2] is not None)
        cursor = asked.cursor
        since, until = _bounds(asked)
        # What is indexed now is the history that all pages show, in whatever order it came.
        return Sought(
            query=asked.query,
            rooms=asked.rooms,
            all_rooms=len(asked.rooms) == state[0][1],
            history=History(cursor.snapshot if cursor else state[0][0], runs),
            since=since,
            until=min(asked.until, Position(until)),
        )

    async def _page(self, step: "_Step", question: str) -> Hits:
        """The next lines of the ranked head, and after it those of the tail, by time."""
        asked, start = step.asked, step.asked.cursor
        begins = step.rung is Rung.ALL_WORDS and not start
        if begins and await self._exact.has_none(step.sought):
            return Hits([], step.rung, 0)
        head = await self._head(step, question) if step.ranks else _NO_HEAD
        skip = min(start.skip if start else 0, len(head.ids))
        ranked = head.ids[skip : skip + asked.limit]
        page = await self._messages(ranked, asked.rooms) if ranked else []
        skip = min(skip + asked.limit, len(head.ids))
        after = start.after if start else None
        room = asked.limit - len(page)
        in_head = skip < len(head.ids)
        # One line more than there is room for tells whether there is a next page.
        if in_head and head.total:
            part = Part([], head.total)
        else:
            part = await self._tail(step, head.ids, after, 0 if in_head else room + 1)
        tail = [] if in_head else as_messages(part.rows, asked.rooms)
        reached = None if in_head or len(tail) > room else part.reached
        if tail[:room]:
            page = [*page, *tail[:room]]
            after = page[-1].position
        goes_on = in_head or len(tail) > room or reached
        since, until = _bounds(asked)
        here = Cursor(
            question,
            step.sought.history.snapshot,
            step.rung,
            skip,
            reached or after,
            since,
            "" if until == EVERY_LINE.timestamp else until,
            fingerprint(*head.ids) if step.ranks else "",
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
        order = OLDEST if step.asked.sort is Sort.OLDEST else NEWEST
        part = await self._exact.first(step.sought, most + len(head), order, after)
        return replace(part, rows=[row for row in part.rows if row["id"] not in head][:most])

    async def _head(self, step: "_Step", question: str) -> "_Head":
        """The ranked lines; the same ones for every page of a question."""
        begun = step.asked.cursor.head if step.asked.cursor else None
        if begun and (question, begun) in self._heads:
            return self._heads[question, begun]
        head = await self._ranked(step)
        name = fingerprint(*head.ids)
        if begun is not None and begun != name:
            raise RankedAnew
        self._heads[question, name] = head
        while len(self._heads) > _HEADS:
            self._heads.pop(next(iter(self._heads)))
        return head

    async def _ranked(self, step: "_Step") -> "_Head":
        """The lines with all words, if there are hardly any, and those that answer best."""
        if step.rung is Rung.ALL_WORDS:
            newest = await self._exact.first(step.sought, HEAD, NEWEST)
            return _Head(_ids(await self._best_of(newest, step)), newest.total)
        first: list[int] = []
        if step.rung in _LOOSER and (step.few or step.asked.cursor):
            exactly = replace(step.sought, query=step.asked.query)
            first = [row["id"] for row in (await self._exact.first(exactly, ENOUGH, NEWEST)).rows]
        ids = list(dict.fromkeys([*first, *_ids(await self._answering(step))]))[:HEAD]
        # An answer to a question names no total.
        return _Head(ids, Total(len(ids), exact=False) if step.rung is Rung.ANY_WORD else None)

    async def _answering(self, step: "_Step") -> Answering | None:
        """The lines of a rung that answer best; of those with all words, the newest are ranked."""
        if step.rung is Rung.ANY_WORD:
            return await self._relevance.answering(step.question)
        if step.rung is Rung.SIMILAR:
            return None
        return await self._best_of(await self._exact.first(step.sought, HEAD, NEWEST), step)

    async def _best_of(self, part: Part, step: "_Step") -> Answering | None:
        ids = [row["id"] for row in part.rows]
        return await self._relevance.among(ids, step.question) if ids else None

    async def _messages(self, ids: Sequence[int], rooms: Sequence[Room]) -> list[Message]:
        """These messages, in this order; without those that are gone since they were ranked."""
        rows = await self._database.rows(
            # CROSS JOIN keeps the order: the ids lead, whatever an index could narrow.
            f"SELECT {COLUMNS} FROM json_each(:ids) shown CROSS JOIN messages m"  # noqa: S608 -- no words of strangers
            f" ON m.id = shown.value WHERE {within(rooms, 'm.room')} AND m.redacted_at IS NULL",
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
    """One rung of a search; `few` is how many lines hold all words, where that is too little."""

    asked: Search
    rung: Rung
    sought: Sought
    few: int = 0

    @property
    def ranks(self) -> bool:
        """Whether there is a ranked head. Of a single word, the newest line leads."""
        words = {word for term in self.asked.query.terms for word in term.words}
        ranked = self.rung in _LOOSER or (self.rung is Rung.ALL_WORDS and len(words) > 1)
        return ranked and self.asked.sort is Sort.RELEVANCE

    def ends_with(self, hits: Hits, few: Hits) -> bool:
        """Whether `hits` answer, or are more than the `few` that hold all words."""
        if self.rung is Rung.ALL_WORDS and hits.messages and _may_go_on(self.asked):
            return hits.total >= ENOUGH or not hits.total_is_exact
        if few.messages:
            return hits.total > few.total or len(hits.messages) > len(few.messages)
        return bool(hits.messages or hits.next)

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


@dataclass(frozen=True, slots=True)
class _Climbed:
    """The rungs that were tried, and what was found on the last of them that found anything."""

    tried: Sequence[Tried]
    hits: Hits
    step: _Step | None


@dataclass(frozen=True, slots=True)
class _Head:
    """The ids of the ranked lines, best first, and how many hits there are, if that is known."""

    ids: Sequence[int]
    total: Total | None


_NO_HEAD = _Head([], None)


def _ids(answering: Answering | None) -> list[int]:
    return [one.line.id for one in answering.ranked] if answering else []


def _may_go_on(asked: Search) -> bool:
    """Whether lines without some of the words may follow those with all of them.

    Not where the order is that of time; nor where one thing was asked for just as it is typed.
    """
    terms = asked.query.terms
    is_loose = len(terms) > 1 or not (terms[0].literal or terms[0].kind is not TermKind.WORD)
    return asked.sort is Sort.RELEVANCE and is_loose


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
