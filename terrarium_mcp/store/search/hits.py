"""What is searched for, and what is found."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from enum import StrEnum

from terrarium_mcp.chat.cursors import Cursor
from terrarium_mcp.chat.query import Query
from terrarium_mcp.chat.records import Message, Room
from terrarium_mcp.chat.when import BEGINNING, EVERY_LINE, Position, to_text
from terrarium_mcp.store.search.walks import COUNTED


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

    @property
    def bounds(self) -> tuple[str, str]:
        """From when until when, as timestamps; on later pages as it was on the first one."""
        if self.cursor:
            return self.cursor.since, self.cursor.until or EVERY_LINE.timestamp
        since = [to_text(moment) for moment in (self.since, self.query.since) if moment]
        until = self.query.until
        return max(since, default=BEGINNING.timestamp), (
            to_text(until) if until else EVERY_LINE.timestamp
        )


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
