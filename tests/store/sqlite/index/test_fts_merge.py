"""The full-text indexes stay in few segments, whatever is recorded or killed."""
# ruff: noqa: ASYNC110  # no event announces what the keeper does

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest

from terrarium_mcp.store import Store, open_store
from terrarium_mcp.store.sqlite import keeper
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.fts_merge import INDEXES, MANY, SegmentMerger, segments
from tests.patience import PATIENCE
from tests.store import crashing
from tests.store.damage import garble_index
from tests.store.scene import SETTINGS, chat, differences, find, past, rows_of, write

pytestmark = pytest.mark.usefixtures("at_once")

FEW = 4


@pytest.fixture(autouse=True)
def _keeper_merges_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once an hour, that is: it does so when it begins, and then every ten seconds."""
    monkeypatch.setattr(keeper, "LOOK_EVERY", 3600.0)


@asynccontextmanager
async def opened(file: Path) -> AsyncIterator[Database]:
    """The file without a keeper, which would merge as well."""
    database = Database(file)
    await database.open()
    try:
        yield database
    finally:
        await database.aclose()


async def say(store: Store, lines: int) -> None:
    """Say lines one by one, with a new word and a msgid in each, as a recorder does."""
    for number in range(lines):
        (line,) = chat(f"<ada> cup{number} of tea")
        await store.messages.append([line._replace(msgid=f"id{number}")])


async def recorded(file: Path, lines: int = 30) -> None:
    """Make a file that was recorded line by line."""
    async with open_store(file, SETTINGS) as store:
        await say(store, lines)


def stored(file: Path, table: str) -> list[tuple[object, ...]]:
    """The records of an index, as they are in the file."""
    return rows_of(file, f"SELECT id, block FROM {table}_data ORDER BY id")  # noqa: S608 -- our tables


async def test_every_full_text_index_is_merged(store: Store, file: Path) -> None:
    await store.opening.wait(PATIENCE)
    sql = "SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL TABLE%fts5%'"
    assert {name for (name,) in rows_of(file, sql)} == set(INDEXES)


async def test_what_was_recorded_line_by_line_is_merged_into_few_segments(file: Path) -> None:
    await recorded(file)
    async with opened(file) as database:
        before = [await segments(database, table) for table in INDEXES]
        await SegmentMerger(database).merge()
        after = [await segments(database, table) for table in INDEXES]
    assert min(before) > 12
    assert max(after) <= FEW
    async with open_store(file, SETTINGS) as store:
        assert len((await find(store, "tea")).messages) == 30
        assert await differences(store) == []


async def test_a_few_new_segments_are_not_worth_a_merge(file: Path) -> None:
    await recorded(file)
    async with opened(file) as database:
        merging = SegmentMerger(database)
        await merging.merge()
        left = await segments(database, "message_index")
        async with open_store(file, SETTINGS) as store:
            await say(store, MANY - 1)
        before = stored(file, "message_index")
        await merging.merge()
        assert stored(file, "message_index") == before
        async with open_store(file, SETTINGS) as store:
            await say(store, 1)
        await merging.merge()
        assert await segments(database, "message_index") <= left + 1


async def test_while_very_much_is_written_nothing_is_merged(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await recorded(file)
    monkeypatch.setattr("terrarium_mcp.store.sqlite.engine.fts_merge.FILLING", 2 * MANY)
    async with opened(file) as database:
        merging = SegmentMerger(database)
        await merging.merge()
        async with open_store(file, SETTINGS) as store:
            await say(store, 2 * MANY)
        before = stored(file, "message_index")
        await merging.merge()
        assert stored(file, "message_index") == before
        await merging.merge()
        assert await segments(database, "message_index") <= FEW


async def test_lines_recorded_during_a_merge_are_found_and_the_merge_ends(file: Path) -> None:
    async with open_store(file, SETTINGS) as store:
        await store.messages.append([*past(10_000)])
        await say(store, 2 * MANY)
        merging = SegmentMerger(store._database)  # noqa: SLF001 -- as the keeper has it
        merged = anyio.Event()

        async def merge() -> None:
            await merging.merge()
            merged.set()

        said = 0
        with anyio.fail_after(120):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(merge)
                while not merged.is_set():
                    await store.messages.append(chat("<bo> and here I am"))
                    said += 1
        assert said
        assert len((await find(store, "from:bo", limit=said + 1)).messages) == said
        assert await differences(store) == []


async def test_an_index_that_is_being_rebuilt_is_left_alone(file: Path) -> None:
    await recorded(file)
    write(file, "UPDATE derived SET upto = -1 WHERE name = 'index'")
    garble_index(file)
    before = stored(file, "message_index")
    async with opened(file) as database:
        await SegmentMerger(database).merge()
        assert stored(file, "message_index") == before
        assert not database.index_damaged
        assert await segments(database, "word_parts") <= FEW


async def test_the_keeper_merges_by_itself(file: Path) -> None:
    await recorded(file)
    async with open_store(file, SETTINGS) as store:
        database = store._database  # noqa: SLF001 -- to count its segments
        with anyio.fail_after(PATIENCE):
            while max([await segments(database, table) for table in INDEXES]) > FEW:
                await anyio.sleep(0.05)


async def test_the_next_keeper_continues_a_killed_merge(file: Path) -> None:
    await crashing.while_merging(file, 1, lines=3_000)
