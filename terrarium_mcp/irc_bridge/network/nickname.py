"""Registers under some nick, and goes back to the configured one as soon as it is free."""

import secrets

import anyio

from terrarium_mcp.bell import Bell
from terrarium_mcp.chat.commands import similar_nick
from terrarium_mcp.chat.irc_message import IrcMessage
from terrarium_mcp.irc_bridge.network.nickserv import NickServ
from terrarium_mcp.irc_bridge.network.pydle_client import End, Post, PydleClient
from terrarium_mcp.irc_bridge.network.server_config import ServerConfig
from terrarium_mcp.irc_bridge.network.timeouts import Timeouts

_ATTEMPTS = 5


class OwnNick:
    """Tries a few other nicks during registration; later waits for the configured one."""

    def __init__(
        self,
        config: ServerConfig,
        timeouts: Timeouts,
        client: PydleClient,
        post: Post,
        end: End,
        nickserv: NickServ,
    ) -> None:
        self._config = config
        self._timeouts = timeouts
        self._client = client
        self._post = post
        self._end = end
        self._nickserv = nickserv
        self._refusals = 0
        self._freed = Bell()

    def on_refused(self, line: IrcMessage) -> None:
        """Register under a similar nick; end after a few attempts."""
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

    async def keep(self) -> None:
        """Ask for the configured nick when it becomes free, and now and then besides."""
        while True:
            if self._client.nickname != self._configured:
                self._nickserv.ask_for(self._configured)
            with anyio.move_on_after(self._timeouts.regain_nick):
                await self._freed.wait()
            if self._client.nickname != self._configured:
                self._post("NICK", self._configured)

    @property
    def _configured(self) -> str:
        """The configured nick, cut to the length that this server allows."""
        return self._config.nick[: self._client.isupport.nicklen]
