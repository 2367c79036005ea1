"""What is measured in a process of its own: opening, a reader's memory, and lines said one by one.

python -m bench.alone first FILE            milliseconds to the first answer
python -m bench.alone memory FOLDER LINES N megabytes after N answers of each kind
python -m bench.alone lines FILE LINES      kilobytes written for each of so many lines
"""

import sys
from collections.abc import Awaitable, Callable, Mapping
from contextlib import aclosing, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from subprocess import run
from time import perf_counter
from uuid import uuid4

import anyio

from bench.bed import SETTINGS, Bed
from bench.corpus import talk
from bench.measure import Measured, memory
from bench.reading import Log
from bench.searching import Searches
from bench.table import Rival, Row, Within
from bench.vocabulary import spoken
from terrarium_mcp.chat.records import Origin
from terrarium_mcp.store import open_store
from terrarium_mcp.store.errors import TookTooLong
from terrarium_mcp.store.sqlite.engine import fts_merge
from terrarium_mcp.store.sqlite.engine.checkpoints import Checkpoints
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.fts_merge import SegmentMerger
from terrarium_mcp.store.sqlite.index import rolling_windows
from terrarium_mcp.store.sqlite.index.grouped_indexing import GroupedIndexing
from terrarium_mcp.store.sqlite.index.indexer import Indexer
from terrarium_mcp.store.sqlite.index.rolling_windows import RollingWindows
from terrarium_mcp.store.sqlite.ingest.append import Appender
from terrarium_mcp.store.sqlite.ingest.opt_out_reader import OptOutReader
from terrarium_mcp.store.sqlite.keeper import TRY_EVERY

OPENINGS = 9
"""Times that each database is opened, in turn."""

ANSWERS = 50
"""Most answers of each kind after which memory is looked at."""

SAID = 2_000
"""Lines that are said one by one: a group of words, and four of everything else, is indexed."""

EVERY = 0.5
"""Seconds from one of these lines to the next."""


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
            Measured(_told("memory", bed.folder, bed.lines, min(ANSWERS, bed.rounds))),
            goals=[Within(150)],
        ),
        Row(
            "a line said alone (written)",
            "kB",
            Measured(_told("lines", bed.ours, min(SAID, 10 * bed.rounds))),
            goals=[Within(32)],
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


async def _memory(folder: Path, lines: int, answers: int) -> float:
    bed = Bed(folder, lines, answers)
    async with bed.store() as store:
        log = await Log.of(store, bed)
        searches = Searches(store, await store.rooms.all(), bed.questions, answers)
        for piece in [*log.pieces(), *searches.pieces()]:
            for question in piece.questions:
                with suppress(TookTooLong):
                    await piece.ask(question)
    return memory("VmHWM")


async def _lines(file: Path, count: int) -> float:
    """What is written for the lines: WAL, derived data, checkpoints (`wchar`, Linux only).

    Nobody waits half a second: the keeper's duties are performed here, after as many lines as come
    between two of their rounds, by a clock that goes on by half a second a line. Each line has a
    msgid, as most networks give it one.
    """
    now = datetime.now(UTC)
    talked = talk(count, ended=now, vocabulary=spoken(), seed=3, origin=Origin.LIVE, gap=EVERY)
    said = [line._replace(msgid=uuid4().hex) for line in talked]
    async with aclosing(Database(file)) as database:
        await database.open()
        indexer = Indexer(database, SETTINGS.network_name)
        appender, clock = Appender(database, indexer, OptOutReader()), _Clock()
        duties: Mapping[Callable[[], Awaitable[None]], float] = {
            GroupedIndexing(indexer, clock.time).index: TRY_EVERY,
            Checkpoints(database, clock.time).empty_wal: EVERY,
            SegmentMerger(database).merge: fts_merge.LOOK_EVERY,
            RollingWindows(database, lambda: now + timedelta(seconds=clock.now)).advance: (
                rolling_windows.LOOK_EVERY
            ),
        }
        await _merge_all(database)
        await indexer.catch_up()
        await database.checkpoint("TRUNCATE")
        before = _written()
        for number, line in enumerate(said, 1):
            await appender.append([line])
            clock.now = number * EVERY
            for duty, every in duties.items():
                if clock.now % every == 0:
                    await duty()
        await indexer.catch_up()
        await database.checkpoint("TRUNCATE")
    return (_written() - before) / count / 1e3


async def _merge_all(database: Database) -> None:
    """Merge what the writing of the bed has left, or the first lines would set it off."""
    merger = SegmentMerger(database)
    merger._after_last = dict.fromkeys(fts_merge.INDEXES, -fts_merge.MANY)  # noqa: SLF001 -- as above
    await merger.merge()


class _Clock:
    """A clock that is set."""

    def __init__(self) -> None:
        self.now = 0.0

    def time(self) -> float:
        """Seconds."""
        return self.now


def _written() -> int:
    """Bytes that this process has written so far."""
    told = Path("/proc/self/io").read_text("ascii")
    return int(told.partition("wchar:")[2].split()[0])


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["first", file]:
            print(anyio.run(_first, Path(file)))
        case ["memory", folder, lines, answers]:
            print(anyio.run(_memory, Path(folder), int(lines), int(answers)))
        case ["lines", file, lines]:
            print(anyio.run(_lines, Path(file), int(lines)))
        case _:
            sys.exit(__doc__)
