"""Relays: bots that carry the talk of another network into a channel, with the speakers' names.

    <bridge> <Jane#1234> good morning        Discord, with its old discriminator
    <bridge> [m] <jane> good morning         a tag names the other network
    <bridge> Jane: good morning

The name is chosen by a stranger on another network. It is shown with the relay's nick behind it,
and is never evidence of identity.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from terrarium_mcp.chat.invisible import without_invisible
from terrarium_mcp.chat.irctext import FORMATTING

NAME = "NAME"
"""Stands for the speaker's name in the beginning of a line, as the settings have it."""

LONGEST_NAME = 64
"""Characters of a name; what is longer is not a relayed line."""

_LONGEST_HEAD = 400
"""Characters, codes included, in which a line's beginning is looked for."""

_TAG = r"(?:(?:\[[^\[\]\s]{1,16}\]|\([^()\s]{1,16}\))\s*)?"
_USUAL = re.compile(
    rf"\s*{_TAG}(?:<(?P<angled>[^<>]{{1,{LONGEST_NAME}}})>:?|(?P<plain>[^\s:<>]{{1,32}}):(?=\s))\s*"
)
_INVISIBLE = re.compile(rf"{FORMATTING.pattern}|[\u00ad\u180e\u200b-\u200f\u2060-\u2064\ufeff]")
_DISCRIMINATOR = re.compile(r"#\d{1,4}$")
_MEMBER_PREFIXES = "~&@%+"
_BEHIND_A_NAME = ">:, "


class RelayedLine(NamedTuple):
    """Who said a relayed line, and at which character of it the text begins."""

    name: str
    text_at: int
    is_angled: bool
    """Whether the name is in angle brackets; `name:` is also how people address each other."""


@dataclass(frozen=True)
class Relay:
    """A relay bot as the settings name it.

    Attributes:
        nick: the nick of the bot.
        network: the network on which it is; "" for that of the settings.
        head: how its lines begin, such as `[m] NAME |`; "" for the usual ways.
    """

    nick: str
    network: str = ""
    head: str = ""

    def __str__(self) -> str:
        """As it is written in the settings."""
        return (
            f"{self.network}{'/' if self.network else ''}{self.nick}"
            f"{'=' if self.head else ''}{self.head}"
        )

    def relayed_line(self, text: str) -> RelayedLine | None:
        """Who said a line of this relay; None for a line of its own."""
        return relayed_line(text, self._pattern)

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return _beginning(self.head) if self.head else _USUAL


def parse_relay(text: str) -> Relay:
    """Parse `nick`, `network/nick` or `nick=[m] NAME |`.

    Raises:
        ValueError: it names no nick, or not where the name is.
    """
    address, _, head = text.partition("=")
    network, _, nick = address.strip().rpartition("/")
    head = " ".join(head.split())
    if not nick or any(map(str.isspace, nick)):
        raise ValueError(f"{text.strip()!r} is not a nick such as relaybot or libera/relaybot")
    if head and (NAME not in head or head.endswith(NAME)):
        raise ValueError(
            f"{head!r} must say how its lines begin, with {NAME} for the speaker and something"
            f" behind it, such as [m] {NAME} |"
        )
    return Relay(nick, network, head)


def relayed_line(text: str, pattern: re.Pattern[str] = _USUAL) -> RelayedLine | None:
    """Who said a line that begins as relays begin theirs, and where its text begins.

    Formatting codes and zero-width characters do not matter: relays put them into names, so that
    nobody is highlighted by their own words.
    """
    head = text[:_LONGEST_HEAD]
    places = _visible_places(head)
    found = pattern.match("".join(head[place] for place in places))
    if not found:
        return None
    angled, unbracketed = (found.groupdict().get(group) for group in ("angled", "plain"))
    name = relayed_name(angled or unbracketed or found.groupdict().get("name") or "")
    text_at = places[found.end()] if found.end() < len(places) else len(head)
    if not name or not text[text_at:].strip():
        return None
    return RelayedLine(name, text_at, bool(angled))


def relayed_name(name: str) -> str:
    """A name from another network as it is shown and compared; "" if nothing is left of it.

    Without characters that nobody sees, brackets, member prefixes and Discord's `#1234`.
    """
    visible = "".join(
        " " if character.isspace() else character
        for character in name
        if unicodedata.category(character) not in ("Cc", "Cf", "Cs") or character.isspace()
    )
    words = " ".join(visible.replace("<", "").replace(">", "").split())
    return _without_discriminator(words.lstrip(_MEMBER_PREFIXES))


def nick_meant(typed: str) -> str:
    """The nick, or name from another network, that is meant by `@ada`, `<ada>`, `ada:` or `ada,`.

    That is how lists of members, transcripts and sentences show it.
    """
    name = _without_discriminator(typed.rstrip(_BEHIND_A_NAME))
    bare = name.lstrip("<" + _MEMBER_PREFIXES).rstrip(_BEHIND_A_NAME)
    if not bare.isascii():  # a bot that highlights nobody has put something invisible into it
        bare = without_invisible(bare)
    return bare or _without_discriminator(typed)


def _without_discriminator(name: str) -> str:
    """A name without the number by which Discord told people of one name apart."""
    return _DISCRIMINATOR.sub("", name).strip() or name


def _visible_places(text: str) -> Sequence[int]:
    """The places of the characters that people see."""
    places, at = list[int](), 0
    for hidden in _INVISIBLE.finditer(text):
        places += range(at, hidden.start())
        at = hidden.end()
    return [*places, *range(at, len(text))]


@lru_cache(maxsize=16)
def _beginning(head: str) -> re.Pattern[str]:
    """The pattern of a beginning from the settings; spaces in it stand for any number of spaces."""
    before, _, after = head.partition(NAME)
    parts = (r"\s*".join(map(re.escape, part.split())) for part in (before, after))
    opening, closing = parts
    return re.compile(rf"\s*{opening}\s*(?P<name>\S.{{0,{LONGEST_NAME - 1}}}?)\s*{closing}\s*")
