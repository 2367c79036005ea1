"""Look-ups as data: which lines to find, in terms that any engine can translate."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from terrarium_mcp.chat.times.timestamps import BEGINNING, EVERY_LINE


class ConditionKind(StrEnum):
    """The kinds of conditions that an index can answer."""

    WORD = "word"
    SPEAKER = "speaker"
    SPEECH = "speech"
    SCOPE = "scope"


class Condition(NamedTuple):
    """A line holds the word `text`, is by the nick `text`, is speech, or is in the scope.

    Words with signs, such as `11.04` and `C++`, are found by their parts, and by `lat*` any word
    that begins so.
    """

    kind: ConditionKind
    text: str = ""


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Conditions of which a line has to meet one, and roughly how many lines do."""

    conditions: frozenset[Condition]
    lines: float = field(compare=False)


@dataclass(frozen=True, slots=True)
class Lookup:
    """The `most` newest lines that meet all conditions, between two timestamps (inclusive).

    Lines a little outside of that time may be found too.
    """

    all_of: tuple[AnyOf, ...]
    most: int
    since: str = BEGINNING.timestamp
    until: str = EVERY_LINE.timestamp

    def includes(self, other: "Lookup") -> bool:
        """Whether this look-up, ignoring its limit, would return every line the other does."""
        in_time = self.since <= other.since and other.until <= self.until
        return in_time and all(
            any(one.conditions <= mine.conditions for one in other.all_of) for mine in self.all_of
        )


@dataclass(frozen=True, slots=True)
class LookupReport:
    """A look-up, how many lines it found, and the seconds it took."""

    lookup: Lookup
    found: int
    seconds: float


def any_word(words: Iterable[str], lines: float) -> AnyOf:
    """Lines with one of these words."""
    return AnyOf(frozenset(Condition(ConditionKind.WORD, word) for word in words), lines)


def by_speaker(nick: str, lines: float) -> AnyOf:
    """Lines by a nick."""
    return AnyOf(frozenset([Condition(ConditionKind.SPEAKER, nick)]), lines)


def speech(lines: float) -> AnyOf:
    """Everything that was said."""
    return AnyOf(frozenset([Condition(ConditionKind.SPEECH)]), lines)


def in_scope(lines: float) -> AnyOf:
    """Lines within the restrictions of the question's scope."""
    return AnyOf(frozenset([Condition(ConditionKind.SCOPE)]), lines)
