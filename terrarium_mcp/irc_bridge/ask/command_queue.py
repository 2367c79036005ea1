"""Queues commands: those of one channel run one after the other, several channels at once.

Questions for the model wait in one queue per channel; the responder still lets only one at a time
reach the model. Commands without a model have a second queue there, so that they need not wait for
it.
"""

from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import anyio

from terrarium_mcp.bell import Bell
from terrarium_mcp.irc_bridge.ask.commands import Command
from terrarium_mcp.irc_bridge.record.recorder import PendingMessage

DEPTH = 5
"""Most commands in one queue, including the one being served."""

_QueueKey = tuple[str, bool]
"""Target of the reply, and whether the queue is for questions."""


@dataclass(frozen=True, slots=True)
class PendingCommand:
    """A command and the message it came in; `message` is None in a private chat."""

    command: Command
    message: PendingMessage | None


class CommandQueue:
    """Accepts commands and serves them in order."""

    def __init__(self, serve: Callable[[PendingCommand], Awaitable[None]]) -> None:
        self._serve = serve
        self._queues: dict[_QueueKey, deque[PendingCommand]] = {}
        self._opened: deque[_QueueKey] = deque()
        self._bell = Bell()

    def put(self, pending: PendingCommand) -> bool:
        """Queue a command. Returns False if its queue is full."""
        key = (pending.command.target, pending.command.is_question)
        queue = self._queues.get(key)
        if queue is None:
            self._queues[key] = deque([pending])
            self._opened.append(key)
            self._bell.ring()
            return True
        if len(queue) >= DEPTH:
            return False
        queue.append(pending)
        return True

    @property
    def questions(self) -> int:
        """How many questions are in work or waiting."""
        return sum(len(queue) for (_, is_question), queue in self._queues.items() if is_question)

    async def run(self) -> None:
        """Serve all queues until cancelled."""
        async with anyio.create_task_group() as workers:
            while True:
                while self._opened:
                    workers.start_soon(self._work, self._opened.popleft())
                await self._bell.wait()

    async def _work(self, key: _QueueKey) -> None:
        """Serve one queue until it is empty, then remove it."""
        queue = self._queues[key]
        while queue:
            await self._serve(queue[0])
            queue.popleft()
        del self._queues[key]
