"""The check of Host, Origin and Sec-Fetch-Site headers, against web pages of other sites.

A web page of any site can make its visitor's browser send requests to 127.0.0.1, also under a host
name of the site's own (DNS rebinding). It cannot choose the headers that the browser writes. An
image or a script is asked for without Origin, so Sec-Fetch-Site is looked at, too; browsers send it
since 2023 at the latest, and other programs do not.
"""

from http import HTTPStatus

from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from terrarium_mcp.serving.address import Listening

HTTP = 80  # the port that a Host header leaves out

_HOSTS = (b"host", b"origin")
"""The headers that name a host."""

_OTHER_SITES = ("cross-site", "same-site")
"""What Sec-Fetch-Site says of the page that asks: of another site, or of another port or scheme of
this machine."""

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
            response = refusal or _refusal_of_a_page(scope) or self._app
        await response(scope, receive, send)


def _refusal_of_a_page(scope: Scope) -> PlainTextResponse | None:
    """The answer to what a page of another site asks for, such as an image."""
    if Headers(scope=scope).get("sec-fetch-site") not in _OTHER_SITES:
        return None
    return PlainTextResponse("Requests of other sites' pages are refused.", HTTPStatus.FORBIDDEN)


def _in_lower_case(scope: Scope) -> Scope:
    """What the check compares of a request: the names of hosts ignore case (RFC 9110, 4.2.3)."""
    names = [(name, value[:_LONGEST].lower()) for name, value in scope["headers"] if name in _HOSTS]
    return {"type": "http", "headers": names}
