"""A network that stays connected: it reconnects, sends, and knows who is in which channel."""

import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta

import anyio

from terrarium_mcp.backoff import Backoff
from terrarium_mcp.chat.irc_message import Source
from terrarium_mcp.chat.records import Member
from terrarium_mcp.irc_bridge.network.chathistory import HistoryPoint
from terrarium_mcp.irc_bridge.network.diagnosis import silent_end, with_password_named
from terrarium_mcp.irc_bridge.network.errors import NotConnected, NotTaken, SendQueueFull
from terrarium_mcp.irc_bridge.network.isupport import Isupport
from terrarium_mcp.irc_bridge.network.listener import Listener
from terrarium_mcp.irc_bridge.network.operators import is_operator
from terrarium_mcp.irc_bridge.network.outgoing import Lane
from terrarium_mcp.irc_bridge.network.refused_lines import RefusedLines
from terrarium_mcp.irc_bridge.network.refused_logins import RefusedLogins
from terrarium_mcp.irc_bridge.network.server_config import ServerConfig
from terrarium_mcp.irc_bridge.network.session import Session
from terrarium_mcp.irc_bridge.network.timeouts import Timeouts
from terrarium_mcp.irc_bridge.network.transport import open_connection
from terrarium_mcp.settings import ConfiguredChannel

log = logging.getLogger(__name__)


class IrcNetwork:
    """One IRC network. How names compare is remembered between connections; members are not."""

    def __init__(
        self, config: ServerConfig, listener: Listener, *, timeouts: Timeouts | None = None
    ) -> None:
        self._config = config
        self._listener = listener
        self._timeouts = timeouts or Timeouts()
        self._session = Session(config, listener, self._timeouts)  # never connected, in no channel
        self._running: anyio.CancelScope | None = None
        self._stopped = False
        self._trouble = "not started"
        self._was_welcomed = False
        self._refused_lines = RefusedLines()
        self._refused_logins = RefusedLogins(self.display_name, self._timeouts)

    async def run(self) -> None:
        """Connect, and reconnect whenever the connection ends, until `stop()`."""
        timeouts = self._timeouts
        backoff = Backoff(timeouts.backoff, settled=timeouts.settled, jitter=timeouts.jitter)
        with anyio.CancelScope() as self._running:
            while not self._stopped:
                began = anyio.current_time()
                await self._connect_once()
                if self._stopped:
                    return
                if self._refused_logins.are_many:
                    await anyio.sleep(timeouts.login_again)
                    continue
                pause = backoff.pause_after(anyio.current_time() - began)
                log.warning(
                    "%s: %s; connecting again in %.1f s", self.display_name, self._trouble, pause
                )
                await anyio.sleep(pause)

    async def stop(self, reason: str = "") -> None:
        """Send QUIT, and make `run()` return."""
        self._stopped = True
        if self._session.alive:
            self._session.post("QUIT", reason)
            with anyio.move_on_after(self._timeouts.farewell):
                await self._session.over.wait()
        if self._running:
            self._running.cancel()

    @property
    def is_leaving(self) -> bool:
        """Whether it was told to stop: what still comes from the server is the last."""
        return self._stopped

    def stop_now(self) -> None:
        """Return from `run()` now, without waiting for the server's farewell."""
        self._stopped = True
        if self._running:
            self._running.cancel()

    def change_channels(self, channels: Sequence[ConfiguredChannel]) -> None:
        """Leave the channels that are not among these, and join the others."""
        self._config = replace(self._config, channels=tuple(channels))
        self._session.change_channels(self._config.channels)

    async def _connect_once(self) -> None:
        """Run one connection from its first byte to its last."""
        session = Session(
            self._config,
            self._listener,
            self._timeouts,
            casemapping=self.casemapping,
            refused=self._refused_lines,
        )
        why = "stopped"
        try:
            async with open_connection(self._config, self._timeouts) as connection:
                self._session = session
                session.change_channels(self._config.channels)  # they may have changed meanwhile
                await session.live(connection)
            why = session.why
            if not (connection.heard or self._was_welcomed):
                why = silent_end(self._config, why)
            why = why if session.welcomed else with_password_named(why)
        except OSError as error:
            why = str(error)
        finally:
            self._trouble = self._refused_logins.after(session, why)
            self._was_welcomed |= session.welcomed
            if session.welcomed:
                self._listener.on_lost(why)

    async def say(
        self, target: str, text: str, lane: Lane = Lane.COMMAND, *, reply_to: str = ""
    ) -> None:
        """Send `text` to a channel or a user, in as many lines as needed; return when it has left.

        If cancelled, what has not left is not sent. `lane` says how it takes turns with what else
        waits.

        `reply_to` is the msgid of the message that it answers, if any.

        Raises:
            NotConnected: we are not registered on the network, or no longer.
            SendQueueFull: too many lines are waiting; none of this text was queued.
        """
        await self._speak("PRIVMSG", target, text, lane, reply_to)

    async def say_last(self, target: str, text: Callable[[int], str]) -> None:
        """Send what `text` returns when nothing else waits to leave; with "", nothing.

        It is given the bytes that fit one line; what exceeds them is cut off. Otherwise as `say`.
        """
        if not await self._live_session().sender.speak_last(target, text):
            raise NotConnected(self.display_name)

    def drop(self, nick: str) -> None:
        """Send nothing of what waits for a person in private."""
        self._session.sender.drop(nick)

    async def confirm(self, target: str) -> bool:
        """Return once the network has taken what was just said to `target`.

        Returns:
            False if no answer came in time; True if it took it, or the connection ended.

        Raises:
            NotTaken: it refused it.
        """
        with anyio.move_on_after(self._timeouts.confirm):
            if why := await self._session.why_refused(target):
                raise NotTaken(self.label(target), why)
            return True
        return False

    async def notice(self, target: str, text: str) -> None:
        """Like `say`, as a notice, which no program may answer."""
        await self._speak("NOTICE", target, text, Lane.COMMAND, "")

    async def show_typing(self, target: str) -> None:
        """Show in `target` that we are typing, until cancelled or what ends it is said.

        Returns at once where the network has no such sign, or cannot be reached.
        """
        if self._session.alive:
            with suppress(SendQueueFull):
                await self._session.sender.show_typing(target)

    async def _speak(self, verb: str, target: str, text: str, lane: Lane, reply_to: str) -> None:
        sender = self._live_session().sender
        if not await sender.speak(verb, target, text, lane, reply_to=reply_to):
            raise NotConnected(self.display_name)

    def fetch_history(self, channel: str, after: HistoryPoint) -> None:
        """Request what was said in `channel` after a point: it arrives as replayed lines.

        Does nothing if the server does not offer that, or we are not in the channel.
        """
        if self._session.alive:
            self._session.history.fetch(channel, after)

    def _live_session(self) -> Session:
        if not self._session.alive:
            raise NotConnected(self.display_name)
        return self._session

    @property
    def name(self) -> str:
        """The network's name in the settings and the store."""
        return self._config.network

    @property
    def display_name(self) -> str:
        """The network and its server, for people to read."""
        return self._config.display_name

    def label(self, target: str) -> str:
        """A channel or nick with its network, for the log: `libera/#tea`."""
        return self._config.label(target)

    @property
    def connected(self) -> bool:
        """Whether we are registered and may speak."""
        return self._session.alive

    @property
    def trouble(self) -> str:
        """Why we are not connected, for people to read; empty while we are."""
        return "" if self.connected else self._trouble

    @property
    def nick(self) -> str:
        """Our nick, or the last one, or the configured one."""
        return self._session.client.nick

    @property
    def casemapping(self) -> str:
        """How nicks and channels compare: `rfc1459` until the server says otherwise."""
        return self.isupport.casemapping

    @property
    def isupport(self) -> Isupport:
        """What the server says of itself."""
        return self._session.client.isupport

    @property
    def clock_ahead(self) -> timedelta:
        """By how much the server's clock is ahead of ours, as far as its lines have shown."""
        return self._session.clock.ahead

    def fold(self, name: str) -> str:
        """The form in which this network compares nicks and channels."""
        return self._session.client.fold(name)

    def same_nick(self, left: str, right: str) -> bool:
        """Whether two spellings are the same nick on this network."""
        return self._session.client.is_same_nick(left, right)

    def is_own(self, source: Source | None) -> bool:
        """Whether a line from `source` is our own."""
        return source is not None and self.same_nick(source.nick, self.nick)

    def is_channel(self, target: str) -> bool:
        """Whether `target` is a channel, rather than a user."""
        return self.isupport.is_channel(target)

    def is_configured(self, channel: str) -> bool:
        """Whether the settings name this channel; we join no other."""
        return self._session.is_configured(channel)

    def members(self, channel: str) -> list[Member]:
        """Every member of `channel`, including us; empty while we are not in it."""
        return self._session.membership.members(channel)

    def nicks(self, channel: str) -> frozenset[str]:
        """The nick of every member of `channel`, ours included; none while we are not in it."""
        return self._session.membership.nicks(channel)

    def is_operator(self, channel: str, nick: str) -> bool:
        """Whether `nick` is in `channel` now and operates it, as half-operators do too."""
        prefixes = self.isupport.prefix
        return any(
            self.same_nick(member.nick, nick) and is_operator(member, prefixes)
            for member in self.members(channel)
        )

    def channels_of(self, nick: str) -> list[str]:
        """The channels that we share with `nick`."""
        return self._session.membership.channels_of(nick)

    def joined_channels(self) -> list[str]:
        """The channels that we are in."""
        return self._session.membership.joined_channels()

    def is_in(self, channel: str) -> bool:
        """Whether we are in this channel now."""
        return self._session.client.in_channel(channel)

    def payload_bytes(self, target: str, verb: str = "PRIVMSG") -> int:
        """How many bytes of text fit into one line to `target`."""
        return self._session.sender.payload_bytes(target, verb)
