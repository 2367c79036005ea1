"""Links: each URL once, newest first. And topics."""

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from terrarium_mcp.chat.records import MessageType, Origin
from terrarium_mcp.chat.times.timestamps import Position
from terrarium_mcp.store import Link, Store
from tests.store.scene import NOON, chat, differences, line_of, redact, room, rows_of

pytestmark = pytest.mark.usefixtures("at_once")

MINUTE = timedelta(minutes=1)


def told(links: Sequence[Link]) -> list[tuple[str, str, int]]:
    return [(link.url, link.message.nick, link.times) for link in links]


async def test_links_are_newest_first_and_each_once(store: Store) -> None:
    await store.messages.append(
        chat("""
            <ada> https://tea.example/green and https://tea.example/black
            <bo> nothing here
            <cy> again: HTTPS://TEA.example:443/green!
        """)
    )
    found = await store.links.find(await store.rooms.all(), 10)
    assert told(found) == [
        ("https://tea.example/green", "cy", 2),
        ("https://tea.example/black", "ada", 1),
    ]
    assert len(await store.links.find(await store.rooms.all(), 1)) == 1


async def test_links_are_found_by_words_of_the_line_and_of_the_url(store: Store) -> None:
    await store.messages.append(
        chat("<ada> The GRÜN tea https://one.example/a\n<bo> https://two.example/Tea")
    )
    rooms = await store.rooms.all()
    assert told(await store.links.find(rooms, 9, words=["grün"])) == [
        ("https://one.example/a", "ada", 1)
    ]
    assert len(await store.links.find(rooms, 9, words=["tea"])) == 2
    assert await store.links.find(rooms, 9, words=["tea", "coffee"]) == []


async def test_links_keep_to_rooms_and_times(store: Store) -> None:
    await store.messages.append(chat("<ada> http://a.example\n<ada> http://b.example"))
    await store.messages.append(chat("<bo> http://a.example", channel="#mate"))
    tea = [await room(store)]
    assert told(await store.links.find(tea, 9, until=Position.at(NOON + MINUTE))) == [
        ("http://a.example/", "ada", 1)
    ]
    assert told(await store.links.find(tea, 9, since=NOON + MINUTE)) == [
        ("http://b.example/", "ada", 1)
    ]


async def test_many_reposts_do_not_hide_older_links(store: Store) -> None:
    await store.messages.append(chat("<ada> http://old.example"))
    await store.messages.append(
        [line_of("bot", "http://ad.example", NOON + n * MINUTE) for n in range(1, 450)]
    )
    found = await store.links.find(await store.rooms.all(), 2)
    assert told(found) == [("http://ad.example/", "bot", 449), ("http://old.example/", "ada", 1)]


async def test_a_redacted_message_takes_its_links_along(store: Store) -> None:
    await store.messages.append(
        chat("<ada> http://a.example\n<bo> http://a.example http://b.example")
    )
    await redact(store, 2)
    found = await store.links.find(await store.rooms.all(), 9)
    assert told(found) == [("http://a.example/", "ada", 1)]
    assert await differences(store) == []


async def test_the_sqlite_table_of_urls_holds_none_that_no_message_has(
    store: Store, file: Path
) -> None:
    await store.messages.append(chat("<ada> http://a.example\n<bo> http://b.example"))
    await redact(store, 2)
    assert rows_of(file, "SELECT url FROM urls") == [("http://a.example/",)]


async def test_topics_are_returned_as_they_were(store: Store) -> None:
    await store.messages.append(
        [
            line_of("ada", "Tea", NOON, kind=MessageType.TOPIC),
            line_of("bo", "", NOON + 2 * MINUTE, kind=MessageType.TOPIC),
            line_of("cy", "Older", NOON - MINUTE, kind=MessageType.TOPIC, origin=Origin.IMPORT),
            line_of("cy", "Mate", NOON, "#mate", MessageType.TOPIC),
        ]
    )
    tea = await room(store)
    history = await store.topics.history(tea, 9)
    assert [(one.nick, one.text) for one in history] == [
        ("bo", ""),
        ("ada", "Tea"),
        ("cy", "Older"),
    ]
    now = await store.topics.current(tea)
    then = await store.topics.current(tea, until=Position.at(NOON + MINUTE))
    assert now is not None
    assert then is not None
    assert (now.text, then.text) == ("", "Tea")
    assert await store.topics.current(tea, until=Position.at(NOON - MINUTE)) is None
    await redact(store, 2)
    assert [one.nick for one in await store.topics.history(tea, 9)] == ["ada", "cy"]
    assert await differences(store) == []
