"""Requests that expect nothing but an answer are answered without a stream for anything else.

For each request of the modern era the SDK prepares a stream, in case its handler has something to
say before the answer, and starts two tasks: the handler, and one that sees the client hang up. That
is a seventh of what a call costs. Here the handler runs in the task of its request, and only one
that takes long gets another beside it.
"""

import asyncio
from typing import Any

import anyio
from anyio.abc import TaskGroup
from mcp.server import MCPServer
from mcp.types import LOG_LEVEL_META_KEY, JSONRPCRequest
from mcp.types.version import MODERN_PROTOCOL_VERSIONS
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from terrarium_mcp import sdk
from terrarium_mcp.serving.bounded_calls import cancel_when_gone
from terrarium_mcp.serving.open_calls import LISTEN
from terrarium_mcp.serving.posted_messages import MESSAGE
from terrarium_mcp.serving.tracked_response import TrackedResponse, as_event

LONG_SECONDS = 0.1
"""Seconds after which a call takes long: if its client hangs up it is cancelled, which would gain
nothing before."""

SILENT_SECONDS = 15.0
"""Seconds of silence, as the SDK's, after which a proxy may think that the server is gone."""

_WISHES = frozenset({"progressToken", LOG_LEVEL_META_KEY})
"""What a request contains whose client wants to hear more than the answer (MCP 2026-07-28)."""

_STREAM: Message = {
    "type": "http.response.start",
    "status": 200,
    "headers": [
        (b"content-type", b"text/event-stream"),
        (b"cache-control", b"no-cache, no-transform"),
        (b"connection", b"keep-alive"),
        (b"x-accel-buffering", b"no"),
    ],
}
_SIGN_OF_LIFE: Message = {
    "type": "http.response.body",
    "body": b": ping\r\n\r\n",
    "more_body": True,
}


class DirectAnswers:
    """ASGI middleware that answers these requests, and passes on all others.

    `PostedMessages` comes before it, and says what is requested.
    """

    def __init__(self, app: ASGIApp, server: MCPServer[Any]) -> None:
        self._app = app
        self._server = server

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if not _expects_only_an_answer(scope):
            await self._app(scope, receive, send)
            return
        response = _Response(send)
        async with anyio.create_task_group() as tasks:
            timer = asyncio.get_running_loop().call_later(
                LONG_SECONDS, response.attend, receive, tasks
            )
            try:
                await sdk.answer_in_json(self._server, scope, receive, response.send)
            finally:
                timer.cancel()
            if response.is_attended:
                tasks.cancel_scope.cancel()


class _Response(TrackedResponse):
    """A response in JSON; if it was late, a stream of which that is the last event."""

    is_attended = False
    """Whether a task looks after it."""

    _is_stream = False

    def attend(self, receive: Receive, tasks: TaskGroup) -> None:
        """Look after it while it is not there, in one of the tasks of its call."""
        self.is_attended = True
        tasks.start_soon(self._look_after, receive, tasks.cancel_scope)

    async def send(self, message: Message) -> None:
        """Pass on a part of the response in JSON."""
        if not self._is_stream:
            await super().send(message)
        elif message["type"] == "http.response.body":
            await super().send({**message, "body": as_event(message["body"])})

    async def _look_after(self, receive: Receive, call: anyio.CancelScope) -> None:
        while True:
            with anyio.move_on_after(SILENT_SECONDS):
                await cancel_when_gone(receive, call)
                return
            await self._show_life()

    async def _show_life(self) -> None:
        """Send something, unless the answer is being sent."""
        if not self.is_started:
            self._is_stream = True
            await super().send(_STREAM)
        if self._is_stream and not self.is_complete:
            await super().send(_SIGN_OF_LIFE)


def _expects_only_an_answer(scope: Scope) -> bool:
    """Whether a request is one of the modern era that nothing but its answer can follow."""
    message = scope.get(MESSAGE)
    if not isinstance(message, JSONRPCRequest) or message.method == LISTEN:
        return False
    headers = Headers(scope=scope)
    meta = (message.params or {}).get("_meta")
    return (
        headers.get("mcp-protocol-version") in MODERN_PROTOCOL_VERSIONS
        and "text/event-stream" in headers.get("accept", "")  # else the SDK refuses it
        and isinstance(meta, dict)
        and _WISHES.isdisjoint(meta)
    )
