"""The recorder: accepts every message at once, in the network's order, and writes it to the store.

`record()` never waits. `run()` saves in groups, so that a message is durable within 100 ms. While
the store cannot write (full disk, lock), messages queue in memory and nothing is lost.
"""

import logging
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

import anyio

from terrarium_mcp.bell import Bell
from terrarium_mcp.chat.records import NewMessage
from terrarium_mcp.store import HEARTBEAT, StillOpening, Store, StoreFailed

GROUP = 1_000
"""Most messages saved in one transaction."""

TRY_AGAIN = 1.0
"""Seconds before a failed transaction is retried."""

AT_THE_END = 60.0
"""Seconds of retrying after a stop was requested: shutdown must end even on a full disk."""

log = logging.getLogger(__name__)


@dataclass(slots=True, eq=False)
class PendingMessage:
    """A message on its way to the disk.

    `message_id` is 0 until it is saved, and remains 0 for a duplicate.
    """

    message: NewMessage
    message_id: int = 0


@dataclass(frozen=True, slots=True)
class _PendingAction:
    """A store action queued between messages: a span begins or ends, or a `flush()` arrives."""

    act: Callable[[], Awaitable[None]]


class Recorder:
    """Saves the messages of one network. `waiting` counts those not yet on disk."""

    def __init__(self, store: Store, network: str) -> None:
        self.store = store
        self.network = network
        self.waiting = 0
        self._recorded: set[str] = set()
        self._to_save: deque[PendingMessage | _PendingAction] = deque()
        self._bell = Bell()
        self._finished = False
        self._running = anyio.CancelScope(shield=True)
        self._enqueue_action(partial(store.rooms.name_network, network))  # before its first message

    def record(self, message: NewMessage) -> PendingMessage:
        """Queue a message. Never waits, so callers keep the network's order."""
        pending = PendingMessage(message)
        self.waiting += 1
        self._enqueue(pending)
        return pending

    def begin(self, channel: str, why: str) -> None:
        """Open a span: from here on the channel is recorded."""
        at = datetime.now(UTC)
        self._recorded.add(channel)
        self._enqueue_action(partial(self.store.spans.begin, self.network, channel, at, why))

    def end(self, channel: str, why: str) -> None:
        """Close the span: from here on the channel is not recorded."""
        at = datetime.now(UTC)
        self._recorded.discard(channel)
        self._enqueue_action(partial(self.store.spans.end, self.network, channel, at, why))

    def end_all(self, why: str) -> None:
        """Close every open span, as when the connection is lost."""
        for channel in sorted(self._recorded):
            self.end(channel, why)

    def afterwards(self, act: Callable[[], Awaitable[None]]) -> None:
        """Run `act` once everything recorded so far is on disk, and before what comes later.

        It is repeated while the store cannot write.
        """
        self._enqueue_action(act)

    async def flush(self) -> None:
        """Return once everything recorded so far is on disk."""
        reached = anyio.Event()

        async def arrive() -> None:
            reached.set()

        self._enqueue_action(arrive)
        await reached.wait()

    async def run(self) -> None:
        """Save messages until `finish()` is called and everything queued is on disk.

        Cancelling does not stop it: that would lose queued messages.

        Raises:
            TerrariumError: the history cannot be opened, and a retry would not help.
        """
        with self._running:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._keep_alive)
                while await self._has_work():
                    await self._save(self._group())
                tasks.cancel_scope.cancel()
        if self.waiting:
            log.error("%d lines could not be recorded and are lost", self.waiting)

    def finish(self) -> None:
        """Accept nothing more; `run()` returns once everything is saved."""
        self.end_all("the recorder was stopped")
        self._finished = True
        self._bell.ring()
        self._running.deadline = anyio.current_time() + AT_THE_END

    def _enqueue_action(self, act: Callable[[], Awaitable[None]]) -> None:
        self._enqueue(_PendingAction(act))

    def _enqueue(self, item: PendingMessage | _PendingAction) -> None:
        self._to_save.append(item)
        self._bell.ring()

    async def _has_work(self) -> bool:
        """Wait for something to save; False once there will be nothing more."""
        while not (self._to_save or self._finished):
            await self._bell.wait()
        return bool(self._to_save)

    def _group(self) -> list[PendingMessage | _PendingAction]:
        """The queued items, at most one transaction's worth."""
        return [self._to_save.popleft() for _ in range(min(GROUP, len(self._to_save)))]

    async def _save(self, items: Sequence[PendingMessage | _PendingAction]) -> None:
        """Save a group of messages, running the actions queued among them in their place."""
        group: list[PendingMessage] = []
        for item in items:
            if isinstance(item, PendingMessage):
                group.append(item)
                continue
            await self._append(group)
            group = []
            await self._until_it_succeeds(item.act)
        await self._append(group)

    async def _append(self, group: Sequence[PendingMessage]) -> None:
        if not group:
            return

        async def append() -> None:
            ids = await self.store.messages.append([pending.message for pending in group])
            for pending, message_id in zip(group, ids, strict=True):
                pending.message_id = message_id

        await self._until_it_succeeds(append)
        self.waiting -= len(group)

    async def _until_it_succeeds(self, act: Callable[[], Awaitable[None]]) -> None:
        """Retry `act` until the store can; log once when it fails and once when it recovers."""
        await self._opened()
        trouble = False
        while True:
            try:
                await act()
            except StoreFailed as error:
                if not trouble:
                    log.error("%d lines wait to be recorded. %s", self.waiting, error)  # noqa: TRY400 -- for operators
                trouble = True
                await anyio.sleep(TRY_AGAIN)
            else:
                break
        if trouble:
            log.warning("recording continues; %d lines are still to be written", self.waiting)

    async def _opened(self) -> None:
        """Wait for the history to open, however long its migration takes."""
        while True:
            with suppress(StillOpening):
                return await self.store.opening.wait()

    async def _keep_alive(self) -> None:
        """Extend the spans of recorded channels, also where nothing is said."""
        while True:
            await anyio.sleep(HEARTBEAT.total_seconds())
            if self._recorded:  # empty once `finish()` was called
                channels, at = sorted(self._recorded), datetime.now(UTC)
                self._enqueue_action(partial(self.store.spans.still, self.network, channels, at))
