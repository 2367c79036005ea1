"""Relays: bots that carry the talk of another network into a channel, with the speakers' names.

    <bridge> <Jane#1234> good morning        Discord, with its old discriminator
    <bridge> [m] <jane> good morning         a tag names the other network
    <bridge> Jane: good morning

The name is chosen by a stranger on another network. It is shown with the relay's nick behind it,
and is never evidence of identity.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from terrarium_mcp.chat.invisible import invisible_places, without_invisible
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
_OTHER_SPACE = re.compile(r"[^\S ]")
_UNSEEN = "\0"  # in place of each character of a formatting code: it cannot be seen either
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

    Formatting codes and what cannot be seen do not matter: relays put them into names, so that
    nobody is highlighted by their own words.
    """
    head = text[:_LONGEST_HEAD]
    seen, places = _visible(head)
    found = pattern.match(seen)
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
    one_line = _OTHER_SPACE.sub(" ", name).replace("<", "").replace(">", "")
    words = " ".join(without_invisible(one_line).split())
    return _without_discriminator(words.lstrip(_MEMBER_PREFIXES))


def nick_meant(typed: str) -> str:
    """The nick, or name from another network, that is meant by `@ada`, `<ada>`, `ada:` or `ada,`.

    That is how lists of members, transcripts and sentences show it.
    """
    whole = _without_discriminator(typed.rstrip(_BEHIND_A_NAME))
    seen = without_invisible(whole)  # a bot that highlights nobody puts something into each name
    name = _without_discriminator(seen.rstrip(_BEHIND_A_NAME))
    bare = name.lstrip("<" + _MEMBER_PREFIXES).rstrip(_BEHIND_A_NAME)
    return bare or _without_discriminator(typed)


def _without_discriminator(name: str) -> str:
    """A name without the number by which Discord told people of one name apart."""
    return _DISCRIMINATOR.sub("", name).strip() or name


def _visible(head: str) -> tuple[str, Sequence[int]]:
    """What people see of a line's beginning, and the place in it of each character of that."""
    if head.isascii() and head.isprintable():  # nearly every line
        return head, range(len(head))
    masked = FORMATTING.sub(lambda code: _UNSEEN * len(code[0]), head)
    masked = _OTHER_SPACE.sub(" ", masked)
    hidden = invisible_places(masked)
    if not hidden:
        return masked, range(len(masked))
    places, at = list[int](), 0
    for place in hidden:
        places += range(at, place)
        at = place + 1
    places += range(at, len(masked))
    return "".join([masked[place] for place in places]), places


@lru_cache(maxsize=16)
def _beginning(head: str) -> re.Pattern[str]:
    """The pattern of a beginning from the settings; spaces in it stand for any number of spaces."""
    before, _, after = head.partition(NAME)
    parts = (r"\s*".join(map(re.escape, part.split())) for part in (before, after))
    opening, closing = parts
    return re.compile(rf"\s*{opening}\s*(?P<name>\S.{{0,{LONGEST_NAME - 1}}}?)\s*{closing}\s*")
