"""Watermarks move as structures are brought up to date, and a read waits for those it needs."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

from terrarium_mcp.store import Store, open_store
from terrarium_mcp.store.errors import StillOpening, StoreFailed
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.reads import WholeRead
from terrarium_mcp.store.sqlite.engine.write_lock import STEP_SECONDS, BatchSizer
from terrarium_mcp.store.sqlite.index.all_structures import DERIVED, EVERYTHING
from terrarium_mcp.store.sqlite.index.indexer import Indexer
from terrarium_mcp.store.sqlite.index.structure import empty_some
from terrarium_mcp.store.sqlite.index.vocabulary import WordsIndex
from terrarium_mcp.store.sqlite.index.watermarks import current_sql
from terrarium_mcp.store.sqlite.ingest import append
from terrarium_mcp.store.sqlite.ingest.append import Appender
from terrarium_mcp.store.sqlite.ingest.insert import insert
from terrarium_mcp.store.sqlite.ingest.opt_out_reader import OptOutReader
from terrarium_mcp.store.sqlite.ingest.prepared_lines import prepared
from tests.store.scene import SETTINGS, chat, find, past, rows_of, texts, write
from tests.store.sqlite.imports.logs import bring

pytestmark = pytest.mark.usefixtures("at_once")

FULL_TEXT = ("index", "phrases", "msgids", "words")
MARKS = "SELECT name, upto FROM derived"


@asynccontextmanager
async def without_a_keeper(file: Path) -> AsyncIterator[tuple[Database, Indexer]]:
    """The file as only these tests index it."""
    database = Database(file)
    await database.open()
    try:
        yield database, Indexer(database, "net")
    finally:
        await database.aclose()


async def filled(file: Path, lines: int) -> None:
    """A file with so many lines, of which no structure knows any."""
    async with open_store(file, SETTINGS) as store:
        await bring(store, past(lines))
    start_from_nothing(file)


def start_from_nothing(file: Path) -> None:
    write(file, "UPDATE derived SET upto = -1 WHERE name != 'messages'")


async def test_the_store_is_indexed_up_to_its_slowest_structure(store: Store, file: Path) -> None:
    assert await store.indexed_up_to() == 0
    await store.messages.append(chat("<ada> one\n<bo> two"))
    assert await store.indexed_up_to() == 2
    assert dict(rows_of(file, MARKS)) == dict.fromkeys(EVERYTHING, 2)


async def test_the_lag_is_that_of_the_slowest_structure_an_unknown_one_has_indexed_nothing(
    file: Path,
) -> None:
    await filled(file, 7)
    async with without_a_keeper(file) as (_, indexer):
        await indexer.catch_up()
        assert (await indexer.indexed_up_to(*EVERYTHING), await indexer.lag()) == (7, 0)
        write(file, "UPDATE derived SET upto = 5 WHERE name = 'links'")
        assert (await indexer.indexed_up_to("links", "runs"), await indexer.lag()) == (5, 2)
        assert await indexer.indexed_up_to("runs") == await indexer.indexed_up_to() == 7
        write(file, "DELETE FROM derived WHERE name = 'topics'")
        assert (await indexer.indexed_up_to("topics", "runs"), await indexer.lag()) == (0, 7)
        write(file, "UPDATE derived SET upto = -1 WHERE name = 'links'")
        assert (await indexer.indexed_up_to("links"), await indexer.lag()) == (-1, 8)


async def test_catching_up_reports_how_much_is_done_and_touches_only_what_it_is_asked_for(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await filled(file, 1_000)
    monkeypatch.setattr("terrarium_mcp.store.sqlite.index.indexer.BATCH", (100, 250, 250))
    async with without_a_keeper(file) as (_, indexer):
        monkeypatch.setattr(BatchSizer, "record", lambda *_: None)
        parts: list[float] = []
        await indexer.catch_up(parts.append, ["messages", "runs"])
        assert parts == [0, 0.25, 0.5, 0.75]  # it was emptied first
        marks = dict(rows_of(file, MARKS))
        assert (marks["runs"], marks["links"]) == (1_000, -1)
        await indexer.catch_up(parts.append, ["messages", "runs"])
        assert len(parts) == 4
        await indexer.catch_up()
        assert await indexer.differences() == []


async def test_a_read_indexes_little_itself_and_waits_for_the_keeper_where_there_is_much(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await filled(file, 100)
    monkeypatch.setattr("terrarium_mcp.store.sqlite.index.indexer.PATIENCE", 0.2)
    async with without_a_keeper(file) as (_, indexer):
        write(file, "UPDATE derived SET upto = 75 WHERE name = 'runs'")
        monkeypatch.setattr("terrarium_mcp.store.sqlite.index.indexer.INDEXED_BY_READ", 24)
        with pytest.raises(StillOpening, match=r"^indexing the history, 75 %\. Try again"):
            await indexer.ensure_current("runs")
        monkeypatch.setattr("terrarium_mcp.store.sqlite.index.indexer.INDEXED_BY_READ", 25)
        await indexer.ensure_current("runs")
        assert await indexer.indexed_up_to("runs") == 100
        assert await indexer.indexed_up_to("links") == -1


@pytest.mark.parametrize(("newest", "is_much"), [(20_000, False), (20_001, True)])
async def test_a_read_indexes_20000_rows_itself(
    file: Path, monkeypatch: pytest.MonkeyPatch, newest: int, is_much: bool
) -> None:
    await filled(file, 0)
    monkeypatch.setattr("terrarium_mcp.store.sqlite.index.indexer.PATIENCE", 0.1)
    write(file, "INSERT INTO messages (id, channel, message) VALUES (?, '#a', 'tea')", (newest,))
    async with without_a_keeper(file) as (_, indexer):
        if is_much:
            with pytest.raises(StillOpening):
                await indexer.ensure_current("links")
        else:
            await indexer.ensure_current("links")
        assert await indexer.indexed_up_to("links") == (0 if is_much else newest)


async def test_a_read_that_waits_goes_on_once_the_keeper_is_there(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await filled(file, 100)
    monkeypatch.setattr("terrarium_mcp.store.sqlite.index.indexer.INDEXED_BY_READ", 5)
    async with without_a_keeper(file) as (_, indexer):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(indexer.ensure_current, "runs")
            await anyio.wait_all_tasks_blocked()
            async with without_a_keeper(file) as (_, keeper):
                await keeper.catch_up()
        assert await indexer.indexed_up_to("runs") == 100


async def test_a_rebuild_that_nobody_does_is_given_up_with_the_way_to_the_reason(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await filled(file, 10)
    monkeypatch.setattr("terrarium_mcp.store.sqlite.index.indexer.STALLED", 0.2)
    parts: list[float] = []
    async with without_a_keeper(file) as (_, indexer):
        with pytest.raises(StoreFailed, match=r"makes no progress\. Its log says why") as failed:
            await indexer.rebuild(["runs"], parts.append)
    assert str(file) in str(failed.value)
    assert parts
    assert set(parts) == {0}
    assert dict(rows_of(file, MARKS))["runs"] == -1


async def test_a_rebuild_ends_once_its_structures_are_there_whatever_else_lags(file: Path) -> None:
    await filled(file, 300)
    async with without_a_keeper(file) as (_, indexer):
        await indexer.catch_up(names=["messages", "runs", "topics"])
        begun = anyio.Event()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(indexer.rebuild, ["runs", "topics"], lambda _: begun.set())
            await begun.wait()
            assert await indexer.indexed_up_to("topics") == -1
            await indexer.catch_up(names=["messages", "runs", "topics"])
        assert await indexer.indexed_up_to("links") == -1


async def test_a_read_that_catches_up_asks_once_how_far_everything_is_and_later_ones_not_at_all(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await filled(file, 3)
    async with without_a_keeper(file) as (database, indexer):
        await indexer.catch_up()
        asked: list[object] = []
        read_whole = database.read_whole

        async def counted(read: WholeRead[Any], **kwargs: Any) -> Any:
            asked.append(read)
            return await read_whole(read, **kwargs)

        monkeypatch.setattr(database, "read_whole", counted)
        write(file, "INSERT INTO messages (channel, nick, message) VALUES ('#tea', 'x', 'y')")
        assert await indexer.ensure_current("runs")
        assert len(asked) == 1
        assert dict(rows_of(file, MARKS))["runs"] > 3
        for _ in range(3):
            assert await indexer.ensure_current("runs")
            assert await indexer.lag(["runs"]) == 0
        assert len(asked) == 2  # once more after its own commit


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE derived SET upto = 2 WHERE name = 'runs'",
        "UPDATE derived SET upto = -1 WHERE name = 'runs'",
        "DELETE FROM derived WHERE name = 'runs'",
        "INSERT INTO derived (name, upto) VALUES ('rooms', -1)",
        "INSERT INTO derived (name, upto) VALUES ('rooms', 3)",
        "INSERT INTO messages (channel, nick, message) VALUES ('#tea', 'x', 'y')",
        "DELETE FROM messages WHERE id = 3",
        "DELETE FROM messages",
    ],
)
async def test_the_state_and_the_statements_agree_on_what_is_current(
    file: Path, change: str
) -> None:
    await filled(file, 3)
    async with without_a_keeper(file) as (database, indexer):
        await indexer.catch_up()
        for sql in ("SELECT 1", change):
            write(file, sql)
            state = await indexer.state()
            for names in [(), ("runs",), ("links",), ("links", "runs")]:
                asked = f"SELECT {current_sql(*names)}"
                said = bool(await database.value(asked, {"is_current": False}))
                nothing_is_there = names and not state.newest
                assert state.is_current(names) == said or nothing_is_there


async def test_a_statement_answers_only_while_its_structures_are_current(file: Path) -> None:
    await filled(file, 3)
    sql = f"SELECT count(*) FROM messages WHERE {current_sql('runs')} GROUP BY true"  # noqa: S608 -- ours
    asked = {"is_current": False}
    async with without_a_keeper(file) as (database, indexer):
        assert await database.rows(sql, asked) == []
        assert [tuple(row) for row in await database.rows(sql, {"is_current": True})] == [(3,)]
        await indexer.catch_up(names=["messages", "runs"])
        assert [tuple(row) for row in await database.rows(sql, asked)] == [(3,)]
        write(file, "INSERT INTO messages (channel, nick, message) VALUES ('#tea', 'x', 'y')")
        assert await database.rows(sql, asked) == []
        found = await indexer.rows(sql, {}, uses=["runs"])
        assert [tuple(row) for row in found] == [(4,)]
        write(file, "DELETE FROM derived WHERE name = 'runs'")
        assert await database.rows(sql, asked) == []


async def test_an_append_indexes_only_what_was_nearly_complete_before_it(
    store: Store, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("terrarium_mcp.store.sqlite.index.indexer.NEARLY_COMPLETE", 1)
    await store.messages.append(chat("<ada> one\n<bo> two\n<cy> three"))
    async with without_a_keeper(file) as (database, indexer):
        write(file, "UPDATE derived SET upto = 2 WHERE name = 'runs'")
        appender = Appender(database, indexer, OptOutReader())
        saved = await appender.append_yielding(prepared(chat("<di> four")), insert)
        assert (saved.ids, saved.is_indexed) == ([4], False)
        marks = dict(rows_of(file, MARKS))
        assert marks.pop("runs") == 2
        assert set(marks.values()) == {4}
        await indexer.catch_up()
        saved = await appender.append_yielding(prepared(chat("<di> five")), insert)
        assert (saved.ids, saved.is_indexed) == ([5], True)
        assert await indexer.differences() == []


async def test_a_large_structure_is_emptied_by_2000_rows_in_a_transaction(file: Path) -> None:
    async with open_store(file, SETTINGS) as store:
        await store.messages.append(chat("<ada> " + " ".join(f"w{n}" for n in range(4_001))))
    words = WordsIndex()
    async with without_a_keeper(file) as (database, _):
        left = [rows_of(file, "SELECT count(*) FROM words")[0][0]]
        done = False
        while not done:
            async with database.writing() as writer:
                done = await empty_some(writer, words)
            left.append(rows_of(file, "SELECT count(*) FROM words")[0][0])
        assert left[:4] == [4_001, 2_001, 1, 0]
        for table in words.tables:
            held = "word_parts_data WHERE id > 10" if table == "word_parts" else table
            assert rows_of(file, f"SELECT count(*) FROM {held}") == [(0,)]  # noqa: S608 -- ours


@pytest.mark.parametrize("structure", DERIVED, ids=lambda one: str(one.name))
async def test_an_emptied_structure_holds_no_row_and_can_be_filled(
    file: Path, structure: WordsIndex
) -> None:
    await filled(file, 30)
    async with without_a_keeper(file) as (database, indexer):
        await indexer.catch_up()
        async with database.writing() as writer:
            assert await empty_some(writer, structure)
        for table in structure.tables:
            stored = f"{table}_idx" if (table, 1) in fts_tables(file) else table
            assert rows_of(file, f"SELECT count(*) FROM {stored}") == [(0,)]  # noqa: S608 -- ours
        write(file, f"UPDATE derived SET upto = 0 WHERE name = '{structure.name}'")  # noqa: S608
        assert await indexer.differences() == []


def fts_tables(file: Path) -> set[tuple[str, int]]:
    sql = "SELECT name, sql LIKE 'CREATE VIRTUAL%' FROM sqlite_master WHERE type = 'table'"
    return {(name, virtual) for name, virtual in rows_of(file, sql)}


async def test_damage_that_is_found_while_indexing_starts_the_indexes_over(
    file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await filled(file, 50)
    async with without_a_keeper(file) as (database, indexer):
        await indexer.catch_up()
        database.index_damaged = True  # as a read of it says
        await indexer.rebuild_if_damaged()
        assert not database.index_damaged
        marks = dict(rows_of(file, MARKS))
        assert {name for name, upto in marks.items() if upto == -1} == set(FULL_TEXT)
        assert "rebuilding from the messages: index, phrases, msgids, words" in caplog.text
        caplog.clear()
        await indexer.rebuild_if_damaged()
        assert caplog.text == ""
        assert await indexer.differences() == []


async def test_another_program_is_warned_about_once(
    file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await filled(file, 3)
    async with without_a_keeper(file) as (_, indexer):
        await indexer.catch_up()
        assert "another program" not in caplog.text
        for text in ("one", "two"):
            write(file, "INSERT INTO messages (channel, message) VALUES ('#a', ?)", (text,))
            await indexer.catch_up()
        assert caplog.text.count(f"another program appends lines to {file}.") == 1
        assert sqlite3.sqlite_version in caplog.text


def test_the_size_of_a_batch_goes_half_way_to_what_would_have_lasted_a_step() -> None:
    size = BatchSizer(100, 1_000, 10_000)
    assert size.rows == 1_000
    size.record(1_000, STEP_SECONDS)
    assert size.rows == 1_000
    size.record(1_000, STEP_SECONDS / 3)
    assert size.rows == 2_000
    size.record(2_000, STEP_SECONDS * 2)
    assert size.rows == 1_500
    for _ in range(20):
        size.record(size.rows, 60)
    assert size.rows == 100
    for _ in range(20):
        size.record(size.rows, 0)
    assert size.rows == 10_000


async def test_an_empty_history_can_be_rebuilt(file: Path) -> None:
    await filled(file, 0)
    async with without_a_keeper(file) as (_, indexer):
        await indexer.schedule_rebuild([structure.name for structure in DERIVED])
        await indexer.catch_up()
        assert set(dict(rows_of(file, MARKS)).values()) == {0}
        assert await indexer.lag() == 0


async def test_on_a_full_disk_what_is_indexed_is_found(
    file: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(append, "SEVERAL", 20)  # the lines wait for the next read
    async with open_store(file, SETTINGS) as store:
        await store.messages.append(chat("<ada> the badger sleeps"))
        assert texts((await find(store, "badger")).messages) == ["the badger sleeps"]
        many = (f"<ada> {' '.join(f'{line}word{n}' for n in range(9_000))}" for line in range(9))
        await store.messages.append(chat("\n".join(many)))
        async with store._database.writing() as writer:  # noqa: SLF001 -- a full disk, made cheaply
            pages = await writer.value("PRAGMA page_count")
            await writer.rows(f"PRAGMA max_page_count={pages}")
        for _ in range(2):
            assert texts((await find(store, "badger")).messages) == ["the badger sleeps"]
            assert texts((await find(store, "7word7")).messages) == []
        async with store._database.writing() as writer:  # noqa: SLF001 -- and there is room again
            await writer.rows("PRAGMA max_page_count=1000000")
        assert len((await find(store, "7word7")).messages) == 1
    assert caplog.text.count("reading what is indexed, without the newest lines") == 1
