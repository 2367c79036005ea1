"""Exact search: all lines that a query finds, in the order of time, a page at a time.

Every restriction that the index can apply is part of the look-up. A query whose words are rare, or
that is a phrase, is answered from few lines, which are read and looked at. For the others the index
is walked within the restrictions, and stops when the page is full.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from terrarium_mcp.chat.query import Query
from terrarium_mcp.chat.records import SPEECH, Room
from terrarium_mcp.chat.terms import Term, TermKind
from terrarium_mcp.chat.when import BEGINNING, EVERY_LINE, Position
from terrarium_mcp.store.database import Row
from terrarium_mcp.store.derived.message_index import MessageIndex
from terrarium_mcp.store.derived.phrase_index import PhraseIndex
from terrarium_mcp.store.rooms import within
from terrarium_mcp.store.search.known import Known
from terrarium_mcp.store.search.lookups import Lookups, Total
from terrarium_mcp.store.search.matching import Match, matching, reading
from terrarium_mcp.store.search.order import Order, place
from terrarium_mcp.store.search.stretches import History
from terrarium_mcp.store.search.walks import ALL_OF_THEM, COUNTED, Wanted

_FEW = 400
"""So many lines that hold the words are read at once, and looked at for the restrictions."""

_FEW_OF_A_PHRASE = 1_000
"""So many lines with the pairs of words of a phrase: to read them takes 5 ms. A phrase that is in
more of them is soon found by walking."""

_FEW_RUNS = 8
"""In so many runs a page of the lines with one word is found sooner than all of them are read."""

_LOOKED_AT = 50_000
"""Lines that are looked at where the index cannot tell which of them are wanted: half a second."""

_RAREST = 4
"""Terms of a longer query that are looked up by themselves, to see whether there can be any line.
Of 60 plain questions to ten million lines, 55 are known by them to be in no line as a whole, in a
third of the time that it takes to look for all of their words, most of which are everywhere. Three
terms tell it of 40."""

_MORE = 8
"""How much farther to look where all those lines were of one moment."""


@dataclass(frozen=True, kw_only=True)
class Sought:
    """A query, and the lines among which it looks.

    `all_rooms` says that `rooms` are all there are; `casemappings` are those of all networks.
    `since` is a timestamp as text; `until` the first place that is too late. `known` is about the
    words of the query.
    """

    query: Query
    rooms: Sequence[Room]
    all_rooms: bool
    casemappings: Collection[str]
    history: History
    known: Known
    since: str = BEGINNING.timestamp
    until: Position = EVERY_LINE

    @cached_property
    def match(self) -> Match:
        """How the index finds its lines."""
        rooms = () if self.all_rooms else self.rooms
        return matching(self.query, rooms, self.casemappings, self.known)

    @cached_property
    def match_to_read(self) -> Match:
        """How it finds lines whose rooms are compared when they are read."""
        if self.all_rooms:
            return self.match
        return matching(self.query, (), self.casemappings, self.known)

    @cached_property
    def phrase(self) -> Match | None:
        """How the phrase index finds its lines, if it does."""
        return reading(self.query)

    @property
    def is_unsaid(self) -> bool:
        """Whether it has words that nobody said, so that no line holds it."""
        if not set(SPEECH).issuperset(self.query.kinds):
            return False  # the words of events are not known
        return any(not any(map(self.known.may_be_said, clause)) for clause in self.query.clauses)

    @property
    def is_timed(self) -> bool:
        """Whether it looks at a part of the time only."""
        return self.since != BEGINNING.timestamp or self.until != EVERY_LINE


@dataclass(frozen=True, slots=True)
class Part:
    """Some lines in order.

    Where there are more than could be looked at, `reached` is the place from which to go on.
    """

    rows: Sequence[Row]
    total: Total
    reached: Position | None = None


class Exact:
    """Exact search in all rooms."""

    def __init__(self, lookups: Lookups) -> None:
        self._lookups = lookups

    async def has_none(self, sought: Sought) -> bool:
        """Whether the rarest terms of a long query tell that no line holds all of it."""
        if sought.is_unsaid:
            return True
        rarest = _needed(sought.query)
        if len(rarest) <= _RAREST:
            return False
        clauses = sorted(((term,) for term in rarest), key=sought.known.rarity)
        query = Query(clauses=tuple(clauses[:_RAREST]), kinds=sought.query.kinds)
        few = matching(query, (), sought.casemappings, sought.known)
        return not await self._lookups.has(few.terms, sought.history)

    async def first(
        self, sought: Sought, most: int, order: Order, after: Position | None = None
    ) -> Part:
        """The first `most` lines in an order, after a place."""
        if sought.is_unsaid:
            return Part([], Total(0))
        few = await self._few(sought)
        if few is not None:
            rows = [
                row
                for row in order.arranged(few)
                if after is None or order.is_before(after, place(row))
            ]
            return Part(rows[:most], Total(min(len(few), COUNTED + 1)))
        wanted = farther = _wanted(sought, sought.match)
        while True:
            found = await self._lookups.first(farther, most, order, after)
            if not (found.reached and after) or order.is_before(after.timestamp, found.reached):
                break
            farther = replace(farther, at_most=farther.at_most * _MORE)
        return Part(
            found.rows,
            found.total or await self._lookups.total(wanted),
            order.just_before(found.reached) if found.reached else None,
        )

    async def _few(self, sought: Sought) -> list[Row] | None:
        """All lines of a query that can be read at once, in no order.

        Those of a phrase, as its pairs of words are in few lines. And those with words that are
        rare together, where a walk would go through several runs, or through much besides the
        restrictions: what is hardly anywhere costs as much in a range of ids as in the whole index.
        """
        if sought.phrase:
            lines = await self._read(sought, sought.phrase, PhraseIndex.table, _FEW_OF_A_PHRASE)
            if lines is not None:
                return lines
        match, words = sought.match, _words(sought.query)
        is_restricted = match.scope or not match.is_exact or sought.is_timed
        many = len(sought.history.runs) > (1 if len(words) > 1 else _FEW_RUNS)
        if not match.terms or not (is_restricted or many):
            return None
        if sought.known.expected(words) > _FEW:
            return None
        return await self._read(sought, sought.match_to_read, MessageIndex.table, _FEW)

    async def _read(self, sought: Sought, match: Match, index: str, most: int) -> list[Row] | None:
        """The lines among at most so many that an index finds for the words of a query alone."""
        wanted = _wanted(sought, match)
        where = [*wanted.where, *match.scope_where]
        return await self._lookups.few(replace(wanted, match=match.terms, where=where), index, most)


def _needed(query: Query) -> list[Term]:
    """The terms that every line has to hold, of whose words it is known how rare they are."""
    alone = [clause[0] for clause in query.clauses if len(clause) == 1]
    return [term for term in alone if term.words and term.kind is not TermKind.PREFIX]


def _words(query: Query) -> set[str]:
    """The words that every line has to hold, as far as it is known how rare they are."""
    return {word for term in _needed(query) for word in term.words}


def _wanted(sought: Sought, match: Match) -> Wanted:
    """The lines as they are looked up."""
    where = [
        # A list of hundreds of rooms is made into a table for each statement.
        "m.room NOT NULL" if sought.all_rooms else within(sought.rooms, "m.room"),
        "m.redacted_at IS NULL",
        "m.id <= :snapshot",
        "(m.timestamp, m.id) < (:until, :until_id)",
        "m.timestamp >= :since",
        *match.where,
    ]
    params = {
        **match.params,
        "snapshot": sought.history.snapshot,
        "until": sought.until.timestamp,
        "until_id": sought.until.id,
        "since": sought.since,
    }
    return Wanted(
        match.expression,
        where,
        params,
        sought.history,
        sought.since,
        sought.until.timestamp,
        ALL_OF_THEM if match.is_exact else _LOOKED_AT,
    )
