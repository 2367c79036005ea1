"""`terrarium-mcp` as people run it: a process of its own."""

import os
import shlex
import signal
import subprocess
import sys
import sysconfig
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import anyio
from anyio.abc import Process
from anyio.streams.text import TextReceiveStream

from terrarium_mcp.settings import setting_names
from tests.patience import PATIENCE
from tests.servers.forked import forked

INSTALLED = Path(sysconfig.get_path("scripts")) / "terrarium-mcp"


def words(command: str, *more: object) -> list[str]:
    """A command line of the documentation, as the words of a process of the installed command."""
    return [str(INSTALLED), *_arguments(command), *map(str, more)]


def quick_words(command: str, *more: object) -> list[str]:
    """The same for a process that starts quickly."""
    return forked(INSTALLED, *_arguments(command), *more)


def _arguments(command: str) -> list[str]:
    program, *rest = shlex.split(command)
    assert program == "terrarium-mcp", command
    return rest


def environment(**settings: object) -> dict[str, str]:
    """Our environment without any setting of ours but these."""
    ours = {*setting_names()}
    kept = {name: value for name, value in os.environ.items() if name.upper() not in ours}
    return kept | {name: str(value) for name, value in settings.items()}


def without_progress(lines: Iterable[str]) -> list[str]:
    """Lines of stderr but for those that a slow machine adds: how far an opening is."""
    return [line for line in lines if "INFO" not in line or "opening the history" not in line]


def ran(
    command: str, *more: object, at: Path, **settings: object
) -> subprocess.CompletedProcess[str]:
    """Run a command in the folder `at` to its end."""
    done = subprocess.run(
        quick_words(command, *more),
        cwd=at,
        env=environment(**settings),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=PATIENCE,
    )
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


def python(code: str, at: Path) -> str:
    """What a fresh interpreter prints when it runs `code`."""
    return _printed([sys.executable, "-c", code], at)


def quick_python(code: str, at: Path) -> str:
    """What an interpreter prints that has imported the package, when it runs `code`."""
    return _printed(forked("-c", code), at)


def _printed(command: list[str], at: Path) -> str:
    return subprocess.run(
        command,
        cwd=at,
        env=environment(),
        capture_output=True,
        check=True,
        timeout=PATIENCE,
        text=True,
    ).stdout


@dataclass
class Program:
    """A command that runs until it is told to stop; `said` is what it wrote to stderr."""

    process: Process
    said: list[str] = field(default_factory=list)
    _news: anyio.Event = field(default_factory=anyio.Event)
    _silent: bool = False

    async def says(self, *wanted: str) -> str:
        """Wait for a line on stderr that holds all the words; one that came already counts."""
        with anyio.fail_after(PATIENCE):
            while True:
                for line in self.said:
                    if all(word in line for word in wanted):
                        return line
                assert not self._silent, f"ended without a word of {wanted}: {self.said}"
                await self._news.wait()

    async def stop(self, how: signal.Signals = signal.SIGTERM) -> float:
        """Tell it to end, and return after how many seconds it had."""
        since = time.monotonic()
        self.process.send_signal(how)
        with anyio.fail_after(PATIENCE):
            await self.process.wait()
        seconds = time.monotonic() - since
        await self.falls_silent()
        return seconds

    async def falls_silent(self) -> None:
        """Wait until all that it wrote to stderr was heard, after its end."""
        while not self._silent:
            await self._news.wait()

    def ended_well(self) -> bool:
        """Whether it ended with status 0, and nobody saw more than warnings."""
        return self.process.returncode == 0 and not any("Traceback" in line for line in self.said)

    async def listen(self) -> None:
        """Keep reading its stderr; one of the scene's tasks."""
        assert self.process.stderr is not None
        rest = ""
        async for text in TextReceiveStream(self.process.stderr, errors="replace"):
            *lines, rest = (rest + text).split("\n")
            self._heard(lines)
        self._silent = True
        self._heard([rest] if rest else [])

    def _heard(self, lines: list[str]) -> None:
        self.said += lines
        self._news.set()
        self._news = anyio.Event()


@asynccontextmanager
async def running(
    command: str, *more: object, at: Path, **settings: object
) -> AsyncIterator[Program]:
    """A command that runs in the folder `at` inside the block, and surely no longer."""
    process = await anyio.open_process(
        quick_words(command, *more),
        cwd=at,
        env=environment(**settings),
        stdin=subprocess.PIPE,  # at whose end a server over stdio would end
        stdout=subprocess.DEVNULL,  # a full pipe would stop it
    )
    program = Program(process)
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(program.listen)
            try:
                yield program
            finally:
                if process.returncode is None:
                    process.kill()
            await process.wait()
    finally:
        with anyio.CancelScope(shield=True):
            await process.aclose()
