"""Search: find what was said. All words first; when that finds nothing, any of them.

Both rungs look a bounded number of times into the index. The ranked head of a page is at most 200
lines; all other hits follow, newest first.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from math import log

from terrarium_mcp.chat.cursors import Cursor
from terrarium_mcp.chat.identity import fold
from terrarium_mcp.chat.query import Query, is_indexed
from terrarium_mcp.chat.records import Message, Room
from terrarium_mcp.chat.when import EVERY_LINE, Position, from_text, to_text
from terrarium_mcp.store.database import Database
from terrarium_mcp.store.functions import storable
from terrarium_mcp.store.lookups import Lookups, Wanted
from terrarium_mcp.store.matching import expression, indexed
from terrarium_mcp.store.rooms import within
from terrarium_mcp.store.rows import COLUMNS, IS_SPEECH, as_messages
from terrarium_mcp.store.upkeep import Upkeep

HEAD = 200
"""Lines that are ranked; the rest of the hits follow by time."""

COUNTED = 1_000
"""Totals are exact up to here."""

_PER_WORD = 400
"""Newest lines looked at for each word when any word will do."""

_MOST_WORDS = 16
"""Words of a question that rank its hits when any word will do: the rarest."""

_CONSIDERED = 64
"""Words of a question that are looked at when any word will do: the first ones."""

_SCANNED = 50_000
"""Newest lines that are read where the index does not help: half a second."""


class Sort(StrEnum):
    """The order of hits."""

    RELEVANCE = "relevance"
    NEWEST = "newest"
    OLDEST = "oldest"


class Rung(StrEnum):
    """Which look-up answered."""

    ALL_WORDS = "all words"
    ANY_WORD = "any word"
    SCAN = "bounded scan"
    EVERYTHING = "every line"


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """A question to the history: the query, where, when, and how many lines at once."""

    query: Query
    rooms: Sequence[Room]
    limit: int
    sort: Sort = Sort.RELEVANCE
    since: datetime | None = None
    until: Position = EVERY_LINE
    cursor: Cursor | None = None


@dataclass(frozen=True, slots=True)
class Hits:
    """One page of hits, which look-up found them, and how many there are (up to 1,001)."""

    messages: Sequence[Message]
    rung: Rung
    total: int
    next: Cursor | None = None
    tried: Sequence[Rung] = field(default=())

    @property
    def total_text(self) -> str:
        """The total as people read it: exact, or `1,000+`."""
        return f"{self.total}" if self.total <= COUNTED else f"{COUNTED:,}+"


class SearchTopic:
    """Searching all rooms."""

    def __init__(self, database: Database, upkeep: Upkeep) -> None:
        self._database = database
        self._upkeep = upkeep
        self._lookups = Lookups(database)

    async def __call__(self, asked: Search, question: str) -> Hits:
        """One page of lines for `asked`; `question` is the fingerprint its cursors carry.

        Raises:
            TookTooLong: the deadline passed.
        """
        await self._upkeep.keep_up("index", "runs")
        cursor = asked.cursor
        if cursor and cursor.since:
            asked = replace(asked, since=from_text(cursor.since))
        # What is indexed now is the history that all pages show, in whatever order it came.
        snapshot = cursor.snapshot if cursor else await self._upkeep.reached("index")
        tried: list[Rung] = []
        for rung in _rungs(asked):
            tried.append(rung)
            hits = await self._page(_Lookup(asked, rung, snapshot), question)
            if hits.messages or cursor:
                return replace(hits, tried=tuple(tried))
        return Hits([], tried[-1], 0, None, tuple(tried))

    async def _page(self, lookup: "_Lookup", question: str) -> Hits:
        """The next lines of the ranked head, and after it those of the tail, by time."""
        asked, start = lookup.asked, lookup.asked.cursor
        head = await self._head(lookup) if lookup.ranks else []
        skip = min(start.skip if start else 0, len(head))
        page = head[skip : skip + asked.limit]
        skip += len(page)
        after = start.after if start else None
        room = asked.limit - len(page)
        in_head = skip < len(head)
        # One line more than there is room for tells whether there is a next page.
        tail = [] if in_head else await self._tail(lookup, head, after, room + 1)
        if tail[:room]:
            page = [*page, *tail[:room]]
            after = page[-1].position
        since = to_text(asked.since) if asked.since else ""
        goes_on = in_head or len(tail) > room
        here = Cursor(question, lookup.snapshot, lookup.rung, skip, after, since)
        total = await self._counted(lookup.everything(), lookup)
        return Hits(page, lookup.rung, total, here if goes_on else None)

    async def _tail(
        self, lookup: "_Lookup", head: Sequence[Message], after: Position | None, most: int
    ) -> list[Message]:
        """The hits by time from a place on, without those that the head has shown."""
        shown = {message.id for message in head}
        order = "ASC" if lookup.asked.sort is Sort.OLDEST else "DESC"
        found = await self._read(lookup, lookup.everything(), order, most + len(head), after)
        return [message for message in found if message.id not in shown][:most]

    async def _head(self, lookup: "_Lookup") -> list[Message]:
        """The lines with most of the words; rare words count more, among equals newer lines."""
        counts = {
            word: await self._counted(lookup.matching([word]), lookup) for word in lookup.words
        }
        rarest = sorted(filter(counts.get, counts), key=lambda word: counts[word])[:_MOST_WORDS]
        lines = await self._counted("", lookup)
        weights: dict[int, float] = {}
        found: dict[int, Message] = {}
        for word in rarest:
            weight = log(1 + (lines - counts[word] + 0.5) / (counts[word] + 0.5))  # as in BM25
            with_word = lookup.matching([word])
            for message in await self._read(lookup, with_word, "DESC", _PER_WORD, None):
                found[message.id] = message
                weights[message.id] = weights.get(message.id, 0) + weight
        newest_first = sorted(found.values(), key=lambda message: message.position, reverse=True)
        return sorted(newest_first, key=lambda message: -weights[message.id])[:HEAD]

    async def _read(
        self, lookup: "_Lookup", match: str, order: str, most: int, after: Position | None
    ) -> list[Message]:
        if match:
            wanted = lookup.wanted(match, order, after)
            look = self._lookups.oldest if order == "ASC" else self._lookups.newest
            return as_messages(await look(wanted, most), lookup.asked.rooms)
        lines, params = lookup.lines(match)
        onward, place = _onward(order, after)
        beyond = "".join(f" AND {condition}" for condition in onward)
        rows = await self._database.rows(
            f"SELECT {COLUMNS} FROM {lines}{beyond}"  # noqa: S608 -- words of strangers are parameters
            f" ORDER BY m.timestamp {order}, m.id {order} LIMIT :most",
            params | place | {"most": most},
        )
        return as_messages(rows, lookup.asked.rooms)

    async def _counted(self, match: str, lookup: "_Lookup") -> int:
        lines, params = lookup.lines(match)
        sql = f"SELECT count(*) FROM (SELECT 1 FROM {lines} LIMIT {COUNTED + 1})"  # noqa: S608 -- words of strangers are parameters
        return int(await self._database.value(sql, params, 0))


@dataclass(frozen=True, slots=True)
class _Lookup:
    """One rung of a search as SQL conditions."""

    asked: Search
    rung: Rung
    snapshot: int

    @property
    def ranks(self) -> bool:
        """Whether there is a ranked head. Where every word occurs, the newest line leads."""
        return self.rung is Rung.ANY_WORD and self.asked.sort is Sort.RELEVANCE

    @property
    def words(self) -> list[str]:
        """The words and phrases that the index can hold, each once."""
        words = list({term.lower(): term for term in indexed(self.asked.query.terms)}.values())
        return words[:_CONSIDERED] if self.rung is Rung.ANY_WORD else words

    def matching(self, terms: Sequence[str]) -> str:
        """The index expression for lines with all of `terms`."""
        return expression(terms, self.asked.query, self.asked.rooms)

    def everything(self) -> str:
        """The index expression for all hits of this rung; "" where the index is not asked."""
        if self.rung in (Rung.EVERYTHING, Rung.SCAN):
            return ""
        if self.rung is Rung.ALL_WORDS:
            return self.matching(self.words)
        return " OR ".join(f"({self.matching([word])})" for word in self.words)

    def wanted(self, match: str, order: str, after: Position | None) -> Wanted:
        """The lines of an index expression from a place on, for a walk through the index."""
        where, params = self._readable()
        where += self._with_unindexed(params)
        onward, place = _onward(order, after)
        since = to_text(self.asked.since) if self.asked.since else ""
        until = self.asked.until.timestamp
        if after and order == "ASC":
            since = max(since, after.timestamp)
        elif after:
            until = min(until, after.timestamp)
        return Wanted(match, [*where, *onward], params | place, since, until)

    def lines(self, match: str) -> tuple[str, dict[str, object]]:
        """What follows FROM: the lines `m` that may be shown and `match`, and the parameters."""
        where, params = self._readable()
        if match:
            # CROSS JOIN keeps the order: the index leads, and the rows follow by their ids.
            source = "message_index CROSS JOIN messages m ON m.id = -message_index.rowid"
            where = ["message_index MATCH :match", *where]
            params["match"] = match
        elif self.rung is Rung.SCAN:
            source = (
                "(SELECT * FROM messages m"  # noqa: S608 -- words of strangers are parameters
                f" WHERE {' AND '.join(where)}"
                f" ORDER BY m.timestamp DESC, m.id DESC LIMIT {_SCANNED}) AS m"
            )
            where = []
        else:
            source = "messages m"
        where += self._with_unindexed(params)
        return f"{source} WHERE {' AND '.join(where) or 'true'}", params

    def _readable(self) -> tuple[list[str], dict[str, object]]:
        """The conditions under which a line may be shown at all, and their parameters."""
        asked = self.asked
        where = [
            within(asked.rooms, "m.room"),
            "m.redacted_at IS NULL",
            IS_SPEECH,
            "m.id <= :snapshot",
            "(m.timestamp, m.id) < (:until, :until_id)",
        ]
        params: dict[str, object] = {
            "snapshot": self.snapshot,
            "until": asked.until.timestamp,
            "until_id": asked.until.id,
        }
        if asked.since:
            where.append("m.timestamp >= :since")
            params["since"] = to_text(asked.since)
        if asked.query.nick:
            where.append("same_nick(CAST(m.nick AS BLOB), :nick)")
            params["nick"] = fold(storable(asked.query.nick))
        return where, params

    def _with_unindexed(self, params: dict[str, object]) -> list[str]:
        """The conditions for terms that no index holds; their words become parameters."""
        conditions = []
        for n, term in enumerate(self._unindexed()):
            conditions.append(f"instr(plain_text(CAST(m.message AS BLOB)), :term{n})")
            params[f"term{n}"] = storable(term)
        return conditions

    def _unindexed(self) -> list[str]:
        """Terms, such as emoji, for which the text itself has to be read."""
        if self.rung is Rung.ANY_WORD:
            return []
        return [term for term in dict.fromkeys(self.asked.query.terms) if not is_indexed(term)]


def _onward(order: str, after: Position | None) -> tuple[list[str], dict[str, object]]:
    """The condition that a line comes after a place in this order, and its parameters."""
    if after is None:
        return [], {}
    beyond = ">" if order == "ASC" else "<"
    place: dict[str, object] = {"after": after.timestamp, "after_id": after.id}
    return [f"(m.timestamp, m.id) {beyond} (:after, :after_id)"], place


def _rungs(asked: Search) -> list[Rung]:
    """Which look-ups to try, in order. A cursor stays on the rung it came from."""
    terms = asked.query.terms
    if not terms:
        return [Rung.EVERYTHING]
    if not indexed(terms):
        return [Rung.SCAN]
    rungs = [Rung.ALL_WORDS, Rung.ANY_WORD] if len(set(terms)) > 1 else [Rung.ALL_WORDS]
    return [rung for rung in rungs if not asked.cursor or rung == asked.cursor.rung] or rungs[:1]
