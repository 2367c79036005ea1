"""Sends our lines: text cut to what fits one, with the tags that the network takes."""

import logging
import math
import re
from collections.abc import Callable, Sequence
from functools import partial

import anyio

from terrarium_mcp.chat.irc_message import IrcMessage, serialize
from terrarium_mcp.chat.splitting import LARGEST_CODE_POINT, split_for_irc
from terrarium_mcp.irc_bridge.network.outgoing import PRIVATE, Lane
from terrarium_mcp.irc_bridge.network.own_mask import OwnMask
from terrarium_mcp.irc_bridge.network.pydle_client import PydleClient
from terrarium_mcp.irc_bridge.network.send_queue import SPEAKING, QueuedLine, SendQueue
from terrarium_mcp.irc_bridge.network.timeouts import Timeouts
from terrarium_mcp.irc_bridge.network.transport import Connection

log = logging.getLogger(__name__)

LONGEST_NICK = 64
"""Characters of the nick of a person who is answered: networks allow 50 at most, and longer ones
leave an answer little room."""

_LINE_BREAKS = re.compile(r"[\r\n\0]+")  # not str.splitlines(): \x1d, italic, would end a line
_LONGEST_MSGID = 500  # both tags fit a client's 4,094 bytes (IRCv3 message-tags), even escaped
_SECRET = frozenset(("AUTHENTICATE", "OPER", "PASS"))


class Sender:
    """Sends our lines: urgent ones at once, the rest at the network's pace.

    Both loops run as tasks of the session. `deliver` gets our own words once they are sent, where
    the server does not echo them.
    """

    def __init__(
        self,
        queue: SendQueue,
        timeouts: Timeouts,
        client: PydleClient,
        own_mask: OwnMask,
        deliver: Callable[[IrcMessage], None],
    ) -> None:
        self._queue = queue
        self._timeouts = timeouts
        self._client = client
        self._own_mask = own_mask
        self._deliver = deliver
        self._typing_shown: dict[str, float] = {}

    def payload_bytes(self, target: str, verb: str) -> int:
        """Bytes of text in a line that the server relays with our mask in front.

        There is room for the longest nick: whoever is told may take one while the line waits.
        """
        spare = 0
        if not self._client.is_channel(target):
            longest = min(self._client.isupport.nicklen or 0, LONGEST_NICK)
            spare = max(longest - len(target.encode()), 0)
        taken = len(f": {verb} {target} :\r\n".encode()) + spare + self._own_mask.length
        return max(self._client.isupport.linelen - taken, LARGEST_CODE_POINT)

    async def speak(self, verb: str, target: str, text: str, lane: Lane, *, reply_to: str) -> bool:
        """Send `text`, cut into as many lines as needed, and return once they have left.

        If cancelled, what has not left is not sent. Returns False if the connection ended first.
        `reply_to` is the msgid of the message that it answers, or empty (IRCv3 +reply).

        Raises:
            SendQueueFull: too many lines are waiting; none of this text was queued.
        """
        size = self.payload_bytes(target, verb)
        pieces = [piece for line in _LINE_BREAKS.split(text) for piece in split_for_irc(line, size)]
        tags = self._reply_tags(reply_to)
        lines = [
            IrcMessage(verb, (target, piece), tags=tags) for piece in pieces if not piece.isspace()
        ]
        return await self._have_left(lines, lane)

    async def speak_last(self, target: str, text: Callable[[int], str]) -> bool:
        """Send to `target` what `text` returns when nothing else waits any more; "" is not sent.

        It is given the bytes that fit one line; what exceeds them is cut off. Otherwise as `speak`.

        Raises:
            SendQueueFull: too many lines are waiting.
        """

        def fitting(to: str) -> str:
            size = self.payload_bytes(to, "PRIVMSG")
            return next(iter(split_for_irc(_LINE_BREAKS.sub(" ", text(size)), size)), "")

        queued = self._queue.post_last(target, self._flow(target), fitting)
        return await self._until_ended([queued])

    def readdress(self, nick: str, new: str) -> None:
        """A person has another nick now: what waits for them goes there."""
        self._queue.readdress(partial(self._client.is_same_nick, nick), new)

    def drop(self, nick: str) -> None:
        """A person is gone: what waits for them is not sent."""
        self._queue.drop(partial(self._client.is_same_nick, nick))

    async def show_typing(self, target: str) -> None:
        """Show in `target` that we are typing, until cancelled (IRCv3 typing).

        Returns where the network has no such sign, or when the connection ended. What we say next
        ends it for those who see it, so nothing else has to.
        """
        if not self._takes_tag("typing"):
            return
        typing = IrcMessage("TAGMSG", (target,), tags={"+typing": "active"})
        shown = self._typing_shown
        await anyio.sleep(self._timeouts.typing_after)
        while True:
            since = anyio.current_time() - shown.get(target, -math.inf)
            await anyio.sleep(max(self._timeouts.typing - since, 0))
            if not await self._have_left([typing], Lane.TYPING):
                return
            now = anyio.current_time()
            for seen in [one for one in shown if now - shown[one] > self._timeouts.typing]:
                del shown[seen]
            shown[target] = now

    async def _have_left(self, lines: Sequence[IrcMessage], lane: Lane) -> bool:
        """Queue `lines`, all for one target; whether they left before the connection ended.

        If cancelled, what has not left is not sent.
        """
        if not lines:
            return True
        target = lines[0].params[0]
        return await self._until_ended(self._queue.post_speech(lines, self._flow(target), lane))

    async def _until_ended(self, queued: Sequence[QueuedLine]) -> bool:
        """Wait until queued lines have ended; whether the connection still stood then.

        If cancelled, what has not left is not sent.
        """
        try:
            for one in queued:
                await one.ended.wait()
        finally:
            self._queue.withdraw(queued)
        return not any(one.is_lost for one in queued)

    def _flow(self, target: str) -> str:
        return self._client.fold(target) if self._client.is_channel(target) else PRIVATE

    def _reply_tags(self, msgid: str) -> dict[str, str]:
        """The tag under each of its names that the network takes: clients know one of them."""
        if not 0 < len(msgid) <= _LONGEST_MSGID:
            return {}
        return {f"+{name}": msgid for name in ("draft/reply", "reply") if self._takes_tag(name)}

    def _takes_tag(self, name: str) -> bool:
        """Whether the network passes on a client-only tag."""
        takes_tags = self._client.has_capability("message-tags")
        return takes_tags and self._client.isupport.takes_client_tag(name)

    async def send_urgent(self, connection: Connection) -> None:
        """Send the lines that keep the connection alive, without delay."""
        while True:
            await _send(connection, await self._queue.next_urgent())

    async def send_paced(self, connection: Connection) -> None:
        """Send all other lines at the allowed pace."""
        while True:
            queued = await self._queue.next_paced()
            line = queued.line
            try:
                await _send(connection, line)
            except BaseException:
                queued.lose()
                raise
            queued.ended.set()
            if line.command in SPEAKING and not self._client.has_capability("echo-message"):
                self._deliver(line)


async def _send(connection: Connection, line: IrcMessage) -> None:
    log.debug("> %s %s", line.command, _loggable(line))
    await connection.send(serialize(line))


def _loggable(line: IrcMessage) -> str:
    """The part of a line's parameters that a log may show: no password, key or text."""
    return "" if line.command in _SECRET else "".join(line.params[:1])
