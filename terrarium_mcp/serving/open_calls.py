"""Bounds the calls of one client over a connection that carries all of them: stdio, or HTTP+SSE.

A call counts until its answer has been taken by the transport. While `OPEN_CALLS` of them count, no
further message is read: a client that reads nothing is soon unable to send, and its answers do not
pile up in memory.
"""

from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial

import anyio
from anyio.abc import AsyncResource
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp.types import JSONRPCError, JSONRPCRequest, JSONRPCResponse, RequestId

from terrarium_mcp.bell import Bell
from terrarium_mcp.sdk import Incoming, Outgoing
from terrarium_mcp.serving.relayed_messages import RelayedMessages

OPEN_CALLS = 16
"""Calls of one client at a time. A model rarely asks for more than five side by side."""

LAST_CALLS = 5.0
"""Seconds for an open call to be answered at the end of what the client sends."""

LISTEN = "subscriptions/listen"
"""The method of a request that lasts as long as its client listens: not a call."""


def bounded(
    calls: "OpenCalls",
    incoming: Incoming,
    outgoing: Outgoing,
    *,
    too_late: Callable[[], Awaitable[None]] | None = None,
) -> tuple["BoundedIncoming", "BoundedOutgoing"]:
    """These two streams, of which the first waits for the answers in the second, by `calls`.

    Its end cancels the calls that are open then. With `too_late` they are answered first, unless
    that returns before; nor is a place for a call waited for any longer.
    """
    return BoundedIncoming(incoming, calls, too_late), BoundedOutgoing(outgoing, calls)


class OpenCalls:
    """The calls of one client that are not answered yet."""

    def __init__(self) -> None:
        self._places = anyio.Semaphore(OPEN_CALLS, fast_acquire=True)
        self._open: Counter[RequestId] = Counter()
        self._call_ended = Bell()

    @property
    def has_place(self) -> bool:
        """Whether the next call need not wait for a place."""
        return self._places.value > 0

    async def begin(self, call: RequestId) -> None:
        """Count a call, once there is a place for it."""
        await self._places.acquire()
        self._open[call] += 1

    async def all_ended(self) -> None:
        """Wait until every call has been answered."""
        while self._open:
            await self._call_ended.wait()

    async def end(self, call: RequestId) -> None:
        """Count a call no more; nothing happens if it did not count."""
        if self._open[call]:
            self._open[call] -= 1
            self._places.release()
        if not self._open[call]:
            del self._open[call]
        self._call_ended.ring()


class BoundedIncoming(RelayedMessages):
    """The messages of a client, read no faster than its calls are answered."""

    def __init__(
        self,
        incoming: Incoming,
        calls: OpenCalls,
        too_late: Callable[[], Awaitable[None]] | None,
    ) -> None:
        super().__init__(incoming)
        self._calls = calls
        self._too_late = too_late

    async def receive(self) -> SessionMessage | Exception:
        """The next message."""
        try:
            item = await self._incoming.receive()
        except anyio.EndOfStream:
            if self._too_late:
                await _before(self._too_late, self._calls.all_ended)
            raise
        if isinstance(item, Exception) or not isinstance(item.message, JSONRPCRequest):
            return item
        if item.message.method == LISTEN:
            return item
        await self._begin(item.message.id)
        known = item.metadata if isinstance(item.metadata, ServerMessageMetadata) else None
        # A call that its client cancels is never answered.
        unanswered = partial(self._calls.end, item.message.id)
        metadata = replace(known or ServerMessageMetadata(), on_request_unanswered=unanswered)
        return SessionMessage(item.message, metadata)

    async def _begin(self, call: RequestId) -> None:
        """Count a call, once there is a place for it.

        Raises:
            EndOfStream: it is too late for that.
        """
        begin = partial(self._calls.begin, call)
        if self._calls.has_place or not self._too_late:
            await begin()
        elif not await _before(self._too_late, begin):
            raise anyio.EndOfStream


class BoundedOutgoing(AsyncResource):
    """The messages to a client; an answer ends its call."""

    def __init__(self, outgoing: Outgoing, calls: OpenCalls) -> None:
        self._outgoing = outgoing
        self._calls = calls

    async def send(self, item: SessionMessage) -> None:
        """Send a message, once the transport takes it."""
        try:
            await self._outgoing.send(item)
        finally:
            answer = item.message
            if isinstance(answer, JSONRPCResponse | JSONRPCError) and answer.id is not None:
                await self._calls.end(answer.id)

    async def aclose(self) -> None:
        """Send no more."""
        await self._outgoing.aclose()


async def _before(
    too_late: Callable[[], Awaitable[None]], wait: Callable[[], Awaitable[None]]
) -> bool:
    """Whether a wait ends before it is too late; then it is given up."""
    has_waited = False
    async with anyio.create_task_group() as tasks:

        async def give_up() -> None:
            await too_late()
            tasks.cancel_scope.cancel()

        tasks.start_soon(give_up)
        await wait()
        has_waited = True
        tasks.cancel_scope.cancel()
    return has_waited
