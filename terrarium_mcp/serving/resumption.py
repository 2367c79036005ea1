"""A stream that a client wants to resume begins anew: no event is kept to be sent again.

A client whose stream broke asks for it with the id of the last event it has seen, perhaps one of
another server's. The SDK then returns without a response, as it has no store of events.
"""

from starlette.types import ASGIApp, Receive, Scope, Send

_HEADER = b"last-event-id"


class FreshStreams:
    """ASGI middleware that drops the `Last-Event-ID` of requests."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] == "http":
            headers = [field for field in scope["headers"] if field[0] != _HEADER]
            scope = {**scope, "headers": headers}
        await self._app(scope, receive, send)
