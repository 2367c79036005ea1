"""Live lines stay in the network's order, and spans reach to the last of them, stored or not."""

from collections.abc import AsyncIterator
from contextlib import aclosing
from datetime import timedelta
from pathlib import Path

import pytest

from terrarium_mcp.chat.records import Origin
from terrarium_mcp.chat.times.timestamps import to_text
from terrarium_mcp.store import open_store
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.index.indexer import Indexer
from terrarium_mcp.store.sqlite.ingest.append import FLOOD, Appender
from terrarium_mcp.store.sqlite.ingest.opt_out_reader import OptOutReader
from terrarium_mcp.store.sqlite.topics.spans import Spans
from tests.store.scene import NOON, SETTINGS, line_of, rows_of

MINUTE = timedelta(minutes=1)
STORED = "SELECT live_until FROM rooms WHERE channel = '#tea'"
TIMES = "SELECT timestamp FROM messages ORDER BY id DESC LIMIT ?"


@pytest.fixture
async def database(file: Path) -> AsyncIterator[Database]:
    """A file of one line, at noon, that is kept by nobody."""
    async with open_store(file, SETTINGS) as store:
        await store.messages.append([line_of("ada", "tea", NOON)])
        await store.differences([])
    async with aclosing(Database(file)) as database:
        await database.open()
        yield database


@pytest.mark.parametrize("indexed", [False, True])
async def test_no_live_line_is_dated_before_one_of_its_room_whichever_process_saved_that(
    database: Database, file: Path, indexed: bool
) -> None:
    later, indexer = NOON + 5 * MINUTE, Indexer(database, "net")
    await Appender(database, indexer, OptOutReader()).append([line_of("ada", "said", later)])
    if indexed:
        await indexer.catch_up()
    assert rows_of(file, STORED) == [(to_text(later if indexed else NOON),)]
    async with aclosing(Database(file)) as another:
        await another.open()
        appender = Appender(another, Indexer(another, "net"), OptOutReader())
        await appender.append([line_of("bo", "with a slow clock", NOON + MINUTE)])
        await appender.append([line_of("bo", "of another room", NOON + MINUTE, "#mate")])
        await appender.append([line_of("bo", "of old", NOON - MINUTE, origin=Origin.IMPORT)])
    times = [(to_text(at),) for at in (NOON - MINUTE, NOON + MINUTE, later)]
    assert rows_of(file, TIMES, [3]) == times


async def test_a_flood_is_stored_at_once_so_that_few_lines_are_ever_read_for_the_next(
    database: Database, file: Path
) -> None:
    appender = Appender(database, Indexer(database, "net"), OptOutReader())
    await appender.append([line_of("ada", "tea", NOON + n * MINUTE) for n in range(FLOOD)])
    assert rows_of(file, STORED) == [(to_text(NOON + (FLOOD - 1) * MINUTE),)]
    assert rows_of(file, "SELECT upto FROM derived WHERE name = 'messages'") == [(FLOOD + 1,)]
    assert rows_of(file, "SELECT upto FROM derived WHERE name = 'index'") == [(1,)]


async def test_a_span_ends_no_sooner_than_its_last_line(database: Database, file: Path) -> None:
    known = OptOutReader()
    spans = Spans(database, known)
    appender = Appender(database, Indexer(database, "net"), known)
    await spans.begin("net", "#tea", NOON, "joined")
    await spans.begin("net", "#mate", NOON, "joined")
    await appender.append([line_of("ada", "tea", NOON + 3 * MINUTE)])
    await spans.end("net", "#tea", NOON + 2 * MINUTE, "left")
    await spans.end("net", "#mate", NOON + 2 * MINUTE, "left")
    ended = [(to_text(NOON + 3 * MINUTE),), (to_text(NOON + 2 * MINUTE),)]
    assert rows_of(file, "SELECT ended FROM spans ORDER BY id") == ended
