"""Purged or redacted messages are found by no rung, no operator and no similar word."""

import json
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from itertools import chain
from pathlib import Path

import pytest

from terrarium_mcp.chat.query.parser import parse_query
from terrarium_mcp.chat.records import NewMessage
from terrarium_mcp.store import PurgeTarget, Store
from terrarium_mcp.store.search import Search, Sort
from terrarium_mcp.store.search.vocabulary_queries import (
    WordsAmong,
    WordsBeginning,
    WordsHolding,
    WordsMisspelt,
)
from terrarium_mcp.store.sqlite.search.vocabulary import SqliteVocabulary
from tests.store.scene import NOON, chat, find, line_of, redact, room, rows_of

pytestmark = pytest.mark.usefixtures("at_once")

LATER = datetime(2026, 6, 1, tzinfo=UTC)
BAKED = "the zwiebelkuchen is baked, bo: \U0001f9c5 c++ https://zwiebel.example \u6d0b\u8471"
WAYS = {
    "all words": "zwiebelkuchen baked",
    "a phrase": '"zwiebelkuchen is baked"',
    "a question": "who baked the zwiebelkuchen, and when?",
    "a prefix": "zwieb*",
    "a completion": "zwiebelkuch",
    "a typo": "zwiebelkuchem",
    "a substring": "belkuche",
    "another form": "zwiebelkuchens",
    "a scan": "\U0001f9c5",
    "signs": "c++",
    "no spaces": "\u6d0b\u8471",
    "a link": "has:link",
    "an address": "https://zwiebel.example",
    "who said it": "from:ada",
    "who was spoken to": "mentions:bo",
    "any of these": "zwiebelkuchen OR quark",
    "everything": "",
}
Remove = Callable[[Store, int], Awaitable[object]]


async def redacted(store: Store, number: int) -> None:
    await redact(store, number, LATER)


async def purged(store: Store, _: int) -> None:
    await store.removal.purge(PurgeTarget("ada"), asked_by="ada", at=LATER)


def scene() -> list[NewMessage]:
    """A secret of ada's, and talk of others in which none of its telling words occurs."""
    before = chat("<bo> what is for lunch?\n<cy> who knows")
    secret = line_of("ada", BAKED, NOON + timedelta(minutes=2))
    after = chat("<bo> tea it is\n<cy> fine, tea", at=NOON + timedelta(minutes=3))
    return [*before, secret, *after]


@pytest.mark.parametrize("remove", [redacted, purged])
@pytest.mark.parametrize("way", WAYS)
async def test_it_is_found_by_no_way_that_found_it(store: Store, way: str, remove: Remove) -> None:
    ids = await store.messages.append(scene())
    secret = ids[2]
    for sort in Sort:
        found = [message.id for message in (await find(store, WAYS[way], sort=sort)).messages]
        assert secret in found, sort
    await remove(store, secret)
    for sort in Sort:
        found = [message.id for message in (await find(store, WAYS[way], sort=sort)).messages]
        assert secret not in found, sort


@pytest.mark.parametrize("remove", [redacted, purged])
async def test_no_word_of_it_completes_or_mends_another(
    store: Store, file: Path, remove: Remove
) -> None:
    ids = await store.messages.append(scene())
    words = SqliteVocabulary(store._database)  # noqa: SLF001 -- whatever it knows may reach a reader

    async def known() -> list[str]:
        found = await words.most_frequent(
            WordsAmong(["zwiebelkuchen"]),
            WordsBeginning("zwie", 40, 10),
            WordsMisspelt("zwiebelkuchem", 10),
            WordsHolding("belkuche", 10),
        )
        return [*chain.from_iterable(found)]

    assert set(await known()) == {"zwiebel", "zwiebelkuchen"}
    await remove(store, ids[2])
    assert await known() == []
    assert rows_of(file, "SELECT * FROM words WHERE word LIKE 'zwie%'") == []
    assert rows_of(file, "SELECT * FROM word_names WHERE word LIKE '%zwie%'") == []


@pytest.mark.parametrize("remove", [redacted, purged])
async def test_the_talk_around_it_does_not_show_it(store: Store, remove: Remove) -> None:
    ids = await store.messages.append(scene())
    await remove(store, ids[2])
    tea = await room(store)
    for number in (ids[1], ids[3]):
        hit = await store.messages.get(number, [tea])
        assert hit is not None
        [near] = await store.conversations.nearest([hit], 5)
        told = json.dumps([message.text for message in near])
        assert "zwiebel" not in told
    page = await store.messages.newest([tea], 10)
    assert not any("zwiebel" in message.text for message in page.messages)


@pytest.mark.parametrize("remove", [redacted, purged])
async def test_a_line_removed_between_two_pages_is_not_on_the_second(
    store: Store, remove: Remove
) -> None:
    await store.messages.append(chat("<bo> baked tea\n" * 6))
    ids = await store.messages.append(scene())
    first = await find(store, "baked", sort=Sort.OLDEST, limit=6)
    assert first.next
    await remove(store, ids[2])
    asked = Search(
        query=parse_query("baked"),
        rooms=await store.rooms.all(),
        limit=6,
        sort=Sort.OLDEST,
        cursor=first.next,
    )
    hits = await store.search(asked, "question")
    assert hits.messages == []
