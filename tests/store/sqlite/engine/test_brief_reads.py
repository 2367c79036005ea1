"""Brief reads: on the event loop, and in a thread as soon as they are not brief after all."""

# ruff: noqa: S608, SLF001 -- statements of numbers; its own connection tells what runs on it

import threading
from collections.abc import Callable, Coroutine
from sqlite3 import SQLITE_OK
from typing import Any

import anyio
import pytest
from anyio import from_thread
from anyio.lowlevel import checkpoint, current_token

from terrarium_mcp.store.sqlite.engine import brief_reads
from terrarium_mcp.store.sqlite.engine.brief_reads import NOT_TRIED, NotBrief
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.reads import Reads
from tests.patience import PATIENCE

MANY, SOME = 300_000, 100_000
UP_TO = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {})"
UP_TO_MANY = f"{UP_TO.format(MANY)} SELECT max(i) FROM n"
UP_TO_SOME = f"{UP_TO.format(SOME)} SELECT max(i) FROM n"
ALL_UP_TO_SOME = f"{UP_TO.format(SOME)} SELECT i FROM n WHERE i % 1000 = 0"
NOT_UTF8 = "SELECT CAST(x'636166e9' AS TEXT)"


def noting(sql: str, threads: list[int]) -> Callable[[Reads], Coroutine[Any, Any, object]]:
    """A read of one statement that notes the threads in which it runs."""

    async def read(reads: Reads) -> object:
        threads.append(threading.get_ident())
        return await reads.value(sql)

    return read


async def test_a_brief_read_runs_where_it_is_asked_for(database: Database) -> None:
    threads = list[int]()
    assert await database.read_whole(noting("SELECT 2", threads), briefly=True) == 2
    assert threads == [threading.get_ident()]


async def test_one_that_takes_long_is_begun_again_in_a_thread(database: Database) -> None:
    threads = list[int]()
    assert await database.read_whole(noting(UP_TO_MANY, threads), briefly=True) == MANY
    first, second = threads
    assert first == threading.get_ident()
    assert second != first
    assert await database.value("SELECT 1") == 1


async def test_the_next_times_its_statement_goes_to_a_thread_at_once(database: Database) -> None:
    tries = list[str]()
    assert database._brief
    database._brief._connection.set_trace_callback(tries.append)
    for _ in range(1 + NOT_TRIED):
        assert await database.value(UP_TO_SOME) == SOME
    assert len(tries) == 1
    assert await database.value(UP_TO_SOME) == SOME  # it may have become brief
    assert len(tries) == 2


async def test_what_has_become_brief_is_not_compiled_at_each_use(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert database._brief
    for _ in range(1 + NOT_TRIED):
        await database.rows(ALL_UP_TO_SOME)
    monkeypatch.setattr(brief_reads, "BRIEF", PATIENCE)
    compiled = list[object]()

    def noted(*what: object) -> int:
        compiled.append(what)
        return SQLITE_OK

    database._brief._connection.set_authorizer(noted)
    await database.rows(ALL_UP_TO_SOME)
    assert compiled
    compiled.clear()
    await database.rows(ALL_UP_TO_SOME)
    assert not compiled


async def test_none_runs_there_while_a_thread_works(database: Database) -> None:
    began, may_end = anyio.Event(), threading.Event()
    token = current_token()

    async def at_work(_: Reads) -> bool:
        from_thread.run_sync(began.set, token=token)
        return may_end.wait(PATIENCE)

    threads = list[int]()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(database.read_whole, at_work)
        await began.wait()
        assert await database.read_whole(noting("SELECT 2", threads), briefly=True) == 2
        may_end.set()
    assert threading.get_ident() not in threads


async def test_none_runs_there_while_a_transaction_is_open(database: Database) -> None:
    threads = list[int]()
    async with database.writing():
        assert await database.read_whole(noting("SELECT 2", threads), briefly=True) == 2
    assert threading.get_ident() not in threads


async def test_text_that_is_not_utf8_is_read_there_too(database: Database) -> None:
    threads = list[int]()
    assert await database.read_whole(noting(NOT_UTF8, threads), briefly=True) == "caf\ufffd"
    assert threads[0] == threading.get_ident()


async def test_what_is_committed_is_seen_at_once(database: Database) -> None:
    for number in range(3):
        async with database.writing() as writer:
            await writer.run(
                "INSERT INTO rooms (network, folded, channel) VALUES ('n', ?, '')", [f"#{number}"]
            )
        assert await database.value("SELECT count(*) FROM rooms") == number + 1


async def test_what_a_turn_has_no_time_for_is_read_in_the_next(database: Database) -> None:
    brief = database._brief
    assert brief

    def read_on() -> None:
        while True:
            brief.read(lambda reads: reads.value("SELECT 2"))

    with pytest.raises(NotBrief):
        read_on()
    await brief.let_others_run()
    assert brief.read(lambda reads: reads.value("SELECT 3")) == 3


async def test_a_row_of_them_lets_others_run(database: Database) -> None:
    turns = 0

    async def other() -> None:
        nonlocal turns
        while True:
            await checkpoint()
            turns += 1

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(other)
        for _ in range(5_000):
            await database.value("SELECT 1")
        tasks.cancel_scope.cancel()
    assert turns > 10


async def test_a_call_that_was_cancelled_reads_nothing(database: Database) -> None:
    threads = list[int]()
    with anyio.CancelScope() as call:
        call.cancel()
        await database.read_whole(noting("SELECT 2", threads), briefly=True)
    assert call.cancelled_caught
    assert not threads
