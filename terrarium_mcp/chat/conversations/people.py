"""Who is who in a window, and whom a line names."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from terrarium_mcp.chat.conversations.words import COMMON, FIRST_WORD, NO_NICKS, ODD, TAIL

NOBODY = -1

MOST_NAMED = 8
"""People that a line can address; one that names more is a roll call."""


@dataclass(frozen=True, slots=True)
class People:
    """The people who speak in a window, by number, in the order they come.

    `numbers` finds them by lowered nick without tail, `names` by what may stand for them in a line.
    """

    numbers: Mapping[str, int]
    names: Mapping[str, int]

    @classmethod
    def among(cls, nicks: Iterable[str]) -> "People":
        """The people behind these nicks."""
        spelt = dict.fromkeys(nick.lower() for nick in nicks)
        numbers: dict[str, int] = {}
        for nick in spelt:
            numbers.setdefault(_bare(nick), len(numbers))
        names = dict(numbers)
        for nick, person in numbers.items():
            core = nick.strip(ODD)
            if len(core) > 2 and not core.isdigit():
                names.setdefault(core, person)
        for nick in spelt:
            names.setdefault(nick, numbers[_bare(nick)])
        return cls(numbers, {name: who for name, who in names.items() if name not in NO_NICKS})

    def number(self, nick: str) -> int:
        """The person who speaks under `nick`."""
        return self.numbers[_bare(nick.lower())]

    def cut_short(self, start: str) -> int | None:
        """The one person whose nick begins with `start`: a nick cut short, or a short form."""
        found = [person for nick, person in self.numbers.items() if nick.startswith(start)]
        return found[0] if len(found) == 1 else None


_ODD = re.compile(f"[{re.escape(ODD)}]")


class Address(NamedTuple):
    """Whom a line names: all of them, and `first` the one it begins with.

    A `stranger` is a name it begins with that nobody in the window has. `rest` are the words that
    name nobody.
    """

    first: int
    named: tuple[int, ...]
    rest: Sequence[str]
    stranger: bool = False


def addressed(words: Sequence[str], low: str, me: int, people: People) -> Address:
    """Read whom the `words` of a lowered line by `me` name. Nobody names themselves."""
    begins_with: int | None = None
    found: dict[int, None] = {}
    if people.names.keys().isdisjoint(words) and not _ODD.search(low):  # as most lines
        rest = words
    else:
        begins_with, found, rest = _names_in(words, me, people.names)
    if begins_with is None and _calls_somebody(words, low):
        called = people.cut_short(words[0])
        if called is None or called == me:
            return Address(NOBODY, _most(found), rest[1:], stranger=True)
        return Address(called, _most({called: None} | found), rest[1:])
    first = NOBODY if begins_with is None or begins_with == me else begins_with
    return Address(first, _most(found), rest)


def _names_in(
    words: Sequence[str], me: int, names: Mapping[str, int]
) -> tuple[int | None, dict[int, None], Sequence[str]]:
    """Whom the first of the words names, whom any of them does but me, and the other words."""
    rest = []
    found: dict[int, None] = {}
    begins_with: int | None = None
    for place, word in enumerate(words):
        person = names.get(word)
        if person is None and word[-1] in ODD and len(word) > 3:
            person = names.get(word.rstrip(ODD))
        if person is None or (place and len(word) < 3):  # two letters may well be a word
            rest.append(word)
            continue
        if not place:
            begins_with = person
        if person != me:
            found[person] = None
    return begins_with, found, rest


def _most(found: Iterable[int]) -> tuple[int, ...]:
    return tuple(found)[:MOST_NAMED]


def _calls_somebody(words: Sequence[str], low: str) -> bool:
    """Whether a line begins like `jo: ...`; who speaks of a thing (`yes: ...`) calls nobody."""
    if len(words) < 2:
        return False
    name = words[0]
    if len(name) < 3 or name in FIRST_WORD or name in COMMON:
        return False
    end = low.find(name) + len(name)
    return low[end : end + 2] in (": ", ", ")


def _bare(nick: str) -> str:
    """A lowered nick without its tail; one that is all tail stays."""
    return nick.rstrip(TAIL) or nick
