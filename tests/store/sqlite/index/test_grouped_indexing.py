"""Lines that are said one by one are indexed by groups, and no read misses one of them."""

from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path

import anyio
import pytest
from anyio.abc import Process

from terrarium_mcp.chat.times.timestamps import EVERY_LINE
from terrarium_mcp.store import Store, open_store
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.index import grouped_indexing
from terrarium_mcp.store.sqlite.index.all_structures import EVERYTHING
from terrarium_mcp.store.sqlite.index.grouped_indexing import AT_LATEST, GroupedIndexing
from terrarium_mcp.store.sqlite.index.indexer import Indexer
from terrarium_mcp.store.sqlite.ingest.append import Appender
from terrarium_mcp.store.sqlite.ingest.opt_out_reader import OptOutReader
from tests.patience import PATIENCE
from tests.store.scene import (
    NOON,
    SETTINGS,
    chat,
    differences,
    find,
    rows_of,
    texts,
    write,
)
from tests.store.sqlite.test_processes import running

MARKS = "SELECT name, upto FROM derived"

SEARCHING = """
import sys, anyio
from pathlib import Path
from terrarium_mcp.store import open_store
from tests.patience import PATIENCE
from tests.store.scene import SETTINGS, find, texts
async def main():
    async with open_store(Path(sys.argv[1]), SETTINGS) as store:
        await store.opening.wait(PATIENCE)
        assert not store.keeper.is_us
        print("ready", flush=True)
        for words in sys.stdin:
            print(texts((await find(store, words)).messages), flush=True)
anyio.run(main)
"""


class Duty:
    """The keeper's duty, at a time of the test's own."""

    def __init__(self, database: Database) -> None:
        self.now = 0.0
        self.indexer = Indexer(database, "net")
        self.grouped = GroupedIndexing(self.indexer, lambda: self.now)
        self._appender = Appender(database, self.indexer, OptOutReader())
        self._said = 0

    async def say(self, lines: int) -> None:
        for _ in range(lines):
            self._said += 1
            await self._appender.append(chat(f"<ada> cup {self._said} of tea"))


@pytest.fixture
async def duty(file: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Duty]:
    """A file of ten lines, all of them indexed, that is kept by nobody; small groups."""
    async with open_store(file, SETTINGS) as store:
        await store.messages.append(chat("<bo> milk\n" * 10))
        await store.differences([])
    groups = dict.fromkeys(EVERYTHING, 5) | {"words": 8}
    monkeypatch.setattr(grouped_indexing, "TOGETHER", groups)
    async with aclosing(Database(file)) as database:
        await database.open()
        yield Duty(database)


def contents(file: Path) -> dict[str, list[tuple[object, ...]]]:
    """The rows of every table, also of those in which FTS5 keeps its indexes."""
    tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'"
    return {name: rows_of(file, f"SELECT * FROM {name}") for (name,) in rows_of(file, tables)}  # noqa: S608 -- ours


async def answer(process: Process) -> str:
    """The next list that a process prints."""
    assert process.stdout
    said = b""
    with anyio.fail_after(PATIENCE):
        while not said.endswith(b"]\n"):
            said += await process.stdout.receive()
    return said.decode().strip()


async def test_a_line_said_alone_changes_only_the_messages(duty: Duty, file: Path) -> None:
    before = contents(file)
    await duty.say(1)
    after = contents(file)
    assert {name for name in after if after[name] != before[name]} == {"messages"}


async def test_a_group_is_indexed_once_it_is_full_and_that_of_the_words_later(
    duty: Duty, file: Path
) -> None:
    await duty.say(4)
    await duty.grouped.index()
    assert dict(rows_of(file, MARKS)) == dict.fromkeys(EVERYTHING, 10)
    await duty.say(1)
    await duty.grouped.index()
    assert dict(rows_of(file, MARKS)) == dict.fromkeys(EVERYTHING, 15) | {"words": 10}
    await duty.say(3)
    await duty.grouped.index()
    assert dict(rows_of(file, MARKS)) == dict.fromkeys(EVERYTHING, 15) | {
        "words": 18,
        "messages": 18,
    }
    assert await duty.indexer.differences() == []


async def test_a_smaller_group_is_indexed_an_hour_after_everything_was(
    duty: Duty, file: Path
) -> None:
    assert AT_LATEST == 3_600
    duty.now = 100.0
    await duty.grouped.index()
    await duty.say(1)
    duty.now += AT_LATEST - 1
    await duty.grouped.index()
    assert dict(rows_of(file, MARKS)) == dict.fromkeys(EVERYTHING, 10)
    duty.now += 1
    await duty.grouped.index()
    assert dict(rows_of(file, MARKS)) == dict.fromkeys(EVERYTHING, 11)


async def test_rows_of_another_program_are_indexed_at_once_with_those_that_wait(
    duty: Duty, file: Path
) -> None:
    await duty.say(1)
    write(file, "INSERT INTO messages (channel, nick, message) VALUES ('#tea', 'cy', 'mate')")
    (newest,) = rows_of(file, "SELECT max(id) FROM messages")[0]
    await duty.grouped.index()
    assert dict(rows_of(file, MARKS)) == dict.fromkeys(EVERYTHING, newest)


async def test_a_structure_to_be_rebuilt_waits_for_no_group(duty: Duty, file: Path) -> None:
    await duty.say(1)
    await duty.indexer.schedule_rebuild(["links"])
    await duty.grouped.index()
    marks = dict(rows_of(file, MARKS))
    assert (marks["links"], marks["messages"], marks["index"]) == (11, 11, 10)


async def test_a_rebuild_does_not_wait_for_lines_that_were_said_meanwhile(
    duty: Duty, file: Path
) -> None:
    begun = anyio.Event()
    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(duty.indexer.rebuild, ["links"], lambda _: begun.set())
            await begun.wait()
            await duty.grouped.index()
            await duty.say(2)
    assert dict(rows_of(file, MARKS))["links"] == 10


async def test_the_newest_lines_are_read_without_indexing_anything(
    duty: Duty, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("terrarium_mcp.store.sqlite.keeper.TRY_EVERY", 3_600)
    async with open_store(file, SETTINGS) as store:
        await store.opening.wait(PATIENCE)
        await duty.say(3)
        page = await store.messages.newest(await store.rooms.all(), 3)
        assert texts(page.messages) == ["cup 1 of tea", "cup 2 of tea", "cup 3 of tea"]
        assert await store.messages.get(99, await store.rooms.all()) is None
        assert dict(rows_of(file, MARKS)) == dict.fromkeys(EVERYTHING, 10)


async def test_a_line_is_found_right_after_it_was_said_by_any_process(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("terrarium_mcp.store.sqlite.keeper.TRY_EVERY", 3_600)
    async with open_store(file, SETTINGS) as store:
        await store.opening.wait(PATIENCE)
        async with running(SEARCHING, str(file)) as other:
            assert other.stdin
            for word in ("oolong", "sencha", "matcha"):
                await store.messages.append(chat(f"<ada> {word}"))
                await other.stdin.send(f"{word}\n".encode())
                assert await answer(other) == f"['{word}']"
                await store.messages.append(chat(f"<ada> {word} again"))
                assert texts((await find(store, f"{word} again")).messages) == [f"{word} again"]
        assert await differences(store) == []


async def test_figures_and_people_hold_a_line_that_was_just_said(store: Store) -> None:
    await store.messages.append(chat("<ada> one\n<bo> two"))
    rooms = await store.rooms.all()
    assert (await store.stats.for_room(rooms[0], until=EVERY_LINE, now=NOON)).lines == 2
    await store.messages.append(chat("<cy> three"))
    stats = await store.stats.for_room(rooms[0], until=EVERY_LINE, now=NOON)
    assert (stats.lines, stats.people) == (3, 3)
