"""Brief reads: on the event loop, and in a thread as soon as they are not brief after all."""

import threading
from collections.abc import Callable, Coroutine
from typing import Any

import anyio
from anyio import from_thread
from anyio.lowlevel import checkpoint, current_token

from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.reads import Reads
from tests.patience import PATIENCE

MANY = 300_000
UP_TO_MANY = (
    f"WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {MANY})"  # noqa: S608 -- a number
    " SELECT max(i) FROM n"
)
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
