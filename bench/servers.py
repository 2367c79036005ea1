"""Server processes, and the client that asks them: raw JSON-RPC over pipes, or over one connection.

The SDK's own client would hide what is measured: a call of the echo takes it 2 ms over stdio and
7 ms over HTTP, of which the server spends 1 ms and 1.5 ms.
"""

import json
import socket
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import suppress
from http.client import HTTPConnection
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from typing import IO, Any, AnyStr, Self
from urllib.parse import urlsplit

from bench.measure import cpu_of_process, memory

VERSION = "2026-07-28"
_META = "io.modelcontextprotocol"
_ENVELOPE = {f"{_META}/protocolVersion": VERSION, f"{_META}/clientCapabilities": {}}

PATIENCE = 60.0
"""Seconds in which a server has to listen."""


class ServerProcess(ABC):
    """A server's process; leaving it ends the process."""

    def __init__(self, module: Sequence[str], folder: Path, *, errors: int = DEVNULL) -> None:
        self.began = time.perf_counter()
        self._process = Popen(  # noqa: S603 -- ourselves
            [sys.executable, "-m", *module], cwd=folder, stdin=PIPE, stdout=PIPE, stderr=errors
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    @property
    def cpu(self) -> float:
        """Seconds of CPU that all threads of the process have spent."""
        return cpu_of_process(self._process.pid)

    @property
    def megabytes(self) -> float:
        """What it holds in memory."""
        return memory(process=self._process.pid)

    def tools(self) -> Any:
        """Its tools."""
        return self._asked("tools/list", {})["tools"]

    def call(self, tool: str, arguments: Mapping[str, object]) -> str:
        """The text that a tool answers."""
        result = self._asked("tools/call", {"name": tool, "arguments": arguments})
        text = str(result["content"][0]["text"])
        if result.get("isError"):
            raise RuntimeError(text)
        return text

    def _asked(self, method: str, params: Mapping[str, object]) -> Any:
        request = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": method,
            "params": {**params, "_meta": _ENVELOPE},
        }
        answer = json.loads(self._answer(request))
        if "result" not in answer:
            raise RuntimeError(answer["error"]["message"])
        return answer["result"]

    @abstractmethod
    def _answer(self, request: Mapping[str, Any]) -> bytes:
        """The answer to a request, as it comes."""


class StdioServer(ServerProcess):
    """One that serves us over its pipes."""

    def _answer(self, request: Mapping[str, Any]) -> bytes:
        stdin, stdout = opened(self._process.stdin), opened(self._process.stdout)
        stdin.write(json.dumps(request).encode() + b"\n")
        stdin.flush()
        return stdout.readline()


class HttpServer(ServerProcess):
    """One that serves us over a connection that is kept alive."""

    def __init__(self, module: Sequence[str], folder: Path, port: int = 0) -> None:
        super().__init__(module, folder, errors=DEVNULL if port else PIPE)
        self._web = HTTPConnection("127.0.0.1", port or self._announced())
        self._connect()

    def __exit__(self, *_: object) -> None:
        self._web.close()
        super().__exit__()

    def _answer(self, request: Mapping[str, Any]) -> bytes:
        headers = {
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
            "mcp-protocol-version": VERSION,
            "mcp-method": request["method"],
        }
        if name := request["params"].get("name"):
            headers["mcp-name"] = name
        self._web.request("POST", "/mcp", json.dumps(request), headers)
        return self._web.getresponse().read()

    def _announced(self) -> int:
        """The port of the address that the process prints."""
        line = opened(self._process.stderr).readline().decode().strip()
        port = urlsplit(line).port
        if port is None:
            raise RuntimeError(line)
        return port

    def _connect(self) -> None:
        until = time.perf_counter() + PATIENCE
        while self._web.sock is None and time.perf_counter() < until:
            with suppress(ConnectionRefusedError):
                self._web.connect()
                return
            time.sleep(0.05)


def free_port() -> int:
    """A port on which nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


def opened(pipe: IO[AnyStr] | None) -> IO[AnyStr]:
    """A pipe that a process was started with."""
    if pipe is None:
        raise RuntimeError("the process has no such pipe")
    return pipe
