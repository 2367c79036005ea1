"""A real MCP server of somebody else's: notes that can be added to, searched and erased.

Run as a program: `notes.py LOG` over stdio, `notes.py LOG PORT` over Streamable HTTP. It writes
every raw request that it gets into LOG, and what becomes of its calls.
"""

import os
import sys
import threading
from collections.abc import MutableMapping
from typing import Any

import anyio
import uvicorn
from mcp.server import MCPServer
from mcp.types import ToolAnnotations

LOG = sys.argv[1] if __name__ == "__main__" else os.devnull

server: MCPServer[Any] = MCPServer("notes")


def log(text: str) -> None:
    """Append a line to the log, whole and at once."""
    with open(LOG, "a") as file:  # noqa: PTH123 -- before pathlib is needed
        file.write(f"{text}\n")


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
async def search(query: str) -> str:
    """Search the notes."""
    return f"One note about {query}: the kettle is on the second shelf."


@server.tool()
async def add(text: str) -> str:
    """Add a note."""
    return f"Added: {text}"


@server.tool()
async def erase() -> str:
    """Erase all notes."""
    return "Erased."


@server.tool()
async def wait() -> None:
    """Wait for ever."""
    log("waiting")
    try:
        await anyio.sleep_forever()
    finally:
        log("cancelled")


def log_stdin() -> None:
    """Log every line of stdin on its way to the server."""
    source = os.fdopen(os.dup(0), "rb")
    reading, writing = os.pipe()
    os.dup2(reading, 0)

    def copy() -> None:
        for line in source:
            log(line.decode().strip())
            os.write(writing, line)
        os.close(writing)

    threading.Thread(target=copy, daemon=True).start()


def logged(application: Any) -> Any:
    """The application, with every request logged: its headers and its body."""

    async def log_and_pass(scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        async def received() -> Any:
            message = await receive()
            log(message.get("body", b"").decode())
            return message

        log(str(scope.get("headers")))
        await application(scope, received, send)

    return log_and_pass


if __name__ == "__main__":
    if len(sys.argv) > 2:
        uvicorn.run(logged(server.streamable_http_app()), port=int(sys.argv[2]), log_config=None)
    else:
        log_stdin()
        server.run()
