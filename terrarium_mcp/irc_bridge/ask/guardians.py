"""Who must be present in a channel for a model to answer there, from TERRARIUM_GUARDIANS."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import anyio

from terrarium_mcp.chat.identity import DEFAULT_CASEMAPPING, Identity, fold
from terrarium_mcp.chat.records import Member
from terrarium_mcp.irc_bridge.ask.admins import matches
from terrarium_mcp.irc_bridge.ask.commands import Command
from terrarium_mcp.irc_bridge.ask.repeat_limit import RepeatLimit
from terrarium_mcp.irc_bridge.network.client import IrcNetwork
from terrarium_mcp.settings import Settings

NO_GUARDIAN = (
    "No guardian of this bot is here at the moment, so no model answers."
    " Commands that need none go on: {prefix}help."
)
"""What is said instead of an answer."""

TOLD_EVERY = 900.0
"""Seconds between two such lines in a channel."""

MOST_TARGETS = 1_000
"""Channels and people of whom it is known when they were told."""


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


class GuardianWatch:
    """Looks for guardians in the live member lists of one network."""

    def __init__(self, network: IrcNetwork, settings: Callable[[], Settings]) -> None:
        """`settings` returns those in use, which may be reloaded."""
        self._network = network
        self._settings = settings
        self._told = RepeatLimit[str](TOLD_EVERY, MOST_TARGETS)

    def allow(self, command: Command) -> bool:
        """Whether a model may answer: a guardian is in the channel, in private in a shared one."""
        if not self._settings().guardians:
            return True
        private = not command.channel
        here = self._network.channels_of(command.asker) if private else [command.channel]
        return bool(self.accompanied(here))

    def accompanied(self, channels: Iterable[str]) -> list[str]:
        """Those of the channels in which a model may answer, and read."""
        guardians = Guardians(self._settings().guardians)
        return [channel for channel in channels if self._is_accompanied(channel, guardians)]

    def take_due(self, target: str) -> bool:
        """Count a channel or person as told NO_GUARDIAN if that is due; whether it was."""
        return self._told.take_due(target, anyio.current_time())

    def _is_accompanied(self, channel: str, guardians: Guardians) -> bool:
        members = map(_identity, self._network.members(channel))
        return guardians.accompany(members, self._network.casemapping)


def _identity(member: Member) -> Identity:
    return Identity("", member.nick, member.user, member.host, member.account)
