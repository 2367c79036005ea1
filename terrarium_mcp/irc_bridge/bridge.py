"""The bridge: records and answers on one IRC network, concurrently.

message -> MessageFilter -> Recorder -> store
message -> Address -> CommandQueue -> Responder -> reply -> IRC
"""

import logging
from datetime import UTC, datetime

import anyio

from terrarium_mcp import __version__
from terrarium_mcp.chat.identity import fold
from terrarium_mcp.irc_bridge.ask.command_queue import CommandQueue, PendingCommand
from terrarium_mcp.irc_bridge.ask.commands import Address
from terrarium_mcp.irc_bridge.ask.responder import Responder
from terrarium_mcp.irc_bridge.model.check import check_endpoint
from terrarium_mcp.irc_bridge.model.client import LLM
from terrarium_mcp.irc_bridge.network.client import IrcNetwork
from terrarium_mcp.irc_bridge.network.errors import NotConnected, SendQueueFull
from terrarium_mcp.irc_bridge.network.message import IrcMessage
from terrarium_mcp.irc_bridge.network.server_config import ServerConfig
from terrarium_mcp.irc_bridge.network.timeouts import Timeouts
from terrarium_mcp.irc_bridge.record.message_filter import MessageFilter
from terrarium_mcp.irc_bridge.record.presence_sync import PRESENCE_COMMANDS, PresenceSync
from terrarium_mcp.irc_bridge.record.recorder import Recorder
from terrarium_mcp.irc_bridge.record.trouble_notice import TroubleNotice
from terrarium_mcp.irc_bridge.reporter import Reporter
from terrarium_mcp.irc_bridge.toolbox import Toolbox
from terrarium_mcp.settings import BadSetting, Settings, is_loopback
from terrarium_mcp.store import BridgeReport, Store

log = logging.getLogger(__name__)


def server_config(settings: Settings) -> ServerConfig:
    """The connection parameters of the network that the settings name.

    Raises:
        BadSetting: no server or channel is set, or no contact for a public network.
    """
    if not settings.irc_server:
        raise BadSetting(
            "IRC_SERVER is not set. Set it to the IRC server to record, e.g. irc.libera.chat,"
            " or run terrarium-mcp init."
        )
    if not settings.irc_channels:
        raise BadSetting("IRC_CHANNELS is not set. Set it to the channels to join, e.g. tea,mate.")
    if not settings.contact and not is_loopback(settings.irc_server):
        raise BadSetting(
            "TERRARIUM_CONTACT is not set. Public networks require a contact for a bot. Name its"
            " operator, e.g. TERRARIUM_CONTACT='ada on this network'."
        )
    about = f"terrarium-mcp {__version__}, records its channels"
    return ServerConfig(
        host=settings.irc_server,
        port=settings.server_port,
        tls=settings.uses_tls,
        tls_cafile=str(settings.tls_cafile or ""),
        nick=settings.irc_nick,
        realname=f"{about}; contact: {settings.contact}" if settings.contact else about,
        password=settings.server_password,
        sasl_username=settings.sasl_username,
        sasl_password=settings.sasl_password,
        channels=settings.irc_channels,
    )


class Bridge:
    """Connects one network, one store and one model. Implements the network's `Listener`."""

    def __init__(
        self,
        store: Store,
        settings: Settings,
        toolbox: Toolbox,
        llm: LLM,
        timeouts: Timeouts | None = None,
    ) -> None:
        self._settings = settings
        self._toolbox = toolbox
        self._llm = llm
        name = settings.network_name
        self.network = IrcNetwork(server_config(settings), self, timeouts=timeouts)
        self._filter = MessageFilter(name, self.network, settings.voice_rules)
        self._recorder = Recorder(store, name, self.report)
        self._presence = PresenceSync(
            store, name, self.network.joined_channels, self.network.members
        )
        self._responder = Responder(self.network, self._recorder, toolbox, llm, settings)
        self._commands = CommandQueue(self._responder.serve)
        self._reporter = Reporter(lambda: self._settings, self.network, self._commands, llm)
        self._trouble_notice = TroubleNotice(self._recorder, self._say_everywhere)

    async def run(self) -> None:
        """Connect, record and answer until `stop()` or cancellation.

        Either way every recorded message is on disk when this returns.
        """
        if not self._settings.uses_tls and not is_loopback(self._settings.irc_server):
            log.warning(
                "the connection to %s is not encrypted (IRC_USE_SSL is off)",
                self._settings.irc_server,
            )
        async with anyio.create_task_group() as recording:
            recording.start_soon(self._recorder.run)
            try:
                async with anyio.create_task_group() as self._talking:
                    self._talking.start_soon(self._toolbox.run)
                    self._talking.start_soon(self._presence.run)
                    self._talking.start_soon(self._commands.run)
                    self._talking.start_soon(check_endpoint, self._llm)
                    self._talking.start_soon(self._trouble_notice.run)
                    await self.network.run()
                    self._talking.cancel_scope.cancel()
            finally:
                self._recorder.finish()

    def report(self) -> BridgeReport:
        """The state of this bridge now."""
        return self._reporter.report(self._recorder)

    async def flush(self) -> None:
        """Return once everything recorded so far is on disk."""
        await self._recorder.flush()

    def change_settings(self, settings: Settings) -> None:
        """Use other settings from now on; see `terrarium_mcp.settings.changes` for which."""
        self._settings = settings
        self._filter = MessageFilter(self._recorder.network, self.network, settings.voice_rules)
        self._responder.change_settings(settings)
        self.network.change_channels(settings.irc_channels)
        if self._llm.change_settings(settings):
            self._talking.start_soon(check_endpoint, self._llm)
        self._state_changed()

    def hurry(self) -> None:
        """Stop at once: give up what the network or the disk does not take now."""
        self._recorder.hurry()
        self.network.hurry()

    @property
    def is_stuck(self) -> bool:
        """Whether the recorder does not even try any more to write what waits."""
        return self._recorder.is_stuck

    @property
    def is_saved(self) -> bool:
        """Whether every recorded message is on disk."""
        return not self._recorder.waiting

    async def stop(self, reason: str = "") -> None:
        """Leave the network and let `run()` return."""
        await self.network.stop(reason)

    def connected(self, nick: str) -> None:
        """Log that registration is complete."""
        log.info("connected to %s as %s", self._settings.irc_server, nick)
        self._state_changed(connection=True)

    def line(self, message: IrcMessage) -> None:
        """Record a message, and queue the command in it if there is one."""
        now = datetime.now(UTC)
        pending = [
            self._recorder.record(record)
            for record in self._filter.messages_in(message, now)
            if self._is_ours(record.channel)
        ]
        if message.command in PRESENCE_COMMANDS:
            self._presence.schedule_check()
        if not self._is_said_to_us(message):
            return
        address = Address(self.network.nick, self._settings.command_prefix)
        is_channel = self.network.is_channel(message.params[0])
        command = address.command_in(message, is_channel=is_channel, now=now)
        if command and not self._commands.put(
            PendingCommand(command, pending[0] if pending else None)
        ):
            self._talking.start_soon(self._responder.turn_away, command)

    def joined(self, channel: str) -> None:
        """The bot joined a channel: record it from now on."""
        log.info("recording %s", channel)
        self._recorder.begin(channel, "joined")
        self._state_changed()
        self._presence.channel_joined(channel)

    def members_complete(self, channel: str) -> None:
        """The member list is complete; its last message has already scheduled a check."""

    def left(self, channel: str, why: str) -> None:
        """The bot is no longer in a channel."""
        log.warning("no longer recording %s: %s", channel, why)
        self._recorder.end(channel, why)
        self._state_changed()

    def lost(self, why: str) -> None:
        """The connection is lost, and with it every channel."""
        self._recorder.end_all(f"connection lost: {why}")
        self._state_changed(connection=True)

    def _state_changed(self, *, connection: bool = False) -> None:
        """Report soon; with `connection`, that was made or lost."""
        if connection:
            self._reporter.connection_changed()
        self._recorder.beat_soon()

    async def _say_everywhere(self, text: str) -> None:
        """Say this in every channel, if the settings ask for it; log it if that is impossible."""
        if self._settings.say_trouble == "off":
            return
        for channel in self.network.joined_channels():
            try:
                await self.network.say(channel, text)
            except (NotConnected, SendQueueFull) as error:
                log.warning("could not say in %s that %r: %s", channel, text, error)

    def _is_said_to_us(self, message: IrcMessage) -> bool:
        """Whether someone else speaks in a channel of the settings, or in private."""
        if message.command != "PRIVMSG" or not message.params:
            return False
        if self.network.is_own(message.source):
            return False
        target = message.params[0]
        return self._is_ours(target) or self.network.same_nick(target, self.network.nick)

    def _is_ours(self, channel: str) -> bool:
        """Whether the settings name this channel; no other is recorded or answered in."""
        mapping = self.network.casemapping
        named = (name.split(" ")[0] for name in self._settings.irc_channels)
        return fold(channel, mapping) in {fold(name, mapping) for name in named}
