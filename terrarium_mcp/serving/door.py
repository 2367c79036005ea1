"""Who is let in by name: the guard against web pages that reach for servers on this machine.

A page of any site can make its visitor's browser send requests to 127.0.0.1, under a host name of
its own (DNS rebinding). What it cannot choose is the Host and Origin that the browser writes.
"""

from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from terrarium_mcp.serving.address import Listening

HTTP = 80  # the port that a Host header leaves out


def names_of(listening: Listening) -> TransportSecuritySettings:
    """The hosts and origins by which this machine itself calls the server, and no others."""
    bound = f"[{listening.host}]" if ":" in listening.host else listening.host
    names = list(dict.fromkeys([bound, "127.0.0.1", "localhost", "[::1]"]))
    # The port is spelled out: the SDK's "host:*" would also let "host:1.evil.example" in.
    hosts = [f"{name}:{listening.port}" for name in names]
    if listening.port == HTTP:
        hosts += names
    return TransportSecuritySettings(
        allowed_hosts=hosts, allowed_origins=[f"http://{host}" for host in hosts]
    )


class Door:
    """ASGI middleware that turns away requests under a wrong name, before anything else sees them.

    The transports check too, but `/healthz` has no check of its own, and the SSE transport raises
    after it has refused.
    """

    def __init__(self, app: ASGIApp, names: TransportSecuritySettings) -> None:
        self._app = app
        self._check = TransportSecurityMiddleware(names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or answer it here."""
        answer = self._app
        if scope["type"] == "http":
            refusal = await self._check.validate_request(Request(scope, receive))
            answer = refusal or self._app
        await answer(scope, receive, send)
