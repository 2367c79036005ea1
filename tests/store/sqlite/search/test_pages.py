"""Pages: the ranked head, the lines by time behind it, and the cursors between them."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from terrarium_mcp.chat.cursors import fingerprint_of
from terrarium_mcp.chat.query.parser import parse_query
from terrarium_mcp.store import Store, open_store
from terrarium_mcp.store.errors import RankedAnew
from terrarium_mcp.store.search import HEAD, Hits, Rung, Search, Sort
from terrarium_mcp.store.sqlite.search import message_search
from tests.store.scene import NOON, SETTINGS, chat, line_of, redact, texts


async def asked(store: Store, words: str, limit: int, sort: Sort = Sort.RELEVANCE) -> Search:
    rooms = await store.rooms.all()
    return Search(query=parse_query(words), rooms=rooms, limit=limit, sort=sort)


async def page(store: Store, search: Search, after: Hits | None = None) -> Hits:
    cursor = after.next if after else None
    return await store.search(replace(search, cursor=cursor), "question")


async def test_a_head_that_fills_its_page_and_is_all_has_no_next_page(store: Store) -> None:
    await store.messages.append(chat("<ada> green tea\n" * 4))
    whole = await page(store, await asked(store, "green tea", 4))
    assert (len(whole.messages), whole.total, whole.next) == (4, 4, None)
    first = await page(store, await asked(store, "green tea", 3))
    assert (len(first.messages), first.total) == (3, 4)
    assert first.next is not None
    assert (first.next.skip, first.next.after, first.next.rung) == (3, None, "all words")
    assert (first.next.snapshot, first.next.fingerprint) == (4, "question")
    last = await page(store, await asked(store, "green tea", 3), first)
    assert (len(last.messages), last.total, last.next) == (1, 4, None)


async def test_without_a_total_the_same_lines_are_found_and_the_others_not_counted(
    store: Store,
) -> None:
    await store.messages.append(chat("<ada> green tea\n" * 30))
    counted = await asked(store, "from:ada", 4, Sort.NEWEST)
    first = await page(store, counted)
    bare = await page(store, replace(counted, wants_total=False))
    assert bare.messages == first.messages
    assert (first.total, first.total_is_exact) == (30, True)
    assert not bare.total_is_exact
    assert bare.total < 30
    everything = await page(store, replace(counted, wants_total=False, limit=40))
    assert (everything.total, everything.total_is_exact, everything.next) == (30, True, None)


async def test_behind_two_hundred_ranked_lines_the_others_follow_by_time(store: Store) -> None:
    assert HEAD == 200
    await store.messages.append(
        [line_of("ada", f"green tea {n}", NOON + timedelta(seconds=n)) for n in range(210)]
    )
    search = await asked(store, "green tea", 150)
    first = await page(store, search)
    second = await page(store, search, first)
    assert (len(first.messages), len(second.messages), second.next) == (150, 60, None)
    assert (first.total, second.total) == (210, 210)
    ids = [message.id for message in [*first.messages, *second.messages]]
    assert ids[200:] == list(range(10, 0, -1))
    assert sorted(ids) == list(range(1, 211))
    exact = await asked(store, "green tea", 200)
    head = await page(store, exact)
    assert head.next is not None
    assert 40 <= head.next.skip <= HEAD
    assert head.next.after == head.messages[-1].position
    rest = await page(store, exact, head)
    assert [message.id for message in rest.messages] == list(range(10, 0, -1))
    third = await asked(store, "green tea", 205)
    mixed = await page(store, third)
    assert mixed.next is not None
    assert mixed.next.after == mixed.messages[-1].position
    assert [line.id for line in (await page(store, third, mixed)).messages] == [5, 4, 3, 2, 1]


@pytest.mark.parametrize("sort", [Sort.NEWEST, Sort.OLDEST])
async def test_by_time_a_page_ends_where_the_next_begins(store: Store, sort: Sort) -> None:
    await store.messages.append(chat("<ada> tea\n" * 5))
    search = await asked(store, "tea", 2, sort)
    first = await page(store, search)
    assert first.next is not None
    assert (first.next.skip, first.next.head) == (0, "")
    assert first.next.after == first.messages[-1].position
    second = await page(store, search, first)
    third = await page(store, search, second)
    ids = [line.id for one in (first, second, third) for line in one.messages]
    assert ids == ([1, 2, 3, 4, 5] if sort is Sort.OLDEST else [5, 4, 3, 2, 1])
    assert third.next is None
    full = await page(store, replace(search, limit=5))
    assert (len(full.messages), full.next) == (5, None)


async def test_a_page_keeps_the_time_of_the_first_page(store: Store) -> None:
    await store.messages.append(chat("<ada> tea\n" * 5))
    search = await asked(store, "tea", 1, Sort.NEWEST)
    bounded = replace(
        search, query=parse_query("tea after:2026-05-01T12:01Z before:2026-05-01T12:04Z")
    )
    first = await page(store, bounded)
    assert first.next is not None
    assert (first.next.since, first.next.until) == (
        "2026-05-01 12:01:00.000",
        "2026-05-01 12:04:00.000",
    )
    unbounded = await page(store, search)
    assert unbounded.next is not None
    assert unbounded.next.until == ""
    later = replace(bounded, since=NOON + timedelta(minutes=3))
    assert [line.id for line in (await page(store, later)).messages] == [4]
    assert [line.id for line in (await page(store, later, first)).messages] == [3]


async def test_the_lines_with_all_words_lead_newest_first(store: Store) -> None:
    await store.messages.append(
        chat("<ada> the green gate\n<bo> gate\n<cy> green\n<ada> gate, green")
    )
    hits = await page(store, await asked(store, "green gate", 9))
    assert texts(hits.messages)[:2] == ["gate, green", "the green gate"]
    assert (hits.with_all_words, hits.rung) == (2, Rung.ANY_WORD)
    assert (hits.total, hits.total_is_exact) == (4, True)


async def test_similar_words_name_their_total_on_every_page(store: Store) -> None:
    await store.messages.append(
        chat("<ada> pain\n<ada> pain\n<bo> painter\n<cy> painting\n<cy> spain")
    )
    search = await asked(store, "pai", 1)
    hits = await page(store, search)
    seen = []
    while True:
        seen += texts(hits.messages)
        assert (hits.rung, hits.total, hits.total_is_exact) == (Rung.SIMILAR, 5, True)
        if not hits.next:
            break
        hits = await page(store, search, hits)
    assert seen == ["spain", "painting", "painter", "pain", "pain"]


async def test_a_head_that_is_remembered_shows_no_line_removed_since(store: Store) -> None:
    await store.messages.append(chat("<ada> green tea\n" * 5))
    search = await asked(store, "green tea", 2)
    first = await page(store, search)
    assert first.next is not None
    shown = {line.id for line in first.messages}
    hidden = max({1, 2, 3, 4, 5} - shown)
    await redact(store, hidden)
    rest = await page(store, search, first)
    assert hidden not in {line.id for line in rest.messages}
    assert len(rest.messages) == 1
    last = await page(store, search, rest)
    assert {line.id for line in [*rest.messages, *last.messages]} == {1, 2, 3, 4, 5} - shown - {
        hidden
    }


async def test_only_so_many_heads_are_remembered_the_oldest_is_forgotten(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(message_search, "_HEADS", 2)
    async with open_store(file, SETTINGS) as store:
        await the_oldest_head_is_forgotten(store)


async def the_oldest_head_is_forgotten(store: Store) -> None:
    await store.messages.append(chat("<ada> green tea\n<bo> green milk\n<cy> green mate\n" * 3))
    searches = [await asked(store, f"green {word}", 1) for word in ("tea", "milk", "mate")]
    first, second, third = [await page(store, search) for search in searches]
    await store.messages.append(chat("<ada> hm"))
    for number in (1, 2, 3):
        await redact(store, number)
    assert (await page(store, searches[1], second)).messages
    assert (await page(store, searches[2], third)).messages
    with pytest.raises(RankedAnew):
        await page(store, searches[0], first)


async def test_a_cursor_names_the_head_it_goes_on_in(store: Store) -> None:
    await store.messages.append(chat("<ada> green tea\n" * 3))
    hits = await page(store, await asked(store, "green tea", 1))
    whole = await page(store, await asked(store, "green tea", 9))
    assert hits.next is not None
    assert hits.next.head == fingerprint_of(*[line.id for line in whole.messages])


async def test_a_search_without_rooms_or_lines_tries_every_rung(store: Store) -> None:
    search = Search(query=parse_query("green tea"), rooms=[], limit=1)
    every = (Rung.ALL_WORDS, Rung.ANY_WORD, Rung.SIMILAR)
    for _ in range(2):
        hits = await store.search(search, "question")
        assert (hits.messages, hits.total, hits.rung, hits.tried) == ([], 0, Rung.SIMILAR, every)
        why = await store.search.explained(search)
        assert (why.answer, list(why.lookups), [one.total for one in why.tried]) == (
            None,
            [],
            [0] * 3,
        )
        await store.messages.append(chat("<ada> green tea"))


async def test_an_explanation_has_the_lookups_of_a_question_one_by_one(store: Store) -> None:
    await store.messages.append(chat("<ada> the gate\n<bo> the garden\n<cy> nothing"))
    why = await store.search.explained(await asked(store, "gate garden", 5))
    assert why.answer is not None
    assert [report.lookup for report in why.lookups] == list(why.answer.lookups)
    assert {report.found for report in why.lookups} <= {0, 1, 2}
    assert max(report.found for report in why.lookups) == 1
    assert all(report.seconds > 0 for report in why.lookups)
    assert [report.total for report in why.tried] == [0, 3]
    assert all(report.seconds > 0 for report in why.tried)
    by_time = await store.search.explained(await asked(store, "gate", 5, Sort.NEWEST))
    assert (by_time.answer, list(by_time.lookups)) == (None, [])
    similar = await store.search.explained(await asked(store, "gat", 5))
    assert list(similar.lookups) == []
    assert [str(term) for clause in similar.clauses for term in clause] == ["gat", "gate"]
