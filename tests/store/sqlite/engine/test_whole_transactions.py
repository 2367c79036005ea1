"""A whole transaction: its statements run in one thread, and all of it is kept or nothing."""

import asyncio
import sqlite3
import threading

import anyio
import pytest

from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.writes import Writer
from tests.patience import PATIENCE

NAMES = "SELECT name FROM networks ORDER BY name"


async def put(writer: Writer, name: str) -> None:
    await writer.run("INSERT INTO networks (name) VALUES (?)", [name])


async def names(database: Database) -> list[str]:
    return [name for (name,) in await database.rows(NAMES)]


async def test_its_statements_and_the_thinking_between_them_are_in_one_thread_beside_the_event_loop(
    database: Database,
) -> None:
    async def write(writer: Writer) -> int:
        await put(writer, "oftc")
        await writer.many("INSERT INTO networks (name) VALUES (?)", [["libera"], ["ircnet"]])
        assert threading.get_ident() != of_the_loop
        return int(await writer.value("SELECT count(*) FROM networks"))

    of_the_loop = threading.get_ident()
    assert await database.write_whole(write) == 3
    assert await names(database) == ["ircnet", "libera", "oftc"]


async def test_an_error_of_it_reaches_who_asked_and_nothing_of_it_is_kept(
    database: Database,
) -> None:
    async def write(writer: Writer) -> None:
        await put(writer, "oftc")
        writer.ids.largest = 7
        raise LookupError("no tea")

    given = list[int]()

    async def look(writer: Writer) -> None:
        given.append(writer.ids.largest)

    with pytest.raises(LookupError, match="no tea"):
        await database.write_whole(write)
    await database.write_whole(look)
    assert (await names(database), given) == ([], [0])


async def test_a_transaction_of_single_statements_takes_its_ids_back_too(
    database: Database,
) -> None:
    async def fail() -> None:
        async with database.writing() as writer:
            writer.ids.largest = 7
            raise LookupError

    with pytest.raises(LookupError):
        await fail()
    async with database.writing() as writer:
        assert writer.ids.largest == 0
        writer.ids.largest = 8
    async with database.writing() as writer:
        assert writer.ids.largest == 8


async def test_it_is_on_the_disk_before_it_ends_unless_it_need_not_last(database: Database) -> None:
    async def synchronous(writer: Writer) -> int:
        return int(await writer.value("PRAGMA synchronous"))

    async def fail(_: Writer) -> None:
        raise LookupError

    normal, full = 1, 2  # https://sqlite.org/pragma.html#pragma_synchronous
    for _ in range(2):
        assert await database.write_whole(synchronous) == full
        assert await database.write_whole(synchronous, lasting=False) == normal
        with pytest.raises(LookupError):
            await database.write_whole(fail, lasting=False)
        async with database.writing() as writer:
            assert await synchronous(writer) == full


async def test_it_waits_for_nothing_but_its_statements(database: Database) -> None:
    async def write(writer: Writer) -> None:
        await put(writer, "oftc")
        await asyncio.sleep(0)

    with pytest.raises(RuntimeError, match="awaited something other"):
        await database.write_whole(write)
    assert await names(database) == []


async def test_once_begun_it_is_not_cancelled(database: Database) -> None:
    async def write(writer: Writer) -> None:
        anyio.from_thread.run_sync(scope.cancel, token=loop)
        await put(writer, "oftc")

    loop = anyio.lowlevel.current_token()
    with anyio.CancelScope() as scope:
        await database.write_whole(write)
    assert scope.cancel_called
    assert await names(database) == ["oftc"]


async def test_it_waits_for_its_turn_and_for_other_processes(database: Database) -> None:
    async def write(writer: Writer) -> None:
        await put(writer, "oftc")

    other = sqlite3.connect(database.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(database.write_whole, write)
        with anyio.fail_after(PATIENCE):
            while not database._writing.statistics().locked:  # noqa: SLF001 -- to see it wait
                await anyio.lowlevel.checkpoint()
        other.execute("INSERT INTO networks (name) VALUES ('libera')")
        other.execute("COMMIT")
        other.close()
    assert await names(database) == ["libera", "oftc"]
