"""Requests are read whole before anything else sees them.

A handler that waits for a body can do nothing sensible when its client goes away in the middle: the
SDK's would log a traceback. Here such a request ends silently. What all uploads together may hold
in memory is bounded.
"""

from http import HTTPStatus

import anyio
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_BODY = 2**20
"""Bytes of the largest request. A megabyte of JSON is parsed within 20 ms, during which the server
can do nothing else; no tool takes a fiftieth of it."""

SMALL_BODY = 64 * 2**10
"""Bytes up to which bodies are read at any time: as much as uvicorn reads ahead."""

LARGE_AT_ONCE = 8
"""Larger bodies that are in memory at the same time; others wait in the kernel's buffers."""


class WholeRequests:
    """ASGI middleware that passes a request on once its body is complete."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._large = anyio.Semaphore(LARGE_AT_ONCE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or none if its client goes away before the end of the body."""
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        size = _declared_size(scope)
        if size is not None and size <= SMALL_BODY:
            await self._serve(scope, receive, send)
        elif size is not None and size > LARGEST_BODY:
            await _refuse(scope, receive, send)
        else:
            async with self._large:
                await self._serve(scope, receive, send)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = bytearray()
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            body += message.get("body", b"")
            if len(body) > LARGEST_BODY:
                await _refuse(scope, receive, send)
                return
            if not message.get("more_body", False):
                break
        await self._app(scope, replayed(_whole(body), receive), send)


def _declared_size(scope: Scope) -> int | None:
    """The number of bytes that the headers announce; None if they do not say."""
    declared = Headers(scope=scope).get("content-length", "")
    return int(declared) if declared.isdecimal() and len(declared) < 20 else None


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
    text = f"The request is larger than {LARGEST_BODY:,} bytes."
    too_large = PlainTextResponse(text, HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    await too_large(scope, receive, send)


def replayed(first: Message, receive: Receive) -> Receive:
    """A `receive` that returns `first` at once, and then what `receive` does."""
    unread = [first]

    async def receive_again() -> Message:
        return unread.pop() if unread else await receive()

    return receive_again


def _whole(body: bytes | bytearray) -> Message:
    return {"type": "http.request", "body": bytes(body), "more_body": False}
