"""Slots: how many calls are served at the same time, for one client and for all of them.

A call that finds no slot waits, so that its client notices how much it asks for (back-pressure),
and nothing piles up in memory. A free slot goes to the client that holds the fewest: one that
makes many calls waits for itself.
"""

from collections import Counter

import anyio


class CallSlots:
    """Slots for calls: at most `each` for one client, and `in_all` for all of them."""

    def __init__(self, each: int, in_all: int) -> None:
        self._each = each
        self._in_all = in_all
        self._taken = 0
        self._held: Counter[str] = Counter()
        self._waiting: dict[anyio.Event, str] = {}  # in the order of arrival

    def take_nowait(self, client: str) -> bool:
        """Take a slot for a call of `client`; False if none is free, or if others wait."""
        is_free = not self._waiting and self._is_free(client)
        if is_free:
            self._hold(client)
        return is_free

    async def take(self, client: str) -> None:
        """Take a slot for a call of `client`, once there is one."""
        called = anyio.Event()
        self._waiting[called] = client
        self._call_next()
        try:
            await called.wait()
        except BaseException:
            if called.is_set():
                self.give_back(client)
            self._waiting.pop(called, None)
            raise

    def overbook(self, client: str) -> None:
        """Take a slot for a call that has begun, whether one is free or not."""
        self._hold(client)

    def give_back(self, client: str) -> None:
        """Give back a slot that was taken."""
        self._taken -= 1
        self._held[client] -= 1
        if not self._held[client]:
            del self._held[client]
        self._call_next()

    def _call_next(self) -> None:
        """Give the free slots to waiting calls, first to the clients that hold the fewest."""
        while free := [one for one, client in self._waiting.items() if self._is_free(client)]:
            called = min(free, key=lambda one: self._held[self._waiting[one]])
            self._hold(self._waiting.pop(called))
            called.set()

    def _is_free(self, client: str) -> bool:
        return self._taken < self._in_all and self._held[client] < self._each

    def _hold(self, client: str) -> None:
        self._taken += 1
        self._held[client] += 1
