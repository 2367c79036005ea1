"""Rows that another program appends to `messages` are found like all others."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from terrarium_mcp.chat.records import Message, MessageType
from terrarium_mcp.chat.times.timestamps import BEGINNING, EVERY_LINE
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import Store, open_store
from terrarium_mcp.store.sqlite.engine.message_ids import BLOCK
from tests.store.scene import NOON, chat, check_index, find, rows_of, texts, write

COLUMNS = "timestamp, channel, nick, user, host, message, message_type"


def append(file: Path, *values: Any) -> None:
    """Insert a row with the columns of terrarium-irc."""
    row = (
        *values,
        *("2026-05-01 12:30:00", "#tea", "bo", "~bo", "h", "tea", "PRIVMSG")[len(values) :],
    )
    write(file, f"INSERT INTO messages ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)", row)  # noqa: S608


async def test_an_appended_row_is_recent_and_found_at_once(store: Store, file: Path) -> None:
    await store.messages.append(chat("<ada> hello"))
    append(file)
    page = await store.messages.newest(await store.rooms.all(), 9)
    assert texts(page.messages) == ["hello", "tea"]
    assert page.messages[1].said_at == NOON + timedelta(minutes=30)
    append(file, "2026-05-01 12:31:00", "#TEA", "bo", "", "", "more tea")
    assert texts((await find(store, "tea from:bo")).messages) == ["more tea", "tea"]
    assert len(await store.rooms.all()) == 1
    await store.messages.append(chat("<ada> and on"))
    assert (await find(store, "on")).total == 1
    check_index(file)


async def _by_id(store: Store, first: Message) -> int:
    numbers = range(1, BLOCK + 2)  # another program begins behind the block
    found = [await store.messages.get(number, [first.room]) for number in numbers]
    return sum(one is not None for one in found)


async def _around(store: Store, first: Message) -> int:
    return len(await store.messages.around(first, 9, 9))


async def _newest(store: Store, first: Message) -> int:
    return len((await store.messages.newest([first.room], 9)).messages)


async def _onward(store: Store, first: Message) -> int:
    return len((await store.messages.onward([first.room], 9, after=BEGINNING)).messages)


async def _of(store: Store, first: Message) -> int:
    return (await store.stats.for_room(first.room, until=EVERY_LINE, now=NOON)).lines


async def _overview(store: Store, first: Message) -> int:
    [totals] = await store.stats.overview([first.room], until=EVERY_LINE, now=NOON)
    return totals.lines


@pytest.mark.parametrize("count", [_by_id, _around, _newest, _onward, _of, _overview])
async def test_no_read_misses_a_row_appended_before_it(
    store: Store, file: Path, count: Callable[[Store, Message], Awaitable[int]]
) -> None:
    await store.messages.append(chat("<ada> hello\n<bo> hi"))
    first = (await store.messages.newest(await store.rooms.all(), 2)).messages[0]
    assert await count(store, first) == 2
    append(file)
    assert await count(store, first) == 3


async def test_an_appended_row_of_any_kind_harms_nothing(store: Store, file: Path) -> None:
    await store.messages.append(chat("<ada> hello"))
    rows: list[tuple[Any, ...]] = [
        (None, "#tea", "a", "", "", "without a time"),
        ("soon", "#tea", "b", "", "", "unreadable time"),
        (5, "#tea", "c", "", "", "a number for a time"),
        ("-4713-11-24 12:00:00", "#tea", "d", "", "", "long ago"),
        ("9999-12-31 23:59:59", "#tea", "d", "", "", "far off"),
        ("2026-05-01 12:30:00", None, "e", "", "", "no channel"),
        ("2026-05-01 12:30:00", "", "e", "", "", "empty channel"),
        ("2026-05-01 12:30:00", "Terra", "f", "", "", "private"),
        ("2026-05-01 12:30:00", b"#tea", "g", "", "", "channel as bytes"),
        ("2026-05-01 12:30:00", "#tea", b"\xff", "", "", b"b\xffytes", b"\xff"),
        ("2026-05-01 12:30:00", "#tea", None, None, None, None, None),
        ("2026-05-01 12:30:00", "#tea", "h", "", "", "\x01ACTION waves\x01"),
        ("2026-05-01 12:30:00", "#tea", "i", "", "", "odd kind", "privmsg"),
        ("2026-05-01 12:30:00", "#tea", "j", "", "", "reason", "part"),
    ]
    for row in rows:
        append(file, *row)
    lines = (await store.messages.newest(await store.rooms.all(), 99, events=True)).messages
    told = {line.nick: line for line in lines}
    hello = told["ada"].said_at
    assert [told[nick].said_at for nick in "abcd"] == [hello] * 4
    assert not {"e", "f"} & set(told)
    assert (told["h"].kind, told["h"].text) == (MessageType.ACTION, "waves")
    assert told["\ufffd"].text == "b\ufffdytes"
    assert told["j"].kind is MessageType.PART
    assert (await find(store, "odd")).total == 1
    assert (await find(store, "reason")).total == 0
    assert (await find(store, "private")).total == 0
    private = "SELECT target, message, timestamp FROM private_messages WHERE target = 'Terra'"
    assert rows_of(file, private) == [("Terra", "private", "2026-05-01 12:30:00.000")]
    check_index(file)


async def test_an_appended_row_pushes_no_live_line(store: Store, file: Path) -> None:
    append(file, "2031-01-01 00:00:00")
    await store.messages.append(chat("<ada> hello"))
    page = await store.messages.newest(await store.rooms.all(), 9)
    assert texts(page.messages) == ["hello", "tea"]
    assert page.messages[0].said_at == NOON
    origins = rows_of(file, "SELECT origin FROM messages ORDER BY id")
    assert origins == [("import",), ("live",)]


async def test_rows_that_were_appended_while_nobody_was_here_are_found(file: Path) -> None:
    settings = Settings(network="libera")
    async with open_store(file, settings) as store:
        await store.messages.append(chat("<ada> hello", network="libera"))
    for number in range(3):
        append(file, f"2026-05-01 13:0{number}:00")
    async with open_store(file, settings) as store:
        assert (await find(store, "tea")).total == 3
        assert [room.label for room in await store.rooms.all()] == ["libera/#tea"]


async def test_rows_without_a_network_join_the_only_one_that_is_known(file: Path) -> None:
    async with open_store(file) as store:  # no setting names a network
        await store.messages.append(chat("<ada> hello", network="libera"))
        append(file)
        assert (await find(store, "tea")).total == 1
        assert [room.label for room in await store.rooms.all()] == ["libera/#tea"]


async def test_ids_far_apart_are_no_longer_way(store: Store, file: Path) -> None:
    await store.messages.append(chat("<ada> hello"))
    insert = "INSERT INTO messages (id, channel, nick, message) VALUES (?, '#tea', 'bo', 'far')"
    write(file, insert, [4_000_000_000])
    assert (await find(store, "far")).total == 1
    assert await store.messages.append(chat("<ada> next")) == [4_000_000_001]


@pytest.mark.parametrize("words", ["tea", ""])
async def test_a_row_appended_between_two_pages_is_on_neither(
    store: Store, file: Path, words: str
) -> None:
    from dataclasses import replace

    from terrarium_mcp.chat.query.parser import parse_query
    from terrarium_mcp.store.search import Search, Sort

    await store.messages.append(chat("<ada> tea\n" * 6))
    asked = Search(
        query=parse_query(words), rooms=await store.rooms.all(), limit=3, sort=Sort.OLDEST
    )
    first = await store.search(asked, "question")
    append(file, "2026-05-01 12:04:30")
    second = await store.search(replace(asked, cursor=first.next), "question")
    assert [line.id for line in [*first.messages, *second.messages]] == [1, 2, 3, 4, 5, 6]
