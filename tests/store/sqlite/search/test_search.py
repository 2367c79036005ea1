"""Search finds what was said, in the order asked for, and nothing of another room."""

import threading
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from itertools import product
from pathlib import Path

import anyio
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from terrarium_mcp.chat.query.parsed_query import Query
from terrarium_mcp.chat.query.parser import parse_query
from terrarium_mcp.chat.records import SPEECH, Message, MessageType, NewMessage, Origin, Room
from terrarium_mcp.chat.terms import Term
from terrarium_mcp.chat.times.timestamps import Position
from terrarium_mcp.store import Store, TookTooLong
from terrarium_mcp.store.search import Hits, Rung, Search, Sort
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.reads import Reads, WholeRead
from terrarium_mcp.store.sqlite.engine.reads_in_turns import read_in_turns
from terrarium_mcp.store.sqlite.ingest import append
from terrarium_mcp.store.sqlite.search import message_search
from terrarium_mcp.store.sqlite.search.climb import Climb, without_history
from tests.conftest import EXAMPLES
from tests.patience import PATIENCE
from tests.store.beginnings import holding
from tests.store.scene import NOON, chat, find, line_of, room, texts, write
from tests.store.sqlite.engine.test_whole_reads import FOR_EVER


async def page_of(store: Store, asked: Search) -> Hits:
    return await store.search(asked, "question")


async def test_every_word_has_to_occur_in_any_order_and_case(store: Store) -> None:
    await store.messages.append(
        chat("""
            <ada> green tea at four
            <bo> Tea, very GREEN
            <cy> green mate
        """)
    )
    hits = await find(store, "tea green")
    assert texts(hits.messages) == ["Tea, very GREEN", "green tea at four"]
    assert (hits.rung, hits.total, hits.tried) == (Rung.ALL_WORDS, 2, (Rung.ALL_WORDS,))


async def test_a_phrase_has_to_stand_as_it_is(store: Store) -> None:
    await store.messages.append(chat("<ada> green tea at four\n<bo> tea, very green"))
    assert texts((await find(store, '"green tea"')).messages) == ["green tea at four"]
    assert texts((await find(store, 'four "green tea"')).messages) == ["green tea at four"]
    assert texts((await find(store, "green-tea")).messages) == ["green tea at four"]


async def test_from_compares_nicks_as_irc_does(store: Store) -> None:
    await store.messages.append(chat("<Ada[1]> tea\n<ada> tea\n<Ada{1}> more tea\n<\u00c4da> tea"))
    hits = await find(store, "tea from:aDA[1]")
    assert [line.nick for line in hits.messages] == ["Ada{1}", "Ada[1]"]
    assert [line.nick for line in (await find(store, "from:ADA")).messages] == ["ada"]
    assert (await find(store, "tea from:nobody")).messages == []
    assert [line.nick for line in (await find(store, "from:\u00c4da")).messages] == ["\u00c4da"]


@pytest.mark.parametrize(
    ("types", "kinds"),
    [
        ("privmsg", {"PRIVMSG"}),
        ("notice", {"NOTICE"}),
        ("action", {"ACTION"}),
        ("join", {"JOIN"}),
        ("privmsg type:notice", {"PRIVMSG", "NOTICE"}),
        ("privmsg type:action", {"PRIVMSG", "ACTION"}),
        ("notice type:action", {"NOTICE", "ACTION"}),
        ("privmsg type:notice type:action", {"PRIVMSG", "NOTICE", "ACTION"}),
        ("privmsg type:topic", {"PRIVMSG", "TOPIC"}),
        ("notice type:topic", {"NOTICE", "TOPIC"}),
        ("join type:topic", {"JOIN", "TOPIC"}),
        ("privmsg type:notice type:action type:join", {"PRIVMSG", "NOTICE", "ACTION", "JOIN"}),
    ],
)
async def test_a_type_lets_only_lines_of_it_in(store: Store, types: str, kinds: set[str]) -> None:
    every = [*SPEECH, MessageType.JOIN, MessageType.PART, MessageType.TOPIC]
    await store.messages.append(
        [
            line_of("ada", f"more tea {kind}", NOON + timedelta(seconds=n), channel, kind)
            for n in range(2)
            for channel in ("#tea", "#mate")
            for kind in every
        ]
    )
    rooms = await store.rooms.all()
    for words in ("", "tea", "tea -nothing", "-nothing", "te*", '"more tea"'):
        for asked in (rooms, rooms[:1]):
            hits = await find(store, f"{words} type:{types}", rooms=asked)
            assert {line.kind.value for line in hits.messages} == kinds, words
            assert (len(hits.messages), hits.total) == (2 * len(asked) * len(kinds),) * 2, words


async def test_since_and_until_bound_what_is_found(store: Store) -> None:
    await store.messages.append(chat("<ada> tea 1\n<ada> tea 2\n<ada> tea 3\n<ada> tea 4"))
    asked = Search(
        query=parse_query("tea"),
        rooms=await store.rooms.all(),
        limit=10,
        sort=Sort.OLDEST,
        since=NOON + timedelta(minutes=1),
        until=Position.at(NOON + timedelta(minutes=3)),
    )
    for query in ("tea", "", "tea sugar"):
        hits = await page_of(store, replace(asked, query=parse_query(query)))
        assert texts(hits.messages) == ["tea 2", "tea 3"]
        assert hits.total == 2


async def test_when_no_line_has_all_words_any_will_do_and_rare_ones_count_more(
    store: Store,
) -> None:
    await store.messages.append(
        chat("""
            <ada> the teapot is broken
            <bo> the mate is good
            <bo> the mate is hot
            <cy> the end
        """)
    )
    hits = await find(store, "is the mate teapot", sort=Sort.RELEVANCE)
    assert texts(hits.messages) == [
        "the teapot is broken",
        "the mate is good",  # right beside it
        "the mate is hot",
        "the end",
    ]
    assert (hits.rung, hits.tried) == (Rung.ANY_WORD, (Rung.ALL_WORDS, Rung.ANY_WORD))
    newest = await find(store, "is the mate teapot", sort=Sort.NEWEST)
    assert texts(newest.messages) == [
        "the mate is hot",
        "the mate is good",
        "the teapot is broken",
    ]


async def test_a_question_in_plain_language_finds_its_answer_first(store: Store) -> None:
    await store.messages.append(chat("<cy> what did you say\n" * 20))
    await store.messages.append(chat("<ada> the deploy broke on the migration"))
    await store.messages.append(chat("<cy> what about the rest, did he say\n" * 20))
    hits = await find(store, "what did ada say about the deploy?", sort=Sort.RELEVANCE, limit=1)
    assert texts(hits.messages) == ["the deploy broke on the migration"]


async def test_nothing_found_names_what_was_tried(store: Store) -> None:
    await store.messages.append(chat("<ada> tea"))
    hits = await find(store, "coffee beans")
    assert (hits.messages, hits.total, hits.next) == ([], 0, None)
    assert hits.tried == (Rung.ALL_WORDS, Rung.ANY_WORD, Rung.SIMILAR)
    assert (await find(store, "coffee")).tried == (Rung.ALL_WORDS, Rung.SIMILAR)


async def test_what_no_index_holds_is_read_from_the_lines_themselves(store: Store) -> None:
    await store.messages.append(
        chat("""
            <ada> tea -- at four
            <bo> tea at five
            <cy> ----
            <cy> snake_case and __init__
        """)
    )
    hits = await find(store, "--")
    assert (hits.rung, len(hits.messages), hits.total) == (Rung.SCAN, 2, 2)
    assert texts((await find(store, "tea --")).messages) == ["tea -- at four"]
    assert texts((await find(store, "__")).messages) == ["snake_case and __init__"]
    assert texts((await find(store, "_")).messages) == ["snake_case and __init__"]
    assert texts((await find(store, "__init__")).messages) == ["snake_case and __init__"]


async def test_formatting_and_accents_make_no_difference(store: Store) -> None:
    await store.messages.append(chat("<ada> te\x02a\x02 in the \x0304,01Caf\u00e9\x0f"))
    for words in ("tea", "cafe", "CAF\u00c9", '"the cafe"', "\x02tea"):
        assert (await find(store, words)).total == 1, words


async def test_events_and_removed_lines_are_not_found(store: Store, file: Path) -> None:
    await store.messages.append(
        [
            line_of("ada", "tea", kind=MessageType.PART),
            line_of("ada", "tea", kind=MessageType.TOPIC),
            line_of("ada", "tea said"),
            line_of("ada", "tea removed"),
        ]
    )
    write(file, "UPDATE messages SET redacted_at = '2026-05-02' WHERE message = 'tea removed'")
    for words in ("tea", "", "tea nothing"):
        assert texts((await find(store, words)).messages) == ["tea said"], words
    removed = await store.messages.get(4, await store.rooms.all())
    assert removed is not None
    assert (removed.removed, removed.text) == (True, "")


ABSURD = [
    "",
    " ",
    '"',
    '""',
    '"""',
    "'",
    "AND OR NOT",
    "AND",
    "NEAR(a b)",
    "foo-bar",
    "C++",
    "c#",
    "*",
    "tea*",
    "(",
    ")",
    "a AND (b",
    "^tea",
    "tea:mate",
    "message:tea",
    "scope:r1",
    "{message scope}:tea",
    "-tea",
    "+tea",
    "\0",
    "te\0a",
    "\ud800",
    "tea\ud800",
    "from:\ud800",
    "in:\ud800",
    "from:",
    "in:",
    'from:"',
    "from:''",
    "'; DROP TABLE messages; --",
    "%",
    "_",
    "?",
    ":match",
    "\\",
    "\n",
    "\u202e",
    "\x02",
    "\u0301",
    "tea" * 4_000,
    "x " * 5_000,
    " ".join(f"word{n}" for n in range(1_000)),
    " ".join(f'"{n} {n}"' for n in range(1_000)),
    "\U0001f375 " * 1_000,
    "".join(map(chr, range(1, 700))),
    " ".join(map(chr, range(0x100, 0x700))),
    "in:#tea " * 500,
]


@pytest.mark.parametrize("sort", list(Sort))
async def test_no_query_is_too_absurd(store: Store, sort: Sort) -> None:
    await store.messages.append(chat("<ada> tea and foo bar, C and c++\n<bo> x"))
    for query in ABSURD:
        hits = await find(store, query, sort=sort)
        assert len(hits.messages) <= 2, query
    nick = Query(people=("\0\ud800",), clauses=((Term("\ud800"),), (Term("te\0a"),)))
    rooms = await store.rooms.all()
    assert (await page_of(store, Search(query=nick, rooms=rooms, limit=1))).messages == []


PIECES = [
    *[
        "tea",
        "green",
        "c++",
        "\u559d\u8336",
        "\U0001f375",
        "--",
        "zebra",
        "te*",
        "t*",
        '"green tea"',
    ],
    *["from:ada", "-from:bo", "in:#tea", "-in:#mate", "mentions:bo", "has:link", "type:notice"],
    *["type:join", "is:command", "on:2026-05-01", "after:yesterday", "before:2h", "-tea", "-c++"],
    *["OR", "AND", "NOT", "NEAR(", "(", ")", '"', "*", "-", "^", ":", "{message}:", "\0", "\ud800"],
]
ANYTHING = st.text(max_size=60) | st.lists(
    st.sampled_from(PIECES) | st.text(max_size=4), max_size=8
).flatmap(lambda some: st.sampled_from(["", " "]).map(lambda gap: gap.join(some)))


@given(ANYTHING, st.sampled_from(Sort), st.booleans())
@example(query="-from:cy TEA/", sort=Sort.RELEVANCE, in_one_room=False)  # with many passages
@settings(
    max_examples=max(100, EXAMPLES),
    suppress_health_check=[HealthCheck.function_scoped_fixture],  # the talk stays the same
)
async def test_no_query_raises(store: Store, query: str, sort: Sort, in_one_room: bool) -> None:
    if not await store.rooms.all():
        await store.messages.append(a_little_of_everything())
    rooms = await store.rooms.all()
    asked = Search(
        query=parse_query(query), rooms=rooms[:1] if in_one_room else rooms, limit=5, sort=sort
    )
    hits = await page_of(store, asked)
    assert {line.room for line in hits.messages} <= set(asked.rooms)
    if hits.next:
        following = await page_of(store, replace(asked, cursor=hits.next))
        assert not {line.id for line in hits.messages} & {line.id for line in following.messages}


def a_little_of_everything() -> list[NewMessage]:
    """Lines of each kind, with words of each script, by several people in two rooms."""
    said = [
        "green tea",
        "tea, ada?",
        "c++ and C",
        "\u559d\u8336 \U0001f375",
        "https://tea.example/x --",
    ]
    return [
        line_of(nick, f"{text} {n}", NOON + timedelta(minutes=n), channel, kind)
        for n, (text, nick, channel, kind) in enumerate(
            product(
                said,
                ["ada", "bo"],
                ["#tea", "#mate"],
                [*SPEECH, MessageType.JOIN, MessageType.TOPIC],
            )
        )
    ]


async def all_pages(
    store: Store, words: str, rooms: Sequence[Room], limit: int, sort: Sort
) -> list[Message]:
    asked = Search(query=parse_query(words), rooms=rooms, limit=limit, sort=sort)
    hits = await page_of(store, asked)
    found = list(hits.messages)
    while hits.next:
        assert len(hits.messages) == limit
        hits = await page_of(store, replace(asked, cursor=hits.next))
        assert hits.messages
        found += hits.messages
    return found


SPIES = [
    "secret",
    "",
    "in:#mate secret",
    "scope:r2 secret",
    'secret" OR scope : "r2',
    "secret from:bo",
    "\U0001f375",
    "x secret nothing",
    "r2",
    '"r2"',
    "tprivmsg",
    "n626f",
]


@pytest.fixture(scope="module")
async def two_rooms(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Store]:
    """Tea in one, a secret in the other: for tests that only ask."""
    secret = chat("<bo> secret \U0001f375\n<bo> more secret", channel="#mate")
    file = tmp_path_factory.mktemp("rooms") / "irc_logs.db"
    async with holding(file, chat("<ada> tea"), secret) as store:
        yield store


@pytest.mark.parametrize("query", SPIES)
@pytest.mark.parametrize("sort", list(Sort))
async def test_nothing_of_another_room_is_found_whatever_the_query(
    two_rooms: Store, query: str, sort: Sort
) -> None:
    hits = await find(two_rooms, query, rooms=[await room(two_rooms)], sort=sort)
    assert {line.room.channel for line in hits.messages} <= {"#tea"}
    assert hits.total == len(hits.messages)
    assert (await find(two_rooms, query, rooms=[], sort=sort)).messages == []


async def test_with_many_rooms_asked_no_other_room_is_found(store: Store) -> None:
    await store.messages.append([line_of("ada", "tea", channel=f"#room{n}") for n in range(40)])
    rooms = [one for one in await store.rooms.all() if not one.channel.endswith("7")]
    hits = await find(store, "tea", rooms=rooms)
    assert {line.room.id for line in hits.messages} == {one.id for one in rooms}


@pytest.mark.parametrize("sort", list(Sort))
@pytest.mark.parametrize("words", ["tea", "tea milk", "", "\U0001f375", "tea sugar nobody"])
async def test_pages_lose_and_repeat_nothing_while_talk_goes_on(
    store: Store, words: str, sort: Sort
) -> None:
    lines = [
        line_of("ada", f"tea milk \U0001f375 {'sugar' if n % 9 == 0 else ''} {n}", channel=channel)
        for n in range(130)
        for channel in ("#tea", "#mate")
    ]
    await store.messages.append(lines)
    asked = Search(query=parse_query(words), rooms=await store.rooms.all(), limit=30, sort=sort)
    asked = replace(asked, since=NOON - timedelta(hours=1))
    hits = await page_of(store, asked)
    seen = list(hits.messages)
    for page in range(1, 99):
        if not hits.next:
            break
        await store.messages.append(
            [
                line_of("bo", f"tea milk sugar \U0001f375 meanwhile {page}", at, origin=origin)
                for at in (NOON + timedelta(hours=1), NOON - timedelta(minutes=5))
                for origin in (Origin.LIVE, Origin.PLAYBACK)
            ]
        )
        # "The last hours" have moved on, as they do while somebody reads.
        moved = replace(asked, since=NOON + timedelta(hours=page), cursor=hits.next)
        hits = await page_of(store, moved)
        seen += hits.messages
    assert sorted(line.id for line in seen) == list(range(1, 261))
    assert hits.total == 260


async def test_the_ranked_head_ends_and_all_other_hits_follow_newest_first(store: Store) -> None:
    await store.messages.append([line_of("ada", f"tea {n}") for n in range(700)])
    await store.messages.append([line_of("ada", "mate", NOON - timedelta(days=1))])
    rooms = await store.rooms.all()
    found = await all_pages(store, "tea mate sugar", rooms, 64, Sort.RELEVANCE)
    assert found[0].text == "mate"
    assert [line.text for line in found[1:]] == [f"tea {n}" for n in range(699, -1, -1)]


@pytest.mark.parametrize(("count", "told"), [(999, "999"), (1_000, "1000"), (1_001, "1,000+")])
async def test_totals_are_exact_to_a_thousand(store: Store, count: int, told: str) -> None:
    await store.messages.append([line_of("ada", "tea \U0001f375") for _ in range(count)])
    for words in ("tea", "\U0001f375", "", "tea sugar"):
        hits = await find(store, words, limit=1)
        assert hits.total_text == told, words


async def test_a_search_that_takes_too_long_as_a_whole_ends_and_the_next_one_answers(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store.messages.append(chat("<ada> tea\n" * 30))
    rooms = await store.rooms.all()
    search = Search(query=parse_query("t* OR u*", now=NOON), rooms=rooms, limit=5)
    with monkeypatch.context() as patch:
        patch.setattr(message_search, "DEADLINE", 0.0)
        with pytest.raises(TookTooLong, match="search for fewer words"):
            await store.search(search, "")
    assert (await store.search(search, "")).total == 30


async def test_a_search_that_takes_turns_at_once_finds_what_is_to_be_indexed_yet(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(append, "SEVERAL", 20)  # the line waits for the next read
    monkeypatch.setattr(message_search, "QUICK", 0)
    await store.messages.append(chat("<ada> the badger sleeps"))
    assert texts((await find(store, "badger")).messages) == ["the badger sleeps"]


async def test_a_search_that_takes_its_time_holds_no_reader_between_its_statements(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store.messages.append(chat("<ada> tea"))
    rooms = await store.rooms.all()
    search = Search(query=parse_query("tea"), rooms=rooms, limit=5)
    of_the_loop, thought, go_on = threading.get_ident(), threading.Event(), threading.Event()

    async def slowly(reads: Reads, *, is_current: bool, **_: object) -> Climb:
        assert threading.get_ident() != of_the_loop
        if not is_current:
            await reads.rows(FOR_EVER)
        thought.set()
        go_on.wait(PATIENCE)
        assert await reads.value("SELECT 1") == 1
        return without_history(search)

    monkeypatch.setattr(message_search, "climbed", slowly)
    monkeypatch.setattr(message_search, "QUICK", 0.01)
    async with anyio.create_task_group() as tasks:
        for _ in range(9):  # three times as many as there are readers
            tasks.start_soon(store.search, search, "")
        with anyio.fail_after(PATIENCE):
            await anyio.to_thread.run_sync(thought.wait)
            newest, _more = await store.messages.newest(rooms, 1)
        go_on.set()
    assert texts(newest) == ["tea"]


async def test_a_search_that_nobody_waits_for_ends_also_once_it_takes_its_time(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store.messages.append(chat("<ada> tea"))
    search = Search(query=parse_query("tea"), rooms=await store.rooms.all(), limit=5)
    begun, ended = list[Reads](), threading.Semaphore(0)
    is_last, last_begun = threading.Event(), threading.Event()

    async def for_ever(reads: Reads, **_: object) -> None:
        begun.append(reads)
        if is_last.is_set():
            last_begun.set()
        try:
            await reads.rows(FOR_EVER)
        finally:
            ended.release()

    async def noted(database: Database, read: WholeRead[None]) -> None:
        is_last.set()
        await read_in_turns(database, read)

    with monkeypatch.context() as patch:
        patch.setattr(message_search, "climbed", for_ever)
        patch.setattr(message_search, "read_in_turns", noted)
        patch.setattr(message_search, "QUICK", 0.01)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(store.search, search, "")
            # At first it is in the thread of a reader, if that begins before its time is over.
            assert await anyio.to_thread.run_sync(last_begun.wait, PATIENCE)
            tasks.cancel_scope.cancel()
        for _ in begun:
            assert await anyio.to_thread.run_sync(partial(ended.acquire, timeout=PATIENCE))
    assert (await store.search(search, "")).total == 1


async def test_a_long_query_finds_the_one_line_that_holds_all_of_it(store: Store) -> None:
    held = "when does the old gate by the river stand open"
    await store.messages.append([line_of("ada", f"the river, the gate, and {n}") for n in range(9)])
    await store.messages.append([line_of("bo", "the old gate by the river stand")])
    await store.messages.append([line_of("cy", held), line_of("cy", "open gate")])
    for sort in Sort:
        hits = await find(store, held, sort=sort)
        assert (hits.messages[0].text, hits.messages[0].nick) == (held, "cy"), sort
    newest = await find(store, held, sort=Sort.NEWEST)
    assert (newest.rung, newest.total) == (Rung.ALL_WORDS, 1)
    without = await find(store, f"{held} tomorrow", sort=Sort.NEWEST)
    assert without.tried[:2] == (Rung.ALL_WORDS, Rung.ANY_WORD)
