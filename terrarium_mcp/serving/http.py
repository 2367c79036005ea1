"""Serve MCP over HTTP, and shut down gracefully within two seconds.

The steps of a shutdown, in order:

1. No new connection is accepted.
2. Streams that only listen end at once: subscriptions with their final message, the others as if
   their clients had disconnected.
3. Running calls have `GRACE` seconds to answer; then they are cancelled, and answered with an error
   where the transport has a place for it.
4. The server leaves its lifespan, which closes the store.
"""

import signal
import socket
import sys
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
from terrarium_mcp.serving.address import Listening, listen
from terrarium_mcp.serving.application import HealthCheck, build_application
from terrarium_mcp.serving.connections import BoundedConnection
from terrarium_mcp.serving.shutdown import LAST_MESSAGES, Shutdown

_TAKES_SIGNALS = sys.platform != "win32"
"""Whether the event loop takes signals. On Windows Ctrl-C cancels what it runs instead."""

GRACE = 1.0  # seconds for running calls to answer
DROP_AFTER = 2  # seconds until uvicorn drops connections whose clients do not read


async def serve_http(
    server: MCPServer[Any],
    host: str,
    port: int,
    *,
    health: HealthCheck,
    announce: Callable[[Listening], None],
    install_signal_handlers: bool = True,
) -> None:
    """Serve until SIGINT, SIGTERM or cancellation, then shut down as described above.

    `announce` is called with the address once clients can connect. A `server` serves once: the
    SDK's session manager cannot be entered again.

    Raises:
        NotLoopback: other machines could connect to `host`.
        PortInUse: another program listens there.
        MayNotListen: this account has no permission for `port`.
        CannotListen: this machine has no such address.
    """
    with plainly(), listen(host, port) as sock:
        listening = Listening(host, sock.getsockname()[1])
        shutdown = Shutdown()
        application = build_application(server, listening, health, shutdown)
        web = _WebServer(
            application,
            on_start=partial(announce, listening),
            end_requests=partial(_end_requests, server, shutdown),
        )
        stops = [_stop_at_a_signal] if install_signal_handlers and _TAKES_SIGNALS else []
        async with (
            _stopped_by(_stop_when_cancelled, *stops, web=web),
            application.router.lifespan_context(application),
        ):
            await web.serve(sockets=[sock])
            await sdk.end_sessions(server)  # those whose clients were not connected at the end


class _WebServer(uvicorn.Server):
    """uvicorn that announces its start, ends open requests at shutdown, and handles no signals."""

    def __init__(
        self,
        application: Starlette,
        *,
        on_start: Callable[[], None],
        end_requests: Callable[[], Coroutine[Any, Any, None]],
    ) -> None:
        # `log_config=None` leaves logging to the program; uvicorn's own writes to stdout.
        # `serve_http` enters the lifespan and raises its errors; uvicorn would exit.
        super().__init__(
            uvicorn.Config(
                application,
                log_config=None,
                log_level="warning",
                access_log=False,
                proxy_headers=False,  # every client is on this machine
                server_header=False,
                lifespan="off",
                http=BoundedConnection,
                ws="none",
                timeout_graceful_shutdown=DROP_AFTER,
            )
        )
        self._on_start = on_start
        self._end_requests = end_requests

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Do nothing: uvicorn would raise the signal again after a graceful end."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to listen, and announce it."""
        await super().startup(sockets)
        self._on_start()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Wait for open requests while ending them."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._end_requests)
            await super().shutdown(sockets)
            tasks.cancel_scope.cancel()


Stop: TypeAlias = Callable[[_WebServer], Coroutine[Any, Any, None]]


async def _end_requests(server: MCPServer[Any], shutdown: Shutdown) -> None:
    sdk.end_subscriptions(server)
    shutdown.beginning.expire()
    await anyio.sleep(LAST_MESSAGES)
    shutdown.streams.expire()
    await anyio.sleep(GRACE - LAST_MESSAGES)
    shutdown.calls.expire()
    await sdk.end_sessions(server)


@asynccontextmanager
async def _stopped_by(*stops: Stop, web: _WebServer) -> AsyncIterator[None]:
    """Shield the body from cancellation: that, like every other stop, only asks `web` to exit."""
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
        async for _ in signals:  # all of them: a second signal must not kill the process
            web.should_exit = True
