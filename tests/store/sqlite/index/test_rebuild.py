"""Derived structures are rebuilt while others read and write, also after a process was killed."""
# ruff: noqa: ASYNC110  # no event announces what another process does

import os
import signal
from pathlib import Path

import anyio
import pytest

from terrarium_mcp.store import Store, open_store
from terrarium_mcp.store.errors import IndexDamaged, StillOpening, StoreFailed
from terrarium_mcp.store.sqlite.index.all_structures import DERIVED
from terrarium_mcp.store.sqlite.index.indexer import Indexer
from terrarium_mcp.store.sqlite.index.structure import Derived
from terrarium_mcp.store.sqlite.index.talk_counts import TalkCounts
from terrarium_mcp.store.sqlite.index.word_blocks import WordBlocks
from tests.patience import PATIENCE
from tests.store.damage import flip_bytes, garble_index, garble_structure
from tests.store.scene import SETTINGS, chat, find, rows_of, texts, write
from tests.store.sqlite.index.test_derived import a_little_of_everything, differences
from tests.store.sqlite.test_processes import running

pytestmark = pytest.mark.usefixtures("at_once")

ALL = [one.name for one in DERIVED]
each = pytest.mark.parametrize("one", DERIVED, ids=lambda one: str(one.name))
WHOLE = [one for one in DERIVED if not isinstance(one, WordBlocks | TalkCounts)]
"""The structures that hold every message: blocks of words and periods may be missing."""

REBUILDING = """
import sys, anyio
from pathlib import Path
from terrarium_mcp.store import open_store
from terrarium_mcp.store.sqlite.index import indexer
from terrarium_mcp.store.sqlite.index.all_structures import DERIVED
from tests.patience import PATIENCE
from tests.store.scene import SETTINGS
indexer.BATCH = (200, 500, 500)  # in more than one chunk, however quick it is
def report(part):
    if part > float(sys.argv[2]):
        print("so far", flush=True)
        sys.stdin.readline()
async def main():
    async with open_store(Path(sys.argv[1]), SETTINGS) as store:
        await store.opening.wait(PATIENCE)
        await store._indexer.schedule_rebuild([one.name for one in DERIVED])
        await store._indexer.catch_up(report)  # as the keeper does, in view of us
anyio.run(main)
"""


async def answers(store: Store) -> bool:
    """Whether the index can be searched."""
    try:
        return bool((await find(store, "number")).messages)
    except (IndexDamaged, StillOpening):
        return False


def some_talk(lines: int) -> str:
    said = "<ada> tea number {0}, see https://example.org/{0}\n* bo pours cup {0}\n"
    return "".join(said.format(number) for number in range(lines // 2))


@pytest.mark.parametrize("one", WHOLE, ids=lambda one: str(one.name))
async def test_a_rebuild_makes_right_what_was_wrong(store: Store, one: Derived) -> None:
    await store.messages.append(a_little_of_everything())
    async with store._database.writing() as writer:  # noqa: SLF001 -- a structure that lost everything
        await one.clear(writer)
    assert await differences(store, one)
    heard: list[float] = []
    assert await store.rebuild([one.name], heard.append) == 5
    assert await store.differences() == []


async def test_lines_are_read_and_recorded_while_everything_is_rebuilt(
    store: Store, file: Path
) -> None:
    await store.messages.append(chat(some_talk(6_000)))
    seen: list[float] = []
    begun = anyio.Event()

    def report(part: float) -> None:
        seen.append(part)
        begun.set()

    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(store.rebuild, ALL, report)
            await begun.wait()
            await store.messages.append(chat("<cy> said meanwhile"))
            page = await store.messages.newest(await store.rooms.all(), 1)
            upto = dict(rows_of(file, "SELECT name, upto FROM derived"))
            assert upto["index"] < 6_001
            assert texts(page.messages) == ["said meanwhile"]
    assert seen == sorted(seen)
    assert await store.differences() == []
    assert len((await find(store, "meanwhile")).messages) == 1


@pytest.mark.parametrize("part", [-1, 0, 0.4], ids=["emptying", "emptied", "half-way"])
async def test_a_rebuild_whose_process_is_killed_is_continued(file: Path, part: float) -> None:
    async with open_store(file, SETTINGS) as store:
        await store.messages.append(chat(some_talk(6_000)))
    async with running(REBUILDING, str(file), str(part)) as other:
        os.kill(other.pid, signal.SIGKILL)
        await other.wait()
    upto = dict(rows_of(file, "SELECT name, upto FROM derived"))
    assert upto["index"] < 6_000
    async with open_store(file, SETTINGS) as store:
        with anyio.fail_after(PATIENCE):
            await store.opening.wait(PATIENCE)
        assert await store.differences() == []


async def test_a_read_that_needs_it_says_how_far_it_is(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store.messages.append(chat(some_talk(6_000)))
    monkeypatch.setattr("terrarium_mcp.store.sqlite.index.indexer.PATIENCE", 0)
    monkeypatch.setattr("terrarium_mcp.store.sqlite.index.indexer.INDEXED_BY_READ", 5_000)
    await store._indexer.schedule_rebuild(ALL)  # noqa: SLF001 -- the keeper has not seen it yet
    with pytest.raises(StillOpening, match=r"indexing the history, \d+ %"):
        await find(store, "tea")
    assert (await store.messages.newest(await store.rooms.all(), 1)).messages
    monkeypatch.undo()
    assert (await find(store, "tea")).messages


@pytest.mark.parametrize("garble", [garble_index, garble_structure])
async def test_a_damaged_index_is_reported_and_rebuilt_while_lines_are_readable(
    file: Path, garble: object, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_store(file, SETTINGS) as store:
        await store.messages.append(chat(some_talk(300)))
    assert callable(garble)
    garble(file)
    async with open_store(file, SETTINGS) as store:
        await store.opening.wait(PATIENCE)
        with pytest.raises(IndexDamaged, match="is being rebuilt from the messages"):
            await find(store, "number")
        page = await store.messages.newest(await store.rooms.all(), 9)
        assert len(page.messages) == 9
        with anyio.fail_after(PATIENCE):
            while not await answers(store):
                await anyio.sleep(0.05)
        assert await store.differences() == []
    assert "rebuilding from the messages: index" in caplog.text


@pytest.mark.parametrize("garble", [garble_index, garble_structure])
async def test_a_damaged_index_keeps_no_line_from_being_recorded(
    file: Path, garble: object
) -> None:
    async with open_store(file, SETTINGS) as store:
        await store.messages.append(chat(some_talk(300)))
        assert callable(garble)
        garble(file)
        for number in range(100):  # sooner or later FTS5 merges new words with damaged ones
            await store.messages.append(chat(f"<cy> line {number} of tea"))
        await store.rebuild(["index", "words"])
        assert len((await find(store, "line")).messages) == 100
        assert await store.differences() == []


async def test_damage_to_the_messages_themselves_names_the_way_out(file: Path) -> None:
    async with open_store(file, SETTINGS) as store:
        await store.messages.append(chat(some_talk(400)))
    flip_bytes(file, "messages")
    async with open_store(file, SETTINGS) as store:
        with pytest.raises(StoreFailed, match=r"sqlite3 COPY \.recover"):
            await store.messages.newest(await store.rooms.all(), 400)


async def test_a_rebuild_that_cannot_be_scheduled_is_logged_once_a_minute(
    file: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("terrarium_mcp.store.sqlite.keeper.TRY_EVERY", 0)
    tries, enough = 0, anyio.Event()

    async def rebuild_if_damaged(_: Indexer) -> None:
        nonlocal tries
        tries += 1
        if tries % 2:  # in between, no read has found the damage
            raise StoreFailed("The index cannot be written.")
        if tries > 20:
            enough.set()

    monkeypatch.setattr(Indexer, "rebuild_if_damaged", rebuild_if_damaged)
    async with open_store(file, SETTINGS):
        with anyio.fail_after(PATIENCE):
            await enough.wait()
    assert caplog.messages.count("The index cannot be written.") == 1


async def test_a_search_that_meets_a_half_built_index_does_not_restart_its_rebuild(
    store: Store, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("terrarium_mcp.store.sqlite.index.indexer.NEARLY_COMPLETE", 200)
    await store.messages.append(chat(some_talk(300)))
    write(file, "UPDATE derived SET upto = 100 WHERE name = 'index'")
    store._database.index_damaged = True  # noqa: SLF001 -- what a read of half an index says
    await store._indexer.rebuild_if_damaged()  # noqa: SLF001
    assert rows_of(file, "SELECT upto FROM derived WHERE name = 'index'") == [(100,)]
