"""Who is who in a window, and whom an utterance names."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from terrarium_mcp.chat.disentanglement.words import (
    FIRST_WORDS,
    NICK_PUNCTUATION,
    NICK_TAIL,
    NOT_NICKS,
    UNSPECIFIC_WORDS,
)

NOBODY = -1

MAX_NAMED = 8
"""People whom one utterance can address. One that names more is a roll call."""


@dataclass(frozen=True, slots=True)
class Participants:
    """The people who speak in a window, numbered in order of appearance.

    `numbers` is by lowercase nick without its tail, `names` by every word that may stand for a
    person in an utterance.
    """

    numbers: Mapping[str, int]
    names: Mapping[str, int]

    @classmethod
    def from_nicks(cls, nicks: Iterable[str]) -> "Participants":
        """The people behind these nicks."""
        spelt = dict.fromkeys(nick.lower() for nick in nicks)
        numbers: dict[str, int] = {}
        for nick in spelt:
            numbers.setdefault(_bare(nick), len(numbers))
        names = dict(numbers)
        for nick, person in numbers.items():
            core = nick.strip(NICK_PUNCTUATION)
            if len(core) > 2 and not core.isdigit():
                names.setdefault(core, person)
        for nick in spelt:
            names.setdefault(nick, numbers[_bare(nick)])
        return cls(numbers, {name: who for name, who in names.items() if name not in NOT_NICKS})

    def number(self, nick: str) -> int:
        """The person who speaks under `nick`."""
        return self.numbers[_bare(nick.lower())]

    def by_nick_prefix(self, start: str) -> int | None:
        """The only person whose nick begins with `start`, as when somebody shortens a nick."""
        found = [person for nick, person in self.numbers.items() if nick.startswith(start)]
        return found[0] if len(found) == 1 else None


_PUNCTUATED = re.compile(f"[{re.escape(NICK_PUNCTUATION)}]")


class Addressees(NamedTuple):
    """Whom an utterance names: everybody, and `first` the person it begins with.

    With `stranger` it begins with a name that nobody in the window has. `rest` are the words that
    name nobody.
    """

    first: int
    named: tuple[int, ...]
    rest: Sequence[str]
    stranger: bool = False


def find_addressees(words: Sequence[str], low: str, me: int, people: Participants) -> Addressees:
    """Find whom the `words` of a lowercase utterance by `me` name. Nobody names themselves."""
    begins_with: int | None = None
    found: dict[int, None] = {}
    if people.names.keys().isdisjoint(words) and not _PUNCTUATED.search(low):  # as in most of them
        rest = words
    else:
        begins_with, found, rest = _names_in(words, me, people.names)
    if begins_with is None and _begins_with_a_call(words, low):
        called = people.by_nick_prefix(words[0])
        if called is None or called == me:
            return Addressees(NOBODY, _limited(found), rest[1:], stranger=True)
        return Addressees(called, _limited({called: None} | found), rest[1:])
    first = NOBODY if begins_with is None or begins_with == me else begins_with
    return Addressees(first, _limited(found), rest)


def _names_in(
    words: Sequence[str], me: int, names: Mapping[str, int]
) -> tuple[int | None, dict[int, None], Sequence[str]]:
    """Whom the first word names, whom any word names except me, and the other words."""
    rest = []
    found: dict[int, None] = {}
    begins_with: int | None = None
    for index, word in enumerate(words):
        person = names.get(word)
        if person is None and word[-1] in NICK_PUNCTUATION and len(word) > 3:
            person = names.get(word.rstrip(NICK_PUNCTUATION))
        if person is None or (index and len(word) < 3):  # two letters may well be a word
            rest.append(word)
            continue
        if not index:
            begins_with = person
        if person != me:
            found[person] = None
    return begins_with, found, rest


def _limited(found: Iterable[int]) -> tuple[int, ...]:
    return tuple(found)[:MAX_NAMED]


def _begins_with_a_call(words: Sequence[str], low: str) -> bool:
    """Whether it begins like `jo: ...`. An ordinary word before the colon calls nobody."""
    if len(words) < 2:
        return False
    name = words[0]
    if len(name) < 3 or name in FIRST_WORDS or name in UNSPECIFIC_WORDS:
        return False
    end = low.find(name) + len(name)
    return low[end : end + 2] in (": ", ", ")


def _bare(nick: str) -> str:
    """A lowercase nick without its tail; a nick that is all tail is kept."""
    return nick.rstrip(NICK_TAIL) or nick
