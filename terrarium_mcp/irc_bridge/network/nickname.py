"""Registers under some nick, and goes back to the configured one as soon as it is free."""

import logging
import math
import secrets

import anyio

from terrarium_mcp.backoff import Backoff
from terrarium_mcp.bell import Bell
from terrarium_mcp.chat.commands import similar_nick
from terrarium_mcp.chat.irc_message import IrcMessage
from terrarium_mcp.irc_bridge.network.nickserv import NickServ
from terrarium_mcp.irc_bridge.network.pydle_client import End, Post, PydleClient
from terrarium_mcp.irc_bridge.network.sasl import Sasl
from terrarium_mcp.irc_bridge.network.server_config import ServerConfig
from terrarium_mcp.irc_bridge.network.timeouts import Timeouts

log = logging.getLogger(__name__)

_ATTEMPTS = 5

_TAKEN = (
    "If it is registered to you, log in with TERRARIUM_SASL_USERNAME and TERRARIUM_SASL_PASSWORD;"
    " if not, set IRC_NICK to another nick."
)
_TAKEN_ALTHOUGH_LOGGED_IN = (
    "We are logged in, but the nick may belong to another account: ask the network's services why,"
    " or set IRC_NICK to another nick."
)
"""What the operator is to do about a nick that the network took."""


class OwnNick:
    """Tries a few other nicks during registration; later waits for the configured one."""

    def __init__(
        self,
        config: ServerConfig,
        timeouts: Timeouts,
        client: PydleClient,
        sasl: Sasl,
        post: Post,
        end: End,
        nickserv: NickServ,
    ) -> None:
        self._config = config
        self._timeouts = timeouts
        self._client = client
        self._sasl = sasl
        self._post = post
        self._end = end
        self._nickserv = nickserv
        self._refusals = 0
        self._freed = Bell()
        self._taken = Backoff(timeouts.nick_taken, settled=timeouts.forgiven)
        self._ours_since = self._ask_from = -math.inf
        self._has_told = False
        self._takes_part = False
        self.is_asking = False
        """Whether we asked for the configured nick, and have no answer yet."""

    def begin(self) -> None:
        """We were welcomed: a nick that we lose from here on was taken from us."""
        self._takes_part = True

    def on_refused(self, line: IrcMessage) -> None:
        """Register under a similar nick; end after a few attempts."""
        self.is_asking = False
        if self._client.registered:
            return
        self._refusals += 1
        if self._refusals > _ATTEMPTS:
            why = line.params[-1] if line.params else ""
            self._end(f"no nick was accepted: {why.rstrip('.')}. Set IRC_NICK to another nick")
            return
        self._post("NICK", similar_nick(self._config.nick, secrets.randbelow(100)))

    def on_user_gone(self, line: IrcMessage) -> None:
        """Wake `keep` if the user who quit or changed nicks had the configured one."""
        if line.source and self._client.is_same_nick(line.source.nick, self._configured):
            self._freed.ring()

    def on_renamed(self, line: IrcMessage) -> None:
        """Note whether the configured nick is ours now, was taken from us, or became free."""
        if not (line.params and self._client.is_same_nick(line.params[0], self._client.nickname)):
            self.on_user_gone(line)
            return
        self.is_asking = False
        if self._client.is_same_nick(line.params[0], self._configured):
            self._ours_since = anyio.current_time()
            if line.source and not self._client.is_same_nick(line.source.nick, self._configured):
                name, nick = self._config.display_name, self._client.nickname
                log.info("%s: we have the nick %s now, after %s", name, nick, line.source.nick)
        elif not self._takes_part:
            return  # before the end of its welcome ZNC says so which nick it has
        elif line.source and self._client.is_same_nick(line.source.nick, self._configured):
            self._on_taken()

    def _on_taken(self) -> None:
        """Ask later, and ever more rarely: whoever may take our nick takes it again."""
        now = anyio.current_time()
        self._ask_from = now + self._taken.pause_after(now - self._ours_since)
        log.log(
            logging.INFO if self._has_told else logging.WARNING,
            "%s: the network took the nick %s from us, and we are %s.%s",
            self._config.display_name,
            self._configured,
            self._client.nickname,
            "" if self._has_told else " " + self._way_out,
        )
        self._has_told = True

    async def keep(self) -> None:
        """Ask for the configured nick when it becomes free, and now and then besides."""
        while True:
            if self._is_due:
                self._nickserv.ask_for(self._configured)
            with anyio.move_on_after(self._timeouts.regain_nick):
                await self._freed.wait()
            if self._is_due:
                self.is_asking = True
                self._post("NICK", self._configured)

    @property
    def _way_out(self) -> str:
        return _TAKEN_ALTHOUGH_LOGGED_IN if self._sasl.logged_in else _TAKEN

    @property
    def _is_due(self) -> bool:
        """Whether to ask for the configured nick: we lack it, and it was not taken just now."""
        lacks_it = self._client.nickname != self._configured
        return lacks_it and anyio.current_time() >= self._ask_from

    @property
    def _configured(self) -> str:
        """The configured nick, cut to the length that this server allows."""
        return self._config.nick[: self._client.isupport.nicklen]
