"""A client of HTTP+SSE that comes back after an interruption goes on where it was.

Its EventSource connects again by itself, also after a restart of the server, and gets a session of
which the client knows nothing. It does not shake hands again, so each of its requests would be
refused as if its arguments were wrong, until the client is restarted. So the handshake is made for
it.
"""

import anyio
from anyio.abc import AsyncResource
from mcp.shared.message import SessionMessage
from mcp.types import (
    PROTOCOL_VERSION_META_KEY,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
)
from mcp.types.version import LATEST_HANDSHAKE_VERSION

from terrarium_mcp.sdk import Incoming, Outgoing
from terrarium_mcp.serving.handshakes import INITIALIZE
from terrarium_mcp.serving.relayed_messages import RelayedMessages

_HANDSHAKE = "terrarium-mcp handshake"
"""The id of the request that is made for a client, which never sees its answer."""

_INITIALIZE = JSONRPCRequest(
    jsonrpc="2.0",
    id=_HANDSHAKE,
    method=INITIALIZE,
    params={
        "protocolVersion": LATEST_HANDSHAKE_VERSION,
        "capabilities": {},
        "clientInfo": {"name": "a client that returned", "version": "0"},
    },
)
_INITIALIZED = JSONRPCNotification(jsonrpc="2.0", method="notifications/initialized")


def greeted(incoming: Incoming, outgoing: Outgoing) -> tuple["GreetedIncoming", "GreetedOutgoing"]:
    """These two streams, in which a client that does not shake hands seems to have done it."""
    answered = anyio.Event()
    return GreetedIncoming(incoming, answered), GreetedOutgoing(outgoing, answered)


class GreetedIncoming(RelayedMessages):
    """The messages of a client, after a handshake if its first request is none, and needs one."""

    def __init__(self, incoming: Incoming, answered: anyio.Event) -> None:
        super().__init__(incoming)
        self._answered = answered
        self._has_asked = False
        self._held: list[SessionMessage] = []

    async def receive(self) -> SessionMessage | Exception:
        """The next message."""
        if self._held:
            await self._answered.wait()
            return self._held.pop(0)
        item = await self._incoming.receive()
        if self._has_asked or isinstance(item, Exception):
            return item
        if isinstance(item.message, JSONRPCRequest):
            self._has_asked = True
            if _needs_handshake(item.message):
                self._held = [SessionMessage(_INITIALIZED), item]
                return SessionMessage(_INITIALIZE)
        return item


class GreetedOutgoing(AsyncResource):
    """The messages to a client, without the answer to a handshake that it did not make."""

    def __init__(self, outgoing: Outgoing, answered: anyio.Event) -> None:
        self._outgoing = outgoing
        self._answered = answered

    async def send(self, item: SessionMessage) -> None:
        """Send a message, once the transport takes it."""
        if isinstance(item.message, JSONRPCResponse) and item.message.id == _HANDSHAKE:
            self._answered.set()
        else:
            await self._outgoing.send(item)

    async def aclose(self) -> None:
        """Send no more."""
        await self._outgoing.aclose()


def _needs_handshake(first: JSONRPCRequest) -> bool:
    """Whether a first request can only be answered after a handshake; since 2026 there is none."""
    meta = (first.params or {}).get("_meta")
    is_modern = isinstance(meta, dict) and PROTOCOL_VERSION_META_KEY in meta
    return not is_modern and first.method != _INITIALIZE.method
