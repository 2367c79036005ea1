"""How open requests end when the server stops: as if their clients had disconnected.

A stream that only listens never ends by itself, and a server that waits for its requests would
never stop. Every handler already knows how to end when its client disconnects, whatever transport
or protocol version it serves. So at shutdown the server simulates that, and finishes the response.
"""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import partial

import anyio
from anyio import CancelScope
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from terrarium_mcp.serving.address import SSE_PATH
from terrarium_mcp.serving.tracked_response import TrackedResponse

DISCONNECT: Message = {"type": "http.disconnect"}

LAST_MESSAGES = 0.1
"""Seconds in which final messages that are ready are sent."""


class Deadline:
    """A point in time, set late, that ends waits for clients as if these had disconnected."""

    def __init__(self) -> None:
        self._scopes: set[CancelScope] = set()
        self.is_past = False

    def expire(self) -> None:
        """End all waits, including those that begin later."""
        self.is_past = True
        for scope in self._scopes:
            scope.cancel()

    async def receive(self, receive: Receive) -> Message:
        """What a client sends next; `DISCONNECT` if the deadline expires before."""
        with CancelScope() as scope, self.cancelling(scope):
            return await receive()
        return DISCONNECT

    @contextmanager
    def cancelling(self, scope: CancelScope) -> Iterator[None]:
        """Cancel a scope if the deadline expires inside the block, or has before."""
        if self.is_past:
            scope.cancel()
        self._scopes.add(scope)
        try:
            yield
        finally:
            self._scopes.discard(scope)


class Shutdown:
    """The end of a server: its beginning, and two deadlines.

    The first is for streams that listen, the other for calls.
    """

    def __init__(self) -> None:
        self.beginning = Deadline()
        self.streams = Deadline()
        self.calls = Deadline()

    async def receive(
        self, receive: Receive, calls_ended: Callable[[], Awaitable[None]]
    ) -> Message:
        """What a client sends next that reads a stream of its calls' answers.

        From the beginning on, `DISCONNECT`: once its calls have ended and their answers are sent,
        or the deadline for calls expires.
        """
        message = await self.beginning.receive(receive)
        if not self.beginning.is_past:
            return message
        with CancelScope() as scope, self.calls.cancelling(scope):
            await calls_ended()
            await anyio.sleep(LAST_MESSAGES)
        return DISCONNECT

    def deadline_for(self, scope: Scope) -> Deadline:
        """The deadline of a request: that of a GET is a stream's.

        The streams of HTTP+SSE bring the answers of calls. Each ends itself once it has none.
        """
        is_stream = scope["method"] == "GET" and scope["path"] != SSE_PATH
        return self.streams if is_stream else self.calls


class ShutdownMiddleware:
    """ASGI middleware under which no request outlives its deadline."""

    def __init__(self, app: ASGIApp, shutdown: Shutdown) -> None:
        self._app = app
        self._shutdown = shutdown

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, at most until its deadline."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        deadline = self._shutdown.deadline_for(scope)
        response = TrackedResponse(send)
        await self._app(scope, partial(deadline.receive, receive), response.send)
        if self._shutdown.beginning.is_past:
            await _finish(response, scope, receive)


async def _finish(response: TrackedResponse, scope: Scope, receive: Receive) -> None:
    """Complete the response that the handler left unfinished."""
    if not response.is_started:
        stopping = PlainTextResponse("The server is stopping.", status_code=503)
        await stopping(scope, receive, response.send)
    elif not response.is_complete:
        await response.send({"type": "http.response.body", "body": b"", "more_body": False})
