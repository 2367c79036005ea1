"""Answers the few questions that one client asks another (CTCP), slowly and in private only."""

import anyio

from terrarium_mcp.irc_bridge.network.base import Base, Heard
from terrarium_mcp.irc_bridge.network.line import parse_source

_VERSION = "terrarium-mcp"


class Ctcp(Base):
    """Bypasses pydle's text handlers: whoever wants the words reads them from the listener."""

    _answered_at = float("-inf")

    async def on_raw_privmsg(self, message: Heard) -> None:
        """Answer a question of another client; at most one in a while, so that nobody floods us."""
        if (
            message.source is None
            or len(message.params) < 2
            or not message.params[-1].startswith("\x01")
        ):
            return
        asker = parse_source(message.source).nick
        if not self.is_same_nick(message.params[0], self.nickname) or self.is_same_nick(
            asker, self.nickname
        ):
            return
        verb, _, rest = message.params[-1].strip("\x01").partition(" ")
        answer = _answer(verb.upper(), rest)
        if answer is not None and anyio.current_time() - self._answered_at >= self.timing.ctcp:
            self._answered_at = anyio.current_time()
            await self.rawmsg("NOTICE", asker, f"\x01{verb.upper()} {answer}\x01")

    async def on_raw_notice(self, message: Heard) -> None:
        """Never answer a notice (RFC 1459 4.4.2)."""


def _answer(verb: str, rest: str) -> str | None:
    match verb:
        case "VERSION":
            return _VERSION
        case "PING":
            return rest[:64]
        case "CLIENTINFO":
            return "ACTION CLIENTINFO PING VERSION"
        case _:
            return None
