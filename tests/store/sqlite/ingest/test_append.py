"""A process that waits to write gets its turn; rows left unindexed for that are indexed later."""

import sqlite3
from collections.abc import Callable
from functools import partial
from pathlib import Path

import anyio
import pytest

from terrarium_mcp.store import Store, open_store
from terrarium_mcp.store.errors import Locked
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.write_lock import YieldingTransaction
from terrarium_mcp.store.sqlite.index.all_structures import DERIVED
from terrarium_mcp.store.sqlite.ingest.append import FLOOD
from tests.patience import PATIENCE
from tests.store.children import child
from tests.store.scene import (
    SETTINGS,
    chat,
    check_index,
    differences,
    find,
    past,
    rows_of,
    texts,
)
from tests.store.sqlite.imports.logs import bring


async def until(condition: Callable[[], bool]) -> None:
    """Poll for a condition that no event announces."""
    with anyio.fail_after(PATIENCE):
        while not condition():  # noqa: ASYNC110 -- a lock of the operating system has no event
            await anyio.sleep(0.002)


async def test_a_process_that_waits_is_noticed_and_one_that_died_waiting_is_not(
    store: Store, file: Path
) -> None:
    database = store._database  # noqa: SLF001 -- what appends ask
    await store.messages.append(chat("<bo> hello"))
    async with child("say", file) as other:
        async with database.writing():
            assert not database.has_waiters()
            await other.go()
            await until(database.has_waiters)
        assert await other.says() == "0"
        async with database.writing():
            await until(database.has_waiters)
            await other.kill()
            assert not database.has_waiters()


async def test_an_append_that_waits_in_the_same_process_is_noticed(store: Store) -> None:
    database = store._database  # noqa: SLF001 -- what appends ask
    async with anyio.create_task_group() as tasks, database.writing():
        assert not database.has_waiters()
        tasks.start_soon(store.messages.append, chat("<ada> hello"))
        await until(database.has_waiters)
    async with database.writing():
        assert not database.has_waiters()


async def test_the_keeper_s_own_transactions_wait_unnoticed_and_get_their_turn(
    store: Store,
) -> None:
    database = store._database  # noqa: SLF001 -- what appends ask
    done = list[str]()

    async def write(what: str, *, patiently: bool) -> None:
        async with database.writing(patiently=patiently):
            done.append(what)

    async with anyio.create_task_group() as tasks, database.writing():
        tasks.start_soon(partial(write, "merge", patiently=True))
        await until(lambda: database._writing.statistics().tasks_waiting == 1)  # noqa: SLF001
        assert not database.has_waiters()
        tasks.start_soon(partial(write, "line", patiently=False))
        await until(database.has_waiters)
    assert done == ["merge", "line"]
    async with database.writing():
        assert not database.has_waiters()


async def test_a_process_that_cannot_announce_that_it_waits_still_gets_its_turn(
    store: Store, file: Path
) -> None:
    file.with_name(f"{file.name}.waiting").mkdir()  # so no lock file can be made there
    other = Database(file)
    await other.open()
    async with anyio.create_task_group() as tasks, other.writing():
        tasks.start_soon(store.messages.append, chat("<ada> hello"))
        await until(store._database._writing.locked)  # noqa: SLF001 -- it is about to begin
        assert not other.has_waiters()
    await other.aclose()
    assert rows_of(file, "SELECT message FROM messages") == [("hello",)]


async def test_a_flood_is_on_disk_at_once_and_the_next_read_indexes_it(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("terrarium_mcp.store.sqlite.keeper.TRY_EVERY", 3_600)
    async with open_store(file, SETTINGS) as store:
        await store.messages.append([*past(FLOOD)])
        assert rows_of(file, "SELECT count(*) FROM messages") == [(FLOOD,)]
        behind = {one.name for one in DERIVED}
        sql = "SELECT name FROM derived WHERE upto < (SELECT max(id) FROM messages)"
        assert {name for (name,) in rows_of(file, sql)} | _unknown(file) == behind
        assert texts((await find(store, f"number {FLOOD - 1}")).messages) == [
            f"tea number {FLOOD - 1}"
        ]
        await store.messages.append(chat("<bo> and one more"))
        assert texts((await find(store, "more")).messages) == ["and one more"]
        assert await differences(store) == []


async def test_a_continuing_flood_leaves_no_more_unindexed_than_a_read_catches_up_with(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("terrarium_mcp.store.sqlite.keeper.TRY_EVERY", 3_600)
    monkeypatch.setattr("terrarium_mcp.store.sqlite.ingest.append.INDEXED_BY_READ", 2 * FLOOD)
    async with open_store(file, SETTINGS) as store:
        for number in range(3):
            await store.messages.append([*past(FLOOD)])
            said = (number + 1) * FLOOD
            assert await store.indexed_up_to() == (said if number == 2 else 0)


def _unknown(file: Path) -> set[str]:
    """The structures without a watermark."""
    known = {name for (name,) in rows_of(file, "SELECT name FROM derived")}
    return {one.name for one in DERIVED} - known


async def test_a_bulk_append_that_always_yields_still_indexes_everything(
    store: Store, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(YieldingTransaction, "is_over", property(lambda turn: turn.longest > 0))
    await bring(store, past(3_000))
    assert await store.indexed_up_to() == 3_000
    assert texts((await find(store, "number 2999")).messages) == ["tea number 2999"]
    assert await differences(store) == []
    check_index(file)


async def test_a_rebuild_that_always_yields_still_ends(
    store: Store, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store.messages.append([*past(2_500)])
    monkeypatch.setattr(YieldingTransaction, "is_over", property(lambda turn: turn.longest > 0))
    await store.rebuild([one.name for one in DERIVED])
    assert await differences(store) == []
    check_index(file)


async def test_a_bulk_append_whose_catching_up_is_locked_out_saves_no_line_twice(
    store: Store, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("terrarium_mcp.store.sqlite.engine.database.BUSY_MS", 50)
    monkeypatch.setattr(YieldingTransaction, "is_over", property(lambda turn: turn.longest > 0))
    stranger = sqlite3.connect(file, isolation_level=None)

    def hold(_: int) -> None:
        stranger.execute("BEGIN IMMEDIATE")

    with pytest.raises(Locked):
        await bring(store, past(300), report=hold)
    stranger.execute("ROLLBACK")
    stranger.close()
    assert (await bring(store, past(300))).known == 300
    assert rows_of(file, "SELECT count(*), max(id) FROM messages") == [(300, 300)]
    assert texts((await find(store, "number 299")).messages) == ["tea number 299"]


def test_a_transaction_yields_once_it_has_done_a_step_and_another_waits() -> None:
    async def scene() -> None:
        wanted = False
        turn = YieldingTransaction(lambda: wanted, minimum=0)
        turn.step()
        assert not turn.is_over
        wanted = True
        assert turn.is_over
        assert not YieldingTransaction(lambda: True, minimum=0).is_over
        patient = YieldingTransaction(lambda: True, minimum=60)
        patient.step()
        assert not patient.is_over

    anyio.run(scene)
