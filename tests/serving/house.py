"""A small MCP server to be started in a process of its own: `house.py LEDGER stdio|http BOUNDS`.

BOUNDS is JSON that names bounds of `terrarium_mcp.serving` and the values to use instead:
`{"connections.REQUEST_SECONDS": 0.5}`.
"""

import importlib
import json
import logging
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
from mcp.server import MCPServer
from mcp.server.mcpserver import Context

from terrarium_mcp.serving.address import Listening
from terrarium_mcp.serving.http import serve_http
from terrarium_mcp.serving.stdio import leave, serve_stdio


def build(ledger: Path) -> MCPServer:
    """A server that writes into `ledger` when its lifespan is entered, and when it is left."""

    def note(line: str) -> None:
        with ledger.open("a") as book:
            book.write(line + "\n")

    @asynccontextmanager
    async def lifespan(_: MCPServer) -> AsyncIterator[None]:
        note("entered")
        try:
            yield
        finally:
            await anyio.sleep(0.01)  # as closing a database would: impossible when cancelled
            note("left")

    server = MCPServer("house", version="1", lifespan=lifespan)

    @server.tool()
    async def echo(text: str) -> str:
        return text

    @server.tool()
    async def take(seconds: float, ctx: Context) -> str:
        note("taken")
        await ctx.report_progress(0)
        await anyio.sleep(seconds)
        return "done"

    @server.tool()
    async def much(megabytes: int) -> str:
        note("begun")
        return "x" * megabytes * 2**20

    @server.tool()
    async def stray() -> str:
        os.write(1, b"a child process talks\n")
        print("somebody debugs", flush=True)  # noqa: T201
        return f"stdin: {os.read(0, 100)!r}"

    return server


async def healthy() -> dict[str, object]:
    return {"ok": True, "process": os.getpid()}


def announce(listening: Listening) -> None:
    address = {
        "mcp": listening.mcp_url,
        "sse": listening.sse_url,
        "health": f"http://127.0.0.1:{listening.port}/healthz",
    }
    print(json.dumps(address), file=sys.stderr, flush=True)  # noqa: T201


def set_bounds(bounds: dict[str, float]) -> None:
    for name, value in bounds.items():
        module, constant = name.split(".")
        setattr(importlib.import_module(f"terrarium_mcp.serving.{module}"), constant, value)


async def main(ledger: Path, transport: str) -> None:
    logging.basicConfig()  # before MCPServer does it, in its own way
    server = build(ledger)
    if transport == "stdio":
        await serve_stdio(server)
    else:
        await serve_http(server, "127.0.0.1", 0, health=healthy, announce=announce)
    leave(0)  # as the commands do: Python's own farewell takes half a second


if __name__ == "__main__":
    set_bounds(json.loads(sys.argv[3]))
    anyio.run(main, Path(sys.argv[1]), sys.argv[2])
