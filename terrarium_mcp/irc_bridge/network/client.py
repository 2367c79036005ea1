"""A network that stays: connect, heal for ever, say things, and know who is there."""

import logging
from collections.abc import Mapping
from datetime import UTC, datetime

import anyio

from terrarium_mcp.irc_bridge.network.backoff import Backoff
from terrarium_mcp.irc_bridge.network.errors import NotConnected
from terrarium_mcp.irc_bridge.network.line import Source
from terrarium_mcp.irc_bridge.network.listener import Listener
from terrarium_mcp.irc_bridge.network.login import Login
from terrarium_mcp.irc_bridge.network.membership import Member
from terrarium_mcp.irc_bridge.network.session import Session
from terrarium_mcp.irc_bridge.network.timing import Timing
from terrarium_mcp.irc_bridge.network.wire import open_wire

__all__ = ["IrcNetwork", "Member"]

log = logging.getLogger(__name__)


class IrcNetwork:
    """One IRC network. Its rules are remembered between connections; who is there is not."""

    def __init__(self, login: Login, listener: Listener, *, timing: Timing | None = None) -> None:
        self._login = login
        self._listener = listener
        self._timing = timing or Timing()
        self._session = Session(login, listener, self._timing)  # nobody, nowhere, until we connect
        self._running: anyio.CancelScope | None = None
        self._stopped = False
        self._trouble = "not started"

    async def run(self) -> None:
        """Connect, stay connected and heal, until `stop()`."""
        backoff = Backoff(self._timing)
        with anyio.CancelScope() as self._running:
            while not self._stopped:
                began = anyio.current_time()
                await self._connect_once()
                if self._stopped:
                    return
                pause = backoff.pause_after(anyio.current_time() - began)
                log.warning(
                    "%s: %s; connecting again in %.1f s", self._login.host, self._trouble, pause
                )
                await anyio.sleep(pause)

    async def stop(self, reason: str = "") -> None:
        """Say goodbye and let `run()` return."""
        self._stopped = True
        if self._session.alive:
            await self._session.rawmsg("QUIT", reason)
            with anyio.move_on_after(self._timing.farewell):
                await self._session.over.wait()
        if self._running:
            self._running.cancel()

    async def _connect_once(self) -> None:
        """Live through one connection, from the first byte to the last."""
        session = Session(self._login, self._listener, self._timing)
        session.casemapping = self.casemapping  # until this server says otherwise
        why = "stopped"
        try:
            async with open_wire(self._login, self._timing) as wire:
                self._session = session
                await session.live(wire)
            why = session.why
        except OSError as error:
            why = str(error)
        finally:
            self._trouble = why
            if session.welcomed:
                self._listener.lost(why)

    async def say(self, target: str, text: str) -> None:
        """Say `text` in a channel or to a person, in as many lines as it takes; never waits."""
        self._talkative().speak("PRIVMSG", target, text)

    async def notice(self, target: str, text: str) -> None:
        """Like `say`, as a notice: what no program may answer."""
        self._talkative().speak("NOTICE", target, text)

    async def ask_history(self, channel: str, *, after: datetime, limit: int) -> bool:
        """Ask for what was said since `after`: it comes as replayed lines. False: there is none."""
        session = self._session
        if not (session.alive and session.has_history):
            return False
        most = session.isupport.get("CHATHISTORY", "")
        count = min(limit, int(most)) if most.isdigit() and int(most) else limit
        since = after.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        await session.rawmsg("CHATHISTORY", "AFTER", channel, f"timestamp={since}", str(count))
        return True

    def _talkative(self) -> Session:
        """The session, if one can speak in it."""
        if not self._session.alive:
            raise NotConnected(self._login.host)
        return self._session

    @property
    def connected(self) -> bool:
        """Whether we are in, and may speak."""
        return self._session.alive

    @property
    def trouble(self) -> str:
        """Why we are not connected, for people; empty while we are."""
        return "" if self.connected else self._trouble

    @property
    def nick(self) -> str:
        """The nick we have, or had last, or would like."""
        return self._session.nick

    @property
    def casemapping(self) -> str:
        """How nicks and channels compare here: `rfc1459` until the server says otherwise."""
        return self._session.casemapping

    @property
    def isupport(self) -> Mapping[str, str]:
        """What the server says it can do; a token without a value is empty."""
        return self._session.isupport

    def same_nick(self, left: str, right: str) -> bool:
        """Whether two nicks are one on this network."""
        return self._session.is_same_nick(left, right)

    def is_own(self, source: Source | None) -> bool:
        """Whether a line from `source` is our own."""
        return source is not None and self.same_nick(source.nick, self.nick)

    def is_channel(self, target: str) -> bool:
        """Whether `target` is a channel here, and not a person."""
        return self._session.is_channel(target)

    def split_status(self, target: str) -> tuple[str, str]:
        """`@#tea` is `("@", "#tea")`: spoken to the operators of #tea only."""
        return self._session.split_status(target)

    def members(self, channel: str) -> list[Member]:
        """Everybody in `channel`, ourselves too; nobody while we are not there."""
        return self._session.members(channel)

    def channels_of(self, nick: str) -> list[str]:
        """Where we share a channel with `nick`."""
        return self._session.channels_of(nick)

    def joined_channels(self) -> list[str]:
        """Where we are."""
        return self._session.joined_channels()

    def payload_bytes(self, target: str, verb: str = "PRIVMSG") -> int:
        """How many bytes of text fit one line to `target`."""
        return self._session.payload_bytes(target, verb)
