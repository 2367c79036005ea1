"""A log of any length is stored by groups beside a live recorder, and no group is half stored."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime, timedelta, timezone
from itertools import pairwise
from pathlib import Path

import anyio
import pytest

from terrarium_mcp.chat.records import NewMessage, Origin
from terrarium_mcp.store import Store, open_store
from terrarium_mcp.store.errors import Locked, UnstorableMessage
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.fts_merge import MERGED_AT_ONCE
from terrarium_mcp.store.sqlite.engine.write_lock import STEP_SECONDS, BatchSizer
from terrarium_mcp.store.sqlite.ingest import bulk
from terrarium_mcp.store.sqlite.ingest.append import Appender, Insert, SaveResult
from terrarium_mcp.store.sqlite.ingest.bulk import ALONE_SECONDS, LARGEST, LONG, MANY, USUAL
from terrarium_mcp.store.sqlite.ingest.prepared_lines import PreparedLines
from tests.patience import PATIENCE
from tests.store.children import child
from tests.store.scene import (
    LONG_AGO,
    NOON,
    SETTINGS,
    chat,
    check_index,
    differences,
    find,
    line_of,
    past,
    rows_of,
    texts,
)
from tests.store.sqlite.imports.logs import add, bring, log_of

pytestmark = pytest.mark.usefixtures("at_once")


async def test_lines_are_stored_in_their_order_and_everything_is_indexed(
    store: Store, file: Path
) -> None:
    await store.messages.append(chat("<bo> hello"))
    assert (await bring(store, past(2_500))).added == 2_500
    said = rows_of(file, "SELECT id, message FROM messages WHERE id > 1 ORDER BY id")
    assert said == [(n + 2, f"tea number {n}") for n in range(2_500)]
    assert await differences(store) == []
    assert texts((await find(store, "number 2499")).messages) == ["tea number 2499"]
    check_index(file)


async def test_what_is_reported_is_on_disk_and_no_more_than_a_group_is_in_memory(
    store: Store, file: Path
) -> None:
    taken = 0
    told = [0]

    def read() -> Iterator[NewMessage]:
        nonlocal taken
        for line in past(9_000):
            taken += 1
            yield line

    def report(done: int) -> None:
        assert taken - told[-1] <= LARGEST
        assert rows_of(file, "SELECT count(*) FROM messages") == [(done,)]
        told.append(done)

    await bring(store, read(), report=report)
    assert told[-1] == 9_000
    assert all(before < after for before, after in pairwise(told))


async def test_a_live_line_comes_between_two_groups(store: Store, file: Path) -> None:
    said = anyio.Event()

    async def say(done: anyio.Event) -> None:
        await done.wait()
        await store.messages.append(chat("<bo> and now to the present"))
        said.set()

    async with anyio.create_task_group() as tasks:
        first = anyio.Event()
        tasks.start_soon(say, first)
        await bring(store, past(4 * USUAL), report=lambda _: first.set())
    assert said.is_set()
    live, last = rows_of(file, "SELECT max(id) FILTER (WHERE nick = 'bo'), max(id) FROM messages")[
        0
    ]
    assert live < last


async def test_a_cancelled_append_leaves_the_groups_that_were_reported(
    store: Store, file: Path
) -> None:
    told: list[int] = []
    with anyio.CancelScope() as scope:

        def report(done: int) -> None:
            told.append(done)
            if len(told) == 2:
                scope.cancel()

        await bring(store, past(9_000), report=report)
    assert scope.cancelled_caught
    assert rows_of(file, "SELECT count(*), max(id) FROM messages") == [(told[1], told[1])]
    assert await differences(store) == []


@pytest.mark.parametrize(
    ("at", "why"),
    [
        (NOON.replace(tzinfo=None), "has no time zone"),
        (datetime(9999, 12, 31, 23, tzinfo=timezone(timedelta(hours=-5))), "outside of the calend"),
    ],
)
async def test_a_line_that_cannot_be_stored_is_named_and_all_before_it_are_stored(
    store: Store, file: Path, at: datetime, why: str
) -> None:
    lines = [*past(USUAL + 7), line_of("ada", "bad", at), line_of("ada", "after it")]
    with pytest.raises(
        UnstorableMessage, match=rf"^Line 1,008 cannot be stored: .*{why}"
    ) as refused:
        await bring(store, lines)
    assert refused.value.position == USUAL + 8
    assert rows_of(file, "SELECT count(*) FROM messages") == [(USUAL + 7,)]


async def test_of_long_lines_fewer_make_a_group(store: Store) -> None:
    told: list[int] = []
    await bring(store, past(USUAL, text="{} " + "tea " * LONG), report=told.append)
    assert told[0] <= USUAL // 4


@pytest.fixture
def meant(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long the step of each group should have taken."""
    told: list[float] = []

    class ToldSizer(BatchSizer):
        def record(self, rows: float, seconds: float, meant: float = STEP_SECONDS) -> None:
            told.append(meant)
            super().record(rows, seconds, meant)

    monkeypatch.setattr(bulk, "BatchSizer", ToldSizer)
    return told


async def test_groups_are_larger_where_nobody_else_writes(store: Store, meant: list[float]) -> None:
    await bring(store, past(3 * USUAL))
    assert {*meant} == {ALONE_SECONDS}


async def test_groups_are_small_beside_a_process_that_was_there_before(
    store: Store, file: Path, meant: list[float]
) -> None:
    await store.opening.wait(PATIENCE)
    async with open_store(file, SETTINGS) as other:
        await bring(other, past(3 * USUAL))
    assert {*meant} == {STEP_SECONDS}


async def test_groups_are_small_once_a_writer_was_met(
    store: Store, meant: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    def waits_until_met(_: Database) -> bool:  # a group that is quickly over does not look
        return bool(meant) and STEP_SECONDS not in meant

    monkeypatch.setattr(Database, "has_waiters", waits_until_met)
    await bring(store, past(20 * USUAL))
    assert meant[0] == ALONE_SECONDS
    met = meant.index(STEP_SECONDS)
    assert {*meant[met:]} == {STEP_SECONDS}
    assert len(meant) > met + 1


async def test_each_past_that_is_brought_after_what_followed_it_is_one_run(
    store: Store, file: Path
) -> None:
    live = [line._replace(origin=Origin.LIVE) for line in past(300, NOON)]
    await store.messages.append(live)
    await bring(store, past(5_000))
    await bring(store, past(3_000, LONG_AGO - timedelta(days=365)), log_of("older.log"))
    await store.messages.append(chat("<bo> and on", at=NOON + timedelta(days=30)))
    runs = [(1, 300), (301, 5_300), (5_301, 8_300), (8_301, 8_301)]
    assert rows_of(file, "SELECT first, last FROM runs ORDER BY first") == runs


@pytest.mark.usefixtures("store")  # the keeper
async def test_a_wal_in_constant_use_starts_over(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("terrarium_mcp.store.sqlite.engine.checkpoints.LARGE", 500_000)
    monkeypatch.setattr("terrarium_mcp.store.sqlite.engine.checkpoints.LOOK_EVERY", 0.01)
    wal = file.with_name(file.name + "-wal")
    size = largest = 0

    async with child("bring", file, 100_000) as other:
        await other.go()
        with anyio.fail_after(PATIENCE):
            while size >= largest:
                await anyio.sleep(0.005)
                largest, size = max(size, largest), wal.stat().st_size
        assert other.is_at_work()


async def test_a_bulk_append_retries_while_another_holds_the_lock(
    store: Store, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("terrarium_mcp.store.sqlite.engine.database.BUSY_MS", 50)
    refused = 0
    append = Appender.append_yielding

    async def append_at_last(
        appender: Appender, lines: PreparedLines, insert: Insert[PreparedLines]
    ) -> SaveResult:
        nonlocal refused
        try:
            return await append(appender, lines, insert)
        except Locked:
            refused += 1
            stranger.execute("ROLLBACK")
            raise

    monkeypatch.setattr(Appender, "append_yielding", append_at_last)
    number = await store.imports.begin("terrarium-mcp import tea.log")
    with closing(sqlite3.connect(file, isolation_level=None)) as stranger:
        stranger.execute("BEGIN IMMEDIATE")
        done = await add(store, number, log_of(), past(10))
    assert (done.added, refused) == (10, 1)


def merged_at_once(file: Path) -> set[tuple[int, int]]:
    """How many segments of a size FTS5 merges, at the latest and in one go, in both indexes."""
    sql = """SELECT k, v FROM {}_config WHERE k IN ('automerge', 'crisismerge') ORDER BY k"""
    both = [dict(rows_of(file, sql.format(table))) for table in ("message_index", "phrase_index")]
    return {(one["automerge"], one.get("crisismerge", 16)) for one in both}  # 16: FTS5's own


async def test_a_large_append_merges_seldom_and_leaves_the_index_as_it_was(
    store: Store, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk, "LARGEST", 1_000)  # five groups or more, however quick the machine is
    assert merged_at_once(file) == {(MERGED_AT_ONCE, 2 * MERGED_AT_ONCE)}
    told: list[set[tuple[int, int]]] = []
    await bring(store, past(5_000), report=lambda _: told.append(merged_at_once(file)))
    assert told[:2] == [{(8, 16)}] * 2
    assert told[2:] == [{(32, 64)}] * (len(told) - 2)
    assert len(told) >= 5
    assert merged_at_once(file) == {(8, 16)}
    with anyio.CancelScope() as cancelled:
        await bring(
            store,
            past(5_000, LONG_AGO - timedelta(days=365)),
            report=lambda lines: cancelled.cancel() if lines > 4_000 else None,
        )
    assert cancelled.cancelled_caught
    assert merged_at_once(file) == {(8, 16)}
    check_index(file)


async def test_a_lock_while_the_merging_is_told_ends_no_import(
    store: Store, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("terrarium_mcp.store.sqlite.engine.database.BUSY_MS", 50)
    monkeypatch.setattr(bulk, "LARGEST", 1_000)
    append = Appender.append_yielding
    told: list[set[tuple[int, int]]] = []

    async def append_and_lock(
        appender: Appender, lines: PreparedLines, insert: Insert[PreparedLines]
    ) -> SaveResult:
        result = await append(appender, lines, insert)
        if len(told) == MANY - 1:  # what comes next is the merging
            stranger.execute("BEGIN IMMEDIATE")
        return result

    def report(_: int) -> None:
        if stranger.in_transaction:
            stranger.execute("ROLLBACK")
        told.append(merged_at_once(file))

    monkeypatch.setattr(Appender, "append_yielding", append_and_lock)
    with closing(sqlite3.connect(file, isolation_level=None)) as stranger:
        assert (await bring(store, past(5_000), report=report)).added == 5_000
    assert told == [{(8, 16)}] * len(told)
    check_index(file)
