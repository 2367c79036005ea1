"""Search: find what was said. All words first; when that finds nothing, any of them.

Both rungs look a bounded number of times into the index. The ranked head of a page is at most 200
lines; all other hits follow, newest first.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from math import log

from terrarium_mcp.chat.cursors import Cursor
from terrarium_mcp.chat.identity import fold
from terrarium_mcp.chat.query import Query
from terrarium_mcp.chat.records import Message, Room
from terrarium_mcp.chat.when import Position, to_text
from terrarium_mcp.store.database import Database
from terrarium_mcp.store.index import Index
from terrarium_mcp.store.matching import expression, indexed
from terrarium_mcp.store.messages import COLUMNS, EVERY_LINE, as_messages
from terrarium_mcp.store.rooms import within

HEAD = 200
"""Lines that are ranked; the rest of the hits follow by time."""

COUNTED = 1_000
"""Totals are exact up to here."""

_PER_WORD = 400
"""Newest lines looked at for each word when any word will do."""

_MOST_WORDS = 16
"""Words of a question that are looked up when any word will do: the rarest."""


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

    def __init__(self, database: Database, index: Index) -> None:
        self._database = database
        self._index = index

    async def __call__(self, asked: Search, question: str) -> Hits:
        """One page of lines for `asked`; `question` is the fingerprint its cursors carry.

        Raises:
            TookTooLong: the deadline passed.
        """
        await self._index.catch_up()
        snapshot = asked.cursor.snapshot if asked.cursor else await self._newest_id()
        tried: list[Rung] = []
        for rung in _rungs(asked):
            tried.append(rung)
            lookup = _Lookup(asked, rung, snapshot)
            hits = await self._page(lookup, question)
            if hits.messages or asked.cursor:
                return Hits(hits.messages, rung, hits.total, hits.next, tuple(tried))
        return Hits([], tried[-1], 0, None, tuple(tried))

    async def _page(self, lookup: "_Lookup", question: str) -> Hits:
        asked = lookup.asked
        head = await self._head(lookup) if lookup.ranks else []
        skip = asked.cursor.skip if asked.cursor else 0
        page = head[skip : skip + asked.limit]
        wanted = asked.limit - len(page)
        after = asked.cursor.after if asked.cursor else None
        shown_head = {message.id for message in head}
        tail = (
            []
            if lookup.ranks and wanted == 0
            else await self._by_time(lookup, after, wanted + len(shown_head) + 1)
        )
        rest = [message for message in tail if message.id not in shown_head]
        page = [*page, *rest[:wanted]]
        more = len(head) > skip + asked.limit or len(rest) > wanted
        if lookup.ranks and wanted == 0 and not more:
            more = bool(
                [
                    m
                    for m in await self._by_time(lookup, None, len(shown_head) + 1)
                    if m.id not in shown_head
                ]
            )
        last = rest[:wanted][-1].position if rest[:wanted] else after
        cursor = Cursor(
            question, lookup.snapshot, lookup.rung, min(len(head), skip + asked.limit), last
        )
        return Hits(page, lookup.rung, await self._count(lookup), cursor if more else None)

    async def _head(self, lookup: "_Lookup") -> list[Message]:
        """The lines that hold most of the words, rare words counting more, newest first among equals."""
        counts = {word: await self._frequency(lookup, word) for word in lookup.words}
        rarest = sorted(counts, key=lambda word: counts[word])[:_MOST_WORDS]
        weights: dict[int, float] = {}
        found: dict[int, Message] = {}
        for word in rarest:
            if counts[word]:
                weight = log(1 + (COUNTED + 1) / counts[word])
                for message in await self._with_word(lookup, word):
                    found[message.id] = message
                    weights[message.id] = weights.get(message.id, 0) + weight
        newest_first = sorted(found.values(), key=lambda message: message.position, reverse=True)
        return sorted(newest_first, key=lambda message: -weights[message.id])[:HEAD]

    async def _frequency(self, lookup: "_Lookup", word: str) -> int:
        return await self._counted(lookup.matching([word]), lookup)

    async def _with_word(self, lookup: "_Lookup", word: str) -> list[Message]:
        return await self._read(lookup, lookup.matching([word]), "DESC", _PER_WORD, None)

    async def _by_time(self, lookup: "_Lookup", after: Position | None, most: int) -> list[Message]:
        order = "ASC" if lookup.asked.sort is Sort.OLDEST else "DESC"
        return await self._read(lookup, lookup.everything(), order, most, after)

    async def _read(
        self, lookup: "_Lookup", match: str, order: str, most: int, after: Position | None
    ) -> list[Message]:
        conditions, params = lookup.conditions(match, after, order)
        source = _source(match)
        rows = await self._database.rows(
            f"SELECT {COLUMNS} FROM {source} WHERE {conditions}"  # noqa: S608 -- words of strangers are parameters
            f" ORDER BY m.timestamp {order}, m.id {order} LIMIT :most",
            params | {"most": most},
        )
        return as_messages(rows, lookup.asked.rooms)

    async def _count(self, lookup: "_Lookup") -> int:
        return await self._counted(lookup.everything(), lookup)

    async def _counted(self, match: str, lookup: "_Lookup") -> int:
        conditions, params = lookup.conditions(match, None, "DESC")
        return int(
            await self._database.value(
                f"SELECT count(*) FROM (SELECT 1 FROM {_source(match)}"  # noqa: S608 -- words of strangers are parameters
                f" WHERE {conditions} LIMIT {COUNTED + 1})",
                params,
                0,
            )
        )

    async def _newest_id(self) -> int:
        return int(await self._database.value("SELECT max(id) FROM messages", default=0))


@dataclass(frozen=True, slots=True)
class _Lookup:
    """One rung of a search as SQL conditions."""

    asked: Search
    rung: Rung
    snapshot: int

    @property
    def ranks(self) -> bool:
        """Whether this look-up has a ranked head. Where every word occurs, the newest line leads."""
        return self.rung is Rung.ANY_WORD and self.asked.sort is Sort.RELEVANCE

    @property
    def words(self) -> list[str]:
        """The words and phrases that the index can hold, each once."""
        return list(dict.fromkeys(indexed(self.asked.query.terms)))

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

    def conditions(
        self, match: str, after: Position | None, order: str
    ) -> tuple[str, dict[str, object]]:
        """The WHERE clause and its parameters."""
        asked = self.asked
        where = [
            within(asked.rooms, "m.room"),
            "m.redacted_at IS NULL",
            "ifnull(m.message_type, 'PRIVMSG') IN ('PRIVMSG', 'NOTICE', 'ACTION')",
            "m.id <= :snapshot",
            "(m.timestamp, m.id) < (:until, :until_id)",
        ]
        params: dict[str, object] = {
            "snapshot": self.snapshot,
            "until": asked.until.timestamp,
            "until_id": asked.until.id,
        }
        if match:
            where.append("message_index MATCH :match")
            params["match"] = match
        if asked.since:
            where.append("m.timestamp >= :since")
            params["since"] = to_text(asked.since)
        if after:
            where.append(
                f"(m.timestamp, m.id) {'>' if order == 'ASC' else '<'} (:after, :after_id)"
            )
            params |= {"after": after.timestamp, "after_id": after.id}
        if asked.query.nick:
            where.append("same_nick(m.nick, :nick)")
            params["nick"] = fold(asked.query.nick)
        for n, term in enumerate(self._unindexed()):
            where.append(f"instr(lower(plain_text(m.message)), :term{n})")
            params[f"term{n}"] = term.lower()
        return " AND ".join(where), params

    def _unindexed(self) -> list[str]:
        """Terms, such as emoji, for which the text itself has to be read."""
        if self.rung is Rung.ANY_WORD:
            return []
        return [term for term in self.asked.query.terms if term not in self.words]


def _source(match: str) -> str:
    return "message_index JOIN messages m ON m.id = -message_index.rowid" if match else "messages m"


def _rungs(asked: Search) -> list[Rung]:
    """Which look-ups to try, in order. A cursor stays on the rung it came from."""
    if asked.cursor:
        return [Rung(asked.cursor.rung)]
    if not asked.query.terms:
        return [Rung.EVERYTHING]
    words = indexed(asked.query.terms)
    if not words:
        return [Rung.SCAN]
    return [Rung.ALL_WORDS, Rung.ANY_WORD] if len(set(asked.query.terms)) > 1 else [Rung.ALL_WORDS]
