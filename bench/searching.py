"""Searching: words, phrases and restrictions, each beside LIKE on the owner's schema."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from bench.bed import Bed
from bench.measure import cpu_of
from bench.piece import Piece
from bench.questions import Line, Questions, enough, plain_words
from bench.rivals import Like
from bench.table import Goal, Rival, Row, Times, Within
from terrarium_mcp.chat.query import parse_query
from terrarium_mcp.chat.records import Room
from terrarium_mcp.chat.when import Position, from_text, to_text
from terrarium_mcp.store import Store
from terrarium_mcp.store.search import Search, Sort

ONE_WORD = Within(0.5, 2)
SEVERAL = Within(2, 6)
LIKE = Times(4_000)

LIKE_ROUNDS = 5
"""LIKE reads every line: seconds each."""

WINDOW = timedelta(days=15)
"""Before and after a line that is looked for in a window of time."""


async def rows(bed: Bed) -> list[Row]:
    """All that is measured here."""
    async with bed.store() as store:
        pieces = Searches(store, await store.rooms.all(), bed.questions, bed.rounds).pieces()
        with Like.over(bed.owners) as like:
            return [await piece.row(_like(like, piece.questions)) for piece in pieces]


@dataclass(frozen=True)
class Sought:
    """One question, for both: what the store is asked, and what LIKE looks for, and where."""

    search: Search
    like: Sequence[str]
    where: str = "true"
    params: Sequence[str] = ()


class Searches:
    """Every kind of search, over the words and lines of a talk."""

    def __init__(
        self, store: Store, rooms: Sequence[Room], questions: Questions, rounds: int
    ) -> None:
        self._store = store
        self._rooms = rooms
        self._questions = questions
        self._rounds = rounds

    def pieces(self) -> list[Piece]:
        """Every kind of search."""
        return [
            self._piece("a rare word", self._said("rare"), ONE_WORD, LIKE),
            self._piece("a medium word", self._said("medium"), ONE_WORD),
            self._piece("a common word", self._said("common"), ONE_WORD),
            self._piece("a very common word", self._said("very common"), ONE_WORD),
            self._piece("two words", self._each(self._two_words), SEVERAL),
            self._piece("a phrase", self._each(self._phrase), SEVERAL, LIKE),
            self._piece("a word in a channel", self._each(self._in_channel), SEVERAL),
            self._piece("a word of a nick", self._each(self._of_nick), SEVERAL),
            self._piece("a word in 30 days", self._each(self._in_window), SEVERAL),
        ]

    async def ask(self, sought: Sought) -> object:
        """Ask the store."""
        return await self._store.search(sought.search, "bench")

    def _piece(self, name: str, sought: Sequence[Sought], *goals: Goal) -> Piece:
        return Piece(name, self.ask, enough(sought, self._rounds), goals)

    def _said(self, often: str) -> list[Sought]:
        words = self._questions.words[often][: self._rounds]
        return [Sought(self._newest(word), [word]) for word in words]

    def _each(self, sought: Callable[[Line, list[str]], Sought]) -> list[Sought]:
        lines = self._questions.lines[: self._rounds]
        return [sought(line, plain_words(line.text)) for line in lines]

    def _two_words(self, _: Line, words: list[str]) -> Sought:
        return Sought(self._newest(f"{words[0]} {words[2]}"), [words[0], words[2]])

    def _phrase(self, line: Line, _: list[str]) -> Sought:
        phrase = " ".join(line.text.split()[:3])
        return Sought(self._newest(f'"{phrase}"'), [phrase])

    def _in_channel(self, line: Line, words: list[str]) -> Sought:
        rooms = [room for room in self._rooms if room.channel == line.channel]
        asked = replace(self._newest(words[1]), rooms=rooms)
        return Sought(asked, [words[1]], "channel = ?", [line.channel])

    def _of_nick(self, line: Line, words: list[str]) -> Sought:
        asked = self._newest(f"{words[1]} from:{line.nick}")
        return Sought(asked, [words[1]], "nick = ?", [line.nick])

    def _in_window(self, line: Line, words: list[str]) -> Sought:
        said_at = from_text(line.said_at)
        since, until = said_at - WINDOW, said_at + WINDOW
        asked = replace(self._newest(words[1]), since=since, until=Position.at(until))
        window = [to_text(since), to_text(until)]
        return Sought(asked, [words[1]], "timestamp BETWEEN ? AND ?", window)

    def _newest(self, words: str) -> Search:
        query = parse_query(words)
        return Search(query=query, rooms=self._rooms, limit=50, sort=Sort.NEWEST)


def _like(like: Like, sought: Sequence[Sought]) -> Rival:
    """What LIKE takes for the first of the questions."""
    some = sought[:LIKE_ROUNDS]
    spent = cpu_of(lambda one: like(one.like, one.where, *one.params), some)
    return Rival("LIKE", spent.p50)
