"""The desk: what is asked in a channel is served there one after the other.

Questions for the model wait in one line per channel. What needs no model has a line of its own
there, and does not wait for it.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

from terrarium_mcp.irc_bridge.commands import Command
from terrarium_mcp.irc_bridge.recorder import Note

DEPTH = 5
"""Commands that may wait in one line."""


@dataclass(frozen=True, slots=True)
class Asking:
    """A command, and the line it stood in on its way to the disk; None in a private chat."""

    command: Command
    note: Note | None


class Desk:
    """Takes what is asked, and has it served in the order it came."""

    def __init__(self, serve: Callable[[Asking], Awaitable[None]]) -> None:
        self._serve = serve
        self._lines: dict[tuple[str, bool], MemoryObjectSendStream[Asking]] = {}
        self._opened, self._to_open = anyio.create_memory_object_stream[
            MemoryObjectReceiveStream[Asking]
        ](float("inf"))

    def take(self, asking: Asking) -> bool:
        """Put it into its line. False: the line is full."""
        key = (asking.command.target, asking.command.is_question)
        if key not in self._lines:
            self._lines[key], waiting = anyio.create_memory_object_stream[Asking](DEPTH)
            self._opened.send_nowait(waiting)
        try:
            self._lines[key].send_nowait(asking)
        except anyio.WouldBlock:
            return False
        return True

    async def run(self) -> None:
        """Serve every line, for ever."""
        async with self._opened, self._to_open, anyio.create_task_group() as workers:
            try:
                async for waiting in self._to_open:
                    workers.start_soon(self._work, waiting)
            finally:
                for line in self._lines.values():
                    line.close()

    async def _work(self, waiting: MemoryObjectReceiveStream[Asking]) -> None:
        async with waiting:
            async for asking in waiting:
                await self._serve(asking)
