"""One HTTP connection, within bounds: a client that does not go on is not waited for.

uvicorn bounds only the pause between two requests. Here a request must also arrive whole, and what
is sent must be read; and one connection more than `MOST_CONNECTIONS` takes the place of the one
that is missed least. That keeps the server open to others while clients send half requests, or open
connections and leave them.
"""

import asyncio
from weakref import WeakKeyDictionary

from uvicorn.server import ServerState

from terrarium_mcp.serving.joined_writes import JoinedWrites
from terrarium_mcp.serving.strict_requests import StrictRequests

REQUEST_SECONDS = 20.0
"""Seconds for a request to arrive, from the previous response, or the connection, to its last byte:
the largest body at 5 kB/s."""

UNREAD_SECONDS = 20.0
"""Seconds for which a client may leave unread what is sent to it, beyond what the kernel and 64 KiB
of our own hold."""

MOST_CONNECTIONS = 500
"""Connections at a time: half of the file descriptors that most systems grant a process."""


class OwingConnections:
    """The connections whose clients owe a request, the longest first.

    Those that have made one before stand apart: they are missed more.
    """

    def __init__(self) -> None:
        self._new: dict[BoundedConnection, None] = {}
        self._known: dict[BoundedConnection, None] = {}

    def add(self, connection: "BoundedConnection") -> None:
        """A client begins to owe a request."""
        (self._known if connection.has_served else self._new)[connection] = None

    def discard(self, connection: "BoundedConnection") -> None:
        """It owes none any more."""
        self._new.pop(connection, None)
        self._known.pop(connection, None)

    def least_missed(self, newest: "BoundedConnection") -> "BoundedConnection":
        """The one to give up for `newest`; that itself, if all others have something in work."""
        for owing in (self._new, self._known):
            for connection in owing:
                if connection is not newest:
                    return connection
        return newest


_owing_of: WeakKeyDictionary[ServerState, OwingConnections] = WeakKeyDictionary()
"""By server: uvicorn shares one `ServerState` among a server's connections."""


class BoundedConnection(StrictRequests):
    """An HTTP/1.1 connection that is cut when its client keeps the server waiting."""

    has_served = False
    """Whether it has answered a request."""

    _request_timer: asyncio.TimerHandle | None = None
    _unread_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's own
        """Called by asyncio at the start."""
        super().connection_made(JoinedWrites(transport, self.loop))
        self._owing = _owing_of.setdefault(self.server_state, OwingConnections())
        self._watch_request()
        if len(self.connections) > MOST_CONNECTIONS:
            self._owing.least_missed(self).cut()

    def connection_lost(self, exc: Exception | None) -> None:
        """Called when either end has closed the connection."""
        self._stop_request_timer()
        if self._unread_timer:
            self._unread_timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Called by asyncio with a piece of a request."""
        super().data_received(data)
        self._watch_request()

    def on_response_complete(self) -> None:
        """Called when a response has been sent; the next request may have arrived already."""
        self.has_served = True
        super().on_response_complete()
        self._watch_request()

    def pause_writing(self) -> None:
        """Called when the client reads more slowly than the server answers."""
        super().pause_writing()
        self._unread_timer = self.loop.call_later(UNREAD_SECONDS, self.cut)

    def resume_writing(self) -> None:
        """Called when the client has caught up."""
        super().resume_writing()
        if self._unread_timer:
            self._unread_timer.cancel()

    def cut(self) -> None:
        """End the connection without waiting for its client. A call that it made sees that."""
        self._stop_request_timer()
        self.transport.abort()

    @property
    def _owes_request(self) -> bool:
        """Whether the client has to send something before the server can go on."""
        if len(self.unanswered) > 1:  # the first has arrived whole, and no more is read meanwhile
            return False
        return not self.unanswered or self.unanswered[0].more_body

    def _watch_request(self) -> None:
        """Start the clock of a request that is not complete, or stop it once it is."""
        if not self._owes_request:
            self._stop_request_timer()
        elif not self._request_timer and not self.transport.is_closing():
            self._request_timer = self.loop.call_later(REQUEST_SECONDS, self.cut)
            self._owing.add(self)

    def _stop_request_timer(self) -> None:
        if self._request_timer:
            self._request_timer.cancel()
            self._request_timer = None
            self._owing.discard(self)
