"""Exact search: all lines that match a query, by time, a page at a time.

Every restriction that the index can apply is part of the look-up. A phrase, or a query of rare
words, is answered from the few lines that may match, which are all read. Otherwise the index is
walked within the restrictions, and the walk stops when the page is full.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from terrarium_mcp.chat.query.parsed_query import Query
from terrarium_mcp.chat.records import SPEECH, Room
from terrarium_mcp.chat.terms import Term, TermKind
from terrarium_mcp.chat.times.timestamps import Position
from terrarium_mcp.store.search.hits import COUNTED
from terrarium_mcp.store.search.scope import SearchScope
from terrarium_mcp.store.sqlite.engine.reads import Row
from terrarium_mcp.store.sqlite.index.message_index import MessageIndex
from terrarium_mcp.store.sqlite.index.phrase_index import PhraseIndex
from terrarium_mcp.store.sqlite.search.fts_query import FtsQuery, fts_query, phrase_query
from terrarium_mcp.store.sqlite.search.id_ranges import IdRange
from terrarium_mcp.store.sqlite.search.index_scan import IndexScan, ScanResult, Total
from terrarium_mcp.store.sqlite.search.order import Order
from terrarium_mcp.store.sqlite.search.scan_plans import ALL_OF_THEM, ScanSpec
from terrarium_mcp.store.sqlite.search.scope_where import scope_params, scope_where
from terrarium_mcp.store.sqlite.search.snapshot import Snapshot
from terrarium_mcp.store.sqlite.search.term_stats import counted_word

_FEW = 400
"""Up to this many lines with the words are all read, and compared with the restrictions."""

_FEW_FOR_A_PAGE = 100
"""Up to this many if only a page of them is wanted. Beyond it, the index finds the page sooner: of
a nick, with a word of 200 to 400 lines, in 0.5 ms instead of 2.5 (1 M lines)."""

_FEW_OF_A_PHRASE = 1_000
"""Up to this many lines with the word pairs of a phrase are all read, which takes 5 ms. A walk soon
finds a phrase that is in more of them."""

_FEW_RUNS = 8
"""Up to this many runs, a walk finds a page of one word sooner than all its lines are read: to
enter a run takes as long as to read ten lines."""

_LOOKED_AT = 50_000
"""Lines that are read where the index cannot decide which of them match: half a second."""

_RAREST = 4
"""Terms of a longer query that are looked up first, to see whether any line can match. Probing only
the rarest terms proves 55 of 60 plain questions unanswerable verbatim (10 M lines), in a third of
the time of a full AND; three terms prove 40."""


@dataclass(frozen=True)
class ExactQuery:
    """A search scope in a snapshot, and how the index finds its lines."""

    scope: SearchScope
    snapshot: Snapshot

    @cached_property
    def match(self) -> FtsQuery:
        """How the index finds its lines."""
        return self._match_in(self.scope.narrowed_rooms)

    @cached_property
    def match_in_any_room(self) -> FtsQuery:
        """How the index finds its lines if their rooms are compared when they are read."""
        return self.match if self.scope.all_rooms else self._match_in(())

    @cached_property
    def phrase(self) -> FtsQuery | None:
        """How the phrase index finds candidates, if it can."""
        return phrase_query(self.scope.query, has_asides=self.snapshot.has_asides)

    @cached_property
    def is_unsaid(self) -> bool:
        """Whether a clause has only terms that no line holds, so that no line matches."""
        if not set(SPEECH).issuperset(self.scope.query.kinds):
            return False  # the words of events are in no statistics
        may_be_said = self.snapshot.stats.may_be_said
        return any(not any(map(may_be_said, clause)) for clause in self.scope.query.clauses)

    @property
    def only_word(self) -> str:
        """Its word, if lines with it are counted, and nothing else is asked but rooms and times."""
        query = self.scope.query
        terms = query.terms
        word = counted_word(terms[0]) if len(terms) == 1 else ""
        return word if word and replace(query, clauses=()).is_only_timed else ""

    @property
    def lines_with_its_word(self) -> int | None:
        """How many lines hold its word, asides among them, as the statistics count them.

        None if it asks for more than one word in the whole history.
        """
        scope, match = self.scope, self.match
        if not (self.snapshot.is_counted and scope.all_rooms and match.is_exact):
            return None
        if scope.is_timed or match.restriction or scope.query.excluded:
            return None
        terms = scope.query.terms
        word = counted_word(terms[0]) if len(terms) == 1 else ""
        return self.snapshot.stats.lines.get(word)

    def _match_in(self, rooms: Sequence[Room]) -> FtsQuery:
        return fts_query(
            self.scope.query,
            rooms,
            self.scope.casemappings,
            self.snapshot.stats,
            has_asides=self.snapshot.has_asides,
        )


class ExactSearch:
    """Exact search in the rooms of a scope."""

    def __init__(self, index: IndexScan) -> None:
        self._index = index
        self._left_out: tuple[ExactQuery, int] | None = None

    async def has_none(self, query: ExactQuery) -> bool:
        """Whether the rarest terms of a long query prove that no line matches."""
        if query.is_unsaid:
            return True
        required = _required_terms(query.scope.query)
        if len(required) <= _RAREST:
            return False
        stats = query.snapshot.stats
        clauses = sorted(((term,) for term in required), key=stats.rarity)
        rarest = Query(clauses=tuple(clauses[:_RAREST]), kinds=query.scope.query.kinds)
        match = fts_query(rarest, (), (), stats)
        return not await self._index.has_any(match.terms, query.snapshot)

    async def first(
        self,
        query: ExactQuery,
        most: int,
        order: Order,
        after: Position | None = None,
        *,
        wants_total: bool = True,
    ) -> ScanResult:
        """The first `most` matching lines in an order, after a position."""
        if query.is_unsaid:
            return ScanResult([], Total(0))
        # Lines that are read have a total, also for callers who can do without: they keep it.
        few = await self._all_if_few(query, _most_read(query, most) if wants_total else _FEW)
        if few is None:
            spec = _scan_spec(query, query.match)
            known = await self._known_total(query) if wants_total else None
            counts = wants_total and known is None
            found = await self._index.first(spec, most, order, after, wants_total=counts)
            return replace(found, total=known) if known else found
        rows = order.following(few, after)[:most]
        return ScanResult(rows, Total(min(len(few), COUNTED + 1)))

    async def count(self, query: ExactQuery) -> int:
        """How many lines match, however many: as counted in blocks, and by the index elsewhere."""
        if query.is_unsaid:
            return 0
        counted = await self._counted_blocks(query)
        rest = await self._index.count(_scan_spec(query, query.match), sorted(counted))
        return sum(counted.values()) + rest

    async def count_left_out(self, query: ExactQuery) -> int:
        """How many asides match that the query does not ask for, however many these are."""
        if not query.match.without:
            return 0
        return await self._index.count(_scan_spec(query, query.match.only_left_out()))

    async def all_lines(self, query: ExactQuery, columns: str) -> list[Row]:
        """Some columns of all lines of a query, in no order; `count` says how many these are."""
        return await self._index.all_lines(_scan_spec(query, query.match), columns)

    async def total_left_out(self, query: ExactQuery) -> int:
        """How many asides match that the query does not ask for, up to `COUNTED` + 1."""
        if self._left_out and self._left_out[0] is query:  # its lines told, or its total
            return self._left_out[1]
        if not query.match.without or query.is_unsaid:
            return 0
        spec = _scan_spec(query, query.match.only_left_out())
        left_out = (await self._index.total(spec)).count
        self._left_out = query, left_out
        return left_out

    async def _known_total(self, query: ExactQuery) -> Total | None:
        """The total if it is known without a walk through the lines: they hold a counted word."""
        lines = query.lines_with_its_word
        if lines is None:
            return await self._total_of_blocks(query)
        left_out = await self.total_left_out(query)
        return Total(min(lines - left_out, COUNTED + 1)) if left_out <= COUNTED else None

    async def _total_of_blocks(self, query: ExactQuery) -> Total | None:
        """The total if most lines are in counted blocks, of which the newest are often enough.

        Only in some rooms: to find 1,000 lines with a word anywhere takes 0.1 ms, and of one room
        0.4 to 2 (1 M lines).
        """
        if query.scope.all_rooms or not query.match.is_exact:
            return None
        counted = await self._counted_blocks(query, COUNTED)
        if not counted:
            return None
        lines = sum(counted.values())
        if lines <= COUNTED:
            spec = _scan_spec(query, query.match)
            lines += await self._index.count(spec, sorted(counted), COUNTED + 1 - lines)
        return Total(min(lines, COUNTED + 1))

    async def _counted_blocks(
        self, query: ExactQuery, enough: int | None = None
    ) -> Mapping[IdRange, int]:
        """Its lines by blocks in which they are counted, if it asks for nothing but a word."""
        word = query.only_word
        if not word:
            return {}
        return await self._index.counted_blocks(query.scope, query.snapshot, word, enough)

    async def all_if_few(self, query: ExactQuery) -> list[Row] | None:
        """All lines of a query, in no order, if few enough may match to read all of them."""
        return await self._all_if_few(query, _FEW)

    async def _all_if_few(self, query: ExactQuery, most: int) -> list[Row] | None:
        """All lines of a query, in no order, if no more than `most` are expected to have its words.

        That is so for a phrase whose word pairs are in few lines; and for words that are rare
        together, if a walk would go through several runs or beyond the restrictions: a rare word
        costs as much in a range of ids as in the whole index.
        """
        if query.phrase:
            lines = await self._read(query, query.phrase, PhraseIndex.table, _FEW_OF_A_PHRASE)
            if lines is not None:
                return lines
        match, words = query.match, _required_words(query.scope.query)
        is_restricted = match.restriction or not match.is_exact or query.scope.is_timed
        has_many_runs = len(query.snapshot.runs) > (1 if len(words) > 1 else _FEW_RUNS)
        if not match.terms or not (is_restricted or has_many_runs):
            return None
        if query.snapshot.stats.expected(words) > most:
            return None
        return await self._read(query, query.match_in_any_room, MessageIndex.table, _FEW)

    async def _read(
        self, query: ExactQuery, match: FtsQuery, index: str, most: int
    ) -> list[Row] | None:
        """The matching lines among those an index finds by the words alone, if at most `most`.

        They tell how many asides are left out, too.
        """
        spec = _scan_spec(query, match)
        is_left_out = match.without.condition if match.without else "false"
        spec = replace(
            spec,
            match=match.terms,
            where=[*spec.where, *match.restriction_where],
            columns=f"{spec.columns}, {is_left_out} AS left_out",
        )
        lines = await self._index.all_of_few(spec, index, most)
        if lines is None:
            return None
        kept = [line for line in lines if not line["left_out"]]
        self._left_out = query, len(lines) - len(kept)
        return kept


def _most_read(query: ExactQuery, wanted: int) -> int:
    """Up to how many lines with its words are all read for a page of `wanted` lines."""
    if not query.match.is_exact or len(query.snapshot.runs) > _FEW_RUNS:
        return _FEW  # a walk would read most of them, or enter many runs
    return min(_FEW, max(_FEW_FOR_A_PAGE, wanted))


def _required_terms(query: Query) -> list[Term]:
    """The terms that every line has to hold and whose frequencies are known."""
    alone = [clause[0] for clause in query.clauses if len(clause) == 1]
    return [term for term in alone if term.words and term.kind is not TermKind.PREFIX]


def _required_words(query: Query) -> set[str]:
    """The words of these terms."""
    return {word for term in _required_terms(query) for word in term.words}


def _scan_spec(query: ExactQuery, match: FtsQuery) -> ScanSpec:
    """The query as a `ScanSpec`."""
    scope = query.scope
    return ScanSpec(
        match.expression,
        [*scope_where(scope), *match.where],
        {**match.params, **scope_params(scope)},
        query.snapshot,
        scope.since,
        scope.until.timestamp,
        ALL_OF_THEM if match.is_exact else _LOOKED_AT,
        read_where=scope_where(scope) if scope.visible_only else (),
    )
