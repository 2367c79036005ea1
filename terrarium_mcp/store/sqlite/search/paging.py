"""Pages of hits: a ranked head of at most 200 lines, then all other hits by time."""

from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from operator import attrgetter

from terrarium_mcp.chat.cursors import Cursor, fingerprint_of
from terrarium_mcp.chat.records import Message, Room
from terrarium_mcp.chat.times.timestamps import EVERY_LINE, Position
from terrarium_mcp.store.errors import RankedAnew
from terrarium_mcp.store.search.hits import ENOUGH, HEAD, Hits, Rung, Search, Sort
from terrarium_mcp.store.search.ladder import Attempt
from terrarium_mcp.store.search.relevance.candidates import timed
from terrarium_mcp.store.search.relevance.confidence import is_weak
from terrarium_mcp.store.search.relevance.corpus import Corpus
from terrarium_mcp.store.search.relevance.lookup import LookupReport
from terrarium_mcp.store.search.relevance.pipeline import answer, ranked_among
from terrarium_mcp.store.search.relevance.question import ParsedQuestion, PlainQuestion
from terrarium_mcp.store.search.relevance.question_analysis import QuestionAnalysis
from terrarium_mcp.store.search.relevance.ranking import RankedAnswer
from terrarium_mcp.store.search.stand_ins import NO_STAND_INS, StandIns
from terrarium_mcp.store.sqlite.engine.id_lists import ids_params
from terrarium_mcp.store.sqlite.engine.reads import Reads
from terrarium_mcp.store.sqlite.engine.rooms import within
from terrarium_mcp.store.sqlite.engine.rows import COLUMNS, as_messages
from terrarium_mcp.store.sqlite.search.corpus import SqliteCorpus
from terrarium_mcp.store.sqlite.search.exact import ExactQuery, ExactSearch
from terrarium_mcp.store.sqlite.search.index_scan import IndexScan, ScanResult, Total
from terrarium_mcp.store.sqlite.search.order import NEWEST, OLDEST
from terrarium_mcp.store.sqlite.search.snapshot import Snapshot
from terrarium_mcp.store.sqlite.search.visible_corpus import VisibleCorpus

_WEAK_HITS = 10
"""Hits on a page whose best line is weak, or half of those asked for where that is more: a full
page would only look like an answer."""

_Ranker = Callable[[PlainQuestion, ParsedQuestion, Corpus], Coroutine[None, None, RankedAnswer]]

_POSITION = attrgetter("position")


@dataclass(frozen=True, slots=True)
class RankedHead:
    """The first hits of a search by relevance, ranked.

    Attributes:
        ids: the ranked lines, best first.
        total: how many hits there are, if known.
        is_weak: even the first of them are unlikely to answer.
        ranked_for: the search of the first page.
        wordless: the ids of lines without any word of the question.
        stand_ins: the words taken for some of the question.
        names_a_time: whether words of the question name a time.
        lines: of conversations, how many lines the time has; if it `is_sample`, more than these.
        apart: how many lines are in none of the conversations that were found.
        is_sample: not all conversations were looked for.
    """

    ids: Sequence[int]
    total: Total | None
    is_weak: bool = False
    ranked_for: Search | None = None
    wordless: frozenset[int] = frozenset()
    stand_ins: StandIns = NO_STAND_INS
    names_a_time: bool = False
    lines: int = 0
    apart: int = 0
    is_sample: bool = False

    @property
    def is_everything(self) -> bool:
        """Whether no hit follows it."""
        return self.total == Total(len(self.ids))

    def may_be_seen_by(self, search: Search) -> bool:
        """Whether a search may see all lines that this ranking depends on."""
        first = self.ranked_for
        return (
            first is not None
            and set(first.rooms) <= set(search.rooms)
            and first.until <= search.until
            and (first.visible_only or not search.visible_only)
        )

    def annotated(self, hits: Hits, attempt: Attempt) -> Hits:
        """A page of an attempt with what this head tells of its hits."""
        taken = attempt.stand_ins if attempt.rung is Rung.SIMILAR else self.stand_ins
        return hits._replace(
            is_weak=self.is_weak,
            unsaid=taken.unsaid,
            names_a_time=self.names_a_time,
            stand_ins=taken.said_in(message.text for message in hits.messages),
            wordless=[message.id for message in hits.messages if message.id in self.wordless],
            lines=self.lines,
            apart=self.apart,
            is_sample=self.is_sample,
        )


_NO_HEAD = RankedHead([], None)


@dataclass(frozen=True)
class PageRequest:
    """One page of an attempt in a snapshot, whose cursors carry the `fingerprint`.

    `analysis` is that of the search, whichever its attempt.
    """

    attempt: Attempt
    snapshot: Snapshot
    fingerprint: str
    analysis: QuestionAnalysis

    @property
    def search(self) -> Search:
        """The search."""
        return self.attempt.search

    @property
    def rung(self) -> Rung:
        """The rung of the attempt."""
        return self.attempt.rung

    @cached_property
    def query(self) -> ExactQuery:
        """The lines of the attempt."""
        return ExactQuery(self.attempt.scope, self.snapshot)

    def limited_to(self, most: int) -> "PageRequest":
        """The same request for at most `most` hits."""
        search = replace(self.search, limit=min(self.search.limit, most))
        return replace(self, attempt=replace(self.attempt, search=search))


HeadKey = tuple[str, str]
"""The fingerprint of a question, and that of the head."""


class Pages:
    """The pages of every rung, for one search.

    Args:
        reads: where they are read.
        kept: the heads of earlier searches, so that a next page continues the ranking of the first.

    `ranked` are the heads that were ranked for this one.
    """

    def __init__(self, reads: Reads, kept: Mapping[HeadKey, RankedHead]) -> None:
        self._reads = reads
        self._exact = ExactSearch(IndexScan(reads))
        self._kept = kept
        self.ranked: dict[HeadKey, RankedHead] = {}

    async def page(self, request: PageRequest) -> Hits:
        """The next hits: of the ranked head, and after it by time."""
        search = request.search
        head = await self._head(request) if request.attempt.is_ranked else _NO_HEAD
        shown = search.cursor.skip if search.cursor else 0
        if head.is_weak:
            request = request.limited_to(max(_WEAK_HITS, search.limit // 2))
            search = request.search
        is_inside = shown + search.limit < len(head.ids)
        of_page = self._head_page if is_inside else self._tail_page
        return head.annotated(await of_page(request, head, shown), request.attempt)

    async def has_none(self, request: PageRequest) -> bool:
        """Whether the rarest of many words prove that no line has them all, an aside or not."""
        return await self._exact.has_none(request.query)

    async def left_out(self, request: PageRequest) -> int:
        """How many asides the rung would find too if they were asked for, up to `COUNTED` + 1."""
        if not request.snapshot.has_asides:
            return 0
        return await self._exact.total_left_out(await self._as_exact(request))

    async def explained(
        self, request: PageRequest
    ) -> tuple[RankedAnswer | None, Sequence[LookupReport]]:
        """The ranking behind the first page, and its look-ups one by one."""
        ranked = await self._answer(request) if request.attempt.is_ranked else None
        if not ranked:
            return None, ()
        return ranked, await timed(ranked.lookups, _corpus(self._reads, request))

    async def _head_page(self, request: PageRequest, head: RankedHead, shown: int) -> Hits:
        """A page that ends inside the ranked head."""
        search = request.search
        end = shown + search.limit
        total = head.total or (await self._tail(request, head.ids, None, 0)).total
        return Hits(
            await self._messages(head.ids[shown:end], search.rooms),
            request.rung,
            total.count,
            _cursor(request, head, end, None),
            total_is_exact=total.exact,
        )

    async def _tail_page(self, request: PageRequest, head: RankedHead, shown: int) -> Hits:
        """A page that begins with the rest of the ranked head, if any, and continues by time."""
        search = request.search
        last_of_head = await self._messages(head.ids[shown:], search.rooms)
        free = search.limit - len(last_of_head)
        after = search.cursor.after if search.cursor else None
        if head.is_everything:
            tail = ScanResult([], Total(len(head.ids)))
        else:  # one line more than fits shows whether there is a next page
            tail = await self._tail(request, head.ids, after, free + 1)
        by_time = as_messages(tail.rows, search.rooms)
        is_full = len(by_time) > free
        reached = None if is_full else tail.reached
        messages = [*last_of_head, *by_time[:free]]
        next_page = None
        if is_full or reached:
            last = reached or (messages[-1].position if by_time[:free] else after)
            next_page = _cursor(request, head, len(head.ids), last)
        return Hits(
            messages,
            request.rung,
            tail.total.count,
            next_page,
            total_is_exact=tail.total.exact,
            reached=reached.moment if reached else None,
        )

    async def _tail(
        self, request: PageRequest, head: Collection[int], after: Position | None, most: int
    ) -> ScanResult:
        """The hits by time after a position, without those of the head."""
        order = OLDEST if request.search.sort is Sort.OLDEST else NEWEST
        found = await self._exact.first(
            request.query,
            most + len(head),
            order,
            after,
            wants_total=request.search.wants_total,
        )
        return replace(found, rows=[row for row in found.rows if row["id"] not in head][:most])

    async def _head(self, request: PageRequest) -> RankedHead:
        """The ranked head; the same one on every page of a question."""
        cursor = request.search.cursor
        begun = cursor.head if cursor else None
        kept = self._kept.get((request.fingerprint, begun)) if begun else None
        if kept and kept.may_be_seen_by(request.search):
            return kept
        head = await self._ranked(request)
        name = fingerprint_of(*head.ids)
        if begun is not None and begun != name:
            raise RankedAnew
        head = replace(head, ranked_for=request.search)
        self.ranked[request.fingerprint, name] = head
        return head

    async def _ranked(self, request: PageRequest) -> RankedHead:
        """The lines with all words, if there are hardly any, and those that answer best."""
        if request.rung is Rung.CONVERSATIONS:
            return await self._conversations(request)
        if request.rung is not Rung.ANY_WORD:
            newest = await self._exact.first(request.query, HEAD, NEWEST)
            if len(newest.rows) == 1:  # often the case, and to rank it takes 5 ms
                return RankedHead([newest.rows[0]["id"]], newest.total)
            return RankedHead(_ids(await self._best_of(newest, request)), newest.total)
        few = await self._with_all_words(request)
        best = await self._answer(request)
        ids = list(dict.fromkeys([*few, *_ids(best)]))[:HEAD]
        weak = not few and best is not None and is_weak(best)
        total = Total(len(ids), exact=False)  # a question has none
        if best is None:
            return RankedHead(ids, total, weak)
        added = set(ids).difference(few)
        return RankedHead(
            ids,
            total,
            weak,
            wordless=frozenset(
                one.line.id for one in best.ranked if one.line.id in added and not one.holds_a_word
            ),
            stand_ins=best.parsed.stand_ins,
            names_a_time=bool(best.parsed.times),
        )

    async def _conversations(self, request: PageRequest) -> RankedHead:
        """The lines that open the conversations of a time, if its first page cannot show all."""
        # It loads the scorer of conversations, and few searches ask for them.
        from terrarium_mcp.store.sqlite.search.conversation_openers import (  # noqa: PLC0415 -- as said
            ConversationOpeners,
        )

        few = 0 if request.search.cursor else request.search.limit
        found = await ConversationOpeners(self._exact).opening_lines(request.query, HEAD, few)
        total = Total(len(found.ids))
        return RankedHead(
            found.ids,
            total,
            lines=found.lines,
            apart=found.apart,
            is_sample=found.is_sample,
        )

    async def _with_all_words(self, request: PageRequest) -> list[int]:
        """The few lines with all words, newest first; only a first page has them at hand."""
        few, is_first_page = request.attempt.few, not request.search.cursor
        if is_first_page and few.total == len(few.messages):
            return [line.id for line in sorted(few.messages, key=_POSITION, reverse=True)]
        all_words = ExactQuery(request.attempt.all_words, request.snapshot)
        return [row["id"] for row in (await self._exact.first(all_words, ENOUGH, NEWEST)).rows]

    async def _answer(self, request: PageRequest) -> RankedAnswer | None:
        """The lines of a rung that answer best; of those with all words, the newest are ranked."""
        if request.rung is Rung.ANY_WORD:
            return await self._ranked_by(answer, request)
        if request.rung is Rung.CONVERSATIONS:
            return None
        return await self._best_of(await self._exact.first(request.query, HEAD, NEWEST), request)

    async def _best_of(self, found: ScanResult, request: PageRequest) -> RankedAnswer | None:
        """The lines found (at most the `HEAD` newest), ranked."""
        ids = [row["id"] for row in found.rows]
        return await self._ranked_by(partial(ranked_among, ids), request) if ids else None

    async def _ranked_by(self, rank: _Ranker, request: PageRequest) -> RankedAnswer:
        """A ranking for the question."""
        question, corpus = request.attempt.question, _corpus(self._reads, request)
        return await rank(question, await request.analysis.parse(question, corpus), corpus)

    async def _as_exact(self, request: PageRequest) -> ExactQuery:
        """The lines of an attempt; of a question, those that hold any of its words in any form."""
        if request.rung is not Rung.ANY_WORD or not request.attempt.is_ranked:
            return request.query
        corpus = _corpus(self._reads, request)
        parsed = await request.analysis.parse(request.attempt.question, corpus)
        return replace(request.query, scope=request.attempt.of_any_form(parsed))

    async def _messages(self, ids: Sequence[int], rooms: Sequence[Room]) -> list[Message]:
        """These messages, in this order; without those removed since they were ranked."""
        if not ids:
            return []
        rows = await self._reads.rows(
            # CROSS JOIN keeps the order: the ids lead, whatever an index could narrow.
            f"SELECT {COLUMNS} FROM json_each(:ids) shown CROSS JOIN messages m"  # noqa: S608 -- no words of strangers
            f" ON m.id = shown.value WHERE {within(rooms, 'm.room')} AND m.redacted_at IS NULL",
            ids_params(ids),
        )
        by_id = {message.id: message for message in as_messages(rows, rooms)}
        return [by_id[number] for number in ids if number in by_id]


def _corpus(reads: Reads, request: PageRequest) -> Corpus:
    kind = VisibleCorpus if request.search.visible_only else SqliteCorpus
    return kind(reads, request.snapshot, request.attempt.question)


def _ids(found: RankedAnswer | None) -> list[int]:
    return [one.line.id for one in found.ranked] if found else []


def _cursor(request: PageRequest, head: RankedHead, skip: int, after: Position | None) -> Cursor:
    """The cursor behind a page: `skip` lines of the head and the lines up to `after` are shown."""
    since, until = request.search.bounds
    return Cursor(
        request.fingerprint,
        request.snapshot.last_id,
        request.rung,
        skip,
        after,
        since,
        "" if until == EVERY_LINE.timestamp else until,
        fingerprint_of(*head.ids) if request.attempt.is_ranked else "",
    )
