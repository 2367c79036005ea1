"""Lines that wait to be sent, at the pace that the network allows."""

from collections import deque
from collections.abc import Sequence

from aiolimiter import AsyncLimiter

from terrarium_mcp.bell import Bell
from terrarium_mcp.irc_bridge.network.errors import SendQueueFull
from terrarium_mcp.irc_bridge.network.line import Line, wire_text
from terrarium_mcp.irc_bridge.network.timing import Timing

_URGENT = frozenset(
    ("AUTHENTICATE", "CAP", "MODE", "NICK", "PASS", "PING", "PONG", "PROTOCTL", "QUIT", "USER")
)
_ERRANDS = frozenset(("WHO", "CHATHISTORY"))


class Outbox:
    """Three queues: what keeps the connection alive, what we say, and what can wait."""

    def __init__(self, timing: Timing) -> None:
        # A leaky bucket: `burst` lines fit, and one leaks out every `per_line` seconds.
        self._bucket = AsyncLimiter(timing.burst, timing.burst * timing.per_line)
        self._capacity = timing.queue
        self._urgent: deque[Line] = deque()
        self._speech: deque[Line] = deque()
        self._errands: deque[Line] = deque()
        self._posted = Bell()

    def post(self, line: Line) -> None:
        """Take a line now; its command tells how long it may wait."""
        wire_text(line)  # what cannot be sent fails here, where its writer hears of it
        self._queue_for(line.command).append(line)
        self._posted.ring()

    def post_speech(self, lines: Sequence[Line]) -> None:
        """Take all of `lines`, or none when they do not fit."""
        for line in lines:
            wire_text(line)
        if len(self._speech) + len(lines) > self._capacity:
            raise SendQueueFull(len(self._speech))
        self._speech.extend(lines)
        self._posted.ring()

    async def next_urgent(self) -> Line:
        """The next line that must not wait for any other."""
        while not self._urgent:
            await self._posted.wait()
        return self._urgent.popleft()

    async def next_paced(self) -> Line:
        """The next of all other lines, when its time has come."""
        while not (self._speech or self._errands):
            await self._posted.wait()
        await self._bucket.acquire()
        return (self._speech or self._errands).popleft()

    def _queue_for(self, command: str) -> deque[Line]:
        if command in _URGENT:
            return self._urgent
        return self._errands if command in _ERRANDS else self._speech
