"""How open requests learn that the server stops: as if their clients had hung up.

A stream that only listens never ends by itself, and a server that waits for its requests would
wait for ever. Hanging up is an ending that every handler knows already, whatever transport or
protocol version it serves; so at the end we hang up for the client, and finish the response.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from anyio import CancelScope
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HUNG_UP: Message = {"type": "http.disconnect"}


class Moment:
    """Something that happens once, and ends every wait for something else."""

    def __init__(self) -> None:
        self._waits: set[CancelScope] = set()
        self.has_come = False

    def come(self) -> None:
        """End all waits, those still to be begun as well."""
        self.has_come = True
        for wait in self._waits:
            wait.cancel()

    @contextmanager
    def ends(self) -> Iterator[None]:
        """Leave the body when the moment comes."""
        with CancelScope() as wait:
            if self.has_come:
                wait.cancel()
            self._waits.add(wait)
            try:
                yield
            finally:
                self._waits.discard(wait)


class Closing:
    """The two moments at the end of a server: first for who only listens, then for who asked."""

    def __init__(self) -> None:
        self.listeners = Moment()
        self.callers = Moment()

    def of(self, method: str) -> Moment:
        """The moment that ends a request of this HTTP method: each stream is a GET."""
        return self.listeners if method == "GET" else self.callers


class UntilClosing:
    """ASGI middleware under which no request outlives its moment."""

    def __init__(self, app: ASGIApp, closing: Closing) -> None:
        self._app = app
        self._closing = closing

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, at most until its moment."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        moment = self._closing.of(scope["method"])
        answer = _Answer(send)
        await self._app(scope, _until(moment, receive), answer.send)
        if moment.has_come:
            await answer.finish(scope, receive)


def _until(moment: Moment, receive: Receive) -> Receive:
    async def receive_until_then() -> Message:
        with moment.ends():
            return await receive()
        return HUNG_UP

    return receive_until_then


class _Answer:
    """A response on its way, and how far it got."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._begun = False
        self._complete = False

    async def send(self, message: Message) -> None:
        """Pass a part of the response on."""
        self._begun = True
        if message["type"] == "http.response.body":
            self._complete = not message.get("more_body", False)
        await self._send(message)

    async def finish(self, scope: Scope, receive: Receive) -> None:
        """Say what is left to say when the handler has walked away."""
        if not self._begun:
            stopping = PlainTextResponse("The server is stopping.", status_code=503)
            await stopping(scope, receive, self._send)
        elif not self._complete:
            await self._send({"type": "http.response.body", "body": b"", "more_body": False})
