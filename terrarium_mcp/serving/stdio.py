"""Serve MCP to the one program that started us, over its pipes."""

import os
import stat
import sys
from typing import Any, NoReturn

from mcp.server import MCPServer

from terrarium_mcp.errors import plainly


async def serve_stdio(server: MCPServer[Any]) -> None:
    """Serve stdin and stdout until the client leaves, or until SIGINT or SIGTERM.

    While we serve, what others read from stdin or print to stdout misses the wire: it goes to
    the null device and to stderr.
    """
    with plainly():
        if sys.platform != "win32" and _can_be_waited_for(0) and _can_be_waited_for(1):
            # POSIX only: Windows has no fcntl, and its event loop no pipes of this kind.
            from terrarium_mcp.serving.pipes import serve_pipes  # noqa: PLC0415

            await serve_pipes(server)
        else:
            await server.run_stdio_async()


def leave(code: int) -> NoReturn:
    """End the process now, without the interpreter's own farewell.

    That one joins every thread, and so waits for whoever still sits in a blocking call: a lookup
    of a name, a read that nobody will answer. Whoever calls this has closed the store before;
    nothing is run after it, no `finally` and no `atexit`.
    """
    sys.stderr.flush()
    os._exit(code)


def _can_be_waited_for(fd: int) -> bool:
    """Whether an event loop can: not for a regular file, nor for most devices."""
    mode = os.fstat(fd).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or os.isatty(fd)
