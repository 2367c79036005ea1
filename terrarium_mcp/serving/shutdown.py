"""How open requests end when the server stops: as if their clients had disconnected.

A stream that only listens never ends by itself, and a server that waits for its requests would
never stop. Every handler already knows how to end when its client disconnects, whatever transport
or protocol version it serves. So at shutdown the server simulates that, and finishes the response.
"""

from functools import partial

from anyio import CancelScope
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from terrarium_mcp.serving.tracked_response import TrackedResponse

DISCONNECT: Message = {"type": "http.disconnect"}


class Deadline:
    """A point in time, set late, at which every client counts as disconnected."""

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
        with CancelScope() as scope:
            if self.is_past:
                scope.cancel()
            self._scopes.add(scope)
            try:
                return await receive()
            finally:
                self._scopes.discard(scope)
        return DISCONNECT


class Shutdown:
    """The two deadlines at the end of a server: first for streams that listen, then for calls."""

    def __init__(self) -> None:
        self.streams = Deadline()
        self.calls = Deadline()

    def deadline_for(self, method: str) -> Deadline:
        """The deadline of a request with this HTTP method: every stream is a GET."""
        return self.streams if method == "GET" else self.calls


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
        deadline = self._shutdown.deadline_for(scope["method"])
        response = TrackedResponse(send)
        await self._app(scope, partial(deadline.receive, receive), response.send)
        if deadline.is_past:
            await _finish(response, scope, receive)


async def _finish(response: TrackedResponse, scope: Scope, receive: Receive) -> None:
    """Complete the response that the handler left unfinished."""
    if not response.is_started:
        stopping = PlainTextResponse("The server is stopping.", status_code=503)
        await stopping(scope, receive, response.send)
    elif not response.is_complete:
        await response.send({"type": "http.response.body", "body": b"", "more_body": False})
