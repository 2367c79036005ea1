"""A bridge process that is killed at a random moment of a burst loses no line it had for 0.1 s."""

import json
import os
import random
import signal
from bisect import bisect_left
from dataclasses import dataclass
from pathlib import Path

import anyio

from tests.cli.programs import running
from tests.irc_bridge.house import CHANNELS
from tests.patience import PATIENCE
from tests.servers.fake_ircd import FakeIrcd, fake_ircd
from tests.store.crashing import chance, check_whole
from tests.store.scene import rows_of

LINES = 20_000
"""Lines of a burst."""

PIECE = 100
"""Lines sent at once."""

PACE = 2_000
"""Lines a second, which a machine keeps up with that does other things as well."""

DURABLE = 0.1
"""Seconds after its arrival in which a line is on disk."""


@dataclass(frozen=True)
class Killed:
    """What one kill left.

    Attributes:
        heard: lines that the bridge had received before it, as its answers to PING prove.
        kept: lines that are on disk.
        lag: seconds before the kill at which it had received the first line that is not.
    """

    heard: int
    kept: int
    lag: float


async def while_blasted(folder: Path, times: int, lines: int = LINES) -> list[Killed]:
    """Kill a bridge `times` times during a burst, each time of the same growing database.

    What is on disk afterwards is a beginning of what was sent, in order, and the file is whole.
    """
    rng = chance()
    return [await _kill_once(folder, number, lines, rng) for number in range(times)]


async def _kill_once(folder: Path, number: int, lines: int, rng: random.Random) -> Killed:
    file = folder / "irc_logs.db"
    heard: list[float] = []  # when the bridge had each piece

    def answer(line: str) -> None:
        if line.startswith(f"PONG {number}."):
            heard.append(anyio.current_time())

    with anyio.fail_after(3 * PATIENCE):
        async with fake_ircd(answer=answer) as ircd:
            settings = _settings(ircd, file)
            async with running("terrarium-mcp bridge", at=folder, **settings) as program:
                await program.says("recording", CHANNELS[0])
                process = _process_of(file)
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(_blast, ircd, number, lines)
                    await anyio.sleep(rng.uniform(0, lines / PACE))
                    at = anyio.current_time()
                    os.kill(process, signal.SIGKILL)
                    tasks.cancel_scope.cancel()
                await program.process.wait()
    await check_whole(file)
    sql = "SELECT message FROM messages WHERE message LIKE ? ORDER BY id"
    kept = [row[0] for row in rows_of(file, sql, [f"{number}:%"])]
    assert kept == [f"{number}:{line}" for line in range(len(kept))]
    pieces = bisect_left(heard, at)
    lost = len(kept) // PIECE < pieces
    return Killed(pieces * PIECE, len(kept), at - heard[len(kept) // PIECE] if lost else 0.0)


async def _blast(ircd: FakeIrcd, number: int, lines: int) -> None:
    began = anyio.current_time()
    for first in range(0, lines, PIECE):
        texts = (f"{number}:{first + line}" for line in range(PIECE))
        said = [f":ada!a@host.example PRIVMSG {CHANNELS[0]} :{text}" for text in texts]
        await ircd.says(*said, f"PING {number}.{first}")
        await anyio.sleep(max(0.0, began + (first + PIECE) / PACE - anyio.current_time()))


def _settings(ircd: FakeIrcd, file: Path) -> dict[str, object]:
    return {
        "IRC_SERVER": "127.0.0.1",
        "IRC_PORT": ircd.port,
        "IRC_USE_SSL": "off",
        "IRC_CHANNELS": CHANNELS[0],
        "AGENT_API_URL": "http://127.0.0.1:9",
        "DB_PATH": file,
    }


def _process_of(file: Path) -> int:
    """The bridge, which is the keeper; the process that a test starts stands in for it."""
    return int(json.loads(file.with_name(f"{file.name}.keeper").read_text())["pid"])
