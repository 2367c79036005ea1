"""A polite client among hostile ones, and what that does to it and to the server."""

import json
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from math import ceil
from pathlib import Path

import anyio
from mcp.client.client import Client

from tests.patience import PATIENCE

HOSTILE = "tests.serving.hostile"


@dataclass(frozen=True)
class Outcome:
    """How long each polite call took (ms), the server's largest memory (MB), and who else came."""

    waits: list[float]
    megabytes: float
    crowd: Mapping[str, int]

    def __str__(self) -> str:
        return (
            f"{len(self.waits)} polite calls: p50 {self.worst_of(50):.0f} ms, p99"
            f" {self.worst_of(99):.0f} ms, worst {max(self.waits):.0f} ms; server"
            f" {self.megabytes:.0f} MB at most; beside it {json.dumps(self.crowd)}"
        )

    def worst_of(self, percent: float) -> float:
        """The longest wait of so many percent of the calls, the shortest first."""
        return sorted(self.waits)[ceil(percent / 100 * len(self.waits)) - 1]


def megabytes_of(process: int) -> float:
    """The memory that a process has in use (RSS)."""
    told = subprocess.run(
        ["ps", "-o", "rss=", "-p", str(process)], capture_output=True, check=True, text=True
    )
    return int(told.stdout) / 1_024


async def among_hostile_clients(server: int, url: str, posts: int, seconds: float) -> Outcome:
    """Ask politely for `seconds`, while others do what they should not.

    Args:
        server: the server's process.
        url: where it serves MCP.
        posts: calls that one client posts at most without reading an answer.
        seconds: how long all that takes.
    """
    port = url.rsplit(":", 1)[1].split("/", maxsplit=1)[0]
    hostile = subprocess.Popen(  # noqa: ASYNC220 -- its pipe is read when it has ended
        [sys.executable, "-m", HOSTILE, port, str(posts), str(seconds)],
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    )
    waits, most = list[float](), 0.0
    with hostile:
        try:
            until = time.monotonic() + seconds
            while time.monotonic() < until:
                async with Client(url) as client:
                    for number in range(50):
                        began = time.monotonic()
                        with anyio.fail_after(PATIENCE):
                            query = f"w{number * 7}"
                            result = await client.call_tool("search_irc_history", {"query": query})
                        waits.append(1_000 * (time.monotonic() - began))
                        assert not result.is_error
                        most = max(most, megabytes_of(server))
                        await anyio.sleep(0.02)  # nobody asks without a pause
            assert hostile.stdout is not None
            crowd = json.loads(hostile.stdout.read())
        finally:
            with suppress(ProcessLookupError):
                hostile.kill()
    return Outcome(waits, most, crowd)
