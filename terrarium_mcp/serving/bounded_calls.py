"""ASGI middleware that bounds how many calls, and how many streams, are open at the same time."""

from contextlib import nullcontext
from contextvars import ContextVar
from http import HTTPStatus
from typing import Any, Self

import anyio
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.types import JSONRPCRequest
from starlette.datastructures import Headers, QueryParams
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from terrarium_mcp.serving.address import MCP_PATH, SSE_PATH
from terrarium_mcp.serving.open_calls import LISTEN
from terrarium_mcp.serving.posted_messages import MESSAGE
from terrarium_mcp.serving.slots import CallSlots
from terrarium_mcp.serving.uploads import replayed

CALLS_EACH = 4
"""Calls of one session, or of a connection that belongs to none, at a time: one more than the store
has readers. Others of a model that asks for many side by side wait for milliseconds."""

CALLS_IN_ALL = 64
"""Calls of all clients at a time. Some wait for a web service and not for this machine."""

MOST_STREAMS = 300
"""Streams at a time. They leave two of five connections (`MOST_CONNECTIONS`) to the calls."""

WAIT_SECONDS = 10.0
"""Seconds for which a call waits for a slot before it is refused."""

_STREAM_PATHS = (MCP_PATH, SSE_PATH)
"""Where a GET opens a stream. Others, as of health, end."""


class BoundedCalls:
    """Serves each POST in a slot of its client's, and no more than `MOST_STREAMS` streams.

    The bodies of its requests must be complete, and their messages read: `WholeRequests` and
    `PostedMessages` come before it.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._slots = CallSlots(CALLS_EACH, CALLS_IN_ALL)
        self._streams = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, once it may be, or refuse it."""
        _slot.set(None)  # asyncio may run a request in the context of an earlier one
        method = scope["method"] if scope["type"] == "http" else ""
        if method == "POST" and not _subscribes(scope):
            await self._serve_call(scope, receive, send)
        elif method == "POST" or (method == "GET" and scope["path"] in _STREAM_PATHS):
            await self._serve_stream(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _serve_call(self, scope: Scope, receive: Receive, send: Send) -> None:
        client, body = _client(scope), await receive()
        if not await self._finds_slot(client, receive):
            await _refuse("too many calls at the same time", scope, receive, send)
            return
        with _HeldSlot(self._slots, client) as held:
            _slot.set(held)
            await self._app(scope, replayed(body, receive), send)

    async def _finds_slot(self, client: str, receive: Receive) -> bool:
        """Wait for a slot; False if there is none in time, or if the client goes away."""
        if self._slots.take_nowait(client):
            return True
        has_slot = False
        try:
            with anyio.move_on_after(WAIT_SECONDS):
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(cancel_when_gone, receive, tasks.cancel_scope)
                    await self._slots.take(client)
                    has_slot = True
                    tasks.cancel_scope.cancel()
        except BaseException:  # cancelled at once, as where its session ends
            if has_slot:
                self._slots.give_back(client)
            raise
        return has_slot

    async def _serve_stream(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._streams >= MOST_STREAMS:
            await _refuse("too many open streams", scope, receive, send)
            return
        self._streams += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._streams -= 1


class _HeldSlot:
    """A slot that was taken; it is given back when all of its holders have let go."""

    def __init__(self, slots: CallSlots, client: str) -> None:
        self._slots = slots
        self._client = client
        self._holders = 0
        self._is_taken = True

    def __enter__(self) -> Self:
        if not self._is_taken:
            self._slots.overbook(self._client)
        self._is_taken = True
        self._holders += 1
        return self

    def __exit__(self, *_: object) -> None:
        self._holders -= 1
        if not self._holders:
            self._is_taken = False
            self._slots.give_back(self._client)


_slot: ContextVar[_HeldSlot | None] = ContextVar("slot of the request", default=None)


async def hold_slot(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Hold the slot of a call until it has ended: MCP middleware behind `BoundedCalls`.

    In the handshake era a call outlives its request when the client hangs up, and so would calls
    that are sent and left, in any number.
    """
    held = None if ctx.method == LISTEN else _slot.get()
    with held or nullcontext():
        return await call_next(ctx)


async def cancel_when_gone(receive: Receive, scope: anyio.CancelScope) -> None:
    """Cancel what is done for a client once it goes away."""
    while (await receive())["type"] != "http.disconnect":
        pass
    scope.cancel()


async def _refuse(reason: str, scope: Scope, receive: Receive, send: Send) -> None:
    busy = PlainTextResponse(
        f"The server is busy: {reason}. Try again in a moment.",
        HTTPStatus.SERVICE_UNAVAILABLE,
        headers={"Retry-After": "1"},
    )
    await busy(scope, receive, send)


def _subscribes(scope: Scope) -> bool:
    """Whether a POST opens a stream.

    Its header Mcp-Method does not tell: in the handshake era the SDK never reads it.
    """
    message = scope.get(MESSAGE)
    return isinstance(message, JSONRPCRequest) and message.method == LISTEN


def _client(scope: Scope) -> str:
    """Who makes a call: its session, or where it belongs to none its connection."""
    session = Headers(scope=scope).get("mcp-session-id")
    if not session and scope["query_string"]:
        session = QueryParams(scope["query_string"]).get("session_id")
    return session or "{}:{}".format(*(scope.get("client") or ("", 0)))
