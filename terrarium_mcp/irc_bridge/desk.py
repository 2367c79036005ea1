"""The desk: what is asked in a channel is served there one after the other.

Questions for the model wait in one line per channel. What needs no model has a line of its own
there, and does not wait for it.
"""

from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import anyio

from terrarium_mcp.irc_bridge.commands import Command
from terrarium_mcp.irc_bridge.recorder import Note

DEPTH = 5
"""Commands in one line, the one that is being served among them."""

_Line = deque["Asking"]


@dataclass(frozen=True, slots=True)
class Asking:
    """A command, and the line it stood in on its way to the disk; None in a private chat."""

    command: Command
    note: Note | None


class Desk:
    """Takes what is asked, and has it served in the order it came."""

    def __init__(self, serve: Callable[[Asking], Awaitable[None]]) -> None:
        self._serve = serve
        self._lines: dict[tuple[str, bool], _Line] = {}
        self._opened: deque[tuple[str, bool]] = deque()
        self._rang = anyio.Event()

    def take(self, asking: Asking) -> bool:
        """Put it into its line. False: the line is full."""
        key = (asking.command.target, asking.command.is_question)
        line = self._lines.get(key)
        if line is None:
            self._lines[key] = deque([asking])
            self._opened.append(key)
            self._rang.set()
            return True
        if len(line) >= DEPTH:
            return False
        line.append(asking)
        return True

    async def run(self) -> None:
        """Serve every line, for ever."""
        async with anyio.create_task_group() as workers:
            while True:
                while self._opened:
                    workers.start_soon(self._work, self._opened.popleft())
                self._rang = anyio.Event()
                await self._rang.wait()

    async def _work(self, key: tuple[str, bool]) -> None:
        """Serve one line until nobody stands in it; then it is as if it had never been."""
        line = self._lines[key]
        while line:
            await self._serve(line[0])
            line.popleft()
        del self._lines[key]
