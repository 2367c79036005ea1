"""The recorder: takes every line at once, in the network's order, and sees it to the disk.

`note()` never waits; `run()` saves in groups, so that a line is durable within a tenth of a second.
While the store cannot write (a full disk, a lock) nothing is lost: the lines wait.
"""

import logging
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

import anyio

from terrarium_mcp.chat.records import Heard
from terrarium_mcp.store import HEARTBEAT, Store
from terrarium_mcp.store.database import StoreFailed
from terrarium_mcp.store.opening import StillOpening

GROUP = 1_000
"""Lines saved in one transaction at most."""

TRY_AGAIN = 1.0
"""Seconds until a transaction that failed is tried again."""

AT_THE_END = 60.0
"""How long we try when we are told to stop. Who stops us wants to see an end, full disk or not."""

log = logging.getLogger(__name__)


@dataclass(slots=True, eq=False)
class Note:
    """A line on its way to the disk. Once saved, `number` is its id (0: it was known already)."""

    heard: Heard
    number: int = 0


@dataclass(frozen=True, slots=True)
class _Step:
    """Something to do for the store between lines: a span begins, or somebody waits here."""

    act: Callable[[], Awaitable[None]]


class Recorder:
    """Saves the lines of one network. `waiting` counts those that are not on disk yet."""

    def __init__(self, store: Store, network: str) -> None:
        self.store = store
        self.network = network
        self.waiting = 0
        self._recorded: set[str] = set()
        self._to_save: deque[Note | _Step] = deque()
        self._news = anyio.Event()
        self._finished = False
        self._running = anyio.CancelScope(shield=True)
        self._then(partial(store.rooms.name_network, network))  # before any line of it

    def note(self, heard: Heard) -> Note:
        """Take a line now. Never waits, so callers keep the network's order."""
        note = Note(heard)
        self.waiting += 1
        self._take(note)
        return note

    def begin(self, channel: str, why: str) -> None:
        """From here on this channel is recorded."""
        at = datetime.now(UTC)
        self._recorded.add(channel)
        self._then(partial(self.store.spans.begin, self.network, channel, at, why))

    def end(self, channel: str, why: str) -> None:
        """From here on this channel is not recorded."""
        at = datetime.now(UTC)
        self._recorded.discard(channel)
        self._then(partial(self.store.spans.end, self.network, channel, at, why))

    def end_all(self, why: str) -> None:
        """From here on nothing is recorded."""
        for channel in sorted(self._recorded):
            self.end(channel, why)

    async def flush(self) -> None:
        """Return once everything noted so far is on disk."""
        reached = anyio.Event()

        async def arrive() -> None:
            reached.set()

        self._then(arrive)
        await reached.wait()

    async def run(self) -> None:
        """Save lines until `finish()` is called and everything heard is on disk.

        Cancelling does not stop it: that would lose what was heard.

        Raises:
            TerrariumError: the history cannot be opened, now or ever.
        """
        with self._running:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._keep_alive)
                while await self._has_news():
                    await self._save(self._group())
                tasks.cancel_scope.cancel()
        if self.waiting:
            log.error("%d lines could not be recorded and are lost", self.waiting)

    def finish(self) -> None:
        """Nothing more will be noted; `run()` returns when all is saved."""
        self.end_all("the recorder was stopped")
        self._finished = True
        self._news.set()
        self._running.deadline = anyio.current_time() + AT_THE_END

    def _then(self, act: Callable[[], Awaitable[None]]) -> None:
        self._take(_Step(act))

    def _take(self, item: Note | _Step) -> None:
        self._to_save.append(item)
        self._news.set()

    async def _has_news(self) -> bool:
        """Wait for something to save; False when there never will be."""
        if not self._to_save and not self._finished:
            self._news = anyio.Event()
            await self._news.wait()
        return bool(self._to_save)

    def _group(self) -> list[Note | _Step]:
        """What is there by now, as much of it as one transaction takes."""
        return [self._to_save.popleft() for _ in range(min(GROUP, len(self._to_save)))]

    async def _save(self, items: Sequence[Note | _Step]) -> None:
        """Save a group of lines; what is to happen between them happens between them."""
        group: list[Note] = []
        for item in items:
            if isinstance(item, Note):
                group.append(item)
                continue
            await self._append(group)
            group = []
            await self._insistently(item.act)
        await self._append(group)

    async def _append(self, group: Sequence[Note]) -> None:
        if not group:
            return

        async def append() -> None:
            numbers = await self.store.messages.append([note.heard for note in group])
            for note, number in zip(group, numbers, strict=True):
                note.number = number

        await self._insistently(append)
        self.waiting -= len(group)

    async def _insistently(self, act: Callable[[], Awaitable[None]]) -> None:
        """Do it until the store can; say once that it cannot, and once that it can again."""
        await self._opened()
        trouble = False
        while True:
            try:
                await act()
            except StoreFailed as why:
                if not trouble:
                    log.error("%d lines wait to be recorded. %s", self.waiting, why)  # noqa: TRY400 -- for people
                trouble = True
                await anyio.sleep(TRY_AGAIN)
            else:
                break
        if trouble:
            log.warning("recording goes on; %d lines are still to be written", self.waiting)

    async def _opened(self) -> None:
        """Wait for the history, however long its migration takes."""
        while True:
            with suppress(StillOpening):
                return await self.store.opening.wait()

    async def _keep_alive(self) -> None:
        """Say now and then that channels are recorded in which nobody speaks."""
        while True:
            await anyio.sleep(HEARTBEAT.total_seconds())
            if self._recorded:  # none any more once we are finished
                channels, at = sorted(self._recorded), datetime.now(UTC)
                self._then(partial(self.store.spans.still, self.network, channels, at))
