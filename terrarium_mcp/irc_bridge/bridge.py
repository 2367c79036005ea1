"""The bridge: it listens, records, and answers, all at once.

line -> Hearing -> Recorder -> store
line -> Address -> Desk -> Host -> reply -> line
"""

import logging
from datetime import UTC, datetime

import anyio

from terrarium_mcp import __version__
from terrarium_mcp.chat.identity import fold
from terrarium_mcp.irc_bridge.attendance import CHANGES, Attendance
from terrarium_mcp.irc_bridge.commands import Address
from terrarium_mcp.irc_bridge.desk import Asking, Desk
from terrarium_mcp.irc_bridge.hearing import Hearing
from terrarium_mcp.irc_bridge.host import Host
from terrarium_mcp.irc_bridge.llm import LLM
from terrarium_mcp.irc_bridge.network.client import IrcNetwork
from terrarium_mcp.irc_bridge.network.line import Line
from terrarium_mcp.irc_bridge.network.login import Login
from terrarium_mcp.irc_bridge.network.timing import Timing
from terrarium_mcp.irc_bridge.recorder import Recorder
from terrarium_mcp.irc_bridge.toolbox import Toolbox
from terrarium_mcp.settings import BadSetting, Settings, is_loopback
from terrarium_mcp.store import Store

log = logging.getLogger(__name__)


def login(settings: Settings) -> Login:
    """How to reach the network the settings name.

    Raises:
        BadSetting: there is no server or channel, or nobody to ask about a bot on a public network.
    """
    if not settings.irc_server:
        raise BadSetting("IRC_SERVER is not set: which IRC server shall be recorded?")
    if not settings.irc_channels:
        raise BadSetting("IRC_CHANNELS is not set: which channels have invited the recorder?")
    if not settings.contact and not is_loopback(settings.irc_server):
        raise BadSetting(
            "TERRARIUM_CONTACT is not set. Networks want to know whom to ask about a bot: name"
            " yourself, for example TERRARIUM_CONTACT='ada on this network'."
        )
    about = f"terrarium-mcp {__version__}, records its channels"
    return Login(
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
    """One network, one store, one model. It is the network's listener."""

    def __init__(
        self,
        store: Store,
        settings: Settings,
        toolbox: Toolbox,
        llm: LLM,
        timing: Timing | None = None,
    ) -> None:
        self._settings = settings
        self._toolbox = toolbox
        self._llm = llm
        name = settings.network_name
        self.network = IrcNetwork(login(settings), self, timing=timing)
        self._hearing = Hearing(name, self.network)
        self._recorder = Recorder(store, name)
        self._attendance = Attendance(
            store, name, self.network.joined_channels, self.network.members
        )
        self._host = Host(self.network, self._recorder, toolbox, llm, settings)
        self._desk = Desk(self._host.serve)

    async def run(self) -> None:
        """Connect, record and answer until `stop()`, or until cancelled.

        Either way what was heard is on disk when this returns.
        """
        if not self._settings.uses_tls and not is_loopback(self._settings.irc_server):
            log.warning("%s is reached without encryption (IRC_USE_SSL)", self._settings.irc_server)
        async with anyio.create_task_group() as recording:
            recording.start_soon(self._recorder.run)
            try:
                async with anyio.create_task_group() as self._talking:
                    self._talking.start_soon(self._toolbox.run)
                    self._talking.start_soon(self._attendance.run)
                    self._talking.start_soon(self._desk.run)
                    self._talking.start_soon(self._look_at_the_model)
                    await self.network.run()
                    self._talking.cancel_scope.cancel()
            finally:
                self._recorder.finish()

    async def flush(self) -> None:
        """Return once everything heard so far is on disk."""
        await self._recorder.flush()

    async def stop(self, reason: str = "") -> None:
        """Leave the network and let `run()` return."""
        await self.network.stop(reason)

    async def _look_at_the_model(self) -> None:
        """Say at the start that the model is not well: terrarium-agent answers 200 even then."""
        health = await self._llm.health()
        if not health.ok:
            log.warning("the model is not well (%s): the best lines stand in for it", health.text)

    def connected(self, nick: str) -> None:
        """We are registered."""
        log.info("connected to %s as %s", self._settings.irc_server, nick)

    def line(self, line: Line) -> None:
        """A line came: note what it says, and see whether it asks for something."""
        now = datetime.now(UTC)
        heard = [one for one in self._hearing.of(line, now) if self._is_ours(one.channel)]
        notes = [self._recorder.note(one) for one in heard]
        if line.command in CHANGES:
            self._attendance.may_have_changed()
        if not self._is_said_to_us(line):
            return
        address = Address(self.network.nick, self._settings.command_prefix)
        is_channel = self.network.is_channel(line.params[0])
        command = address.command_in(line, is_channel=is_channel, now=now)
        if command and not self._desk.take(Asking(command, notes[0] if notes else None)):
            self._talking.start_soon(self._host.turn_away, command)

    def joined(self, channel: str) -> None:
        """We sit in a channel: from now on it is recorded."""
        log.info("recording %s", channel)
        self._recorder.begin(channel, "joined")
        self._attendance.begins(channel)

    def present(self, channel: str) -> None:
        """The member list is complete; its last line has told so already."""

    def left(self, channel: str, why: str) -> None:
        """We are no longer in a channel."""
        log.warning("no longer recording %s: %s", channel, why)
        self._recorder.end(channel, why)

    def lost(self, why: str) -> None:
        """The connection is gone, and with it every channel."""
        self._recorder.end_all(f"connection lost: {why}")

    def _is_said_to_us(self, line: Line) -> bool:
        """Whether somebody else says something where we answer."""
        if line.command != "PRIVMSG" or not line.params or self.network.is_own(line.source):
            return False
        target = line.params[0]
        return self._is_ours(target) or self.network.same_nick(target, self.network.nick)

    def _is_ours(self, channel: str) -> bool:
        """Whether the settings name this channel; no other is recorded or answered."""
        mapping = self.network.casemapping
        named = (name.split(" ")[0] for name in self._settings.irc_channels)
        return fold(channel, mapping) in {fold(name, mapping) for name in named}
