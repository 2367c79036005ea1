"""Names written so that no client highlights them: `a` and `da`, with a joiner between.

A joiner (U+200D) is invisible, but a client that looks for its own nick no longer finds it. Pure.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

import regex

from terrarium_mcp.chat.identity import NICK_CHARACTERS

JOINER = "\N{ZERO WIDTH JOINER}"

_FIRST_GRAPHEME = regex.compile(r"\X")
_PICTOGRAPH = regex.compile(r"\p{Extended_Pictographic}")
# An address, an option such as `--user=ada`, a path from its root; a hostmask; or a word. The first
# are looked for at the beginning of what blanks divide, and a hostmask there or behind an `@`: from
# each character anew, it would take quadratic time.
_INTACT_OR_WORD = re.compile(
    rf"(?P<intact>(?<!\S)(?:\S*://|\S+=|(?:www\.|[.~]*/)\S)\S*|(?<![^\s@])[^\s@]++@\S+)"
    rf"|(?P<word>[{NICK_CHARACTERS}]++)"
)
_EDGES = "[]\\`^{|}_-"


def defused_name(name: str, joiner: str = JOINER) -> str:
    """A name with a joiner after its first letter; one of a single letter stays.

    Between two pictographs, which it would merge, it goes to the next place.
    """
    at = 0
    while found := _FIRST_GRAPHEME.match(name, at):
        before, at = found[0], found.end()
        if at < len(name) and not (_PICTOGRAPH.search(before) and _PICTOGRAPH.match(name, at)):
            return name[:at] + joiner + name[at:]
    return name


@dataclass(frozen=True, slots=True)
class Unaddressed:
    """Nicks that a reply may name but must not highlight: of all in the channel but the asker.

    `folded` are the nicks in the form in which the network compares them, which `fold` makes.
    """

    folded: frozenset[str]
    fold: Callable[[str], str]

    def defused(self, text: str, joiner: str = JOINER) -> str:
        """A line with every one of the nicks in it defused.

        Links, hostmasks and paths stay as they are, and so does a part of a longer word.
        """
        if not self.folded:
            return text
        return _INTACT_OR_WORD.sub(lambda found: self._word(found, joiner), text)

    def _word(self, found: re.Match[str], joiner: str) -> str:
        word: str = found[0]
        if found["intact"] is not None:
            return word
        core = word.strip(_EDGES)  # `[ada]` is ada in brackets, unless it is a nick
        name = next((one for one in (word, core) if one and self.fold(one) in self.folded), "")
        return word.replace(name, defused_name(name, joiner), 1) if name else word


NO_ONE_HERE = Unaddressed(frozenset(), str)
"""Nobody to defuse, as in a private chat, which the asker alone reads."""
