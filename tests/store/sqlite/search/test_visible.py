"""Under a view, counts, words and look-ups know the visible lines alone."""

import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from terrarium_mcp.chat.query.parser import parse_query
from terrarium_mcp.chat.records import MessageType, Origin, Room
from terrarium_mcp.chat.times.timestamps import EVERY_LINE, Position, from_text
from terrarium_mcp.store import Store, open_store
from terrarium_mcp.store.errors import RankedAnew
from terrarium_mcp.store.search import Hits, Search, Sort
from terrarium_mcp.store.search.relevance.lookup import Lookup, any_word
from terrarium_mcp.store.search.relevance.question import PlainQuestion
from terrarium_mcp.store.search.scope import MOST_ROOMS, SearchScope
from terrarium_mcp.store.search.vocabulary_queries import (
    VocabularyQuery,
    WordsAmong,
    WordsBeginning,
    WordsHolding,
    WordsMisspelt,
)
from terrarium_mcp.store.sqlite.search import exact, visible_lines, visible_vocabulary
from terrarium_mcp.store.sqlite.search.snapshot import Snapshot, current_snapshot
from terrarium_mcp.store.sqlite.search.visible_corpus import VisibleCorpus
from terrarium_mcp.store.sqlite.search.visible_lines import VisibleLines, last_visible_id
from terrarium_mcp.store.sqlite.search.visible_vocabulary import SAMPLE, VisibleVocabulary
from tests.store.scene import NOON, SETTINGS, chat, line_of, room, texts

MINUTE = timedelta(minutes=1)


async def scope_of(
    store: Store, channel: str = "#tea", until: Position = EVERY_LINE, words: str = ""
) -> tuple[Snapshot, SearchScope]:
    rooms = [one for one in await store.rooms.all() if channel in ("", one.channel)]
    search = Search(query=parse_query(words), rooms=rooms, limit=1)
    snapshot = await current_snapshot(store._indexer, search)  # noqa: SLF001 -- as every search begins
    assert snapshot is not None
    return snapshot, SearchScope(query=search.query, rooms=rooms, until=until, visible_only=True)


async def lines_of(
    store: Store, channel: str = "#tea", until: Position = EVERY_LINE
) -> VisibleLines:
    return VisibleLines(store._database, *await scope_of(store, channel, until))  # noqa: SLF001


async def vocabulary_of(
    store: Store, channel: str = "#tea", until: Position = EVERY_LINE
) -> VisibleVocabulary:
    return VisibleVocabulary(store._database, await lines_of(store, channel, until))  # noqa: SLF001


async def corpus_of(
    store: Store, channel: str = "#tea", until: Position = EVERY_LINE
) -> VisibleCorpus:
    snapshot, scope = await scope_of(store, channel, until)
    question = PlainQuestion(text="", scope=scope, now=NOON, zone=UTC, hits=20)
    return VisibleCorpus(store._database, snapshot, question)  # noqa: SLF001


async def said(store: Store, *lines: str, channel: str = "#tea", minute: int = 0) -> list[int]:
    heard = [
        line_of("ada", text, NOON + (minute + n) * MINUTE, channel) for n, text in enumerate(lines)
    ]
    return await store.messages.append(heard)


QUERIES: list[VocabularyQuery] = [
    WordsAmong(["tea", "pot", "coffee", "nowhere"]),
    WordsBeginning("te", 6, 3),
    WordsHolding("eap", 5),
    WordsMisspelt("teb", 5),
]


async def test_words_are_counted_in_the_rooms_and_before_the_cutoff_alone(store: Store) -> None:
    await said(store, "tea teapot", "tea tea", "pot")
    await said(store, "teapots tea coffee team", "steaps", channel="#mate")
    await said(store, "teapot ten", minute=30)
    cutoff = Position.at(NOON + 10 * MINUTE)
    vocabulary = await vocabulary_of(store, until=cutoff)
    assert await vocabulary.most_frequent(*QUERIES) == [
        {"tea": 2, "pot": 1}, {"tea": 2, "teapot": 1}, {"teapot": 1}, {"tea": 2},
    ]  # fmt: skip
    everywhere = await vocabulary_of(store, channel="")
    assert await everywhere.most_frequent(*QUERIES[1:3]) == [
        {"tea": 3, "teapot": 2, "team": 1}, {"teapot": 2, "teapots": 1, "steaps": 1},
    ]  # fmt: skip


async def test_the_most_frequent_here_are_not_displaced_by_words_of_another_room(
    store: Store,
) -> None:
    await said(store, "teapot")
    await said(store, *[f"tea{letter * 2} " * 9 for letter in "abcdefghij"] * 3, channel="#mate")
    vocabulary = await vocabulary_of(store)
    assert await vocabulary.most_frequent(WordsBeginning("tea", 6, 2)) == [{"teapot": 1}]


async def test_a_frequent_word_does_not_hide_a_rare_one(store: Store) -> None:
    await said(store, "rare", *["sometimes often"] * 5, *["often"] * (3 * SAMPLE))
    vocabulary = await vocabulary_of(store)
    (found,) = await vocabulary.most_frequent(WordsAmong(["rare", "often", "sometimes"]))
    assert found["rare"] == 1
    assert found["sometimes"] == 5
    assert list(found) == ["often", "sometimes", "rare"]


async def test_a_count_beyond_a_sample_is_estimated_from_its_rate(store: Store) -> None:
    await said(store, *(["tea", "pot", "pot", "kettle tea"] * 250))
    vocabulary = await vocabulary_of(store)
    (found,) = await vocabulary.most_frequent(WordsAmong(["tea", "kettle"]))
    assert found["tea"] == pytest.approx(500, rel=0.1)
    assert found["kettle"] == pytest.approx(250, rel=0.1)


async def test_many_words_are_looked_up_a_few_at_a_time(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = [f"tea{a}{b}" for a in "abcdef" for b in "ghij"]
    await said(store, *words)
    queries: list[VocabularyQuery] = [
        WordsBeginning("tea", 9, 100),
        WordsHolding("ea", 5),
        WordsHolding("eab", 50),
    ]
    vocabulary = await vocabulary_of(store)
    at_once = await vocabulary.most_frequent(*queries)
    monkeypatch.setattr(visible_vocabulary, "_AT_ONCE", 5)
    monkeypatch.setattr(visible_vocabulary, "_FEW", 10)
    assert await vocabulary.most_frequent(*queries) == at_once
    assert set(at_once[0]) == set(words)
    assert set(at_once[2]) == {word for word in words if "eab" in word}


async def test_where_all_rooms_are_visible_the_index_is_not_asked_for_each_line_s_room(
    store: Store,
) -> None:
    await said(store, "green tea")
    assert (await lines_of(store)).in_rooms == ""
    await store.messages.append([line_of("ada", "black coffee", channel="#coffee")])
    assert "r1" in (await lines_of(store)).in_rooms


@pytest.mark.parametrize("until", [0, 7, 26 * 60, 50 * 60, 51 * 60 + 1])
async def test_totals_are_those_of_the_lines_before_the_cutoff(store: Store, until: int) -> None:
    minutes = [0, 1, 6, 7, 8, 24 * 60, 26 * 60, 50 * 60, 51 * 60, 100 * 60]
    for minute in minutes:
        await said(store, "two words", minute=minute)
        await said(store, "of another room", channel="#mate", minute=minute)
    join = line_of("bo", "", NOON, kind=MessageType.JOIN)
    await store.messages.append([join])
    lines = await lines_of(store, until=Position.at(NOON + until * MINUTE))
    count = sum(minute < until for minute in minutes)
    totals = await lines.totals()
    assert totals[:2] == (max(count, 1), max(2 * count, 1))
    everything = await lines_of(store)
    assert (await everything.totals())[:2] == (10, 20)


async def test_under_a_view_the_oldest_come_first_also_where_there_are_more(store: Store) -> None:
    ids = await said(store, *["kettle"] * 30)
    search = replace(question("", [await room(store)], 5), sort=Sort.OLDEST)
    first = await found(store, search)
    assert [message.id for message in first.messages] == ids[:5]
    second = await found(store, replace(search, cursor=first.next))
    assert [message.id for message in second.messages] == ids[5:10]


@pytest.mark.parametrize(("later", "most"), [(0, 10_000), (3, 10_000), (100, 4), (3, 4)])
async def test_totals_are_the_same_whichever_side_of_the_cutoff_is_counted(
    store: Store, monkeypatch: pytest.MonkeyPatch, later: int, most: int
) -> None:
    for minute in (0, 0, 1, 5, 5, 7, 9, 20):
        await said(store, "two words", minute=minute)
        await said(store, "and four words here", channel="#mate", minute=minute)
    cutoffs = [Position.at(NOON + minute * MINUTE) for minute in range(-1, 22)]
    cutoffs += [Position(cutoff.timestamp, 5) for cutoff in cutoffs]
    monkeypatch.setattr(visible_lines, "_COUNTED_TODAY", most)
    by_side = []
    for counted in (later, -1):  # at -1 every line before the cutoff is read
        monkeypatch.setattr(visible_lines, "_COUNTED_LATER", counted)
        by_side.append([await (await lines_of(store, until=one)).totals() for one in cutoffs])
    assert by_side[0] == by_side[1]
    assert max(totals.lines for totals in by_side[0]) == min(8, most)


async def test_the_last_visible_id_is_that_of_no_hidden_message(store: Store) -> None:
    await said(store, "one", "two", "three")
    (join,) = await store.messages.append([line_of("bo", "", NOON, kind=MessageType.JOIN)])
    await said(store, "four", channel="#mate")
    early = NOON - timedelta(days=9)
    (old,) = await store.messages.append([line_of("cy", "older", early, origin=Origin.IMPORT)])
    await said(store, "late", minute=60)
    snapshot, scope = await scope_of(store)
    rooms, database = scope.rooms, store._database  # noqa: SLF001
    last = await last_visible_id(database, snapshot, rooms, EVERY_LINE)
    assert last == old + 1
    hour = Position.at(NOON + 30 * MINUTE)
    assert await last_visible_id(database, snapshot, rooms, hour) == old
    before = Position.at(early - MINUTE)
    assert await last_visible_id(database, snapshot, rooms, before) == 0
    many = [*rooms, *(Room(900 + n, "net", f"#no{n}") for n in range(MOST_ROOMS))]
    assert await last_visible_id(database, snapshot, many, hour) == old
    assert join < old


async def test_look_ups_find_the_newest_by_time_and_nothing_hidden(store: Store) -> None:
    new = await said(store, *["tea new"] * 3)
    await store.messages.append(
        [line_of("cy", "tea old", NOON - timedelta(days=n), origin=Origin.IMPORT)
         for n in range(9, 3, -1)]
    )  # fmt: skip
    await said(store, *["tea hidden"] * 9, channel="#mate")
    await said(store, *["tea late"] * 9, minute=60)
    corpus = await corpus_of(store, until=Position.at(NOON + 30 * MINUTE))
    lookup = Lookup((any_word(["tea"], 9),), 3)
    assert await corpus.find([lookup]) == {lookup: new[::-1]}


async def test_people_are_counted_by_their_visible_lines(store: Store) -> None:
    await store.messages.append(chat("<Ada> will\n<ada> tea\n<bo> will you\n<will> tea"))
    await store.messages.append(chat("<ada> x\n<zoe> will", channel="#mate"))
    late = NOON + timedelta(days=2)
    await store.messages.append(chat("<ada> late\n<zoe> late\n<will> will", at=late))
    nicks = ["ada", "bo", "zoe", "will", "nobody"]
    cut = await (await corpus_of(store, until=Position.at(late))).statistics(nicks)
    assert cut.lines_by == {"ada": 2, "bo": 1, "will": 1}
    assert cut.lines_with == {"will": 2}
    assert (cut.lines, cut.lines_in_rooms) == (4, 4)
    whole = await (await corpus_of(store)).statistics(nicks)
    assert whole.lines_by == {"ada": 3, "bo": 1, "will": 2, "zoe": 1}


async def found(store: Store, search: Search) -> Hits:
    return await store.search(search, "question")


def question(words: str, rooms: Sequence[Room], limit: int = 100) -> Search:
    return Search(query=parse_query(words), rooms=rooms, limit=limit, visible_only=True, now=NOON)


async def test_a_view_of_many_rooms_finds_what_is_in_them(store: Store) -> None:
    for n in range(MOST_ROOMS + 4):
        await said(store, f"green tea{n}", "kettle", channel=f"#room{n:02}")
    rooms = (await store.rooms.all())[:-2]
    hits = await found(store, question("green kettle", rooms))
    assert {message.room.channel for message in hits.messages} == {room.channel for room in rooms}
    similar = await found(store, question("teax", rooms[1:2]))
    assert texts(similar.messages) == ["green tea1"]


async def test_a_ranking_is_not_continued_by_a_search_that_may_see_less(store: Store) -> None:
    await said(store, *["kettle gate", "kettle", "gate open"] * 4)
    await said(store, *["gate kettle hidden"] * 9, channel="#mate")
    every, tea = await store.rooms.all(), await room(store)
    whole = replace(question("kettle gate what", every, 2), visible_only=False)
    first = await found(store, whole)
    assert first.next is not None
    narrow = replace(question("kettle gate what", [tea], 100), cursor=first.next)
    with pytest.raises(RankedAnew):
        await found(store, narrow)
    again = await found(store, replace(whole, cursor=first.next))
    assert again.messages


async def test_a_cursor_of_a_view_bears_no_hidden_id(store: Store) -> None:
    ids = await said(store, *["kettle"] * 5)
    await said(store, *["kettle"] * 50, channel="#mate")
    hits = await found(store, question("kettle", [await room(store)], 2))
    assert hits.next is not None
    assert hits.next.snapshot == ids[-1]
    whole = replace(question("kettle", [await room(store)], 2), visible_only=False)
    everything = (await found(store, whole)).next
    assert everything is not None
    assert everything.snapshot == ids[-1] + 50


@pytest.mark.parametrize("sort", [Sort.NEWEST, Sort.OLDEST])
@pytest.mark.parametrize("words", ["tea", "--", "tea --", "tea -from:bo"])
@pytest.mark.parametrize("cutoff", [EVERY_LINE, Position.at(NOON + timedelta(minutes=300))])
async def test_a_bounded_scan_is_not_shortened_by_hidden_lines(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: str,
    sort: Sort,
    cutoff: Position,
) -> None:
    """Twenty lines are read for a page, in more rooms than one look-up names, and in one."""
    monkeypatch.setattr(exact, "_LOOKED_AT", 20)
    monkeypatch.setattr(exact, "_FEW", 0)
    rng = random.Random(5)  # noqa: S311 -- made-up talk
    said = [
        line_of(
            rng.choice(["ada", "bo"]),
            rng.choice(["tea", "tea --", "milk --", "hm"]),
            NOON + timedelta(minutes=n),
            rng.choice(["#hidden", f"#room{rng.randrange(MOST_ROOMS + 1)}"]),
        )
        for n in range(400)
    ]
    end = datetime.max.replace(tzinfo=UTC) if cutoff == EVERY_LINE else from_text(cutoff.timestamp)
    visible = [one for one in said if one.channel != "#hidden" and one.said_at < end]
    told = []
    for name in ("with", "without"):
        async with open_store(tmp_path / name / "irc_logs.db", SETTINGS) as store:
            await store.messages.append(said if name == "with" else visible)
            rooms = [one for one in await store.rooms.all() if one.channel != "#hidden"]
            assert len(rooms) == MOST_ROOMS + 1
            told.append(
                [await pages_of(store, some, words, sort, cutoff) for some in (rooms, rooms[:1])]
            )
    assert told[0] == told[1]
    assert any(reached for pages in told[0] for _, _, _, reached in pages)


async def pages_of(
    store: Store, rooms: Sequence[Room], words: str, sort: Sort, cutoff: Position
) -> list[tuple[list[datetime], int, bool, datetime | None]]:
    """Of each page the times of its lines, the total, and how far it read."""
    search = Search(
        query=parse_query(words),
        rooms=rooms,
        limit=30,
        sort=sort,
        until=cutoff,
        visible_only=True,
    )
    pages = []
    while True:
        hits = await store.search(search, "question")
        times = [line.said_at for line in hits.messages]
        pages.append((times, hits.total, hits.total_is_exact, hits.reached))
        if not hits.next:
            return pages
        search = replace(search, cursor=hits.next)
