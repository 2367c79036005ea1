"""Searching: words, phrases, restrictions and plain questions, each beside its rivals."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from bench import piece
from bench.bed import Bed
from bench.piece import Piece
from bench.questions import CHINESE, RARE_PHRASE, Line, Questions, enough, plain_words
from bench.rivals import Finder, Wanted, finders, match
from bench.table import Goal, Rival, Row, Times, Within
from bench.wording import MENTIONED, question_about, remembered
from terrarium_mcp.chat.query.parser import parse_query
from terrarium_mcp.chat.records import Room
from terrarium_mcp.chat.terms import words_in
from terrarium_mcp.chat.times.timestamps import Position, from_text, to_text
from terrarium_mcp.store import Store
from terrarium_mcp.store.search import Search, Sort

ONE_WORD = Within(0.5, 2)
SEVERAL = Within(2, 6)
TYPED = Within(1, 5)
QUESTION = Within(35, 120)
QUESTION_OF_A_CHANNEL = Within(15, 60)
QUESTION_UNDER_A_VIEW = Within(25, 60)
LIKE = Times(4_000)

WINDOW = timedelta(days=15)
"""Before and after a line that is looked for in a window of time."""

ANSWERS = 20
"""Lines that answer a question."""


async def rows(bed: Bed) -> list[Row]:
    """All that is measured here."""
    async with bed.store() as store:
        searches = Searches(store, await store.rooms.all(), bed.questions, bed.rounds)
        with finders(bed) as rivals:
            return await piece.rows(searches.pieces(), lambda one: _beside(rivals, one.questions))


@dataclass(frozen=True)
class Sought:
    """One question, as the store and as its rivals are asked it."""

    search: Search
    wanted: Wanted


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
            self._piece("a rare phrase", self._typed(RARE_PHRASE, self._phrase), SEVERAL, LIKE),
            self._piece("a phrase", self._each(self._begins_with), SEVERAL),
            self._piece("a word in a channel", self._each(self._in_channel), SEVERAL),
            self._piece("a word of a nick", self._each(self._of_nick), SEVERAL),
            self._piece("a word of a type", self._each(self._of_type), SEVERAL),
            self._piece("a word in 30 days", self._each(self._in_window), SEVERAL),
            self._piece("the beginning of a word", self._typed("begun", self._begun), TYPED),
            self._piece("a piece from within a word", self._typed("inside", self._held), TYPED),
            self._piece("a word with a letter wrong", self._typed("misspelt", self._meant), TYPED),
            self._piece("a word of Chinese", self._typed(CHINESE, self._held), TYPED),
            self._question("a question, whole log", self._anywhere, QUESTION),
            self._question("a question in a channel", self._of_channel, QUESTION_OF_A_CHANNEL),
            self._question("a question under a view", self._under_view, QUESTION_UNDER_A_VIEW),
        ]

    async def ask(self, sought: Sought) -> object:
        """Ask the store."""
        return await self._store.search(sought.search, "bench")

    def _piece(self, name: str, sought: Sequence[Sought], *goals: Goal) -> Piece:
        return Piece(name, self.ask, enough(sought, self._rounds), goals)

    def _question(self, name: str, sought: Callable[[str, Line], Sought], goal: Goal) -> Piece:
        return replace(self._piece(name, self._asked(sought), goal), thinks=True)

    def _said(self, often: str) -> list[Sought]:
        return self._typed(often, lambda word: self._of_words([word]))

    def _typed(self, kind: str, sought: Callable[[str], Sought]) -> list[Sought]:
        return [sought(word) for word in self._questions.words[kind][: self._rounds]]

    def _each(self, sought: Callable[[Line, list[str]], Sought]) -> list[Sought]:
        lines = self._questions.lines[: self._rounds]
        return [sought(line, plain_words(line.text)) for line in lines]

    def _asked(self, sought: Callable[[str, Line], Sought]) -> list[Sought]:
        rng = random.Random(3)  # noqa: S311 -- made-up questions
        lines = [line for line in self._questions.lines if len(remembered(line)) >= MENTIONED]
        return [sought(question_about(line, rng), line) for line in lines[: self._rounds]]

    def _of_words(self, words: Sequence[str]) -> Sought:
        return Sought(self._newest(" ".join(words)), Wanted(words, match(words)))

    def _two_words(self, _: Line, words: list[str]) -> Sought:
        return self._of_words([words[0], words[2]])

    def _begins_with(self, line: Line, _: list[str]) -> Sought:
        return self._phrase(" ".join(line.text.split()[:3]))

    def _phrase(self, phrase: str) -> Sought:
        return Sought(self._newest(f'"{phrase}"'), Wanted([phrase], match([phrase])))

    def _in_channel(self, line: Line, words: list[str]) -> Sought:
        asked = replace(self._newest(words[1]), rooms=self._room(line))
        return Sought(asked, _wanted(words[1], "m.channel = ?", line.channel))

    def _of_nick(self, line: Line, words: list[str]) -> Sought:
        asked = self._newest(f"{words[1]} from:{line.nick}")
        return Sought(asked, _wanted(words[1], "m.nick = ?", line.nick))

    def _of_type(self, _: Line, words: list[str]) -> Sought:
        asked = self._newest(f"{words[1]} type:action")
        return Sought(asked, _wanted(words[1], "m.message_type = ?", "ACTION"))

    def _in_window(self, line: Line, words: list[str]) -> Sought:
        said_at = from_text(line.said_at)
        since, until = said_at - WINDOW, said_at + WINDOW
        asked = replace(self._newest(words[1]), since=since, until=Position.at(until))
        window = to_text(since), to_text(until)
        return Sought(asked, _wanted(words[1], "m.timestamp BETWEEN ? AND ?", *window))

    def _begun(self, start: str) -> Sought:
        return Sought(self._newest(f"{start}*"), Wanted([start], f"{match([start])} *"))

    def _held(self, piece: str) -> Sought:
        return Sought(self._newest(piece), Wanted([piece]))

    def _meant(self, word: str) -> Sought:
        return Sought(self._newest(word), Wanted())

    def _anywhere(self, question: str, _: Line) -> Sought:
        return Sought(self._answers(question), Wanted(match=match(words_in(question), " OR ")))

    def _of_channel(self, question: str, line: Line) -> Sought:
        any_word = match(words_in(question), " OR ")
        wanted = Wanted(match=any_word, where="m.channel = ?", params=[line.channel])
        return Sought(replace(self._answers(question), rooms=self._room(line)), wanted)

    def _under_view(self, question: str, line: Line) -> Sought:
        """As the bridge asks: of one channel, up to a moment ago."""
        of_channel = self._of_channel(question, line)
        until = Position.at(datetime.now(UTC))
        search = replace(of_channel.search, visible_only=True, until=until)
        return replace(of_channel, search=search)

    def _room(self, line: Line) -> list[Room]:
        return [room for room in self._rooms if room.channel == line.channel]

    def _newest(self, words: str) -> Search:
        return replace(self._answers(words), limit=50, sort=Sort.NEWEST)

    def _answers(self, question: str) -> Search:
        query = parse_query(question)
        return Search(query=query, rooms=self._rooms, limit=ANSWERS, sort=Sort.RELEVANCE)


def _wanted(word: str, where: str, *params: str) -> Wanted:
    return Wanted([word], match([word]), where, params)


def _beside(rivals: Sequence[Finder], sought: Sequence[Sought]) -> list[Rival]:
    """What each rival takes that can answer such questions."""
    wanted = [one.wanted for one in sought]
    found = [rival.beside(wanted) for rival in rivals]
    return [one for one in found if one]
