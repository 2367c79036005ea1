"""A network that stays connected: it reconnects, sends, and knows who is in which channel."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

import anyio

from terrarium_mcp.backoff import Backoff
from terrarium_mcp.irc_bridge.network.diagnosis import silent_end
from terrarium_mcp.irc_bridge.network.errors import NotConnected
from terrarium_mcp.irc_bridge.network.listener import Listener
from terrarium_mcp.irc_bridge.network.membership import ChannelMember
from terrarium_mcp.irc_bridge.network.message import Source
from terrarium_mcp.irc_bridge.network.server_config import ServerConfig
from terrarium_mcp.irc_bridge.network.session import Session
from terrarium_mcp.irc_bridge.network.timeouts import Timeouts
from terrarium_mcp.irc_bridge.network.transport import open_connection

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
                pause = backoff.pause_after(anyio.current_time() - began)
                log.warning(
                    "%s: %s; connecting again in %.1f s", self._config.host, self._trouble, pause
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

    def hurry(self) -> None:
        """Return from `run()` now, without waiting for the server's farewell."""
        self._stopped = True
        if self._running:
            self._running.cancel()

    def change_channels(self, channels: Sequence[str]) -> None:
        """Leave the channels that are not among these, and join the others."""
        self._config = replace(self._config, channels=tuple(channels))
        self._session.change_channels(self._config.channels)

    async def _connect_once(self) -> None:
        """Run one connection from its first byte to its last."""
        session = Session(
            self._config, self._listener, self._timeouts, casemapping=self.casemapping
        )
        why = "stopped"
        try:
            async with open_connection(self._config, self._timeouts) as connection:
                self._session = session
                session.change_channels(self._config.channels)  # they may have changed meanwhile
                await session.live(connection)
            why = session.why if connection.heard else silent_end(self._config, session.why)
        except OSError as error:
            why = str(error)
        finally:
            self._trouble = why
            if session.welcomed:
                self._listener.lost(why)

    async def say(self, target: str, text: str) -> None:
        """Send `text` to a channel or a user, in as many lines as needed. Does not wait.

        Raises:
            NotConnected: we are not registered on the network.
            SendQueueFull: too many lines are waiting; none of this text was queued.
        """
        self._live_session().sender.speak("PRIVMSG", target, text)

    async def notice(self, target: str, text: str) -> None:
        """Like `say`, as a notice, which no program may answer."""
        self._live_session().sender.speak("NOTICE", target, text)

    async def ask_history(self, channel: str, *, after: datetime, limit: int) -> bool:
        """Request up to `limit` messages since `after`, which arrive as replayed lines.

        False if the server keeps no history, or we are not connected.
        """
        session = self._session
        has_history = session.client.has_capability("chathistory", "draft/chathistory")
        if not (session.alive and has_history):
            return False
        most = self.isupport.get("CHATHISTORY", "")
        count = min(limit, int(most)) if most.isdigit() and int(most) else limit
        since = after.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        session.post("CHATHISTORY", "AFTER", channel, f"timestamp={since}", str(count))
        return True

    def _live_session(self) -> Session:
        if not self._session.alive:
            raise NotConnected(self._config.host)
        return self._session

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
        return self._session.client.casemapping

    @property
    def isupport(self) -> Mapping[str, str]:
        """The server's ISUPPORT tokens; a token without a value is empty."""
        return self._session.client.isupport

    def same_nick(self, left: str, right: str) -> bool:
        """Whether two spellings are the same nick on this network."""
        return self._session.client.is_same_nick(left, right)

    def is_own(self, source: Source | None) -> bool:
        """Whether a line from `source` is our own."""
        return source is not None and self.same_nick(source.nick, self.nick)

    def is_channel(self, target: str) -> bool:
        """Whether `target` is a channel, rather than a user."""
        return self._session.client.is_channel(target)

    def split_status(self, target: str) -> tuple[str, str]:
        """`@#tea` is `("@", "#tea")`: addressed to the operators of #tea only."""
        return self._session.client.split_status(target)

    def members(self, channel: str) -> list[ChannelMember]:
        """Every member of `channel`, including us; empty while we are not in it."""
        return self._session.membership.members(channel)

    def channels_of(self, nick: str) -> list[str]:
        """The channels that we share with `nick`."""
        return self._session.membership.channels_of(nick)

    def joined_channels(self) -> list[str]:
        """The channels that we are in."""
        return self._session.membership.joined_channels()

    def payload_bytes(self, target: str, verb: str = "PRIVMSG") -> int:
        """How many bytes of text fit into one line to `target`."""
        return self._session.sender.payload_bytes(target, verb)
