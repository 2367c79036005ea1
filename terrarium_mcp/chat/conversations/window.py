"""What each line of a window says on its own, and who speaks to whom in all of it."""

import math
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from terrarium_mcp.chat.conversations.line import Line
from terrarium_mcp.chat.conversations.people import People, addressed
from terrarium_mcp.chat.conversations.scales import FARTHEST, length_step
from terrarium_mcp.chat.conversations.words import lowered, opening, telling, words_of

AHEAD = 40
"""So many lines ahead it counts that two people speak to each other."""


_OFTEN = 400
_RARITY = [math.log(_OFTEN / (count + 0.5)) for count in range(_OFTEN)]
"""The weight of a word by how many lines have it."""


@dataclass(frozen=True, slots=True)
class Said:
    """A line on its own. People are numbers; `place` counts the lines of the window from 0.

    `minute` is whole, as in the training data, and never runs back. Whom it names is told in
    `people.Address`; `length` is a step of its scale.
    """

    place: int
    minute: int
    by: int
    first: int
    named: tuple[int, ...]
    stranger: bool
    opening: int
    asks: int
    length: int
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Window:
    """The lines of a window, how many people they are, and what they have in common.

    `rarity` is the weight of a word; `talks` are the places where one of two people names the
    other.
    """

    lines: Sequence[Said]
    people: int
    rarity: Mapping[str, float]
    talks: Mapping[tuple[int, int], Sequence[int]]

    def talked(self, one: int, other: int, place: int) -> int:
        """Does one name the other: 1 before `place`, 2 soon after it, 3 both, 0 neither."""
        at = self.talks.get((one, other) if one < other else (other, one))
        if at is None:
            return 0
        before, after = bisect_left(at, place), bisect_right(at, place)
        earlier = 1 if before and place - at[before - 1] <= FARTHEST else 0
        return earlier + (2 if after < len(at) and at[after] - place <= AHEAD else 0)

    @property
    def pace(self) -> float:
        """Mean minutes between lines; nights and other long gaps count as an hour."""
        minutes = [said.minute for said in self.lines]
        gaps = [min(b - a, 60) for a, b in pairwise(minutes)]
        return sum(gaps) / len(gaps) if gaps else 0.0


def read_window(lines: Sequence[Line], bots: Iterable[str] = ()) -> Window:
    """Read lines in the order they were said. `bots` are nicks behind which nobody sits.

    Those with "bot" in their name need not be told.
    """
    spoken = [line.unwrapped for line in lines]
    people = People.among(line.nick for line in spoken)
    known = frozenset(nick.lower() for nick in bots)
    minutes = accumulate((int(line.at // 60) for line in spoken), max)
    said = [
        _said(place, minute, line, people, known)
        for place, (minute, line) in enumerate(zip(minutes, spoken, strict=True))
    ]
    return Window(said, len(people.numbers), _rarity(said), _talks(said))


def _said(place: int, minute: int, line: Line, people: People, bots: frozenset[str]) -> Said:
    me, low = people.number(line.nick), lowered(line.text)
    address = addressed(words_of(low), low, me, people)
    return Said(
        place=place,
        minute=minute,
        by=me,
        first=address.first,
        named=address.named,
        stranger=address.stranger,
        opening=opening(low, line.nick.lower(), address.rest, bots),
        asks=int("?" in line.text),
        length=length_step(len(address.rest)),
        words=telling(address.rest),
    )


def _rarity(lines: Iterable[Said]) -> dict[str, float]:
    """The weight of each word: the fewer lines have it, the more it tells."""
    counts = Counter([word for said in lines for word in said.words])
    return {word: _RARITY[min(count, _OFTEN - 1)] for word, count in counts.items()}


def _talks(lines: Iterable[Said]) -> dict[tuple[int, int], list[int]]:
    talks: dict[tuple[int, int], list[int]] = {}
    for said in lines:
        for other in said.named:
            pair = (said.by, other) if said.by < other else (other, said.by)
            talks.setdefault(pair, []).append(said.place)
    return talks
