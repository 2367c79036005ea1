"""Recording: what a line costs the whole bridge beside a bare pydle that inserts it.

Ours is `terrarium-mcp bridge` with its defaults and without a model. A server on loopback sends
both the same burst, in turns. Compared is the CPU of the process, all its threads, from the first
line until the last one is on disk.
"""

import os
import socket
import sqlite3
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from statistics import median
from subprocess import DEVNULL, Popen
from tempfile import TemporaryDirectory

from bench.bed import Bed
from bench.blasting import PATIENCE, BlastingServer
from bench.measure import Measured, cpu_of_process
from bench.table import Rival, Row

BURST = 30_000
"""Lines that come at once."""

TURNS = 5

CHANNEL = "#tea"
NICKS = [f"nick{number}" for number in range(50)]
_ROOT = Path(__file__).parents[1]

Start = Callable[[int, Path], "Popen[bytes]"]
"""Starts a recorder, given the port of its server and a folder for its `irc_logs.db`."""


async def rows(bed: Bed) -> list[Row]:
    """The CPU of a line, in microseconds: the median of the turns."""
    lines = min(BURST, bed.lines)
    ours, plain = list[float](), list[float]()
    for _ in range(min(TURNS, bed.rounds)):
        plain.append(_cost(lines, _plain_recorder))
        ours.append(_cost(lines, _bridge))
    beside = Rival("pydle, owner's columns", median(plain))
    return [
        Row("a line of a burst (bridge's CPU)", "us/line", Measured(median(ours)), None, [beside])
    ]


def _cost(lines: int, start: Start) -> float:
    """Microseconds of CPU for each line of a burst."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        process = start(listener.getsockname()[1], folder)
        stack.callback(process.wait)
        stack.callback(process.terminate)
        server = stack.enter_context(closing(BlastingServer(listener)))
        server.let_in(NICKS)
        began = cpu_of_process(process.pid)
        server.blast(_burst(lines))
        _wait_until_stored(folder / "irc_logs.db", lines)
        return (cpu_of_process(process.pid) - began) / lines * 1e6


def _burst(lines: int) -> bytes:
    """The lines of people who talk in turns."""
    return b"".join(
        f":{NICKS[number % len(NICKS)]}!user@host.example PRIVMSG {CHANNEL}"
        f" :line {number} of a burst, about as long as what people say in a channel\r\n".encode()
        for number in range(lines)
    )


def _bridge(port: int, folder: Path) -> "Popen[bytes]":
    settings = {
        "IRC_SERVER": "127.0.0.1",
        "IRC_PORT": f"{port}",
        "IRC_USE_SSL": "off",
        "IRC_CHANNELS": CHANNEL,
        "AGENT_API_URL": "http://127.0.0.1:9",
        "DB_PATH": f"{folder / 'irc_logs.db'}",
    }
    return _started(["terrarium_mcp", "bridge"], folder, settings)


def _plain_recorder(port: int, folder: Path) -> "Popen[bytes]":
    module = ["bench.plain_recorder", f"{port}", CHANNEL, str(folder / "irc_logs.db")]
    return _started(module, _ROOT, {})


def _started(module: Sequence[str], folder: Path, settings: Mapping[str, str]) -> "Popen[bytes]":
    return Popen(  # noqa: S603 -- ourselves
        [sys.executable, "-m", *module],
        cwd=folder,
        env={**os.environ, **settings},
        stderr=DEVNULL,
    )


def _wait_until_stored(database: Path, lines: int) -> None:
    """Return once so many lines are on disk."""
    until = time.monotonic() + PATIENCE
    with closing(sqlite3.connect(database, isolation_level=None)) as reader:
        while time.monotonic() < until:
            with suppress(sqlite3.OperationalError):  # it has no table yet
                sql = "SELECT count(*) FROM messages WHERE message_type = 'PRIVMSG'"
                if reader.execute(sql).fetchone()[0] >= lines:
                    return
            time.sleep(0.05)
    raise TimeoutError(f"{lines} lines were not stored within {PATIENCE:g} s.")
