"""Who may ask the model in a channel, from TERRARIUM_ASKERS and the [channel] tables.

Commands that need no model, and what people decide about the record of themselves, are open to all.
"""

from collections.abc import Sequence

from terrarium_mcp.chat.records import Member
from terrarium_mcp.irc_bridge.ask.commands import Command
from terrarium_mcp.irc_bridge.ask.limits import Refusal
from terrarium_mcp.irc_bridge.network.client import IrcNetwork
from terrarium_mcp.settings import Settings


class AskerCheck:
    """Looks askers up in the live member lists of one network."""

    def __init__(self, network: IrcNetwork, settings: Settings) -> None:
        self._network = network
        self._settings = settings

    def refusal(self, command: Command, shared: Sequence[str]) -> Refusal | None:
        """Why the model does not answer this asker; None if it does.

        Args:
            command: the question.
            shared: for a private chat, the channels of the settings that the asker is in. There a
                person may ask who may in one of them.
        """
        channels = [command.channel] if command.channel else shared or [""]
        reasons = [self._refusal_in(channel, command) for channel in channels]
        return None if None in reasons else reasons[0]

    def _refusal_in(self, channel: str, command: Command) -> Refusal | None:
        ways = self._settings.channel_ways(channel, self._network.casemapping)
        match ways.askers:
            case "voiced" if not self._has_rank(channel, command):
                return Refusal.NOT_VOICED
            case "account" if not self._is_logged_in(channel, command):
                return Refusal.NOT_LOGGED_IN
        return None

    def _has_rank(self, channel: str, command: Command) -> bool:
        member = self._member(channel, command)
        return member is not None and member.rank != ""

    def _is_logged_in(self, channel: str, command: Command) -> bool:
        """By the account on the line itself, else by what WHO, JOIN and ACCOUNT have shown."""
        member = self._member(channel, command)
        return bool(command.account or (member and member.account))

    def _member(self, channel: str, command: Command) -> Member | None:
        members = self._network.members(channel)
        return next((one for one in members if self._is_asker(one, command)), None)

    def _is_asker(self, member: Member, command: Command) -> bool:
        return self._network.same_nick(member.nick, command.asker)
