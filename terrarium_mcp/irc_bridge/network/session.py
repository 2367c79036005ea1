"""One connection's life: register, be welcomed, handle line by line in order, and end."""

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from types import MappingProxyType

import anyio
import anyio.abc

from terrarium_mcp.irc_bridge.network.autojoin import AutoJoin
from terrarium_mcp.irc_bridge.network.batches import Batches
from terrarium_mcp.irc_bridge.network.ctcp import Ctcp
from terrarium_mcp.irc_bridge.network.listener import Listener
from terrarium_mcp.irc_bridge.network.membership import Membership
from terrarium_mcp.irc_bridge.network.message import IrcMessage, MalformedMessage, parse_line
from terrarium_mcp.irc_bridge.network.nickname import OwnNick
from terrarium_mcp.irc_bridge.network.own_mask import OwnMask
from terrarium_mcp.irc_bridge.network.pydle_client import PydleClient
from terrarium_mcp.irc_bridge.network.sasl import Sasl
from terrarium_mcp.irc_bridge.network.sender import Sender, SendQueue
from terrarium_mcp.irc_bridge.network.server_config import ServerConfig
from terrarium_mcp.irc_bridge.network.timeouts import Timeouts
from terrarium_mcp.irc_bridge.network.transport import Connection

log = logging.getLogger(__name__)

MessageHandler = Callable[[IrcMessage], Awaitable[None] | None]
"""Handles a line at once: nothing in it waits for the network."""

# Refusals of a JOIN: no such channel, too many, forwarded, full, invite only, banned, wrong key,
# bad name, registered nicks only, throttled, TLS only.
_JOIN_REFUSED = (403, 405, 470, 471, 473, 474, 475, 476, 477, 480, 489)
_NICK_REFUSED = (432, 433, 436)  # not a nick here, in use, a collision
_LOGIN_REFUSED = (902, 904, 905, 906, 908)


class Session:
    """One connection to the server: its state, its tasks, and who handles which command.

    The next connection gets a new session.
    """

    def __init__(
        self, config: ServerConfig, listener: Listener, timeouts: Timeouts, *, casemapping: str = ""
    ) -> None:
        self.why = ""
        """Why it ended; empty until then."""
        self.welcomed = False
        self.over = anyio.Event()
        self._listener = listener
        self._timeouts = timeouts
        self._tasks: anyio.abc.TaskGroup | None = None
        self._batches = Batches()
        self._queue = SendQueue(timeouts)
        self._sasl = Sasl(config, self.post, self.end)
        self.client = PydleClient(config, self._sasl, self.post, self.end)
        self.client.casemapping = casemapping or self.client.casemapping
        self.membership = Membership(self.client, self.post)
        self._own_mask = OwnMask(self.client)
        self.sender = Sender(self._queue, self.client, self._own_mask, self._deliver)
        self._nick = OwnNick(config, timeouts, self.client, self.post, self.end)
        self._autojoin = AutoJoin(
            config.channels,
            timeouts,
            self.client,
            self.membership,
            listener,
            self.post,
            self._start,
        )
        self._ctcp = Ctcp(timeouts, self.client, self.post)
        self._handlers = self._handler_table()

    def _handler_table(self) -> Mapping[str, tuple[MessageHandler, ...]]:
        """Who handles which command, in this order; pydle alone handles what is not listed."""
        pydle = self.client.handle
        autojoin, members, nick = self._autojoin, self.membership, self._nick
        return MappingProxyType(
            {
                "001": (self._sasl.require_login, pydle),
                "352": (members.on_who,),
                "354": (members.on_whox,),
                "366": (autojoin.on_names_end,),
                "372": (),
                "375": (),
                "376": (self._sasl.require_login, self._on_motd_end),
                "396": (self._own_mask.on_new_host,),
                "422": (self._sasl.require_login, self._on_motd_end),
                **{str(numeric): (nick.on_refused,) for numeric in _NICK_REFUSED},
                **{str(numeric): (autojoin.on_refused,) for numeric in _JOIN_REFUSED},
                "437": (nick.on_refused, autojoin.on_refused),  # unavailable, either of them
                **{str(numeric): (self._sasl.on_refused,) for numeric in _LOGIN_REFUSED},
                "903": (self._sasl.on_success, pydle),
                "AUTHENTICATE": (self._sasl.on_authenticate,),
                "CHGHOST": (self._own_mask.on_chghost, pydle),
                "INVITE": (),  # we join no channel that the settings do not name
                "JOIN": (members.on_join, autojoin.on_join),
                "KICK": (pydle, autojoin.on_kick),
                "NICK": (pydle, nick.on_user_gone),
                "NOTICE": (),  # never answered (RFC 1459 4.4.2)
                "PART": (pydle, autojoin.on_part),
                "PRIVMSG": (self._ctcp.on_privmsg,),
                "QUIT": (pydle, nick.on_user_gone),
            }
        )

    @property
    def alive(self) -> bool:
        """Whether we are registered and may speak."""
        return self.welcomed and not self.why and not self.over.is_set()

    def post(self, command: str, *params: str) -> None:
        """Queue a line; its command decides how long it may wait."""
        self._queue.post(IrcMessage(command.upper(), params))

    def change_channels(self, channels: Sequence[str]) -> None:
        """Leave the channels that are not among these, and join the others."""
        if not self.over.is_set():
            self._autojoin.change_channels(channels)

    def end(self, why: str) -> None:
        """Give up this connection; the first reason counts."""
        self.why = self.why or why or "no reason given"
        if self._tasks:
            self._tasks.cancel_scope.cancel()

    async def live(self, connection: Connection) -> None:
        """Use the connection until it ends; `why` then says why."""
        self.client.connection = connection
        try:
            async with anyio.create_task_group() as self._tasks:
                self._start(self._read, connection)
                self._start(self._register_in_time)
                self._start(self.sender.send_urgent, connection)
                self._start(self.sender.send_paced, connection)
        finally:
            self.over.set()
            self.client.channels.clear()

    def _start(self, job: Callable[..., Awaitable[None]], *args: object) -> None:
        """Run a job until the connection ends; a failure of the network ends it."""
        if self._tasks:
            self._tasks.start_soon(self._run, job, *args)

    async def _run(self, job: Callable[..., Awaitable[None]], *args: object) -> None:
        try:
            await job(*args)
        except OSError as error:
            self.end(str(error))

    async def _register_in_time(self) -> None:
        await self.client.register()
        await anyio.sleep(self._timeouts.register)
        if not self.welcomed:
            self.end(f"the server did not let us in within {self._timeouts.register:g} s")

    async def _read(self, connection: Connection) -> None:
        asked = False
        while not self.why:
            try:
                with anyio.fail_after(self._timeouts.silence):
                    received = await connection.receive()
            except TimeoutError:
                if asked:
                    raise TimeoutError("the server no longer answers") from None
                self.post("PING", "terrarium")
                asked = True
            else:
                asked = False
                await self._handle_all(received)

    async def _handle_all(self, received: list[bytes]) -> None:
        for raw in received:
            try:
                line = self._batches.marked(parse_line(raw))
            except MalformedMessage as error:
                log.info("skipped: %s", error)
                continue
            self._deliver(line)
            if not line.replay:  # a replayed line changes nothing
                await self._handle(line)
            if self.why:  # the rest of what was received no longer matters
                return

    def _deliver(self, line: IrcMessage) -> None:
        """Pass a line to the listener. A failure there must not cost the lines that follow."""
        try:
            self._listener.line(line)
        except Exception:
            log.exception("the listener failed on a %s line", line.command)

    async def _handle(self, line: IrcMessage) -> None:
        """Run the handlers of a line. A failure there must not cost the lines that follow."""
        self._own_mask.learn(line)
        self.membership.learn_account(line)
        try:
            for handler in self._handlers.get(line.command, (self.client.handle,)):
                if (waiting := handler(line)) is not None:
                    await waiting
                if self.why:
                    return
        except Exception:
            log.exception("handling a %s line failed", line.command)

    async def _on_motd_end(self, line: IrcMessage) -> None:
        """Take part from here on: at the end of the message of the day, or where there is none."""
        await self.client.complete_registration(line)
        if self.welcomed:  # someone asked for the message of the day again
            return
        self.welcomed = True
        self._listener.connected(self.client.nickname)
        if flag := self.client.isupport.get("BOT"):
            self.post("MODE", self.client.nickname, f"+{flag}")
        self._autojoin.join_all()
        self._start(self._autojoin.rejoin_loop)
        self._start(self._nick.keep)
