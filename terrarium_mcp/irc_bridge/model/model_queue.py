"""Who uses the model: one question at a time, and summaries when nobody asks.

A model server answers one request after the other, so that requests side by side would only wait
for each other there. It is shared by all channels and networks of a process.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import anyio

from terrarium_mcp.bell import Bell

GRACE = 10.0
"""Seconds that work in spare time may go on when a question comes."""


class ModelQueue:
    """First come, first served; work in spare time waits for all questions."""

    def __init__(self) -> None:
        self._lock = anyio.Lock(fast_acquire=True)  # one that is free is taken at once
        self._questions = 0
        self._idle = Bell()
        self._spare: anyio.CancelScope | None = None

    @asynccontextmanager
    async def question(self) -> AsyncIterator[None]:
        """Use the model for a question inside the block, when those before it are answered."""
        self._questions += 1
        if self._spare:
            self._spare.deadline = min(self._spare.deadline, anyio.current_time() + GRACE)
        try:
            async with self._lock:
                yield
        finally:
            self._questions -= 1
            self._idle.ring()

    async def in_spare_time(self, work: Callable[[], Awaitable[None]], seconds: float) -> bool:
        """Do work with the model once nobody asks; whether it ended by itself.

        It is cancelled after `seconds`, or GRACE seconds after a question has come.
        """
        while True:
            while self._questions:
                await self._idle.wait()
            async with self._lock:
                if self._questions:
                    continue  # it came while this waited for other work in spare time
                with anyio.move_on_after(seconds) as scope:
                    self._spare = scope
                    try:
                        await work()
                    finally:
                        self._spare = None
                return not scope.cancelled_caught
