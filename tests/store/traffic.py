"""Scenes in which several processes use one file at once, each at its own pace."""

import json
import statistics
from collections import deque
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import anyio

from terrarium_mcp.irc_bridge.record.recorder import PendingMessage, Recorder
from terrarium_mcp.store import open_store
from tests.patience import PATIENCE
from tests.store.children import Child, child, every
from tests.store.scene import SETTINGS, differences, line_of, past, rows_of


@dataclass(frozen=True)
class Waits:
    """How long something took, again and again; in milliseconds."""

    each: Sequence[float] = field(repr=False)

    def worst_of(self, hundred: int) -> float:
        """The 99th, or another, of a hundred."""
        return statistics.quantiles(self.each, n=100)[hundred - 1]

    def __str__(self) -> str:
        p50, p99 = self.worst_of(50), self.worst_of(99)
        return f"{len(self.each)} x: p50 {p50:.1f}, p99 {p99:.1f}, most {max(self.each):.1f} ms"


async def recorded_beside_an_import(file: Path, lines: int, within: float) -> Waits:
    """Record 50 lines a second while another process imports; no line is lost, and the waits.

    A wait goes from the moment a line is noted to the moment it is known to be on disk.
    """
    waits: list[float] = []
    noted: deque[tuple[float, PendingMessage]] = deque()
    all_noted = anyio.Event()
    async with open_store(file, SETTINGS) as store, child("bring", file, lines) as other:
        recorder = Recorder(store, SETTINGS.network_name)

        async def note_down() -> None:
            async for number, now in every(0.02, within):
                said = line_of("ada", f"{number}", datetime.now(UTC))
                noted.append((now, recorder.record(said)))
                if not other.is_at_work():
                    break
            recorder.finish()
            all_noted.set()

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(recorder.run)
            await other.go()
            tasks.start_soon(note_down)
            async for _, now in every(0.002, within):
                while noted and noted[0][1].message_id:
                    waits.append((now - noted.popleft()[0]) * 1e3)
                if all_noted.is_set() and not noted:
                    break
        assert await other.ends() == 0
        assert await differences(store) == []
    said = "SELECT message FROM messages WHERE nick = '{}' ORDER BY id"
    assert rows_of(file, said.format("ada")) == [(f"{n}",) for n in range(len(waits))]
    assert rows_of(file, said.format("cy")) == [(line.text,) for line in past(lines)]
    return Waits(waits)


async def read_beside_a_writer(
    file: Path, readers: int, seconds: int
) -> tuple[Waits, Waits, float]:
    """Readers in processes of their own, alone and beside one that writes; no line is lost.

    Returns how long they waited in both, and how many lines a second were written.
    """
    async with open_store(file, SETTINGS) as store:
        await store.messages.append([*past(20_000, text="green tea number {}")])
    alone = await _read(file, readers, seconds)
    async with child("talk", file, seconds) as writer:
        await writer.go()
        beside = await _read(file, readers, seconds)
        said = int(await writer.says(seconds + PATIENCE))
        assert await writer.ends() == 0
    assert rows_of(file, "SELECT count(*) FROM messages") == [(20_000 + said,)]
    return alone, beside, said / seconds


async def _read(file: Path, readers: int, seconds: int) -> Waits:
    waits: list[float] = []

    async def listen(one: Child) -> None:
        waits.extend(json.loads(await one.says(seconds + PATIENCE)))
        assert await one.ends() == 0

    async with AsyncExitStack() as stack, anyio.create_task_group() as tasks:
        each = [
            await stack.enter_async_context(child("read", file, seconds)) for _ in range(readers)
        ]
        for one in each:
            await one.go()
            tasks.start_soon(listen, one)
    return Waits(waits)
