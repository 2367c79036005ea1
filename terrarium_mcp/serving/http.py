"""Serve MCP over HTTP until we are asked to stop, and then stop: politely, within a second or two.

What happens at the end, in this order:

1. No new connection is accepted.
2. Streams that only listen end at once: subscriptions with their final message, the others as if
   their clients had hung up.
3. Calls that still run have `GRACE` seconds to answer; then they are cancelled.
4. The lifespan is left, and with it the store.
"""

import signal
import socket
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import Any, TypeAlias

import anyio
import uvicorn
from mcp.server import MCPServer
from starlette.applications import Starlette

from terrarium_mcp import sdk
from terrarium_mcp.errors import plainly
from terrarium_mcp.serving.address import (
    CannotListen,
    Listening,
    MayNotListen,
    NotLoopback,
    PortInUse,
    listen,
)
from terrarium_mcp.serving.application import Health, build_application
from terrarium_mcp.serving.closing import Closing

__all__ = [
    "CannotListen",
    "Health",
    "Listening",
    "MayNotListen",
    "NotLoopback",
    "PortInUse",
    "serve_http",
]

# A last message that is ready now is on its way after this long.
FAREWELL = 0.1
# How long a running call may still take to answer.
GRACE = 1.0
# Beyond that uvicorn drops connections whose clients do not read what they asked for.
PATIENCE = 2


async def serve_http(
    server: MCPServer[Any],
    host: str,
    port: int,
    *,
    health: Health,
    announce: Callable[[Listening], None],
    install_signal_handlers: bool = True,
) -> None:
    """Serve until SIGINT or SIGTERM, or until cancelled; either way end as the module says.

    `announce` hears the address when clients can connect. A `server` serves once: the SDK's
    session manager cannot be entered again.

    Raises:
        NotLoopback: other machines could connect to `host`.
        PortInUse: another program listens there.
        MayNotListen: this account has no right to `port`.
        CannotListen: this machine has no such address.
    """
    with plainly(), listen(host, port) as door:
        listening = Listening(host, door.getsockname()[1])
        closing = Closing()
        application = build_application(server, listening, health, closing)
        web = _WebServer(
            application,
            on_start=partial(announce, listening),
            hang_up=partial(_hang_up, server, closing),
        )
        stops = [_stop_at_a_signal] if install_signal_handlers else []
        async with (
            _stopped_by(_stop_when_cancelled, *stops, web=web),
            application.router.lifespan_context(application),
        ):
            await web.serve(sockets=[door])
            await sdk.end_sessions(server)  # those whose clients were not connected at the end


class _WebServer(uvicorn.Server):
    """uvicorn that tells when it has started, hangs up at the end, and leaves signals alone."""

    def __init__(
        self,
        application: Starlette,
        *,
        on_start: Callable[[], None],
        hang_up: Callable[[], Coroutine[Any, Any, None]],
    ) -> None:
        # Without a `log_config` uvicorn leaves logging to the program; its own writes to stdout.
        # The lifespan is entered by our caller, who is told what went wrong; uvicorn would exit.
        super().__init__(
            uvicorn.Config(
                application,
                log_config=None,
                log_level="warning",
                access_log=False,
                lifespan="off",
                ws="none",
                timeout_graceful_shutdown=PATIENCE,
            )
        )
        self._on_start = on_start
        self._hang_up = hang_up

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Nothing here: uvicorn's own would raise the signal again after a good end."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to listen, and say so."""
        await super().startup(sockets)
        self._on_start()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Wait for open requests while they are being ended."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._hang_up)
            await super().shutdown(sockets)
            tasks.cancel_scope.cancel()


Stop: TypeAlias = Callable[[_WebServer], Coroutine[Any, Any, None]]


async def _hang_up(server: MCPServer[Any], closing: Closing) -> None:
    sdk.end_subscriptions(server)
    await anyio.sleep(FAREWELL)
    closing.listeners.come()
    await anyio.sleep(GRACE - FAREWELL)
    await sdk.end_sessions(server)
    closing.callers.come()


@asynccontextmanager
async def _stopped_by(*stops: Stop, web: _WebServer) -> AsyncIterator[None]:
    """Shield the body from cancellation, which like everything else only asks `web` to stop."""
    async with anyio.create_task_group() as tasks:
        for stop in stops:
            tasks.start_soon(stop, web)
        with anyio.CancelScope(shield=True):
            yield
        tasks.cancel_scope.cancel()


async def _stop_when_cancelled(web: _WebServer) -> None:
    try:
        await anyio.sleep_forever()
    finally:
        web.should_exit = True


async def _stop_at_a_signal(web: _WebServer) -> None:
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for _ in signals:  # each of them: an impatient one must not cut the ending short
            web.should_exit = True
