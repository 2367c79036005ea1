"""What a command may see of the history: its channel up to itself, or the channels shared."""

from collections.abc import Callable, Sequence

import anyio

from terrarium_mcp.irc_bridge.ask.command_queue import PendingCommand
from terrarium_mcp.irc_bridge.ask.commands import Command
from terrarium_mcp.irc_bridge.network.client import IrcNetwork
from terrarium_mcp.irc_bridge.record.recorder import Recorder
from terrarium_mcp.irc_bridge.toolbox import ViewMeta
from terrarium_mcp.settings import ChannelWays, Settings
from terrarium_mcp.store import DialoguePlace

FLUSH_WITHIN = 2.0
"""Seconds to wait until the question is on disk; a full disk must not silence the bot."""


class CommandViews:
    """The views of the commands of one network."""

    def __init__(
        self, network: IrcNetwork, recorder: Recorder, settings: Callable[[], Settings]
    ) -> None:
        """`settings` returns those in use, which may be reloaded."""
        self._network = network
        self._recorder = recorder
        self._settings = settings

    async def view(
        self,
        pending: PendingCommand,
        among: Callable[[Sequence[str]], Sequence[str]] = lambda shared: shared,
    ) -> ViewMeta:
        """The channel up to the question, if it is recorded; in private, the shared channels.

        `among` chooses which of the shared channels.
        """
        if "channel" in self.present_view(pending, among):
            with anyio.move_on_after(FLUSH_WITHIN):
                await self._recorder.flush()
        return self.present_view(pending, among)

    def present_view(
        self, pending: PendingCommand, among: Callable[[Sequence[str]], Sequence[str]]
    ) -> ViewMeta:
        """The same as far as it is known now: the question may not be on disk yet."""
        command, message = pending.command, pending.message
        view: dict[str, object] = {"network": self._network.name, "asker": command.asker}
        if not command.channel:
            return {**view, "channels": self.shared(command, among)}
        if not self.ways(command).is_recorded:
            return {**view, "channels": []}
        cutoff = {"as_of": message.message_id} if message and message.message_id else {}
        return {**view, "channel": command.channel, **cutoff}

    def shared(
        self, command: Command, among: Callable[[Sequence[str]], Sequence[str]]
    ) -> Sequence[str]:
        """The channels that we share with the asker now, as far as `among` chooses them."""
        return among(self._network.channels_of(command.asker))

    def ways(self, command: Command) -> ChannelWays:
        """The ways of the channel or private chat in which a command was given."""
        return self._settings().channel_ways(command.said_in, self._network.casemapping)

    def place(self, command: Command) -> DialoguePlace:
        """Where the dialogue is held that a command belongs to.

        In private with one person: people who share a host do not share a dialogue. It belongs to
        the channels that we share: what was looked up in one of them, or said about it, is not sent
        to anybody who has left it.
        """
        network, fold = self._network.name, self._network.fold
        if command.channel:
            return DialoguePlace(network, channel=fold(command.channel))
        shared = sorted(map(fold, self._network.channels_of(command.asker)))
        return DialoguePlace(network, person=" ".join((*command.exact_person(fold), *shared)))
