"""Blocks of frequent words are counted once, and never wrong after what is removed."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import anyio
import pytest

from terrarium_mcp.chat.query.parser import parse_query
from terrarium_mcp.chat.records import Room
from terrarium_mcp.chat.times.timestamps import Position
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import PurgeTarget, Store, open_store
from terrarium_mcp.store.search import Search, Sort
from terrarium_mcp.store.sqlite.index import word_blocks
from terrarium_mcp.store.sqlite.index.word_blocks import WordBlockCounter
from terrarium_mcp.store.sqlite.search import exact, scan_plans, scope_stats
from tests.patience import PATIENCE
from tests.store.scene import (
    NOON,
    SETTINGS,
    chat,
    differences,
    line_of,
    redact,
    room,
    rows_of,
    write,
)

LATER = datetime(2026, 6, 1, tzinfo=UTC)
BLOCKS = "SELECT block, word FROM word_blocks ORDER BY block, word"
TALK = """
    <ada> tea
    <bo> mate, no tea
    <ada> tea again
    <cy> milk
    <bo> tea or mate
    <ada> hm
    <cy> tea
"""

# No event announces what the keeper does.
# ruff: noqa: ASYNC110


@pytest.fixture(autouse=True)
def blocks_of_two(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of two lines: ids 2 and 3 are block 1. Every word in two lines is frequent."""
    monkeypatch.setattr(word_blocks, "BLOCK", 2)
    monkeypatch.setattr(word_blocks, "FREQUENT", 2)
    monkeypatch.setattr(scope_stats, "MOST_READ", 0)
    monkeypatch.setattr(exact, "_FEW", 0)


async def count_blocks(store: Store) -> None:
    assert await differences(store) == []
    await WordBlockCounter(store._database).count()  # noqa: SLF001 -- as the keeper does


async def lines_with(store: Store, word: str, rooms: Sequence[Room], **more: object) -> int:
    facts: dict[str, object] = {"query": parse_query(word, now=NOON), "rooms": rooms, **more}
    return (await store.scope_stats(Search(limit=1, **facts))).lines  # type: ignore[arg-type]


async def test_full_blocks_of_frequent_words_are_counted_by_room(store: Store, file: Path) -> None:
    await store.messages.append([*chat(TALK), *chat("<dee> tea", channel="#mate")])
    await count_blocks(store)
    assert rows_of(file, "SELECT * FROM word_blocks WHERE word = 'tea' ORDER BY block") == [
        (0, "tea", '{"1":1}'),
        (1, "tea", '{"1":2}'),
        (2, "tea", '{"1":1}'),
        (3, "tea", '{"1":1}'),
    ], "the fifth block is not full"
    assert {word for _, word in rows_of(file, BLOCKS)} == {"tea", "mate"}


async def test_to_look_for_blocks_may_take_longer_than_people_wait(
    store: Store, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store.messages.append(chat(TALK))
    assert await differences(store) == []
    monkeypatch.setattr("terrarium_mcp.store.sqlite.engine.database.DEADLINE", 0.0)
    await WordBlockCounter(store._database).count()  # noqa: SLF001 -- as the keeper does
    assert rows_of(file, BLOCKS)


async def test_counted_blocks_are_not_counted_once_more(store: Store, file: Path) -> None:
    await store.messages.append([*chat(TALK), *chat("<dee> tea", channel="#mate")])
    await count_blocks(store)
    write(file, "UPDATE word_blocks SET rooms = '{\"1\": 100}' WHERE block = 1 AND word = 'tea'")
    assert await lines_with(store, "tea", [await room(store)]) == 103


async def test_a_search_in_a_room_has_its_total_from_counted_blocks(
    store: Store, file: Path
) -> None:
    await store.messages.append([*chat(TALK), *chat("<dee> tea", channel="#mate")])
    await count_blocks(store)
    tea = Search(query=parse_query("tea"), rooms=[await room(store)], limit=2, sort=Sort.NEWEST)
    found = await store.search(tea, "")
    assert found.total == 5
    write(file, "UPDATE word_blocks SET rooms = '{\"1\": 100}' WHERE block = 1 AND word = 'tea'")
    assert (await store.search(tea, "")) == found._replace(total=103), "other blocks, and the index"
    write(file, "UPDATE word_blocks SET rooms = '{\"1\": 2000}' WHERE block = 1 AND word = 'tea'")
    assert (await store.search(tea, "")).total_text == "1,000+"
    assert (await store.search(replace(tea, query=parse_query("tea -milk")), "")).total == 5


async def test_once_the_newest_blocks_have_more_than_is_counted_no_other_is_read(
    store: Store, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store.messages.append([*chat(TALK), *chat("<dee> tea", channel="#mate")])
    await count_blocks(store)
    write(file, "UPDATE word_blocks SET rooms = '{\"1\": 2000}' WHERE block = 3 AND word = 'tea'")
    write(file, "UPDATE word_blocks SET rooms = 'read' WHERE block = 0 AND word = 'tea'")
    monkeypatch.setattr(scan_plans, "_AT_ONCE", (1, 1))
    tea = Search(query=parse_query("tea"), rooms=[await room(store)], limit=2, sort=Sort.NEWEST)
    assert (await store.search(tea, "")).total_text == "1,000+"


async def test_without_blocks_the_index_is_walked(store: Store, file: Path) -> None:
    await store.messages.append(chat(TALK))
    await count_blocks(store)
    tea = [await room(store)]
    write(file, "DELETE FROM word_blocks WHERE block = 1")
    assert await lines_with(store, "tea", tea) == 5
    write(file, "DELETE FROM word_blocks")
    assert await lines_with(store, "tea", tea) == 5


async def test_a_block_that_lost_a_line_is_counted_again(store: Store, file: Path) -> None:
    await store.messages.append([*chat(TALK), *chat("<dee> tea", channel="#mate")])
    await count_blocks(store)
    tea = [await room(store)]
    await redact(store, 3, LATER)
    assert 1 not in {block for block, _ in rows_of(file, BLOCKS)}
    assert await lines_with(store, "tea", tea) == 4
    await count_blocks(store)
    assert (1, "tea") in rows_of(file, BLOCKS)
    await store.removal.purge(PurgeTarget("cy"), asked_by="op", at=LATER)
    assert await lines_with(store, "tea", tea) == 3
    await count_blocks(store)
    assert await lines_with(store, "tea", tea) == 3
    assert await differences(store) == []


async def test_a_line_that_becomes_an_aside_leaves_its_block(file: Path) -> None:
    async with open_store(file, SETTINGS) as store:
        await store.messages.append(chat("<ada> tea\n<bo> .search tea\n<cy> tea\n<ada> hm"))
        await count_blocks(store)
        assert await lines_with(store, "tea", [await room(store)], until=Position.at(LATER)) == 3
    dots = Settings(network="net", irc_server="irc.example", command_prefix=".")
    async with open_store(file, dots) as store:
        with anyio.fail_after(PATIENCE):
            while not rows_of(file, "SELECT 1 FROM voices WHERE aside = 2"):
                await anyio.sleep(0.05)
        assert await lines_with(store, "tea", [await room(store)], until=Position.at(LATER)) == 2
        await count_blocks(store)
        assert await lines_with(store, "tea", [await room(store)], until=Position.at(LATER)) == 2
        assert await differences(store) == []


async def test_a_block_is_counted_only_once_the_index_holds_it(store: Store, file: Path) -> None:
    await store.messages.append(chat(TALK))
    assert await differences(store) == []
    write(file, "UPDATE derived SET upto = 4 WHERE name = 'index'")
    await WordBlockCounter(store._database).count()  # noqa: SLF001
    assert {block for block, _ in rows_of(file, BLOCKS)} == {0, 1}


async def test_the_keeper_counts_blocks(file: Path) -> None:
    async with open_store(file, SETTINGS) as store:
        await store.messages.append([line_of("ada", "tea")] * 50)
        assert await differences(store) == []
    write(file, "DELETE FROM word_blocks")
    async with open_store(file, SETTINGS) as store:
        with anyio.fail_after(PATIENCE):
            while len(rows_of(file, BLOCKS)) < 25:
                await anyio.sleep(0.05)
        assert await lines_with(store, "tea", [await room(store)]) == 50


async def test_a_wrong_block_is_named(store: Store, file: Path) -> None:
    await store.messages.append(chat(TALK))
    await count_blocks(store)
    write(file, "UPDATE word_blocks SET rooms = '{\"1\": 7}' WHERE block = 1 AND word = 'tea'")
    (found,) = await store.differences()
    assert found.startswith("word_blocks: 1 differ from a recount, such as ('tea', 1,")
