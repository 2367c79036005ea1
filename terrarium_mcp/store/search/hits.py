"""The values of a search: the request, one page of hits, and the explanation of how it came about.

None of them knows how the lines are stored.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from terrarium_mcp.chat.cursors import Cursor
from terrarium_mcp.chat.query.parsed_query import Query
from terrarium_mcp.chat.records import Message, Room
from terrarium_mcp.chat.times.timestamps import BEGINNING, EVERY_LINE, Position, to_text
from terrarium_mcp.store.search.scope import Clauses

if TYPE_CHECKING:  # types only: the ranking is loaded by the first search
    from terrarium_mcp.store.search.relevance.lookup import LookupReport
    from terrarium_mcp.store.search.relevance.ranking import RankedAnswer

COUNTED = 1_000
"""Totals are exact up to this many hits; a larger total is reported as one more than this."""

ENOUGH = 3
"""This many lines with all words answer by themselves. With fewer, others may have been meant."""

HEAD = 200
"""Hits that are ranked; the others follow by time."""


class Sort(StrEnum):
    """The order of hits."""

    RELEVANCE = "relevance"
    NEWEST = "newest"
    OLDEST = "oldest"


class Rung(StrEnum):
    """A rung of the ladder: one way to read the query."""

    ALL_WORDS = "all words"
    ANY_WORD = "any word"
    SIMILAR = "similar words"
    SCAN = "bounded scan"
    EVERYTHING = "every line"
    CONVERSATIONS = "the line that opens each conversation"


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """A search request: the query, the rooms, the time, and the size of a page.

    `since` and `until` narrow the query further. `by_conversation` asks for the conversations of a
    time rather than for words. `now` and `zone` are the reader's: a question may name a time
    relative to them, and one without a year is the latest at `now`.
    `visible_only` says that nothing but the lines of `rooms` before `until` may
    influence the answer: words and people are then counted among these, and not in the whole
    history, whose counts are at hand. Without `wants_total` hits beyond a page are not counted: of
    somebody who talks everywhere, to count those in one room took 40 ms (10 M lines). `is_exact`
    says that only what the query says is wanted: no looser rung is tried where it finds nothing,
    and no asides are counted.
    """

    query: Query
    rooms: Sequence[Room]
    limit: int
    sort: Sort = Sort.RELEVANCE
    since: datetime | None = None
    until: Position = EVERY_LINE
    cursor: Cursor | None = None
    by_conversation: bool = False
    now: datetime | None = None
    zone: tzinfo = UTC
    visible_only: bool = False
    wants_total: bool = True
    is_exact: bool = False

    @property
    def earliest(self) -> datetime | None:
        """The later of `since` and the query's own beginning; None where neither has one."""
        return max(filter(None, (self.since, self.query.since)), default=None)

    @property
    def bounds(self) -> tuple[str, str]:
        """Timestamps from `since` (inclusive) to `until` (exclusive).

        Later pages keep the bounds of the first page, which their cursor carries.
        """
        if self.cursor:
            return self.cursor.since, self.cursor.until or EVERY_LINE.timestamp
        since, until = self.earliest, self.query.until
        return (
            to_text(since) if since else BEGINNING.timestamp,
            to_text(until) if until else EVERY_LINE.timestamp,
        )


class Hits(NamedTuple):
    """One page of hits, the rung that found them, and their total (at most `COUNTED` + 1).

    Attributes:
        tried: the rungs that were tried, in order.
        total_is_exact: False where there may be more than `total`: not all lines could be examined.
        reached: how far the lines were examined, where that limit ended the page. `next` then
            continues from there.
        is_weak: whether even the best hit is unlikely to answer.
        with_all_words: on the first page of a looser rung, how many lines hold all words. These
            lead.
        left_out: on the first page, how many asides the rung that answered would find too (at most
            `COUNTED` + 1): what the bot said, and commands to it. Where nothing was found, the
            first rung that would find any.
        unsaid: words of the query that no line searched holds, as far as they are known.
        names_a_time: whether words of the question name a time. These are among the words that
            `with_all_words` goes by, and hardly ever said.
        stand_ins: the words searched for in place of the query's that these lines hold, that of
            most lines first.
        wordless: the ids of the lines here that hold no word of the query: they are hits for what
            is said around them, or for who said them.
        lines: of conversations, how many lines the time has; if it `is_sample`, more than these.
        apart: of conversations, how many lines of the time, as far as it was read, are in none.
        is_sample: whether the conversations are those of parts of a long time.
    """

    messages: Sequence[Message]
    rung: Rung
    total: int
    next: Cursor | None = None
    tried: Sequence[Rung] = ()
    total_is_exact: bool = True
    reached: datetime | None = None
    with_all_words: int = 0
    left_out: int = 0
    is_weak: bool = False
    unsaid: Sequence[str] = ()
    names_a_time: bool = False
    stand_ins: Sequence[str] = ()
    wordless: Sequence[int] = ()
    lines: int = 0
    apart: int = 0
    is_sample: bool = False

    @property
    def total_text(self) -> str:
        """The total for people: exact, `1,000+`, or `14+` where there may be more."""
        if self.total > COUNTED:
            return f"{COUNTED:,}+"
        return f"{self.total}" if self.total_is_exact else f"{self.total}+"


class RungReport(NamedTuple):
    """A rung that was tried: its total (as `Hits.total`), and the seconds it took."""

    rung: Rung
    total: int
    seconds: float


class Explanation(NamedTuple):
    """How a search came to its hits.

    `clauses` are the terms searched for on the rung that answered, in place of the query's own;
    none where no rung found anything.
    `answer` and `lookups` are there only where the hits were ranked.
    """

    tried: Sequence[RungReport]
    hits: Hits
    clauses: Clauses = ()
    answer: "RankedAnswer | None" = None
    lookups: Sequence["LookupReport"] = ()
