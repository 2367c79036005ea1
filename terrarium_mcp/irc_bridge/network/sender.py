"""Sends lines: text cut to what fits a line, at the pace that the network allows."""

import logging
import math
import re
from collections import deque
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import anyio
from aiolimiter import AsyncLimiter

from terrarium_mcp.bell import Bell
from terrarium_mcp.chat.irc_message import IrcMessage, serialize
from terrarium_mcp.chat.splitting import LARGEST_CODE_POINT, split_for_irc
from terrarium_mcp.irc_bridge.network.errors import SendQueueFull
from terrarium_mcp.irc_bridge.network.outgoing import PRIVATE, Lane, OutgoingQueue
from terrarium_mcp.irc_bridge.network.own_mask import OwnMask
from terrarium_mcp.irc_bridge.network.pydle_client import PydleClient
from terrarium_mcp.irc_bridge.network.timeouts import Timeouts
from terrarium_mcp.irc_bridge.network.transport import Connection

log = logging.getLogger(__name__)

LONGEST_NICK = 64
"""Characters of the nick of a person who is answered: networks allow 50 at most, and longer ones
leave an answer little room."""

_LINE_BREAKS = re.compile(r"[\r\n\0]+")  # not str.splitlines(): \x1d, italic, would end a line
_LONGEST_MSGID = 500  # both tags fit a client's 4,094 bytes (IRCv3 message-tags), even escaped
_SPEECH = frozenset(("NOTICE", "PRIVMSG"))
_TO_SOMEBODY = _SPEECH | {"TAGMSG"}
_SECRET = frozenset(("AUTHENTICATE", "OPER", "PASS"))

_URGENT = frozenset(
    (
        *("AUTHENTICATE", "CAP", "MODE", "NICK", "PASS", "PING", "PONG", "PROTOCTL", "QUIT"),
        *("USER", "USERHOST"),
    )
)

_NOT_SPEECH = " "
"""The flow of what is not speech, such as JOIN: it takes turns with what we say. No channel has
this name."""


@dataclass(slots=True, eq=False)
class QueuedLine:
    """A line that waits to be sent, and what became of it."""

    line: IrcMessage
    lane: Lane = Lane.COMMAND
    text: Callable[[str], str] | None = None
    """Writes what it says to its target when it leaves, from what is true by then; "" if it is not
    to."""
    is_lost: bool = False
    """The connection ended before it could leave."""
    ended: anyio.Event = field(default_factory=anyio.Event)
    """Set once it is sent, or never will be."""

    def write(self) -> bool:
        """Write its text, now that it could leave; False if it is to say nothing after all."""
        if self.text is None:
            return True
        target = self.line.params[0]
        text = self.text(target)
        self.line = replace(self.line, params=(target, text))
        return text != ""

    def is_to(self, is_theirs: Callable[[str], bool]) -> bool:
        """Whether it says something to a nick."""
        return self.line.command in _TO_SOMEBODY and is_theirs(self.line.params[0])

    def lose(self) -> None:
        """Give it up: the connection has ended."""
        self.is_lost = True
        self.ended.set()


class SendQueue:
    """Four queues: what keeps the connection alive, what we say, our WHOs, and what can wait.

    After a line that we say leaves a WHO, if one waits: who is in a channel must be known soon,
    also while we talk.
    """

    def __init__(self, timeouts: Timeouts) -> None:
        # A leaky bucket: `burst` lines fit, and one leaks out every `per_line` seconds.
        self._bucket = AsyncLimiter(timeouts.burst, timeouts.burst * timeouts.per_line)
        self._per_line = timeouts.per_line
        self._for_refusal = min(2, timeouts.burst)
        self._capacity = timeouts.queue
        self._urgent: deque[IrcMessage] = deque()
        self._outgoing: OutgoingQueue[QueuedLine] = OutgoingQueue()
        self._who: deque[QueuedLine] = deque()
        self._low_priority: deque[QueuedLine] = deque()
        self._is_turn_of_who = False
        self._posted = Bell()

    def post(self, line: IrcMessage) -> None:
        """Add a line to the queue of its command.

        Raises:
            ValueError: it cannot be sent, and so fails here, in its caller.
        """
        serialize(line)
        if line.command in _URGENT:
            self._urgent.append(line)
        else:
            flow, target = (
                (PRIVATE, line.params[0]) if line.command in _SPEECH else (_NOT_SPEECH, "")
            )
            self._outgoing.put(QueuedLine(line), flow=flow, target=target, lane=Lane.COMMAND)
        self._posted.ring()

    def post_who(self, line: IrcMessage) -> QueuedLine:
        """Add a WHO, which takes turns with all that we say.

        Raises:
            ValueError: it cannot be sent.
        """
        return self._post_question(line, self._who)

    def post_low_priority(self, line: IrcMessage) -> QueuedLine:
        """Add a line that leaves when nothing else waits.

        Raises:
            ValueError: it cannot be sent.
        """
        return self._post_question(line, self._low_priority)

    def _post_question(self, line: IrcMessage, waiting: deque[QueuedLine]) -> QueuedLine:
        serialize(line)
        queued = QueuedLine(line)
        waiting.append(queued)
        self._posted.ring()
        return queued

    def post_speech(self, lines: Sequence[IrcMessage], flow: str, lane: Lane) -> list[QueuedLine]:
        """Add all of `lines`, or none: all for one target, which is in `flow` (`OutgoingQueue`).

        Raises:
            SendQueueFull: they do not all fit.
            ValueError: one of them cannot be sent.
        """
        for line in lines:
            serialize(line)
        if len(self._outgoing) + len(lines) > self._capacity:
            raise SendQueueFull(len(self._outgoing))
        queued = [QueuedLine(line, lane) for line in lines]
        for one in queued:
            self._outgoing.put(one, flow=flow, target=one.line.params[0], lane=lane)
        self._posted.ring()
        return queued

    def post_refusal(self, target: str, flow: str, text: Callable[[str], str]) -> QueuedLine:
        """Add a line to `target` that leaves last, and is written only then; "" is not sent.

        `text` is given the target, which may have another nick by then.

        Raises:
            SendQueueFull: it does not fit.
        """
        if len(self._outgoing) >= self._capacity:
            raise SendQueueFull(len(self._outgoing))
        queued = QueuedLine(IrcMessage("PRIVMSG", (target,)), Lane.REFUSAL, text)
        self._outgoing.put(queued, flow=flow, target=target, lane=Lane.REFUSAL)
        self._posted.ring()
        return queued

    def readdress(self, is_theirs: Callable[[str], bool], nick: str) -> None:
        """Whoever has a nick has another one now: what waits for them follows."""
        for queued in self._outgoing.remove(lambda one: one.is_to(is_theirs)):
            queued.line = replace(queued.line, params=(nick, *queued.line.params[1:]))
            self._outgoing.put(queued, flow=PRIVATE, target=nick, lane=queued.lane)

    def drop(self, is_theirs: Callable[[str], bool]) -> None:
        """Whoever has a nick is gone: nobody else who takes it is told what waits for them."""
        for queued in self._outgoing.remove(lambda one: one.is_to(is_theirs)):
            queued.ended.set()

    def withdraw(self, lines: Collection[QueuedLine]) -> None:
        """Forget those of `lines` that have not been sent."""
        self._outgoing.remove(lambda queued: queued in lines)

    def close(self) -> None:
        """Give up everything that waits: the connection is over."""
        for queued in self._outgoing.remove(lambda _: True):
            queued.lose()

    async def next_urgent(self) -> IrcMessage:
        """The next line that must not wait for any other."""
        while not self._urgent:
            await self._posted.wait()
        return self._urgent.popleft()

    async def next_paced(self) -> QueuedLine:
        """The next of all other lines, once the pace allows it.

        A refusal leaves only when another line could leave at once after it, so that it delays no
        answer which comes meanwhile.
        """
        while True:
            while not (self._outgoing or self._who or self._low_priority):
                await self._posted.wait()
            if self._only_refuses and not self._bucket.has_capacity(self._for_refusal):
                with anyio.move_on_after(self._per_line / 2):
                    await self._posted.wait()
                continue
            await self._bucket.acquire()
            if (queued := self._next()) is not None:  # it may have been withdrawn meanwhile
                return queued

    @property
    def _only_refuses(self) -> bool:
        return self._outgoing.only_refuses and not (self._who or self._low_priority)

    def _next(self) -> QueuedLine | None:
        """Take out the line that leaves now; None if there is none."""
        says_nothing = not self._outgoing or self._outgoing.only_refuses
        if self._who and (says_nothing or self._is_turn_of_who):
            self._is_turn_of_who = False
            return self._who.popleft()
        if self._low_priority and says_nothing:
            return self._low_priority.popleft()
        self._is_turn_of_who = True
        while (queued := self._outgoing.next()) is not None and not queued.write():
            queued.ended.set()
        return queued


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

        queued = self._queue.post_refusal(target, self._flow(target), fitting)
        return await self._until_ended([queued])

    def readdress(self, nick: str, new: str) -> None:
        """Somebody has another nick now: what waits for them goes there."""
        self._queue.readdress(partial(self._client.is_same_nick, nick), new)

    def drop(self, nick: str) -> None:
        """Somebody is gone: what waits for them is not sent."""
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
            if line.command in _SPEECH and not self._client.has_capability("echo-message"):
                self._deliver(replace(line, source=self._own_mask.source))


async def _send(connection: Connection, line: IrcMessage) -> None:
    log.debug("> %s %s", line.command, _loggable(line))
    await connection.send(serialize(line))


def _loggable(line: IrcMessage) -> str:
    """The part of a line's parameters that a log may show: no password, key or text."""
    return "" if line.command in _SECRET else "".join(line.params[:1])
