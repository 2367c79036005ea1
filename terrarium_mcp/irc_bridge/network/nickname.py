"""Gets in under some nick, and back to the one we want."""

import logging
import secrets

import anyio

from terrarium_mcp.bell import Bell
from terrarium_mcp.irc_bridge.network.base import Heard
from terrarium_mcp.irc_bridge.network.isupport import Isupport
from terrarium_mcp.irc_bridge.network.listener import Listener
from terrarium_mcp.irc_bridge.network.login import Login
from terrarium_mcp.irc_bridge.network.timing import Timing

log = logging.getLogger(__name__)

_TRIES = 5
_SHORTEST_LIMIT = 9  # RFC 1459 1.2: what every server takes, and we cannot know more before 005


class Nickname(Isupport):
    """A bounded search at the door; afterwards patience until the wanted nick is free."""

    def __init__(self, login: Login, listener: Listener, timing: Timing) -> None:
        self._refusals = 0
        self._freed = Bell()
        super().__init__(login, listener, timing)

    async def on_raw_433(self, message: Heard) -> None:
        """Try a nick beside the one we want, a few times."""
        if self.registered:
            return
        self._refusals += 1
        if self._refusals > _TRIES:
            self.end(f"no nick was accepted: {message.params[-1] if message.params else ''}")
            return
        await self.rawmsg(
            "NICK", f"{self.login.nick[: _SHORTEST_LIMIT - 3]}-{secrets.randbelow(100):02}"
        )

    on_raw_432 = on_raw_436 = on_raw_433  # not a nick here; a collision

    async def on_raw_437(self, message: Heard) -> None:
        """Take a nick that is held back for one in use (the same numeric speaks of channels)."""
        if self.registered:
            await super().on_raw_437(message)
        else:
            await self.on_raw_433(message)

    async def on_nick_change(self, old: str, new: str) -> None:
        """See whether the nick we want became free."""
        self._check_freed(old)
        await super().on_nick_change(old, new)

    async def on_quit(self, user: str, message: str | None = None) -> None:
        """See whether the nick we want became free."""
        self._check_freed(user)
        await super().on_quit(user, message)

    def _check_freed(self, nick: str) -> None:
        if self.is_same_nick(nick, self._wanted):
            self._freed.ring()

    async def keep_nick(self) -> None:
        """Take the nick we want as soon as we hear that it is free, and ask now and then."""
        while True:
            with anyio.move_on_after(self.timing.regain_nick):
                await self._freed.wait()
            if self.welcomed and self.nickname != self._wanted:
                await self.rawmsg("NICK", self._wanted)

    @property
    def _wanted(self) -> str:
        """The nick we want, as far as this server lets a nick be that long."""
        limit = self.isupport.get("NICKLEN", "")
        return self.login.nick[: int(limit)] if limit.isdigit() else self.login.nick
