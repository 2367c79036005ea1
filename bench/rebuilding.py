"""Rebuilding: all that is derived from the messages is made again."""

from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter, process_time

from bench.bed import SETTINGS, Bed
from bench.corpus import talk
from bench.filling import import_part
from bench.measure import Measured
from bench.table import AtLeast, Row
from bench.vocabulary import spoken
from terrarium_mcp.store import Store, open_store
from terrarium_mcp.store.sqlite.index.all_structures import DERIVED

SPEED = AtLeast(25_000)

MOST = 500_000
"""Lines that are rebuilt: of more, a store of so many stands for all."""


async def rows(bed: Bed) -> list[Row]:
    """Lines a second, by CPU and by wall with the pauses for others."""
    if bed.lines <= MOST:
        path, name = bed.ours, "rebuild of all that is derived"
    else:
        path, name = bed.part, f"rebuild of all that is derived from {MOST:,} lines"
        await _fill(path)
    async with open_store(path, SETTINGS) as store:
        cpu, wall = await _rebuilt(store)
    return [
        Row(f"{name} (CPU)", "lines/s", Measured(cpu), goals=[SPEED]),
        Row("the same with its pauses (wall)", "lines/s", Measured(wall)),
    ]


async def _rebuilt(store: Store) -> tuple[float, float]:
    """Lines in a second of CPU, and in a second."""
    await store.opening.wait()
    cpu, wall = process_time(), perf_counter()
    lines = await store.rebuild([one.name for one in DERIVED])
    return lines / (process_time() - cpu), lines / (perf_counter() - wall)


async def _fill(path: Path) -> None:
    """Write what is to be rebuilt, unless a run before this one did."""
    async with open_store(path, SETTINGS) as store:
        if not await store.rooms.all():
            await import_part(store, 0, talk(MOST, ended=datetime.now(UTC), vocabulary=spoken()))
