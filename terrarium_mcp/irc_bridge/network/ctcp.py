"""Answers a few CTCP requests: in private only, and rarely, so that they cannot flood us out."""

import anyio

from terrarium_mcp.chat.irc_message import IrcMessage
from terrarium_mcp.irc_bridge.network.pydle_client import Post, PydleClient
from terrarium_mcp.irc_bridge.network.timeouts import Timeouts

_VERSION = "terrarium-mcp"


class Ctcp:
    """Replaces pydle's handling of text; the text itself goes to the listener."""

    def __init__(self, timeouts: Timeouts, client: PydleClient, post: Post) -> None:
        self._timeouts = timeouts
        self._client = client
        self._post = post
        self._answered_at = float("-inf")

    def on_privmsg(self, line: IrcMessage) -> None:
        """Answer a request, at most one in `Timeouts.ctcp` seconds."""
        if (
            line.source is None
            or len(line.params) < 2
            or not line.params[-1].startswith("\x01")
            or not self._client.is_same_nick(line.params[0], self._client.nickname)
            or self._client.is_own(line.source)
        ):
            return
        verb, _, rest = line.params[-1].strip("\x01").partition(" ")
        answer = _answer(verb.upper(), rest)
        if answer is not None and anyio.current_time() - self._answered_at >= self._timeouts.ctcp:
            self._answered_at = anyio.current_time()
            self._post("NOTICE", line.source.nick, f"\x01{verb.upper()} {answer}\x01")


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
