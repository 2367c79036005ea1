"""Room for new sessions of the handshake era: those that their clients have left make way.

Many a client opens a session, asks once or never, and goes without ending it. While `MAX_SESSIONS`
are open, the next one ends another, but never one with a request in work:

- first one that was opened and never used, and among these one without an open stream;
- else the one in which nothing was asked for longest. An open stream does not keep it: whoever held
  so many would lock all others out.
"""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import anyio
from mcp.server import MCPServer
from mcp.types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from terrarium_mcp import sdk
from terrarium_mcp.serving.address import MCP_PATH

MAX_SESSIONS = 200
"""Sessions at a time; each costs 37 KiB and two tasks, and what its client sends to open it
(`LARGEST_HANDSHAKE`)."""

_GREETINGS = 1
"""POSTs in a session that are no use of it: the notification that ends the handshake."""


@dataclass(slots=True)
class _SessionUse:
    """What a session was used for since it was opened.

    Attributes:
        last: when a POST was answered last, in seconds of the event loop's clock.
        posts: how many there were.
        in_work: how many of them are not answered yet.
        streams: how many streams are open in it.
    """

    last: float
    posts: int = 0
    in_work: int = 0
    streams: int = 0

    @contextmanager
    def by(self, method: str) -> Iterator[None]:
        """A request while it is answered: a POST, or a stream, which is a GET."""
        is_post, is_stream = method == "POST", method == "GET"
        self.posts += is_post
        self.in_work += is_post
        self.streams += is_stream
        try:
            yield
        finally:
            self.in_work -= is_post
            self.streams -= is_stream
            if is_post:
                self.last = anyio.current_time()

    @property
    def rank(self) -> tuple[bool, bool, float]:
        """Of two sessions that of the lower rank makes way."""
        is_used = self.posts > _GREETINGS
        return is_used, not is_used and bool(self.streams), self.last


class SessionRoom:
    """ASGI middleware that makes room before a request opens a session."""

    def __init__(self, app: ASGIApp, server: MCPServer[Any]) -> None:
        self._app = app
        self._server = server
        self._uses: dict[str, _SessionUse] = {}
        """By session; an id that a client invents is not remembered."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http" or scope["path"] != MCP_PATH:
            await self._app(scope, receive, send)
            return
        method, headers = scope["method"], Headers(scope=scope)
        if method == "POST" and _may_open_one(headers):
            await self._make_room()
            await self._app(scope, receive, send)
            for session in sdk.open_sessions(self._server):
                self._use_of(session)
            return
        use = self._use_of(headers.get("mcp-session-id", ""))
        with use.by(method) if use else nullcontext():
            await self._app(scope, receive, send)

    def _use_of(self, session: str) -> _SessionUse | None:
        """The use of an open session, which is noted from now on; None if there is none."""
        if session not in sdk.open_sessions(self._server):
            return None
        return self._uses.setdefault(session, _SessionUse(anyio.current_time()))

    async def _make_room(self) -> None:
        sessions = sdk.open_sessions(self._server)
        self._uses = {one: use for one, use in self._uses.items() if one in sessions}
        while len(sessions) >= MAX_SESSIONS and (resting := self._resting()):
            await sdk.end_session(self._server, min(resting, key=lambda one: resting[one].rank))
            sessions = sdk.open_sessions(self._server)

    def _resting(self) -> dict[str, _SessionUse]:
        """The sessions without a request in work."""
        sessions = sdk.open_sessions(self._server)
        return {one: use for one, use in self._uses.items() if one in sessions and not use.in_work}


def _may_open_one(headers: Headers) -> bool:
    """Whether a POST may open a session: it names none, and is not of the newer era."""
    version = headers.get("mcp-protocol-version")
    return "mcp-session-id" not in headers and version in (None, *HANDSHAKE_PROTOCOL_VERSIONS)
