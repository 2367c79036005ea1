"""Serve MCP to the program that started this one, over its pipes."""

import os
import stat
import sys
from functools import partial
from typing import Any, NoReturn

import anyio
from mcp.server import MCPServer
from mcp.server.stdio import stdio_server

from terrarium_mcp import sdk
from terrarium_mcp.errors import TerrariumError, plainly
from terrarium_mcp.serving.open_calls import LAST_CALLS, OpenCalls, bounded


async def serve_stdio(server: MCPServer[Any]) -> None:
    """Serve stdin and stdout until the client disconnects, or until SIGINT or SIGTERM.

    Meanwhile, any other code that reads stdin gets the null device, and what it prints to stdout
    goes to stderr.

    Raises:
        TerrariumError: one of them failed, such as a file on a full disk.
    """
    with plainly():
        if sys.platform != "win32" and _is_pollable(0) and _is_pollable(1):
            # POSIX only: Windows has no fcntl, and its event loop no pipes of this kind.
            from terrarium_mcp.serving.pipes import serve_pipes  # noqa: PLC0415

            await serve_pipes(server)
        else:
            await _serve_files(server)


async def _serve_files(server: MCPServer[Any]) -> None:
    """Serve over the SDK's transport; at the end of stdin calls have LAST_CALLS seconds."""
    too_late = partial(anyio.sleep, LAST_CALLS)
    try:
        with plainly():
            async with stdio_server() as streams:
                bounds = bounded(OpenCalls(), *streams, too_late=too_late)
                await sdk.serve_only_client(server, *bounds)
    except OSError as error:
        raise TerrariumError(f"Standard output cannot be written: {error.strerror}.") from error


def leave(code: int) -> NoReturn:
    """End the process now, without the interpreter's own shutdown.

    That joins every thread, and so would wait for a blocking call: a name lookup, a read that no
    one will answer. The caller must have closed the store: no `finally` and no `atexit` runs.
    """
    sys.stderr.flush()
    os._exit(code)


def _is_pollable(fd: int) -> bool:
    """Whether an event loop can wait for it: not for a regular file or most devices."""
    mode = os.fstat(fd).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or os.isatty(fd)
