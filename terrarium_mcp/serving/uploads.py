"""Requests are read whole before anything else sees them.

A handler that waits for a body can do nothing sensible when its client goes away in the middle: the
SDK's would log a traceback. Here such a request ends silently. What is read is bounded: 50 MB of
`MOST_CONNECTIONS` together.
"""

from http import HTTPStatus

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_BODY = 96 * 2**10
"""Bytes of the largest request. The largest that a tool takes is a summary of 32,000 characters,
which are three bytes each in most scripts outside of Europe. So much JSON, where it is nothing but
empty lists, is parsed, checked and refused within 20 ms, during which the server can do nothing
else; a megabyte took 600."""


class WholeRequests:
    """ASGI middleware that passes a request on once its body is complete."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or none if its client goes away before the end of the body."""
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
        elif _declared_size(scope) > LARGEST_BODY:
            await _refuse(scope, receive, send)
        else:
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


def _declared_size(scope: Scope) -> int:
    """The number of bytes that the headers announce; 0 if they do not say."""
    declared = Headers(scope=scope).get("content-length", "")
    return int(declared) if declared.isdecimal() and len(declared) < 20 else 0


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
