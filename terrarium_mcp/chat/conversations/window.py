"""What each line of a window says on its own, and who speaks to whom in all of it."""

import math
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from terrarium_mcp.chat.conversations.line import Line
from terrarium_mcp.chat.conversations.people import People, addressed
from terrarium_mcp.chat.conversations.scales import FARTHEST, length_step
from terrarium_mcp.chat.conversations.words import BOT, lowered, opening, telling, words_of

AHEAD = 40
"""So many lines ahead it counts that two people speak to each other."""


_OFTEN = 400
_RARITY = [math.log(_OFTEN / (count + 0.5)) for count in range(_OFTEN)]
"""The weight of a word by how many lines have it."""


@dataclass(slots=True, eq=False)  # frozen, one takes five times as long to make
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

    `rarity` is the weight of a word, `shared` those of each line that another line has too. `talks`
    are, for each person and somebody else, the places where one of the two names the other.
    """

    lines: Sequence[Said]
    people: int
    rarity: Mapping[str, float]
    shared: Sequence[Sequence[str]]
    talks: Mapping[int, Mapping[int, Sequence[int]]]

    def talked(self, one: int, other: int, place: int) -> int:
        """Does one name the other: 1 before `place`, 2 soon after it, 3 both, 0 neither."""
        at = self.talks[one].get(other) if one in self.talks else None
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
    nicks = dict.fromkeys(line.nick for line in spoken)
    people = People.among(nicks)
    speakers = {nick: people.number(nick) for nick in nicks}
    told = frozenset(nick.lower() for nick in bots)
    robots = {nick for nick in nicks if "bot" in nick.lower() or nick.lower() in told}
    minutes = accumulate((int(line.at // 60) for line in spoken), max)
    said = [
        _said(place, minute, line.text, speakers[line.nick], people, line.nick in robots)
        for place, (minute, line) in enumerate(zip(minutes, spoken, strict=True))
    ]
    counts = Counter([word for one in said for word in one.words])
    return Window(
        lines=said,
        people=len(people.numbers),
        rarity={word: _RARITY[min(count, _OFTEN - 1)] for word, count in counts.items()},
        shared=[[word for word in one.words if counts[word] > 1] for one in said],
        talks=_talks(said),
    )


def _said(place: int, minute: int, text: str, me: int, people: People, is_bot: bool) -> Said:
    low = lowered(text)
    first, named, rest, stranger = addressed(words_of(low), low, me, people)
    return Said(
        place,
        minute,
        by=me,
        first=first,
        named=named,
        stranger=stranger,
        opening=BOT if is_bot else opening(low, rest),
        asks=1 if "?" in text else 0,
        length=length_step(len(rest)),
        words=telling(rest),
    )


def _talks(lines: Iterable[Said]) -> dict[int, dict[int, list[int]]]:
    talks: dict[int, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for said in lines:
        for other in said.named:
            talks[said.by][other].append(said.place)
            talks[other][said.by].append(said.place)
    return talks
