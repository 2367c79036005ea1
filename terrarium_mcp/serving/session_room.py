"""Room for new sessions of the handshake era: those that their clients have left make way.

Many a client opens a session, asks once or never, and goes without ending it. While `MAX_SESSIONS`
are open, the next one ends the session that has been idle for longest, first among those that were
opened and never used. A session with a request in work, or with an open stream, is never ended.
"""

from collections import Counter
from typing import Any

from mcp.server import MCPServer
from mcp.types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from terrarium_mcp import sdk

MAX_SESSIONS = 200
"""Sessions at a time; each costs 37 KiB and two tasks."""

_GREETINGS = 1
"""POSTs in a session that are no use of it: the notification that ends the handshake."""


class SessionRoom:
    """ASGI middleware that makes room before a request opens a session."""

    def __init__(self, app: ASGIApp, server: MCPServer[Any]) -> None:
        self._app = app
        self._server = server
        self._posts: Counter[str] = Counter()  # by open session

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] == "http" and scope["method"] == "POST" and scope["path"] == "/mcp":
            headers = Headers(scope=scope)
            session = headers.get("mcp-session-id")
            if session is not None:
                self._count(session)
            elif headers.get("mcp-protocol-version") in (None, *HANDSHAKE_PROTOCOL_VERSIONS):
                await self._make_room()
        await self._app(scope, receive, send)

    def _count(self, session: str) -> None:
        """Count a POST in a session; an id that a client invents is not remembered."""
        if session in sdk.open_sessions(self._server):
            self._posts[session] += 1

    async def _make_room(self) -> None:
        sessions = sdk.open_sessions(self._server)
        self._posts = Counter({one: self._posts[one] for one in sessions if one in self._posts})
        while len(sessions) >= MAX_SESSIONS and (idle := sdk.idle_sessions(self._server)):
            unused = [one for one in idle if self._posts[one] <= _GREETINGS]
            await sdk.end_session(self._server, (unused or idle)[0])
            sessions = sdk.open_sessions(self._server)
