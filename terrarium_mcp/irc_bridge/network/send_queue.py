"""What waits to be sent, and which of it leaves next, at the pace that the network allows."""

from collections import deque
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace

import anyio
from aiolimiter import AsyncLimiter

from terrarium_mcp.bell import Bell
from terrarium_mcp.chat.irc_message import IrcMessage, serialize
from terrarium_mcp.irc_bridge.network.errors import SendQueueFull
from terrarium_mcp.irc_bridge.network.outgoing import PRIVATE, Lane, OutgoingQueue
from terrarium_mcp.irc_bridge.network.timeouts import Timeouts

SPEAKING = frozenset(("NOTICE", "PRIVMSG"))
"""The commands that say something to a channel or a person."""

_TO_SOMEBODY = SPEAKING | {"TAGMSG"}

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
        self._room_for_last = min(2, timeouts.burst)
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
                (PRIVATE, line.params[0]) if line.command in SPEAKING else (_NOT_SPEECH, "")
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

    def post_last(self, target: str, flow: str, text: Callable[[str], str]) -> QueuedLine:
        """Add a line to `target` that leaves last, and is written only then; "" is not sent.

        `text` is given the target, which may have another nick by then.

        Raises:
            SendQueueFull: it does not fit.
        """
        if len(self._outgoing) >= self._capacity:
            raise SendQueueFull(len(self._outgoing))
        queued = QueuedLine(IrcMessage("PRIVMSG", (target,)), Lane.LAST, text)
        self._outgoing.put(queued, flow=flow, target=target, lane=Lane.LAST)
        self._posted.ring()
        return queued

    def readdress(self, is_theirs: Callable[[str], bool], nick: str) -> None:
        """Whoever has a nick has another one now: what waits for them follows."""
        for queued in self._outgoing.remove(lambda one: one.is_to(is_theirs)):
            queued.line = replace(queued.line, params=(nick, *queued.line.params[1:]))
            self._outgoing.put(queued, flow=PRIVATE, target=nick, lane=queued.lane)

    def drop(self, is_theirs: Callable[[str], bool]) -> None:
        """The holder of a nick has left: drop what waits, so that the next one does not get it."""
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

        What leaves last does so only when another line could leave at once after it, so that it
        delays no answer which comes meanwhile.
        """
        while True:
            while not (self._outgoing or self._who or self._low_priority):
                await self._posted.wait()
            if self._only_last_left and not self._bucket.has_capacity(self._room_for_last):
                with anyio.move_on_after(self._per_line / 2):
                    await self._posted.wait()
                continue
            await self._bucket.acquire()
            if (queued := self._next()) is not None:  # it may have been withdrawn meanwhile
                return queued

    @property
    def _only_last_left(self) -> bool:
        return self._outgoing.only_last_left and not (self._who or self._low_priority)

    def _next(self) -> QueuedLine | None:
        """Take out the line that leaves now; None if there is none."""
        says_nothing = not self._outgoing or self._outgoing.only_last_left
        if self._who and (says_nothing or self._is_turn_of_who):
            self._is_turn_of_who = False
            return self._who.popleft()
        if self._low_priority and says_nothing:
            return self._low_priority.popleft()
        self._is_turn_of_who = True
        while (queued := self._outgoing.next()) is not None and not queued.write():
            queued.ended.set()
        return queued
