"""Any number of lines is appended in groups beside a live recorder, and no group is half stored."""

import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from datetime import datetime, timedelta, timezone
from itertools import pairwise
from pathlib import Path

import anyio
import pytest

from terrarium_mcp.chat.records import NewMessage, Origin
from terrarium_mcp.store import Store
from terrarium_mcp.store.errors import Locked, UnstorableMessage
from terrarium_mcp.store.records.append_totals import AppendTotals
from terrarium_mcp.store.sqlite.engine.fts_merge import MERGED_AT_ONCE
from terrarium_mcp.store.sqlite.ingest import bulk
from terrarium_mcp.store.sqlite.ingest.append import Appender, Insert, SaveResult
from terrarium_mcp.store.sqlite.ingest.bulk import LARGEST, LONG, USUAL
from tests.store.children import child
from tests.store.scene import (
    LONG_AGO,
    NOON,
    chat,
    check_index,
    differences,
    find,
    line_of,
    past,
    room,
    rows_of,
    texts,
)

pytestmark = pytest.mark.usefixtures("at_once")


async def test_lines_are_stored_in_their_order_and_everything_is_indexed(
    store: Store, file: Path
) -> None:
    await store.messages.append(chat("<bo> hello"))
    assert await store.messages.append_all(past(2_500)) == AppendTotals(lines=2_500, left_out=0)
    said = rows_of(file, "SELECT id, message FROM messages WHERE id > 1 ORDER BY id")
    assert said == [(n + 2, f"tea number {n}") for n in range(2_500)]
    assert await differences(store) == []
    assert texts((await find(store, "number 2499")).messages) == ["tea number 2499"]
    check_index(file)


async def test_lines_of_an_async_iterator_are_appended_too(store: Store) -> None:
    async def read() -> AsyncIterator[NewMessage]:
        for line in chat("<ada> one\n<bo> two"):
            await anyio.lowlevel.checkpoint()
            yield line

    assert await store.messages.append_all(read()) == AppendTotals(lines=2, left_out=0)
    assert await store.messages.append_all([]) == AppendTotals(lines=0, left_out=0)
    assert texts((await store.messages.newest([await room(store)], 9)).messages) == ["one", "two"]


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

    await store.messages.append_all(read(), report)
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
        await store.messages.append_all(past(4 * USUAL), lambda _: first.set())
    assert said.is_set()
    live, last = rows_of(file, "SELECT max(id) FILTER (WHERE nick = 'bo'), max(id) FROM messages")[
        0
    ]
    assert live < last


async def test_playback_that_is_known_is_left_out_and_counted(store: Store) -> None:
    lines = chat("<ada> one\n<bo> two")
    await store.messages.append(lines)
    played_back = [line._replace(origin=Origin.PLAYBACK) for line in lines]
    new = line_of("cy", "three", NOON + timedelta(hours=1), origin=Origin.PLAYBACK)
    assert await store.messages.append_all([*played_back, new]) == AppendTotals(lines=3, left_out=2)


async def test_a_cancelled_append_leaves_the_groups_that_were_reported(
    store: Store, file: Path
) -> None:
    told: list[int] = []
    with anyio.CancelScope() as scope:

        def report(done: int) -> None:
            told.append(done)
            if len(told) == 2:
                scope.cancel()

        await store.messages.append_all(past(9_000), report)
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
        await store.messages.append_all(lines)
    assert refused.value.position == USUAL + 8
    assert rows_of(file, "SELECT count(*) FROM messages") == [(USUAL + 7,)]


async def test_of_long_lines_fewer_make_a_group(store: Store) -> None:
    told: list[int] = []
    await store.messages.append_all(past(USUAL, text="{} " + "tea " * LONG), told.append)
    assert told[0] <= USUAL // 4


async def test_each_past_that_is_brought_after_what_followed_it_is_one_run(
    store: Store, file: Path
) -> None:
    live = [line._replace(origin=Origin.LIVE) for line in past(300, NOON)]
    await store.messages.append(live)
    await store.messages.append_all(past(5_000))
    await store.messages.append_all(past(3_000, LONG_AGO - timedelta(days=365)))
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
    sizes = [0]

    async with child("bring", file, 30_000) as other:
        await other.go()
        with anyio.fail_after(60):
            while rows_of(file, "SELECT count(*) FROM messages") != [(30_000,)]:
                sizes.append(wal.stat().st_size)
                await anyio.sleep(0.005)
    assert any(after < before for before, after in pairwise(sizes))


async def test_a_bulk_append_retries_while_another_holds_the_lock(
    store: Store, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("terrarium_mcp.store.sqlite.engine.database.BUSY_MS", 50)
    refused = 0
    append = Appender.append_yielding

    async def append_at_last(
        appender: Appender,
        lines: list[NewMessage],
        insert: Insert[list[NewMessage]],
    ) -> SaveResult:
        nonlocal refused
        try:
            return await append(appender, lines, insert)
        except Locked:
            refused += 1
            stranger.execute("ROLLBACK")
            raise

    monkeypatch.setattr(Appender, "append_yielding", append_at_last)
    with closing(sqlite3.connect(file, isolation_level=None)) as stranger:
        stranger.execute("BEGIN IMMEDIATE")
        done = await store.messages.append_all(past(10))
    assert (done.lines, refused) == (10, 1)


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
    await store.messages.append_all(past(5_000), lambda _: told.append(merged_at_once(file)))
    assert told[:2] == [{(8, 16)}] * 2
    assert told[2:] == [{(32, 64)}] * (len(told) - 2)
    assert len(told) >= 5
    assert merged_at_once(file) == {(8, 16)}
    with anyio.CancelScope() as cancelled:
        await store.messages.append_all(
            past(5_000), lambda lines: cancelled.cancel() if lines > 4_000 else None
        )
    assert cancelled.cancelled_caught
    assert merged_at_once(file) == {(8, 16)}
    check_index(file)
