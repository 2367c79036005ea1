"""What is measured in a process of its own: opening to the first answer, and a reader's memory.

python -m bench.alone first FILE            milliseconds to the first answer
python -m bench.alone memory FOLDER LINES   megabytes after answers of all kinds
"""

import sys
from contextlib import suppress
from pathlib import Path
from statistics import median
from subprocess import run
from time import perf_counter

import anyio

from bench.bed import SETTINGS, Bed
from bench.measure import Measured, memory
from bench.reading import Log
from bench.searching import Searches
from bench.table import Rival, Row, Within
from terrarium_mcp.store import open_store
from terrarium_mcp.store.errors import TookTooLong

OPENINGS = 9
"""Times that each database is opened, in turn."""

ANSWERS = 50
"""Answers of each kind after which memory is looked at."""


async def rows(bed: Bed) -> list[Row]:
    """All that is measured here."""
    openings = range(min(OPENINGS, bed.rounds))
    both = [(_told("first", bed.ours), _told("first", bed.empty)) for _ in openings]
    filled, empty = (median(times) for times in zip(*both, strict=True))
    return [
        Row(
            "opening to first answer (wall)", "ms", Measured(filled), rivals=[Rival("empty", empty)]
        ),
        Row("opening: more than empty (wall)", "ms", Measured(filled - empty), goals=[Within(50)]),
        Row(
            "a reader's memory",
            "MB",
            Measured(_told("memory", bed.folder, bed.lines)),
            goals=[Within(150)],
        ),
    ]


def _told(*what: object) -> float:
    """What a fresh process prints."""
    told = run(  # noqa: S603 -- ourselves
        [sys.executable, "-m", "bench.alone", *map(str, what)],
        capture_output=True,
        check=True,
        text=True,
    )
    return float(told.stdout)


async def _first(file: Path) -> float:
    began = perf_counter()
    async with open_store(file, SETTINGS) as store:
        rooms = await store.rooms.all()
        await store.messages.newest(rooms[:1], 50)
        return (perf_counter() - began) * 1e3


async def _memory(folder: Path, lines: int) -> float:
    bed = Bed(folder, lines, ANSWERS)
    async with bed.store() as store:
        log = await Log.of(store, bed)
        searches = Searches(store, await store.rooms.all(), bed.questions, ANSWERS)
        for piece in [*log.pieces(), *searches.pieces()]:
            for question in piece.questions:
                with suppress(TookTooLong):
                    await piece.ask(question)
    return memory("VmHWM")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["first", file]:
            print(anyio.run(_first, Path(file)))
        case ["memory", folder, lines]:
            print(anyio.run(_memory, Path(folder), int(lines)))
        case _:
            sys.exit(__doc__)
