"""Who may say several lines: in one channel or private chat, one reply at a time.

Otherwise the lines of two replies would alternate, and nobody could tell which continues which. A
reply of one line needs no floor: nothing continues it.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio

from terrarium_mcp.irc_bridge.ask.commands import PersonKey


@dataclass(slots=True, eq=False)
class _FloorRequest:
    """A reply that has the floor, or waits for it."""

    asked_at: float
    granted: anyio.Event = field(default_factory=anyio.Event)


class Floors:
    """The floor of each channel and private chat."""

    def __init__(self) -> None:
        self._requests: dict[str | PersonKey, list[_FloorRequest]] = {}

    @asynccontextmanager
    async def floor(self, place: str | PersonKey, asked_at: float) -> AsyncIterator[None]:
        """Have the floor of a channel, or with a person, within the block; wait for it first.

        Of those who wait, the one that was asked first is next.
        """
        request, requests = _FloorRequest(asked_at), self._requests.setdefault(place, [])
        requests.append(request)
        if len(requests) == 1:
            request.granted.set()
        try:
            await request.granted.wait()
            yield
        finally:
            requests.remove(request)
            if not requests:
                del self._requests[place]
            elif request.granted.is_set():  # also if it was cancelled before it knew
                min(requests, key=lambda waiting: waiting.asked_at).granted.set()
