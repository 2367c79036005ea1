"""What the ranking needs to know of a history, whichever engine stores it."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, Protocol

from terrarium_mcp.chat.identity import fold
from terrarium_mcp.chat.times.timestamps import from_text
from terrarium_mcp.store.search.relevance.lookup import Lookup
from terrarium_mcp.store.search.vocabulary_queries import Vocabulary

_folded = lru_cache(maxsize=10_000)(fold)  # a question reads thousands of lines by few people


class LogStatistics(NamedTuple):
    """Sizes of the history: lines and words in all, and `lines_in_rooms`, those asked.

    For nicks named in a question: `lines_by`, how many lines each wrote in these rooms, and
    `lines_with`, how many lines anywhere hold the nick as a word.
    """

    lines: int
    words: int
    lines_in_rooms: int
    lines_by: Mapping[str, int]
    lines_with: Mapping[str, int]


class CandidateLine(NamedTuple):
    """A line as the ranking sees it; `may_answer` is False for a neighbour, read only for context.

    A question reads thousands, so it is a tuple: the garbage collector does not track it.
    """

    id: int
    room: int
    timestamp: str
    said_by: str
    text: str
    may_answer: bool

    @property
    def position(self) -> tuple[str, int]:
        """Its position in the order of all lines: (timestamp, id)."""
        return self.timestamp, self.id

    @property
    def at(self) -> float:
        """The time it was said, in seconds since 1970."""
        return from_text(self.timestamp).timestamp()

    @property
    def nick(self) -> str:
        """The nick that said it, folded."""
        return _folded(self.said_by)


Passage = Sequence[CandidateLine]
"""Consecutive lines of one room, in order."""


class Corpus(Vocabulary, Protocol):
    """The history as it was when a search began, for one `PlainQuestion`.

    Every method raises TookTooLong once the deadline has passed.
    """

    async def statistics(self, nicks: Collection[str]) -> LogStatistics:
        """The sizes of the history, and of what these nicks wrote."""
        ...

    async def find(self, lookups: Sequence[Lookup]) -> dict[Lookup, list[int]]:
        """The ids that each look-up finds, newest first; without look-ups that span no line."""
        ...

    async def lines(self, ids: Iterable[int]) -> list[CandidateLine]:
        """Those of the lines that may answer the question."""
        ...

    async def around(self, lines: Sequence[CandidateLine]) -> list[Passage]:
        """The lines, the best first, and their neighbours; windows that overlap are one passage."""
        ...
