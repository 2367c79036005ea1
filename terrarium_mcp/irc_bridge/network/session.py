"""One connection's life: register, be welcomed, handle line by line in order, and end."""

import logging
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import anyio
import anyio.abc

from terrarium_mcp.chat.identity import DEFAULT_CASEMAPPING
from terrarium_mcp.chat.irc_message import IrcMessage, MalformedMessage, must_be_last, parse_line
from terrarium_mcp.chat.on_record import recorded_reason
from terrarium_mcp.chat.quoted_secrets import without_secrets
from terrarium_mcp.irc_bridge.network.arrivals import Arrivals
from terrarium_mcp.irc_bridge.network.autojoin import AutoJoin
from terrarium_mcp.irc_bridge.network.batches import Batches
from terrarium_mcp.irc_bridge.network.bouncer import Attachment, lost_server
from terrarium_mcp.irc_bridge.network.ctcp import Ctcp
from terrarium_mcp.irc_bridge.network.diagnosis import not_admitted
from terrarium_mcp.irc_bridge.network.history_fetch import HistoryFetch
from terrarium_mcp.irc_bridge.network.isupport import Isupport
from terrarium_mcp.irc_bridge.network.listener import Listener
from terrarium_mcp.irc_bridge.network.log_limit import LogLimit
from terrarium_mcp.irc_bridge.network.membership import Membership
from terrarium_mcp.irc_bridge.network.nickname import OwnNick
from terrarium_mcp.irc_bridge.network.nickserv import NickServ
from terrarium_mcp.irc_bridge.network.own_lines import REFUSALS, OwnLines
from terrarium_mcp.irc_bridge.network.own_mask import OwnMask
from terrarium_mcp.irc_bridge.network.pongs import Pongs
from terrarium_mcp.irc_bridge.network.pydle_client import PydleClient
from terrarium_mcp.irc_bridge.network.refused_lines import RefusedLines
from terrarium_mcp.irc_bridge.network.sasl import Sasl
from terrarium_mcp.irc_bridge.network.send_queue import SendQueue
from terrarium_mcp.irc_bridge.network.sender import Sender
from terrarium_mcp.irc_bridge.network.server_clock import ServerClock
from terrarium_mcp.irc_bridge.network.server_config import ServerConfig
from terrarium_mcp.irc_bridge.network.server_words import without_our_secrets
from terrarium_mcp.irc_bridge.network.timeouts import Timeouts
from terrarium_mcp.irc_bridge.network.transport import Connection
from terrarium_mcp.irc_bridge.network.who_requests import WhoRequests
from terrarium_mcp.settings import ConfiguredChannel
from terrarium_mcp.wording import shown

log = logging.getLogger(__name__)

MessageHandler = Callable[[IrcMessage], Awaitable[None] | None]
"""Handles a line at once: nothing in it waits for the network."""

_ERRORS = (*range(400, 600), *range(900, 1000))
"""Numerics that refuse something. Servers have dozens for a JOIN, and some of their own."""
# Refusals of a JOIN that refuse a line of ours too: no such channel, other targets too quickly,
# registered nicks only, TLS only.
_JOIN_OR_SPEECH_REFUSED = (403, 439, 477, 489)
# Not a nick here, in use, banned in a channel, a collision, too often, none while in a channel.
_NICK_REFUSED = (432, 433, 435, 436, 438, 447)
_LOGIN_REFUSED = (902, 904, 905, 906)
_NOT_ADMITTED = (463, 464, 465)  # not from this host, a wrong password, banned


class Session:
    """One connection to the server: its state, its tasks, and who handles which command.

    The next connection gets a new session.
    """

    def __init__(
        self,
        config: ServerConfig,
        listener: Listener,
        timeouts: Timeouts,
        *,
        casemapping: str = DEFAULT_CASEMAPPING,
        refused: RefusedLines | None = None,
    ) -> None:
        self.why = ""
        """Why it ended; empty until then."""
        self.welcomed = False
        self.over = anyio.Event()
        self._casemapping_changed = False
        self._config = config
        self._secrets = config.secrets
        self._listener = listener
        self._timeouts = timeouts
        self._tasks: anyio.abc.TaskGroup | None = None
        self.clock = ServerClock()
        self._batches = Batches()
        self._queue = SendQueue(timeouts)
        self._sasl = Sasl(config, self.post, self.end)
        self._limit = LogLimit(log, config.display_name)
        known = Isupport(casemapping=casemapping)  # until this server says otherwise
        self.client = PydleClient(config, self._sasl, self.post, self.end, known, self._limit)
        self.membership = Membership(self.client, self._queue.post_who)
        self._who_requests = WhoRequests(
            timeouts, self.client, self.membership.ask_who, self._start
        )
        self._own_mask = OwnMask(self.client)
        pongs = Pongs()
        self._own_lines = OwnLines(
            config,
            self.client,
            self.post,
            self._deliver,
            refused or RefusedLines(),
            pongs,
            self._own_mask,
        )
        self.sender = Sender(
            self._queue, timeouts, self.client, self._own_mask, self._own_lines.sent
        )
        self._nickserv = NickServ(self.client, self.post, lambda: self._sasl.logged_in)
        self._nick = OwnNick(
            config, timeouts, self.client, self._sasl, self.post, self.end, self._nickserv
        )
        self._autojoin = AutoJoin(
            config,
            timeouts,
            self.client,
            self._who_requests,
            listener,
            self.post,
            self._start,
        )
        self.history = HistoryFetch(
            config, timeouts, self.client, listener, self._queue.post_low_priority, self._start
        )
        self._arrivals = Arrivals(timeouts, self.client, self.post, listener, self._start, pongs)
        self._ctcp = Ctcp(timeouts, self.client, self.post)
        self._attachment = Attachment(self.client, self.post)
        self._handlers = self._handler_table()

    def _handler_table(self) -> Mapping[str, tuple[MessageHandler, ...]]:
        """Who handles which command, in this order.

        What is not listed goes to pydle alone: it answers PING, negotiates capabilities (CAP, in
        part in pydle_client.py), and follows topics, modes, member lists, accounts and away states
        (TOPIC, MODE, 324, 332, 353, ACCOUNT, AWAY). ERROR ends the connection.
        """
        pydle = self.client.handle
        autojoin, members, nick = self._autojoin, self.membership, self._nick
        history, own_lines = self.history, self._own_lines
        return MappingProxyType(
            {
                **{str(numeric): (pydle, autojoin.on_refused) for numeric in _ERRORS},
                **dict.fromkeys(REFUSALS, (pydle, own_lines.on_refused)),
                "001": (self._sasl.require_login, pydle, own_lines.on_welcome),
                "005": (self._on_isupport,),
                "263": (self._who_requests.on_refused,),
                "302": (own_lines.on_userhost,),
                "311": (self._nickserv.on_whois_user,),
                "312": (self._nickserv.on_whois_server,),
                "313": (self._nickserv.on_whois_operator,),
                "315": (self._who_requests.on_end, autojoin.on_who_end),
                "352": (members.on_who,),
                "354": (members.on_whox,),
                "366": (autojoin.on_names_end,),
                "372": (),
                "375": (),
                "376": (self._sasl.require_login, self._on_motd_end),
                "396": (self._own_mask.on_new_host,),
                "421": (history.on_unknown_command, pydle),
                "422": (self._sasl.require_login, self._on_motd_end),
                **{str(numeric): (nick.on_refused,) for numeric in _NICK_REFUSED},
                **{
                    str(numeric): (autojoin.on_refused, own_lines.on_refused)
                    for numeric in _JOIN_OR_SPEECH_REFUSED
                },
                "437": (self._on_unavailable,),
                "470": (autojoin.on_forwarded,),
                **{str(numeric): (self._sasl.on_refused,) for numeric in _LOGIN_REFUSED},
                **{str(numeric): (self._on_not_admitted,) for numeric in _NOT_ADMITTED},
                "900": (self._sasl.on_logged_in,),
                "901": (self._sasl.on_logged_out,),
                "903": (self._sasl.on_success, pydle),
                "908": (self._sasl.on_mechanisms,),
                "ACK": (history.on_ack,),
                "AUTHENTICATE": (self._sasl.on_authenticate,),
                "BATCH": (history.on_batch,),
                "CHGHOST": (self._own_mask.on_chghost, pydle),
                "FAIL": (history.on_fail, own_lines.on_fail),
                "INVITE": (),  # we join no channel that the settings do not name
                "JOIN": (members.on_join, autojoin.on_join, self._arrivals.on_join),
                "KICK": (pydle, autojoin.on_kick),
                "KILL": (self._on_kill, pydle),
                "NICK": (self._on_nick, pydle, nick.on_renamed),
                # Never answered (RFC 1459 4.4.2).
                "NOTICE": (self._nickserv.on_notice, self._on_bouncer, own_lines.on_echo),
                "PART": (pydle, autojoin.on_part),
                "PONG": (own_lines.on_pong, self._attachment.on_pong, self._arrivals.on_pong),
                "PRIVMSG": (self._ctcp.on_privmsg, self._on_bouncer, own_lines.on_echo),
                "QUIT": (pydle, nick.on_user_gone),
            }
        )

    @property
    def login_refused(self) -> bool:
        """Whether the server refused our account or its password."""
        return self._sasl.refused

    @property
    def alive(self) -> bool:
        """Whether we are registered and may speak."""
        return self.welcomed and not self.why and not self.over.is_set()

    def is_configured(self, channel: str) -> bool:
        """Whether the settings name this channel."""
        return self._autojoin.is_configured(channel)

    def post(self, command: str, *params: str) -> None:
        """Queue a line; its command decides how long it may wait."""
        self._queue.post(IrcMessage(command, params))

    def change_channels(self, channels: Sequence[ConfiguredChannel]) -> None:
        """Leave the channels that are not among these, and join the others."""
        if not self.over.is_set():
            self._autojoin.change_channels(channels)

    async def why_refused(self, target: str) -> str:
        """Why the network refused what was just said to `target`, once it is known; or empty."""
        return "" if self.over.is_set() else await self._own_lines.why_refused(target)

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
            self._own_lines.lose()
            self._queue.close()
            self.client.channels.clear()
            self._limit.finish()

    def _start(self, job: Callable[..., Awaitable[None]], *args: object) -> None:
        """Run a job until the connection ends; a failure of the network ends it."""
        if self._tasks:
            self._tasks.start_soon(self._run, job, *args)

    async def _run(self, job: Callable[..., Awaitable[None]], *args: object) -> None:
        try:
            await job(*args)
        except OSError as error:
            self.end(str(error))
        except Exception:  # a mistake of ours costs this connection, never the recorder
            log.exception("a task of the connection to %s failed", self._config.host)
            self.end("one of our own tasks failed")

    async def _register_in_time(self) -> None:
        await self.client.register()
        await anyio.sleep(self._timeouts.register)
        if not self.welcomed:
            self.end(f"the server did not let us in within {self._timeouts.register:g} s")

    async def _read(self, connection: Connection) -> None:
        silence = self._timeouts.silence
        # After PING in two halves: if this machine sleeps through one, what came meanwhile is read
        # in the other.
        waits = (silence, silence / 2, silence / 2)
        silent = 0
        while not self.why:
            try:
                with anyio.fail_after(waits[silent]):
                    received = await connection.receive()
            except TimeoutError:
                if silent == 0:
                    self.post("PING", "terrarium")
                silent += 1
                if silent == len(waits):
                    raise TimeoutError("the server stopped responding") from None
            else:
                silent = 0
                await self._handle_all(received)

    async def _handle_all(self, received: list[bytes]) -> None:
        for raw in received:
            try:
                parsed = parse_line(raw)
                batched = self._batches.marked(
                    without_our_secrets(parsed, self._secrets, self._is_our_nick)
                )
            except MalformedMessage as error:
                self._limit.warning("malformed", "ignored a line: %s", error)
                continue
            line = self._arrivals.marked(batched)
            if not (self._own_lines.was_refused(line) or self._attachment.made_up(line)):
                self._deliver(line)
            if not line.replay:
                await self._handle(line)
            elif batched.replay:
                self.history.on_replay(line)
            if self.why:  # the rest of what was received no longer matters
                return

    def _deliver(self, line: IrcMessage) -> None:
        """Pass a line to the listener. A failure there must not cost the lines that follow."""
        try:
            self._listener.on_line(self.membership.with_account(line))
        except Exception as error:  # noqa: BLE001 - logged there, with its traceback
            kind = _failure("recording", line, error)
            self._limit.exception(
                kind, "recording a %s line failed", line.command[:16], error=error
            )

    async def _handle(self, line: IrcMessage) -> None:
        """Run the handlers of a line. A failure there must not cost the lines that follow."""
        try:
            self.clock.learn(line)
            self._own_mask.learn(line)
            self.membership.learn_account(line)
            for handler in self._handlers.get(line.command, (self.client.handle,)):
                if (waiting := handler(line)) is not None:
                    await waiting
                if self.why:
                    return
        except Exception as error:  # noqa: BLE001 - nearly always, the line is malformed
            kind = _failure("handling", line, error)
            heard = _as_heard(line, self._secrets)
            self._limit.warning(kind, "could not handle %s", heard, error=error)

    def _is_our_nick(self, nick: str) -> bool:
        return self.client.is_same_nick(nick, self.client.nickname)

    async def _on_isupport(self, line: IrcMessage) -> None:
        """Tell the listener if names compare otherwise from here on: once in a connection.

        A change refolds every stored line of the network, so it is honoured once per connection.
        """
        if self._casemapping_changed:
            kept = (token for token in line.params if "CASEMAPPING" not in token.upper())
            line = replace(line, params=tuple(kept))
        before = self.client.isupport.casemapping
        await self.client.handle(line)
        if self.welcomed and self.client.isupport.casemapping != before:
            self._casemapping_changed = True
            self._listener.on_casemapping(self.client.isupport.casemapping)

    def _on_bouncer(self, line: IrcMessage) -> None:
        """Leave every channel when our bouncer loses its server: it will bring us back itself."""
        if lost_server(line):
            self.client.channels.clear()
            self.client.users.clear()  # by then their nicks may belong to others
            self._autojoin.on_server_lost(recorded_reason("the bouncer says", line.params[-1:]))

    def _on_nick(self, line: IrcMessage) -> None:
        """Let what waits for a person follow them to another nick: theirs may be taken next."""
        if line.source is None or not line.params:
            return
        if must_be_last(line.params[0]):  # no line of ours could name them
            self.sender.drop(line.source.nick)
        else:
            self.sender.readdress(line.source.nick, line.params[0])

    def _on_unavailable(self, line: IrcMessage) -> None:
        """Note the refusal of our NICK, if one has no answer yet; else of a JOIN, or of a line.

        hybrid and UnrealIRCd refuse a NICK with `437 me #tea :Cannot change nickname while banned`.
        """
        is_of_nick = self._nick.is_asking
        self._nick.on_refused(line)
        self._autojoin.on_refused(line)
        if not is_of_nick:
            self._own_lines.on_refused(line)

    def _on_not_admitted(self, line: IrcMessage) -> None:
        """End with the server's reason, where it may hang up without one."""
        if not self.welcomed:
            self.end(not_admitted(line))

    def _on_kill(self, line: IrcMessage) -> None:
        """End with the reason of the oper who removes us: `KILL Terra :you flood us`."""
        if line.params and self._is_our_nick(line.params[0]):
            killer = line.source.nick if line.source else "the server"
            self.end(recorded_reason(f"killed by {killer}", line.params[1:2]))

    async def _on_motd_end(self, line: IrcMessage) -> None:
        """Take part from here on: at the end of the message of the day, or where there is none."""
        await self.client.complete_registration(line)
        if self.welcomed:  # someone asked for the message of the day again
            return
        self.welcomed = True
        isupport = self.client.isupport
        self._listener.on_casemapping(isupport.casemapping)
        self._listener.on_connected(self.client.nickname)
        self._attachment.begin()
        self._nick.begin()
        self._autojoin.join_all()
        self._start(self._autojoin.rejoin_loop)
        self._start(self._nick.keep)
        if isupport.bot:  # last: no line can hold every nick that a server may greet us by
            self.post("MODE", self.client.nickname, f"+{isupport.bot}")


def _failure(doing: str, line: IrcMessage, error: Exception) -> str:
    """The kind of a failure: those of one kind are logged once."""
    return f"{doing} a {line.command[:16]} line failed: {type(error).__name__}"


def _as_heard(line: IrcMessage, secrets: Collection[str]) -> str:
    """The beginning of a line as the server sent it, without its tags, fit for the log."""
    sender = [f":{line.source}"] if line.source else []
    return shown(without_secrets(" ".join([*sender, line.command, *line.params]), secrets))
