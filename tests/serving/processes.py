"""Houses: real server processes, and what is left of them when they have ended."""

import json
import signal
import subprocess
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, Any

import anyio
from anyio import to_thread
from mcp.client.sse import sse_client

from tests.patience import PATIENCE
from tests.servers.forked import forked

HOUSE = Path(__file__).with_name("house.py")


def house_words(ledger: Path, transport: str, bounds: str = "{}") -> list[str]:
    """The words of a process that serves the house."""
    return forked(HOUSE, ledger, transport, bounds)


@dataclass(frozen=True)
class Ended:
    """How a process ended."""

    status: int
    said: str  # on stderr
    ledger: list[str]

    def well(self) -> bool:
        """Whether nobody would have noticed anything but the end."""
        peaceful = "Traceback" not in self.said and "ERROR" not in self.said.upper()
        return self.status == 0 and peaceful and self.ledger[-1] == "left"


class House:
    """A running server process."""

    def __init__(
        self, ledger: Path, transport: str, stdin: int | IO[bytes], **bounds: float
    ) -> None:
        self._ledger = ledger
        named = json.dumps({name.replace("__", "."): value for name, value in bounds.items()})
        self.process = subprocess.Popen(
            house_words(ledger, transport, named),
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def ledger(self) -> list[str]:
        return self._ledger.read_text().split()

    async def has_noted(self, line: str, times: int = 1) -> None:
        """Wait until it has written a line so many times."""
        with anyio.fail_after(PATIENCE):
            while self.ledger().count(line) < times:  # noqa: ASYNC110 -- another process writes it
                await anyio.sleep(0.01)

    def read_some(self, size: int) -> bytes:
        assert self.process.stdout is not None
        return self.process.stdout.read(size)

    def wait(self) -> Ended:
        status = self.process.wait(PATIENCE)
        assert self.process.stderr is not None
        return Ended(status, self.process.stderr.read().decode(), self.ledger())

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()


class StdioHouse(House):
    """One that serves us over its pipes."""

    def __init__(self, ledger: Path, **bounds: float) -> None:
        super().__init__(ledger, "stdio", subprocess.PIPE, **bounds)

    def send(self, *messages: object) -> None:
        assert self.process.stdin is not None
        for message in messages:
            line = message if isinstance(message, bytes) else json.dumps(message).encode()
            self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def hang_up(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()

    def stop_reading(self) -> None:
        assert self.process.stdout is not None
        self.process.stdout.close()

    def read(self) -> Any:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def greet(self) -> None:
        """The handshake of the older era."""
        self.send(INITIALIZE)
        assert self.read()["id"] == 0
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})


class HttpHouse(House):
    """One that serves us over HTTP."""

    def __init__(self, ledger: Path, **bounds: float) -> None:
        super().__init__(ledger, "http", subprocess.DEVNULL, **bounds)

    @cached_property
    def urls(self) -> dict[str, str]:
        """Its addresses, once it listens."""
        assert self.process.stderr is not None
        urls: dict[str, str] = json.loads(self.process.stderr.readline())
        return urls

    def target(self, transport: str) -> Any:
        """What the SDK's client takes to connect over `transport`."""
        url = self.urls[transport]
        return sse_client(url) if transport == "sse" else url

    @property
    def port(self) -> int:
        return int(self.urls["mcp"].rsplit(":", 1)[1].split("/")[0])

    async def stop(self, how: signal.Signals = signal.SIGTERM) -> Ended:
        self.process.send_signal(how)
        return await to_thread.run_sync(self.wait)


def call(number: int, tool: str, **arguments: object) -> dict[str, Any]:
    """A request of the older era, to be kept informed about."""
    meta = {"progressToken": number}
    params = {"name": tool, "arguments": arguments, "_meta": meta}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
