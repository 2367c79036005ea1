"""Voices: who speaks in a line, where that is not its nick, and whether it is evidence of anything.

A line to the bot, or by it, is an aside: it quotes or repeats what others said, so a search that
found it would find itself. A relayed line is the person's whose name is in it. Both follow from the
text, and from how the settings name the bot and the relays.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from itertools import product
from typing import NamedTuple

from terrarium_mcp.chat.commands import is_command
from terrarium_mcp.chat.identity import CASEMAPPINGS, DEFAULT_CASEMAPPING, fold, same_characters
from terrarium_mcp.chat.invisible import INVISIBLE_MARKS
from terrarium_mcp.chat.irctext import plain
from terrarium_mcp.chat.relays import Relay, RelayedLine


class Aside(IntEnum):
    """Why a line is not evidence: the bot said it, or it is a command to the bot."""

    OWN = 1
    COMMAND = 2


class Voice(NamedTuple):
    """What is known of a line besides its columns.

    Attributes:
        aside: why it is not evidence; None if it is.
        speaker: who said a relayed line; None if it is not relayed.
        text_at: at which character of it their text begins (the first is 0).
    """

    aside: Aside | None = None
    speaker: str | None = None
    text_at: int | None = None


_OWN = Voice(Aside.OWN)


@dataclass(frozen=True)
class VoiceRules:
    """How one network's lines are told apart: the bot's nick and prefix, and the relays there.

    Nicks compare by the network's `casemapping`.
    """

    nick: str = "Terra"
    prefix: str = "!"
    relays: tuple[Relay, ...] = ()
    casemapping: str = DEFAULT_CASEMAPPING

    def voice_of(self, nick: str, text: str, *, is_own: bool | None, is_message: bool) -> Voice:
        """The voice of a line.

        Args:
            nick: who sent it.
            text: its text as sent.
            is_own: whether the bot sent it; None where that was not recorded, so that only the nick
                tells.
            is_message: whether it is a PRIVMSG, as every command is.
        """
        if is_own or (is_own is None and self._folded(nick) == self._own):
            return _OWN
        relayed = self._relayed(nick, text)
        said = text[relayed.text_at :] if relayed else text
        to_bot = is_message and is_command(
            plain(said), nick=self.nick, prefix=self.prefix, casemapping=self.casemapping
        )
        aside = Aside.COMMAND if to_bot else None
        return Voice(aside, relayed.name, relayed.text_at) if relayed else Voice(aside)

    def said(self, nick: str, text: str) -> str:
        """The text of a line without the name that a relay put in front of it."""
        relayed = self._relayed(nick, text)
        return text[relayed.text_at :] if relayed else text

    def is_relay(self, nick: str) -> bool:
        """Whether a nick is that of a relay on the network."""
        return self._folded(nick) in self._by_nick

    def _relayed(self, nick: str, text: str) -> RelayedLine | None:
        relay = self._by_nick.get(self._folded(nick)) if self.relays else None
        return relay.relayed_line(text) if relay else None

    @cached_property
    def line_starts(self) -> frozenset[str]:
        """The one or two characters with which a command to the bot begins, formatting codes apart.

        Two of the nick: a seventh of all English lines begin with the first of `Terra`.
        """
        nick = map("".join, product(*map(_cases, self.nick[:2])))
        return frozenset({self.prefix[:1], "@", *INVISIBLE_MARKS, *nick})

    @cached_property
    def nick_starts(self) -> frozenset[str]:
        """The characters with which the nicks of the bot and the relays begin."""
        nicks = (self.nick, *(relay.nick for relay in self.relays))
        return frozenset(start for nick in nicks for start in _cases(nick[:1]))

    @cached_property
    def _own(self) -> str:
        return self._folded(self.nick)

    @cached_property
    def _by_nick(self) -> Mapping[str, Relay]:
        return {self._folded(relay.nick): relay for relay in self.relays}

    def _folded(self, nick: str) -> str:
        return fold(nick, self.casemapping)


def rules_on(network: str, known: Mapping[str, VoiceRules]) -> VoiceRules:
    """The rules of a network among those by network, of which "" has those of all others."""
    return known.get(network) or known.get("") or VoiceRules()


def _cases(character: str) -> set[str]:
    """Every character that some CASEMAPPING counts as this one."""
    return {other for mapping in CASEMAPPINGS for other in same_characters(character, mapping)}
