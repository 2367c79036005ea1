"""A plain question: the lines that may answer it, and what it asks, once parsed."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, tzinfo

from terrarium_mcp.chat.times.time_expressions import TimeExpression
from terrarium_mcp.store.search.scope import MOST_ROOMS, SearchScope
from terrarium_mcp.store.search.stand_ins import StandIns

FEW_LINES = 60
"""Of a person with at most this many lines, any line may answer, whatever its words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainQuestion:
    """A question in plain language.

    `scope` says which lines may answer: its rooms, its time, and all of its query but the words
    asked for. Neighbouring lines, which only lend their words, need only be in its rooms. `hits` is
    how many lines are wanted: for few, less is read. `beginnings` are words asked for beside those
    of the text, each the beginning of a word and a `*`, with any words before it: `lat*`. Its times
    are relative to `now`.
    """

    text: str
    scope: SearchScope
    now: datetime
    zone: tzinfo
    hits: int
    beginnings: tuple[str, ...] = ()

    @property
    def is_restricted(self) -> bool:
        """Whether look-ups can be restricted to fewer lines than the whole history."""
        query, rooms = self.scope.query, self.scope.narrowed_rooms
        in_rooms = 0 < len(rooms) <= MOST_ROOMS
        filters = query.kinds or query.people or query.has_link or query.only_commands
        return bool(in_rooms or filters)


@dataclass(frozen=True, slots=True)
class TermGroup:
    """A content word of the question, and the words that may stand for it, each with its weight.

    `lat*` stands for any word that begins so.

    `lines` is how many lines hold the word in one of its forms (an estimate for a word with signs,
    such as `C++`), `found_in` an upper bound for any of `words`. It `is_unsaid` if no line holds
    the word in any form: `lines` are then those of a word that may have been meant. It `is_guessed`
    if no line holds a related word or one with the same beginning either: what may stand for it is
    only what it may be mistyped for.

    If the word is as likely the nick of a person, that is the `speaker`: a line that they said
    counts as if it held the word, for it is not known which of the two is meant. `lines` includes
    theirs.
    """

    word: str
    words: Mapping[str, float]
    lines: int
    found_in: int
    is_unsaid: bool = False
    is_guessed: bool = False
    speaker: str = ""


@dataclass(frozen=True, slots=True)
class ParsedQuestion:
    """What a question asks: whose lines, from when, with which words (the rarest first).

    `lines` is the number of lines in the whole history, `lines_in_rooms` in the rooms asked, and
    `lines_by` of each of the people there; `length` is the average number of words in a line.
    """

    people: tuple[str, ...]
    times: tuple[TimeExpression, ...]
    groups: tuple[TermGroup, ...]
    asks_when: bool
    lines: int
    lines_in_rooms: int
    lines_by: Mapping[str, int]
    length: float

    @property
    def stand_ins(self) -> StandIns:
        """The words that no line holds, and those that may have been meant."""
        unsaid = [group for group in self.groups if group.is_unsaid]
        words = {word for group in unsaid for word in group.words if word != group.word}
        return StandIns(tuple(group.word for group in unsaid), frozenset(words))

    @property
    def is_guessed(self) -> bool:
        """Whether what it is about is only guessed, as it would be of another history.

        A single word may well be mistyped; that all of several are is hardly ever so.
        """
        return len(self.groups) > 1 and all(group.is_guessed for group in self.groups)

    def has_few_lines(self, nick: str) -> bool:
        """Whether a person has so few lines here that all of them can be looked at."""
        return 0 < self.lines_by.get(nick, 0) <= FEW_LINES
