"""Queues commands by flow: a channel, or all private chats together.

Each flow serves one question at a time, until its answer has been said. As the model takes one
question at a time, first come, first served, flows take turns at it, and many who ask in private
delay a channel no more than one. Short commands, which are all others, do not wait for each other.
"""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field

import anyio

from terrarium_mcp.bell import Bell
from terrarium_mcp.irc_bridge.ask.commands import Command, PersonKey
from terrarium_mcp.irc_bridge.record.recorder import PendingMessage
from terrarium_mcp.irc_bridge.talk_log.stopwatch import Stopwatch

DEPTH = 5
"""Most questions of a flow, including the one in work, and most short commands."""

_QueueKey = tuple[str, bool]
"""A flow, and whether the queue is for questions."""


@dataclass(slots=True, eq=False)
class PendingCommand:
    """A command that waits or is in work.

    `message` is what it came in, None where that is not recorded; `flow` is where it waits.
    """

    command: Command
    message: PendingMessage | None
    flow: str
    in_work: bool = False
    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)
    """Cancelling it ends the work, also within a tool call or an answer being said."""
    watch: Stopwatch = field(default_factory=Stopwatch)
    """Runs since the command was heard."""
    is_binding: bool = False
    """Whether it is a confirmed removal that has not ended: only its reply can be taken back."""
    is_unwanted: bool = False
    """Whether its reply was taken back meanwhile."""

    def __post_init__(self) -> None:
        self.is_binding = self.command.confirms_removal

    def done(self) -> None:
        """Only its reply is left to be said, if that is wanted still."""
        self.is_binding = False
        if self.is_unwanted:
            self.scope.cancel()


class CommandQueue:
    """Accepts commands and serves them: the questions of a flow in order."""

    def __init__(self, serve: Callable[[PendingCommand], Awaitable[None]]) -> None:
        self._serve = serve
        self._queues: dict[_QueueKey, list[PendingCommand]] = {}
        self._bell = Bell()

    def put(self, pending: PendingCommand) -> bool:
        """Queue a command. Returns False if its queue is full."""
        if not self.has_room(pending.flow, questions=pending.command.is_question):
            return False
        self._queues.setdefault(_key(pending), []).append(pending)
        self._bell.ring()
        return True

    def has_room(self, flow: str, *, questions: bool) -> bool:
        """Whether a flow takes one more question, or one more short command."""
        return len(self._queues.get((flow, questions), ())) < DEPTH

    def __iter__(self) -> Iterator[PendingCommand]:
        """All commands that wait or are in work."""
        return iter([one for queue in self._queues.values() for one in queue])

    def pending(self, person: PersonKey, *, questions: bool) -> list[PendingCommand]:
        """The questions, or the short commands, of a person: in work and waiting."""
        return [
            one
            for one in self
            if one.command.person == person and one.command.is_question is questions
        ]

    def is_next(self, pending: PendingCommand) -> bool:
        """Whether nothing of its flow is before a command."""
        return not pending.command.is_question or self._queues[_key(pending)][0] is pending

    def waits(self, pending: PendingCommand) -> bool:
        """Whether a command is in its queue still, behind others."""
        return pending in self._queues.get(_key(pending), ()) and not self.is_next(pending)

    def stop(self, is_unwanted: Callable[[PendingCommand], bool]) -> Sequence[PendingCommand]:
        """Take back commands, also while they are served; returns them.

        Of one that is binding only the reply is taken back: what was confirmed is done.
        """
        stopped = [one for one in self if is_unwanted(one)]
        for one in stopped:
            if one.is_binding:
                one.is_unwanted = True
            elif one.in_work:
                one.scope.cancel()  # and it leaves its queue when it has ended
            else:
                self._leave(one)
        return stopped

    @property
    def questions(self) -> int:
        """How many questions are in work or waiting."""
        return sum(len(queue) for (_, is_question), queue in self._queues.items() if is_question)

    async def run(self) -> None:
        """Serve all queues until cancelled."""
        async with anyio.create_task_group() as workers:
            while True:
                for pending in list(self._due()):
                    pending.in_work = True
                    workers.start_soon(self._work, pending)
                await self._bell.wait()

    def _due(self) -> Iterator[PendingCommand]:
        for (_, questions), queue in self._queues.items():
            width = 1 if questions else DEPTH
            yield from (one for one in queue[:width] if not one.in_work)

    async def _work(self, pending: PendingCommand) -> None:
        try:
            with pending.scope:
                await self._serve(pending)
        finally:
            self._leave(pending)
            self._bell.ring()

    def _leave(self, pending: PendingCommand) -> None:
        """Remove a command from its queue, and the queue with the last of it."""
        key = _key(pending)
        self._queues[key].remove(pending)
        if not self._queues[key]:
            del self._queues[key]


def _key(pending: PendingCommand) -> _QueueKey:
    return pending.flow, pending.command.is_question
