"""A server of a history that measures how long its event loop is held up: `heartbeat.py DATABASE`.

`/healthz` says how much CPU the loop's thread used at most between two beats of a task since it was
last asked, in milliseconds. CPU and not time: what other processes do makes no difference.
"""

import json
import logging
import sys
import time
from pathlib import Path

import anyio

from terrarium_mcp.cli.process import freeze_imports
from terrarium_mcp.server import build_server
from terrarium_mcp.serving.address import Listening
from terrarium_mcp.serving.http import serve_http
from terrarium_mcp.serving.stdio import leave
from terrarium_mcp.store import open_store
from tests.patience import PATIENCE
from tests.store.scene import SETTINGS

BEAT = 0.001  # seconds between two beats of an idle loop


class Heart:
    """A task that beats, and the longest pause between two beats."""

    def __init__(self) -> None:
        self._worst = 0.0

    async def beat(self) -> None:
        while True:
            began = time.thread_time()
            await anyio.sleep(BEAT)
            self._worst = max(self._worst, time.thread_time() - began)

    async def health(self) -> dict[str, object]:
        worst, self._worst = self._worst, 0.0
        return {"worst": 1_000 * worst}


def announce(listening: Listening) -> None:
    address = {"mcp": listening.mcp_url, "health": f"http://127.0.0.1:{listening.port}/healthz"}
    print(json.dumps(address), flush=True)  # noqa: T201 -- the test reads it


async def main(path: Path) -> None:
    logging.basicConfig()
    freeze_imports()  # as a service does
    heart = Heart()
    async with open_store(path, SETTINGS) as store:
        await store.opening.wait(PATIENCE)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(heart.beat)
            server = build_server(store, SETTINGS)
            await serve_http(server, "127.0.0.1", 0, health=heart.health, announce=announce)
            tasks.cancel_scope.cancel()
    leave(0)


if __name__ == "__main__":
    anyio.run(main, Path(sys.argv[1]))
