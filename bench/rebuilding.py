"""Rebuilding: all that is derived from the messages is made again."""

from time import perf_counter, process_time

from bench.bed import Bed
from bench.measure import Measured
from bench.table import AtLeast, Row
from terrarium_mcp.store.upkeep import DERIVED

SPEED = AtLeast(25_000)


async def rows(bed: Bed) -> list[Row]:
    """Lines a second, by CPU and by wall with the pauses for others."""
    async with bed.store() as store:
        await store.opening.wait()
        cpu, wall = process_time(), perf_counter()
        lines = await store.rebuild([one.name for one in DERIVED])
        cpu, wall = process_time() - cpu, perf_counter() - wall
    return [
        Row(
            "rebuild of all that is derived (CPU)", "lines/s", Measured(lines / cpu), goals=[SPEED]
        ),
        Row("the same with its pauses (wall)", "lines/s", Measured(lines / wall)),
    ]
