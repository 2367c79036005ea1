"""Writing: the bulk append beside a bare executemany, and durable recording."""

from datetime import UTC, datetime
from itertools import islice
from statistics import median
from time import perf_counter

import anyio

from bench.bed import Bed, Filling
from bench.corpus import talk
from bench.measure import Measured
from bench.table import AtLeast, Rival, Row, Times
from bench.vocabulary import spoken
from terrarium_mcp.chat.records import Origin
from terrarium_mcp.irc_bridge.record.recorder import Recorder

BURST = 30_000
"""Lines that come at once."""

BURSTS = 3

QUARTER = Times(0.25)
"""Meant for all that an import takes, its pauses too."""

QUICK = AtLeast(15_000)


async def rows(bed: Bed) -> list[Row]:
    """What was measured while the bed was filled, and then the recorder."""
    if bed.filling is None:
        raise LookupError("The bed is not filled.")
    return [*_bulk(bed.filling), *await _recorded(bed)]


def _bulk(filling: Filling) -> list[Row]:
    """Microseconds a line; the ratio is ours as a part of the rival's speed."""
    ours, same, owners = filling.ours, filling.same, filling.owners

    def row(name: str, spent: float, bare: str, rival: float, *goals: Times) -> Row:
        us = 1e6 / filling.lines
        beside = Rival(f"executemany, {bare}", rival * us)
        return Row(f"bulk append, {name}", "us/line", Measured(spent * us), None, [beside], goals)

    return [
        row("no pauses (CPU)", ours.cpu, "same table", same.cpu),
        row("with its pauses (wall)", ours.wall, "same table", same.wall, QUARTER),
        row("no pauses, owner's (CPU)", ours.cpu, "owner's table", owners.cpu),
        row("with its pauses, owner's (wall)", ours.wall, "owner's table", owners.wall),
        Row("memory grown during bulk append", "MB", Measured(filling.grown)),
    ]


async def _recorded(bed: Bed) -> list[Row]:
    """Bursts of lines through the recorder; each ends when its last line is on disk."""
    count = min(BURST, bed.lines)
    said = talk(
        count * BURSTS,
        ended=datetime.now(UTC),
        vocabulary=spoken(),
        seed=2,
        origin=Origin.LIVE,
        gap=0.001,
    )
    bursts = [list(islice(said, count)) for _ in range(BURSTS)]
    speeds = []
    async with bed.store() as store, anyio.create_task_group() as tasks:
        recorder = Recorder(store, "bench")
        tasks.start_soon(recorder.run)
        began = perf_counter()
        for burst in bursts:
            burst_began = perf_counter()
            for line in burst:
                recorder.record(line)
            await recorder.flush()
            speeds.append(count / (perf_counter() - burst_began))
        recorder.finish()
        await store.differences([])  # as a read does: the last group waits for the next read
        kept_up = count * BURSTS / (perf_counter() - began)
    return [
        Row("durable recording (wall)", "lines/s", Measured(median(speeds)), goals=[QUICK]),
        Row("the same until all is derived (wall)", "lines/s", Measured(kept_up)),
    ]
