"""Filling the bed: the store's bulk append and its two rivals write the same talk.

They take turns, slice by slice, so that what else the machine does meanwhile is shared fairly. The
store appends as an import does, which is its only bulk append: another process prepares the lines
(`talking.py`), and what that takes is ours. The oldest tenth of the talk comes last, as an import
of what lies before the recording.
"""

import sqlite3
import time
from collections.abc import Iterable
from contextlib import closing
from datetime import timedelta

from bench.bare import Bare
from bench.bed import SETTINGS, Bed, Filling
from bench.measure import Stopwatch, memory
from bench.talking import Talk, talking
from terrarium_mcp.chat.records import NewMessage
from terrarium_mcp.logformats.reading_child import rarely_collecting
from terrarium_mcp.store import LogSource, PreparedLog, Store, open_store
from terrarium_mcp.store.sqlite.engine.fts_merge import SegmentMerger


async def fill(bed: Bed) -> None:
    """Write all lines, by all writers."""
    with talking(bed.lines) as talk:
        async with bed.store() as store, open_store(bed.empty, SETTINGS):
            filling = await _written(bed, store, talk)
            # The keeper would do so during the first measurements.
            await SegmentMerger(store._database).merge()  # noqa: SLF001 -- no other program has to wait for it
        talk.questions().write(bed.asked)
    bed.note(filling)


async def import_part(
    store: Store, position: int, lines: Iterable[NewMessage] | PreparedLog
) -> None:
    """Append the lines from this position on, as a part of one long import."""
    number = await store.imports.begin("bench")  # as it is not finished, the same each time
    log = LogSource(
        path=f"talk from line {position}",
        format="bench",
        network="bench",
        channel="#bench",
        zone="UTC",
        sha256=str(position),
        size=0,
        resolution=timedelta(seconds=1),
        series="talk",
    )
    await store.imports.add_all(number, [(log, lines)])


async def _written(bed: Bed, store: Store, talk: Talk) -> Filling:
    """Let the store write a slice, and then the rivals the same rows."""
    alone = bed.folder / "same.db"
    written, memories, wall, elsewhere = 0, [], 0.0, Stopwatch()
    began = time.process_time()
    with (
        closing(sqlite3.connect(f"{bed.ours.as_uri()}?mode=ro", uri=True)) as rows,
        closing(Bare.same(alone, rows)) as same,
        closing(Bare.owners(bed.owners)) as owners,
    ):
        while True:
            with elsewhere.running():
                if not (made := talk.make()):
                    break
            before = time.perf_counter()
            with rarely_collecting():
                async with talk.blocks() as blocks:
                    await import_part(store, written, PreparedLog(blocks))
            wall += time.perf_counter() - before
            with elsewhere.running():
                for rival in (same, owners):
                    rival.take(rows, written + 1, written + made)
            written += made
            memories.append(memory())
    alone.unlink()
    # Whatever the threads of the store do, and whenever, is the store's.
    ours = Stopwatch(time.process_time() - began - elsewhere.cpu + talk.spent, wall)
    grown = round(memories[-1] - memories[len(memories) // 10], 1)
    return Filling(bed.lines, ours, same.spent, owners.spent, grown)
