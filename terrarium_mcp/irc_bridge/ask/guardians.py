"""Who must be present in a channel for a model to answer there, from TERRARIUM_GUARDIANS. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from terrarium_mcp.chat.identity import DEFAULT_CASEMAPPING, Identity, fold
from terrarium_mcp.irc_bridge.ask.admins import matches

ALONE = (
    "No guardian of this bot is here at the moment, so no model answers."
    " Commands that need none go on: {prefix}help."
)
"""What is said instead of an answer."""

TOLD_EVERY = 900.0
"""Seconds between two such lines in a channel."""


@dataclass(frozen=True, slots=True)
class Guardians:
    """The people of TERRARIUM_GUARDIANS: accounts, nicks, masks. Without any there is no rule."""

    named: Sequence[str] = ()

    def accompany(
        self, members: Iterable[Identity], casemapping: str = DEFAULT_CASEMAPPING
    ) -> bool:
        """Whether one of them is among these members of a channel, or none is asked for."""
        return not self.named or any(self._is_one(member, casemapping) for member in members)

    def _is_one(self, member: Identity, casemapping: str) -> bool:
        nick = fold(member.nick, casemapping)
        return any(
            matches(one, member, casemapping) or fold(one, casemapping) == nick
            for one in self.named
        )
