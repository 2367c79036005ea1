"""Says things: cut to what fits a line, paced, and heard by ourselves exactly once."""

import logging
import re
from dataclasses import replace

from terrarium_mcp.chat.splitting import LARGEST_CODE_POINT, split_for_irc
from terrarium_mcp.irc_bridge.network.base import Heard
from terrarium_mcp.irc_bridge.network.capabilities import Capabilities
from terrarium_mcp.irc_bridge.network.isupport import Isupport
from terrarium_mcp.irc_bridge.network.line import Line, Source, wire_text

log = logging.getLogger(__name__)

_LINE_BREAKS = re.compile(r"[\r\n\0]+")  # not str.splitlines(): \x1d, italic, would end a line
_LINE = 512  # RFC 1459 2.3, with the line's end
_UNKNOWN_USER, _UNKNOWN_HOST = 11, 63  # as long as servers allow, until our own JOIN tells
_SECRET = frozenset(("AUTHENTICATE", "OPER", "PASS"))


class Speaking(Isupport, Capabilities):
    """The way out. `send_urgent` and `send_paced` are two of the session's tasks."""

    _user = ""
    _host = ""

    @property
    def own_source(self) -> Source:
        """Our mask as others see it, as far as we know it."""
        return Source(self.nick, self._user, self._host)

    def payload_bytes(self, target: str, verb: str = "PRIVMSG") -> int:
        """How many bytes of text fit a line that the server sends on with our mask before it."""
        limit = self.isupport.get("LINELEN", "")
        user = len(self._user.encode()) or _UNKNOWN_USER
        host = len(self._host.encode()) or _UNKNOWN_HOST
        mask = len(f"{self.nick}!@".encode()) + user + host
        taken = len(f": {verb} {target} :\r\n".encode()) + mask
        return max((int(limit) if limit.isdigit() else _LINE) - taken, LARGEST_CODE_POINT)

    def speak(self, verb: str, target: str, text: str) -> None:
        """Queue `text`, cut into as many lines as it takes: all of them or none."""
        room = self.payload_bytes(target, verb)
        pieces = [piece for line in _LINE_BREAKS.split(text) for piece in split_for_irc(line, room)]
        lines = [Line(verb, (target, piece)) for piece in pieces if not piece.isspace()]
        self.outbox.post_speech(lines)

    async def send_urgent(self) -> None:
        """Send what keeps the connection alive, as soon as it is there."""
        while True:
            await self._put_on_wire(await self.outbox.next_urgent())

    async def send_paced(self) -> None:
        """Send everything else in its time, and hear our own words where the server is silent."""
        while True:
            line = await self.outbox.next_paced()
            await self._put_on_wire(line)
            if line.command in ("PRIVMSG", "NOTICE") and not self.has_echo:
                self.tell_line(replace(line, source=self.own_source))

    async def _put_on_wire(self, line: Line) -> None:
        log.debug("> %s %s", line.command, _to_whom(line))
        await self.connection.send(wire_text(line))

    def learn_own_mask(self, line: Line) -> None:
        """Remember our user and host, which the server tells us with everything we do."""
        if line.source and line.source.host and self.is_same_nick(line.source.nick, self.nickname):
            self._user, self._host = line.source.user, line.source.host

    async def on_raw_396(self, message: Heard) -> None:
        """Take note of our new host: `me [user@]host :is now your displayed host`."""
        if len(message.params) > 1:
            user, _, self._host = message.params[1].rpartition("@")
            self._user = user or self._user

    async def on_raw_chghost(self, message: Heard) -> None:
        """Take note of a new user and host, perhaps our own."""
        nick, _ = self._parse_user(message.source)
        if nick and self.is_same_nick(nick, self.nickname) and len(message.params) > 1:
            self._user, self._host = message.params[:2]
        await super().on_raw_chghost(message)


def _to_whom(line: Line) -> str:
    """What a log may show of a line's parameters: never a password, a key, or what was said."""
    return "" if line.command in _SECRET or not line.params else line.params[0]
