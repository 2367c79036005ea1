"""The check of Host and Origin headers, against DNS rebinding.

A web page of any site can make its visitor's browser send requests to 127.0.0.1 under a host name
of the site's own. It cannot choose the Host and Origin headers that the browser writes.
"""

from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from terrarium_mcp.serving.address import Listening

HTTP = 80  # the port that a Host header leaves out

_HOSTS = (b"host", b"origin")
"""The headers that name a host."""

_LONGEST = 300
"""Bytes of such a header that are looked at, and logged where it is refused: a name has at most 253
(RFC 1035, 2.3.4), and those that are allowed have fewer."""


def allowed_hosts(listening: Listening) -> TransportSecuritySettings:
    """The hosts and origins under which this machine itself reaches the server, and no others."""
    names = list(dict.fromkeys([listening.url_host, "127.0.0.1", "localhost", "[::1]"]))
    # The port is explicit: the SDK's "host:*" would also allow "host:1.evil.example".
    hosts = [f"{name}:{listening.port}" for name in names]
    if listening.port == HTTP:
        hosts += names
    return TransportSecuritySettings(
        allowed_hosts=hosts, allowed_origins=[f"http://{host}" for host in hosts]
    )


class HostCheck:
    """ASGI middleware that refuses requests for other hosts before anything else sees them.

    The transports' own check is off: it leaves out `/healthz`, and the SSE transport raises after
    it has refused.
    """

    def __init__(self, app: ASGIApp, allowed: TransportSecuritySettings) -> None:
        self._app = app
        self._check = TransportSecurityMiddleware(allowed)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it here."""
        response = self._app
        if scope["type"] == "http":
            refusal = await self._check.validate_request(Request(_in_lower_case(scope)))
            response = refusal or self._app
        await response(scope, receive, send)


def _in_lower_case(scope: Scope) -> Scope:
    """What the check compares of a request: the names of hosts ignore case (RFC 9110, 4.2.3)."""
    names = [(name, value[:_LONGEST].lower()) for name, value in scope["headers"] if name in _HOSTS]
    return {"type": "http", "headers": names}
