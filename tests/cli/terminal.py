"""A command at a terminal of its own: what it shows there, and what is typed."""

import os
import re
import signal
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
from anyio.abc import Process

from tests.patience import PATIENCE

_CONTROLS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Terminal:
    """`shown` is everything that appeared so far, as it was written."""

    def __init__(self, process: Process, keyboard: int) -> None:
        self.process = process
        self.shown = ""
        self._keyboard = keyboard
        self._seen = 0

    @property
    def text(self) -> str:
        """What appeared, without colours."""
        return _CONTROLS.sub("", self.shown).replace("\r\n", "\n")

    async def sees(self, *words: str) -> None:
        """Wait until these appear, in this order, after what was seen before."""
        with anyio.fail_after(PATIENCE):
            for one in words:
                while (found := self.text.find(one, self._seen)) < 0:
                    assert await self._reads(), f"{one!r} never appeared: {self.text}"
                self._seen = found + len(one)

    async def types(self, line: str) -> None:
        """Type a line, and press return."""
        os.write(self._keyboard, f"{line}\n".encode())

    async def answers(self, question: str, line: str) -> None:
        """Wait for a question, and type the answer."""
        await self.sees(question)
        await self.types(line)

    async def ends(self, status: int = 0) -> str:
        """Wait for the end; returns all that was shown."""
        with anyio.fail_after(PATIENCE):
            while await self._reads():
                pass
            await self.process.wait()
        assert self.process.returncode == status, self.text
        return self.text

    async def interrupts(self) -> None:
        """Press Ctrl-C, as far as the program is concerned, and wait for the end."""
        self.process.send_signal(signal.SIGINT)
        await self.ends()

    async def _reads(self) -> bool:
        """Read what has appeared since; whether the program can still write."""
        await anyio.wait_readable(self._keyboard)
        try:
            read = os.read(self._keyboard, 65_536)
        except OSError:  # on Linux, when the last program has closed its end
            return False
        self.shown += read.decode("utf-8", "replace")
        return bool(read)


@asynccontextmanager
async def terminal(
    command: Sequence[str], *, at: Path, environ: Mapping[str, str]
) -> AsyncIterator[Terminal]:
    """A command in the folder `at`, with exactly this environment, inside the block."""
    keyboard, screen = os.openpty()
    try:
        process = await anyio.open_process(
            command,
            cwd=at,
            env=dict(environ),
            stdin=screen,
            stdout=screen,
            stderr=screen,
            start_new_session=True,
        )
        os.close(screen)
        try:
            yield Terminal(process, keyboard)
        finally:
            if process.returncode is None:
                process.kill()
            with anyio.CancelScope(shield=True):
                await process.wait()
    finally:
        os.close(keyboard)
