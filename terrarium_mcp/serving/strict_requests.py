"""Requests as llhttp reads them, which is quicker than h11, and as HTTP/1.1 has them.

A call of bench/echo.py takes 1.26 ms with h11, and 1.00 ms with llhttp. But uvicorn leaves to its
callers what h11 would have seen to: a bounded head, one Host, the target as it was sent, that a
trailer is no header (RFC 9112, 3.2 and 7.1.2), and that a request is not parsed before the previous
one is answered; here few are. A request that breaks the rules is answered with 400.
"""

import asyncio
from collections import deque
from urllib.parse import unquote

from httptools import HttpParserError, HttpParserUpgrade, HttpRequestParser
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

LONGEST_HEAD = 64 * 1024
"""Bytes of the head of a request, or of the trailer of its body, as h11 bounds them."""

MOST_FIELDS = 100
"""Header fields of a request, as Python's own client bounds those of a response. 9,000 of them fit
into a head: they cost 20 ms, during which the server can do nothing else, and 1.5 MB."""

MOST_AHEAD = 32
"""Requests of one connection that may be unanswered at a time. uvicorn parses all that arrive at
once, and reads on at each answer: without a bound, one connection that sent requests of 25 bytes
cost 20 MB a second, and others waited seconds for an answer."""

_INVALID, _TOO_LONG = "Invalid HTTP request received.", "The head of the request is too long."
_TOO_MANY = f"More than {MOST_AHEAD} requests are unanswered. Send the next after an answer."


class BadHead(ValueError):
    """The head of a request breaks a rule, in the words for whoever sent it.

    The parser raises an error of its own, of which this is the context.
    """


class StrictRequests(HttpToolsProtocol):
    """One connection, and the requests that arrive on it."""

    _held = 0
    """Bytes received of a head or trailer that is not complete, at least."""

    _head_without_offer = b""
    """The head of a request that offers another protocol, without the offer."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's own
        """Called by asyncio at the start."""
        self.unanswered = deque[RequestResponseCycle]()
        super().connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """Called when either end has closed the connection: all of its calls see that.

        Of several requests that were sent one after the other uvicorn tells only the last.
        """
        for cycle in self.unanswered:
            cycle.disconnected = True
            cycle.message_event.set()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Called by asyncio with a piece of a request."""
        self._unset_keepalive_if_required()
        self._held += len(data)
        try:
            self._feed(data)
        except HttpParserError as error:
            ours = error.__context__
            self._refuse(str(ours) if isinstance(ours, BadHead) else _INVALID)
        else:
            if self._held > LONGEST_HEAD:
                self._refuse(_TOO_LONG)

    def _feed(self, data: bytes) -> None:
        """Have the parser read a piece of a request.

        A client that offers another protocol, as Java's does, is served in this one. The parser
        would take the body for that protocol, so it reads the head once more, without the offer.
        """
        try:
            self.parser.feed_data(data)
        except HttpParserUpgrade as offer:
            (read,) = offer.args
            self.parser = HttpRequestParser(self)
            self._feed(self._head_without_offer + data[read:])

    def _refuse(self, why: str) -> None:
        if not self.transport.is_closing():
            self.logger.warning(why)
            self.send_400_response(why)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Called by the parser with a field of the head, or of the trailer."""
        if len(self.headers) >= MOST_FIELDS:
            raise BadHead(_TOO_LONG)
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Called by the parser before the body."""
        if len(self.unanswered) >= MOST_AHEAD:
            raise BadHead(_TOO_MANY)
        version, method = self.parser.get_http_version(), self.parser.get_method()
        hosts = sum(name == b"host" for name, _ in self.headers)
        if method == b"CONNECT" or hosts > 1 or (not hosts and version == "1.1"):
            raise BadHead(_INVALID)
        if self.parser.should_upgrade():
            others = [
                b"%s: %s" % (name, value) for name, value in self.headers if name != b"upgrade"
            ]
            first = b"%s %s HTTP/%s" % (method, self.url, version.encode("ascii"))
            self._head_without_offer = b"\r\n".join([first, *others, b"", b""])
            return
        target, _, query = self.url.partition(b"?")
        path = unquote(target.decode("ascii"))
        self.url = b"/"  # of `http://host/path` uvicorn would keep the path alone
        super().on_headers_complete()
        self.scope["raw_path"], self.scope["path"], self.scope["query_string"] = target, path, query
        self.headers = []  # those of a trailer are none of the request
        self.unanswered.append(self.cycle)
        self._held = 0

    def on_body(self, body: bytes) -> None:
        """Called by the parser with a piece of the body."""
        self._held = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Called by the parser behind the body and its trailer."""
        self._held = 0
        if not self.parser.should_upgrade():  # else its head is read once more
            super().on_message_complete()

    def on_response_complete(self) -> None:
        """Called when a response has been sent."""
        self.unanswered.popleft()
        super().on_response_complete()
