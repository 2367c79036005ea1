"""Paging by relevance: each hit once, the head as the first page ranked it."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from terrarium_mcp.chat.cursors import Cursor
from terrarium_mcp.chat.query.parser import parse_query
from terrarium_mcp.chat.records import Origin
from terrarium_mcp.store import PurgeTarget, Store, open_store
from terrarium_mcp.store.errors import RankedAnew
from terrarium_mcp.store.search import HEAD, Hits, Search
from tests.store.scene import NOON, SETTINGS, line_of

QUESTION = "where did ada put the green teapot"
NOUNS = ["teapot", "green", "teapot green", "put", "green put", "teapot ada", "tea"]


async def filled(store: Store, count: int) -> None:
    """Lines of which nearly all hold some word of the question, none of them all."""
    lines = [
        line_of(
            ["ada", "bo", "cy"][n % 3],
            f"{NOUNS[n % len(NOUNS)]} {n} {'x ' * (n % 5)}",
            NOON + timedelta(seconds=n),
            origin=Origin.IMPORT,
        )
        for n in range(count)
    ]
    await store.messages.append(lines)


async def page(store: Store, limit: int, cursor: Cursor | None = None) -> Hits:
    search = Search(
        query=parse_query(QUESTION),
        rooms=await store.rooms.all(),
        limit=limit,
        cursor=cursor,
        now=NOON,
    )
    return await store.search(search, "question")


async def ids_of_all_pages(
    store: Store,
    limit: int,
    meanwhile: Callable[[int], Awaitable[object]] | None = None,
) -> list[int]:
    hits = await page(store, limit)
    ids = [message.id for message in hits.messages]
    while hits.next:
        if meanwhile:
            await meanwhile(len(ids))
        hits = await page(store, limit, hits.next)
        ids += [message.id for message in hits.messages]
    return ids


async def test_five_thousand_hits_come_once_each_and_the_head_stays(store: Store) -> None:
    await filled(store, 5_833)  # a seventh of them holds no word of the question
    head = [message.id for message in (await page(store, HEAD)).messages]

    async def talk_goes_on(shown: int) -> None:
        text = f"the green teapot that ada put there {shown}"
        await store.messages.append([line_of("ada", text, NOON + timedelta(days=1))])

    ids = await ids_of_all_pages(store, 100, talk_goes_on)
    assert len(ids) == len(set(ids)) == 5_000
    assert ids[:HEAD] == head
    assert ids[HEAD:] == sorted(ids[HEAD:], reverse=True)


@asynccontextmanager
async def restarted(file: Path) -> AsyncIterator[Store]:
    async with open_store(file, SETTINGS) as store:
        yield store


async def test_after_a_restart_the_pages_go_on_where_they_were(file: Path) -> None:
    async with restarted(file) as store:
        await filled(store, 700)
        expected = await ids_of_all_pages(store, 70)
        hits = await page(store, 70)
    ids = [message.id for message in hits.messages]
    while hits.next:
        async with restarted(file) as store:
            hits = await page(store, 70, hits.next)
            ids += [message.id for message in hits.messages]
    assert ids == expected


async def test_a_head_that_would_be_another_one_now_is_not_gone_on_with(file: Path) -> None:
    async with restarted(file) as store:
        await filled(store, 700)
        first = await page(store, 70)
        await store.removal.purge(PurgeTarget("ada"), asked_by="ada", at=NOON)
        second = await page(store, 70, first.next)  # remembered, but for what was removed
        shown = {message.id for message in first.messages}
        assert second.messages
        assert not shown & {message.id for message in second.messages}
        assert "ada" not in {message.nick for message in second.messages}
    async with restarted(file) as store:
        with pytest.raises(RankedAnew, match="Omit the cursor to start"):
            await page(store, 70, first.next)
