"""A whole read: its statements run in one thread, and none of them once nobody waits."""

import asyncio
import threading
from functools import partial

import anyio
import pytest

from terrarium_mcp.store.errors import TookTooLong
from terrarium_mcp.store.sqlite.engine.database import READERS, Database
from terrarium_mcp.store.sqlite.engine.reads import Reads
from terrarium_mcp.store.sqlite.engine.reads_in_turns import read_in_turns
from tests.patience import PATIENCE

FOR_EVER = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
NOT_UTF8 = "SELECT CAST(x'636166e9' AS TEXT)"


async def test_its_statements_and_the_thinking_between_them_are_in_one_thread_beside_the_event_loop(
    database: Database,
) -> None:
    async def read(reads: Reads) -> list[int]:
        one = await reads.value("SELECT 1")
        two = await reads.value("SELECT ? + 1", [one])
        assert threading.get_ident() != of_the_loop
        return [one, two, await reads.value("SELECT NULL", default=3)]

    of_the_loop = threading.get_ident()
    assert await database.read_whole(read) == [1, 2, 3]


async def test_an_error_of_it_reaches_who_asked_and_the_connection_serves_the_next_read(
    database: Database,
) -> None:
    async def read(reads: Reads) -> None:
        await reads.rows("SELECT 1")
        raise LookupError("no tea")

    for _ in range(5):  # more than there are connections
        with pytest.raises(LookupError, match="no tea"):
            await database.read_whole(read)
    assert await database.value("SELECT 1") == 1


async def test_the_deadline_is_that_of_all_its_statements_together(database: Database) -> None:
    ran = list[int]()

    async def read(reads: Reads) -> None:
        for number in range(3):
            ran.append(number)
            await reads.rows(FOR_EVER)

    with anyio.fail_after(PATIENCE):
        with pytest.raises(TookTooLong, match=r"within 0\.05 s"):
            await database.read_whole(read, deadline=0.05)
        assert await database.value("SELECT 1") == 1
    assert ran == [0]


async def test_no_statement_runs_once_it_is_cancelled_however_long_it_thinks(
    database: Database,
) -> None:
    thinking, go_on = threading.Event(), threading.Event()
    reached = list[str]()

    async def read(reads: Reads) -> None:
        thinking.set()
        go_on.wait(PATIENCE)
        reached.append("thought")
        await reads.rows("SELECT 1")
        reached.append("read")

    async def cancel(scope: anyio.CancelScope) -> None:
        await anyio.to_thread.run_sync(thinking.wait)
        scope.cancel()
        await anyio.lowlevel.checkpoint()
        go_on.set()

    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            with anyio.CancelScope() as scope:
                tasks.start_soon(cancel, scope)
                await database.read_whole(read)
        assert await database.value("SELECT 1") == 1
    assert reached == ["thought"]


async def test_however_many_run_or_wait_a_single_statement_finds_a_reader(
    database: Database,
) -> None:
    begun = [threading.Event() for _ in READERS]
    go_on = threading.Event()

    async def read(_: Reads, number: int) -> None:
        begun[number].set()
        go_on.wait(PATIENCE)

    async with anyio.create_task_group() as tasks:
        for number in range(len(READERS)):
            tasks.start_soon(database.read_whole, partial(read, number=number))
        for one in begun[:-1]:
            await anyio.to_thread.run_sync(one.wait, PATIENCE)
        with anyio.move_on_after(PATIENCE / 2) as waiting:
            assert await database.value("SELECT 1") == 1
        is_last_waiting = not begun[-1].is_set()
        go_on.set()
    assert not waiting.cancelled_caught
    assert is_last_waiting
    assert begun[-1].is_set()


async def test_however_many_are_read_in_turns_a_single_statement_finds_a_reader(
    database: Database,
) -> None:
    begun = [threading.Event() for _ in READERS]

    async def read(reads: Reads, number: int) -> None:
        begun[number].set()
        await reads.rows(FOR_EVER)

    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            for number in range(len(READERS)):
                tasks.start_soon(read_in_turns, database, partial(read, number=number))
            for one in begun:
                await anyio.to_thread.run_sync(one.wait, PATIENCE)
            for _ in range(20):  # the first may come before their statements
                assert await database.value("SELECT 1") == 1
            tasks.cancel_scope.cancel()


async def test_text_that_is_not_utf8_is_read_within_it_as_by_a_single_statement(
    database: Database,
) -> None:
    async def read(reads: Reads) -> str:
        return str(await reads.value(NOT_UTF8))

    assert await database.read_whole(read) == await database.value(NOT_UTF8) == "caf\ufffd"


async def test_waiting_for_anything_but_statements_is_a_fault_and_not_a_hang(
    database: Database,
) -> None:
    async def read(_: Reads) -> None:
        await asyncio.sleep(0)

    with pytest.raises(RuntimeError, match="awaited something other"):
        await database.read_whole(read)
    assert await database.value("SELECT 1") == 1
