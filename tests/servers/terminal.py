"""A person at a terminal: a program under a pseudo-terminal, its screen, and what is typed."""

import fcntl
import os
import pty
import struct
import termios
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress

import anyio
import pyte

from terrarium_mcp.bell import Bell
from tests.servers.beside import beside

LINES, COLUMNS = 50, 200


class Terminal:
    """A screen of 50 lines of 200 columns, so that a reply fits on one line."""

    def __init__(self, terminal: int) -> None:
        self._terminal = terminal
        self._screen = pyte.Screen(COLUMNS, LINES)
        self._stream = pyte.ByteStream(self._screen)
        self._news = Bell()

    @property
    def text(self) -> str:
        """What the screen shows, line by line, without trailing blanks."""
        return "\n".join(line.rstrip() for line in self._screen.display)

    async def types(self, line: str) -> None:
        """Type a line and the return key."""
        os.write(self._terminal, f"{line}\r".encode())

    async def sees(self, *words: str) -> str:
        """Wait until one line of the screen holds all of `words`."""
        while True:
            for line in self.text.splitlines():
                if all(word in line for word in words):
                    return line
            await self._news.wait()

    async def read(self) -> None:
        """Draw what the program writes until it ends; one of the scene's tasks."""
        with suppress(OSError):  # EIO: the program has ended
            while True:
                await anyio.wait_readable(self._terminal)
                self._stream.feed(os.read(self._terminal, 65_536))
                self._news.ring()


@asynccontextmanager
async def terminal(command: Sequence[str], environ: Mapping[str, str]) -> AsyncIterator[Terminal]:
    """A program in a terminal of its own inside the block, and surely no longer."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
    try:
        process = await anyio.open_process(
            command,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**environ, "TERM": "xterm-256color"},
            start_new_session=True,
        )
    finally:
        os.close(slave)
    try:
        screen = Terminal(master)
        async with beside(screen.read):
            yield screen
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        with anyio.CancelScope(shield=True):
            await process.wait()
        os.close(master)
