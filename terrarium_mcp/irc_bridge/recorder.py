"""The recorder: takes every line at once, in the network's order, and sees it to the disk.

`note()` never waits; `run()` saves in groups, so that a line is durable within a tenth of a second.
While the store cannot write (a full disk, a lock) nothing is lost: the lines wait.
"""

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream

from terrarium_mcp.chat.records import Heard
from terrarium_mcp.store import Store
from terrarium_mcp.store.database import StoreFailed
from terrarium_mcp.store.spans import HEARTBEAT

GROUP = 1_000
"""Lines saved in one transaction at most."""

TRY_AGAIN = 1.0
"""Seconds until a transaction that failed is tried again."""

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
        self._heard, self._to_save = anyio.create_memory_object_stream[Note | _Step](float("inf"))

    def note(self, heard: Heard) -> Note:
        """Take a line now. Never waits, so callers keep the network's order."""
        note = Note(heard)
        self.waiting += 1
        self._heard.send_nowait(note)
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
        """Save lines until `finish()` is called and everything heard is on disk."""
        async with self._heard, self._to_save, anyio.create_task_group() as tasks:
            tasks.start_soon(self._keep_alive)
            async for first in self._to_save:
                await self._save([first, *_waiting(self._to_save)])
            tasks.cancel_scope.cancel()

    def finish(self) -> None:
        """Nothing more will be noted; `run()` returns when all is saved."""
        self.end_all("the recorder was stopped")
        self._heard.close()

    def _then(self, act: Callable[[], Awaitable[None]]) -> None:
        self._heard.send_nowait(_Step(act))

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
        """Do it until the store can."""
        while True:
            try:
                await act()
            except StoreFailed as why:
                log.error("%d lines wait to be recorded. %s", self.waiting, why)  # noqa: TRY400 -- for people
                await anyio.sleep(TRY_AGAIN)
            else:
                return

    async def _keep_alive(self) -> None:
        """Say now and then that channels are recorded in which nobody speaks."""
        while True:
            await anyio.sleep(HEARTBEAT.total_seconds())
            channels, at = sorted(self._recorded), datetime.now(UTC)
            self._then(partial(self.store.spans.still, self.network, channels, at))


def _waiting(stream: MemoryObjectReceiveStream[Note | _Step]) -> list[Note | _Step]:
    """What can be had from the stream without waiting."""
    items: list[Note | _Step] = []
    while len(items) < GROUP - 1:
        try:
            items.append(stream.receive_nowait())
        except (anyio.WouldBlock, anyio.EndOfStream):
            break
    return items
