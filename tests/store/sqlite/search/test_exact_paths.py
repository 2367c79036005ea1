"""Exact search reads few lines at once or walks the index, and both ways and all pages agree."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from terrarium_mcp.chat.query.parser import parse_query
from terrarium_mcp.chat.records import Origin
from terrarium_mcp.chat.times.timestamps import EVERY_LINE, Position
from terrarium_mcp.store import Store
from terrarium_mcp.store.search import Rung, Search, Sort
from terrarium_mcp.store.search.scope import SearchScope
from terrarium_mcp.store.sqlite.engine.reads import Params, Reads, Row
from terrarium_mcp.store.sqlite.search import exact
from terrarium_mcp.store.sqlite.search.exact import ExactQuery, ExactSearch
from terrarium_mcp.store.sqlite.search.index_scan import IndexScan, Total
from terrarium_mcp.store.sqlite.search.order import NEWEST, OLDEST, position_of
from terrarium_mcp.store.sqlite.search.snapshot import current_snapshot
from tests.store.scene import NOON, chat, find, line_of, texts


def searching(store: Store) -> ExactSearch:
    return ExactSearch(IndexScan(store._database))  # noqa: SLF001 -- exact search itself


async def query_of(
    store: Store, words: str, *, channels: Sequence[str] = (), until: Position = EVERY_LINE
) -> ExactQuery:
    every = await store.rooms.all()
    rooms = [room for room in every if not channels or room.channel in channels]
    query = parse_query(words)
    snapshot = await current_snapshot(store._indexer, Search(query=query, rooms=rooms, limit=1))  # noqa: SLF001
    assert snapshot is not None
    since = Search(query=query, rooms=rooms, limit=1).bounds[0]
    scope = SearchScope(
        query=query, rooms=rooms, all_rooms=len(rooms) == len(every), since=since, until=until
    )
    return ExactQuery(scope, snapshot)


async def ids_if_few(store: Store, words: str, *, channels: Sequence[str] = ()) -> list[int] | None:
    rows = await searching(store).all_if_few(await query_of(store, words, channels=channels))
    return None if rows is None else sorted(row["id"] for row in rows)


async def test_one_word_of_all_rooms_is_walked_and_a_word_of_one_room_is_read(store: Store) -> None:
    await store.messages.append(chat("<ada> tea\n<bo> tea and milk"))
    await store.messages.append(chat("<ada> tea too", channel="#mate"))
    assert await ids_if_few(store, "tea") is None
    assert await ids_if_few(store, "tea milk") is None
    assert await ids_if_few(store, "tea", channels=["#tea"]) == [1, 2]
    assert await ids_if_few(store, "tea from:ada") == [1, 3]
    assert await ids_if_few(store, "tea -from:ada") == [2]
    assert await ids_if_few(store, "tea after:2026-05-01T12:00:30Z") == [2]
    assert await ids_if_few(store, "tea", channels=["#mate"]) == [3]
    assert await ids_if_few(store, "from:ada") is None
    cut = await query_of(store, "tea", until=Position.at(NOON + timedelta(seconds=30)))
    rows = await searching(store).all_if_few(cut)
    assert rows is not None
    assert sorted(row["id"] for row in rows) == [1, 3]


async def test_frequent_words_are_walked_even_within_a_scope(store: Store) -> None:
    await store.messages.append([line_of("ada", "tea milk") for _ in range(400)])
    assert len(await ids_if_few(store, "tea from:ada") or []) == 400
    await store.messages.append([line_of("ada", "milk")])
    assert len(await ids_if_few(store, "tea from:ada") or []) == 400
    await store.messages.append([line_of("ada", "tea")])
    assert await ids_if_few(store, "tea from:ada") is None
    await store.messages.append([line_of("ada", "hm") for _ in range(100)])
    assert len(await ids_if_few(store, "tea milk from:ada") or []) == 400


@pytest.mark.parametrize(
    ("said", "wanted", "is_read"), [(100, 2, True), (101, 2, False), (101, 200, True)]
)
async def test_for_a_page_a_hundred_lines_are_read_or_as_many_as_are_wanted(
    store: Store, said: int, wanted: int, is_read: bool
) -> None:
    await store.messages.append([line_of("ada", f"tea {n}") for n in range(said)])
    query, reads = await query_of(store, "tea from:ada"), Recorded(store)
    newest = await ExactSearch(IndexScan(reads)).first(query, wanted, NEWEST)
    assert [row["id"] for row in newest.rows] == [*range(said, 0, -1)][:wanted]
    assert newest.total == Total(said)
    assert any("held" in sql for sql in reads.statements) is is_read


async def test_words_that_are_rare_together_are_read_where_there_are_two_runs(store: Store) -> None:
    await store.messages.append(chat("<ada> tea milk\n<bo> tea"))
    assert await ids_if_few(store, "tea milk") is None
    past = NOON - timedelta(days=3)
    await store.messages.append(chat("<cy> milk tea", at=past, origin=Origin.IMPORT))
    assert await ids_if_few(store, "tea milk") == [1, 3]
    assert await ids_if_few(store, "tea") is None
    for day in range(4, 10):
        at = NOON - timedelta(days=day)
        await store.messages.append(chat("<cy> hm", at=at, origin=Origin.IMPORT))
    query = await query_of(store, "tea")
    assert len(query.snapshot.runs) == 8
    assert await ids_if_few(store, "tea") is None
    many = replace(query.snapshot, runs=(*query.snapshot.runs, query.snapshot.runs[0]))
    rows = await searching(store).all_if_few(ExactQuery(query.scope, many))
    assert rows is not None
    assert sorted(row["id"] for row in rows) == [1, 2, 3]


@pytest.mark.parametrize("words", ["from:ada", "tea OR milk", "from:ada tea OR milk"])
async def test_few_lines_of_any_query_are_read_at_once_where_there_are_many_runs(
    store: Store, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As imported logs of the same months leave them."""
    monkeypatch.setattr(exact, "_FEW", 0)  # their words do not tell that they are few
    for n in range(40):
        at = NOON - timedelta(days=2 * n)
        await store.messages.append(chat("<bo> hm", at=at, origin=Origin.IMPORT))
    said = "<ada> tea\n<ada> milk\n<ada> tea and milk"
    at = NOON - timedelta(days=80)
    await store.messages.append(chat(said, at=at, origin=Origin.IMPORT))
    query, reads = await query_of(store, words), Recorded(store)
    assert len(query.snapshot.runs) == 41
    search = ExactSearch(IndexScan(reads))
    newest = await search.first(query, 2, NEWEST)
    following = await search.first(query, 2, NEWEST, position_of(newest.rows[-1]))
    oldest = await search.first(query, 2, OLDEST)
    found = [[row["id"] for row in page.rows] for page in (newest, following, oldest)]
    assert found == [[43, 42], [41], [41, 42]]
    assert [page.total for page in (newest, following, oldest)] == [Total(3)] * 3
    assert len(reads.statements) <= 6


async def test_a_phrase_is_read_up_to_a_thousand_lines_with_its_pairs(store: Store) -> None:
    await store.messages.append([line_of("ada", "green tea") for _ in range(1_000)])
    assert len(await ids_if_few(store, '"green tea"') or []) == 1_000
    await store.messages.append([line_of("ada", "green tea")])
    assert await ids_if_few(store, '"green tea"') is None
    assert (await find(store, '"green tea"', limit=3)).total == 1_001


async def test_few_lines_are_paged_like_any_others(store: Store) -> None:
    await store.messages.append(chat("<ada> tea 1\n<ada> tea 2\n<ada> tea 3\n<ada> tea 4"))
    query, search = await query_of(store, "tea from:ada"), searching(store)
    newest = await search.first(query, 2, NEWEST)
    assert ([row["id"] for row in newest.rows], newest.total) == ([4, 3], Total(4))
    after = Position(newest.rows[-1]["timestamp"], 3)
    following = await search.first(query, 9, NEWEST, after)
    assert ([row["id"] for row in following.rows], following.total) == ([2, 1], Total(4))
    oldest = await search.first(query, 9, OLDEST, after)
    assert [row["id"] for row in oldest.rows] == [4]


class Recorded(Reads):
    """The statements that run, for a count of them."""

    def __init__(self, store: Store) -> None:
        self._database = store._database  # noqa: SLF001 -- exact search itself
        self.statements: list[str] = []

    async def rows(self, sql: str, params: Params = ()) -> list[Row]:
        self.statements.append(sql)
        return await self._database.rows(sql, params)


@pytest.mark.parametrize("few", [0, 400])
async def test_searches_in_different_channels_run_the_same_statements(
    store: Store, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exact, "_FEW", few)
    await store.messages.append(chat("<ada> tea\n<bo> tea"))
    await store.messages.append(chat("<ada> tea", channel="#mate"))
    statements, found = [], []
    for channel in ("#tea", "#mate"):
        reads = Recorded(store)
        query = await query_of(store, "tea", channels=[channel])
        rows = (await ExactSearch(IndexScan(reads)).first(query, 2, NEWEST)).rows
        found.append([row["id"] for row in rows])
        statements.append(reads.statements)
    assert (found, statements[0]) == ([[2, 1], [3]], statements[1])


@pytest.mark.parametrize("said", [3, 1_100])
async def test_the_lines_with_one_word_are_not_counted_again(store: Store, said: int) -> None:
    await store.messages.append([line_of("ada", f"tea {n}") for n in range(said)])
    query, reads = await query_of(store, "tea"), Recorded(store)
    total = Total(min(said, 1_001))
    newest = await ExactSearch(IndexScan(reads)).first(query, 2, NEWEST)
    after = position_of(newest.rows[-1])
    following = await ExactSearch(IndexScan(reads)).first(query, 1, NEWEST, after)
    assert [row["id"] for row in (*newest.rows, *following.rows)] == [said, said - 1, said - 2]
    assert (newest.total, following.total) == (total, total)
    assert not any("count(" in sql for sql in reads.statements)


async def test_the_asides_with_one_word_give_its_total_and_are_counted_once(store: Store) -> None:
    await store.messages.append([line_of("ada", f"tea {n}") for n in range(5)])
    await store.messages.append(chat("<dee> !search tea\n<dee> !search milk"))
    query, reads = await query_of(store, "tea"), Recorded(store)
    search = ExactSearch(IndexScan(reads))
    newest = await search.first(query, 2, NEWEST)
    assert (len(newest.rows), newest.total, await search.total_left_out(query)) == (2, Total(5), 1)
    assert sum("count(" in sql for sql in reads.statements) == 1


@pytest.mark.parametrize("words", ['"search tea"', "tea from:dee"])
async def test_lines_that_are_all_read_tell_how_many_asides_are_left_out(
    store: Store, words: str
) -> None:
    await store.messages.append(chat("<dee> search tea\n<dee> !search tea\n<dee> !search milk"))
    query, reads = await query_of(store, words), Recorded(store)
    search = ExactSearch(IndexScan(reads))
    newest = await search.first(query, 2, NEWEST)
    assert ([row["id"] for row in newest.rows], newest.total) == ([1], Total(1))
    assert (await search.total_left_out(query), len(reads.statements)) == (1, 1)


@pytest.mark.parametrize(
    "words", ["tea -milk", '"tea milk"', "tea*", "tea OR milk", "tea has:link"]
)
async def test_of_more_than_one_word_the_lines_are_counted(store: Store, words: str) -> None:
    await store.messages.append(chat("<ada> tea milk\n<bo> tea\n<bo> milk http://tea.example\n"))
    assert (await query_of(store, "tea")).lines_with_its_word == 3
    assert (await query_of(store, words)).lines_with_its_word is None
    assert (await query_of(store, "tea", channels=["#mate"])).lines_with_its_word is None
    assert (await query_of(store, "tea", until=Position.at(NOON))).lines_with_its_word is None


async def test_a_total_does_not_grow_by_what_is_said_between_the_pages(store: Store) -> None:
    await store.messages.append(chat("<ada> tea 1\n<ada> tea 2\n<ada> tea 3"))
    first = await find(store, "tea", limit=2)
    await store.messages.append(chat("<ada> tea 4"))
    asked = Search(
        query=parse_query("tea"),
        rooms=await store.rooms.all(),
        limit=2,
        sort=Sort.NEWEST,
        cursor=first.next,
    )
    following = await store.search(asked, "question")
    assert (texts(following.messages), first.total, following.total) == (["tea 1"], 3, 3)


async def test_words_that_nobody_said_need_no_look_up(store: Store) -> None:
    await store.messages.append(chat("<ada> tea\n<bo> milk"))
    for words in ("zebra", "tea zebra", "zebra OR gnu", "zeb*"):
        assert (await query_of(store, words)).is_unsaid, words
        assert await searching(store).has_none(await query_of(store, words)), words
    for words in ("tea", "tea OR zebra", "te*", "", "--", "zebra type:join", "-zebra"):
        assert not (await query_of(store, words)).is_unsaid, words
    nothing = await searching(store).first(await query_of(store, "zebra"), 5, NEWEST)
    assert (nothing.rows, nothing.total, nothing.reached) == ([], Total(0), None)


async def test_the_four_rarest_words_prove_that_no_line_has_all_five(store: Store) -> None:
    await store.messages.append(chat("<ada> a1 b1 c1 d1\n<ada> a1 b1 c1 e1\n<bo> e1 e1\n<bo> e1"))
    search = searching(store)
    assert not await search.has_none(await query_of(store, "a1 b1 c1 e1"))
    assert not await search.has_none(await query_of(store, "a1 b1 d1 e1"))  # four: found by itself
    assert not await search.has_none(
        await query_of(store, "a1 b1 c1 d1 e1")
    )  # e1 is not among four
    await store.messages.append(chat("<bo> d1 e1\n<bo> f1"))
    assert await search.has_none(await query_of(store, "a1 b1 c1 d1 f1"))
    assert not await search.has_none(await query_of(store, "a1 b1 c1 d1 OR f1"))
    assert not await search.has_none(await query_of(store, "a1 b1 c1 d1 f*"))


@pytest.mark.parametrize("sort", [Sort.NEWEST, Sort.OLDEST])
@pytest.mark.parametrize("words", ["--", "tea -from:bo", "tea --"])
async def test_pages_go_on_through_lines_that_only_reading_can_tell(
    store: Store, sort: Sort, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four lines are read for a page: fewer than share a moment, or lie between two hits."""
    monkeypatch.setattr(exact, "_LOOKED_AT", 4)
    monkeypatch.setattr(exact, "_FEW", 0)
    said = ["tea" if n % 25 else "tea --" for n in range(120)]
    nicks = ["bo" if n % 20 else "ada" for n in range(120)]
    moments = [NOON + timedelta(seconds=n // 30) for n in range(120)]
    await store.messages.append(
        [line_of(nick, text, at) for nick, text, at in zip(nicks, said, moments, strict=True)]
    )
    kept = {"--": said, "tea --": said, "tea -from:bo": nicks}[words]
    expected = [n for n, one in enumerate(kept, 1) if one in ("tea --", "ada")]
    asked = Search(query=parse_query(words), rooms=await store.rooms.all(), limit=2, sort=sort)
    found, pages = list[int](), 0
    hits = await store.search(asked, "question")
    assert not hits.total_is_exact
    while True:
        found += [message.id for message in hits.messages]
        pages += 1
        assert len(hits.messages) <= 2
        if hits.reached:
            assert hits.next
        if not hits.next:
            break
        hits = await store.search(replace(asked, cursor=hits.next), "question")
    assert found == (expected if sort is Sort.OLDEST else expected[::-1])
    assert pages < 120


async def test_a_page_says_how_far_it_read(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "_LOOKED_AT", 4)
    lines = [f"<ada> tea {n}" for n in range(10)]
    await store.messages.append(chat("\n".join(["<ada> --", *lines, "<ada> --"])))
    hits = await find(store, "--", limit=5)
    assert texts(hits.messages) == ["--"]
    assert hits.reached == NOON + timedelta(minutes=8)  # the fourth line from the end
    assert (hits.total, hits.total_is_exact, hits.rung) == (1, False, Rung.SCAN)
    assert hits.total_text == "1+"
    oldest = await find(store, "--", limit=5, sort=Sort.OLDEST)
    assert oldest.reached == NOON + timedelta(minutes=3)


async def test_where_all_lines_could_be_read_the_total_is_exact(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store.messages.append(chat("<ada> --\n" * 4))
    for most, is_exact in ((4, False), (5, True)):
        monkeypatch.setattr(exact, "_LOOKED_AT", most)
        hits = await find(store, "--", limit=2)
        assert (hits.total, hits.total_is_exact) == (4, is_exact)


@pytest.mark.parametrize("slack", [0, 3])
@pytest.mark.parametrize("sort", [Sort.NEWEST, Sort.OLDEST])
async def test_pages_of_a_recording_that_is_not_in_order_miss_nothing(
    store: Store, sort: Sort, slack: int
) -> None:
    """Every fourth line came `slack` minutes late, in a recording beside two imports."""
    minutes = [n - slack if n % 4 == 3 else n for n in range(60)]
    for origin, days, words in (
        (Origin.IMPORT, -9, "tea"),
        (Origin.PLAYBACK, 0, "tea milk"),
        (Origin.IMPORT, -4, "tea"),
    ):
        await store.messages.append(
            [
                line_of("a", f"{words} {k}", NOON + timedelta(days=days, minutes=n), origin=origin)
                for k, n in enumerate(minutes)
            ]
        )
    rooms = await store.rooms.all()
    for limit in (1, 7, 50):
        asked = Search(query=parse_query("tea"), rooms=rooms, limit=limit, sort=sort)
        hits = await store.search(asked, "question")
        places = [message.position for message in hits.messages]
        while hits.next:
            assert hits.total == 180
            hits = await store.search(replace(asked, cursor=hits.next), "question")
            places += [message.position for message in hits.messages]
        assert len(places) == 180
        assert places == sorted(places, reverse=sort is Sort.NEWEST)


async def test_lines_that_are_all_read_have_a_total_though_none_is_wanted(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Up to the usual bound: the lower one is for a page whose total must be counted otherwise."""
    monkeypatch.setattr(exact, "_FEW_FOR_A_PAGE", 1)
    await store.messages.append(chat("<ada> tea\n" * 5))
    await store.messages.append(chat("<bo> tea too", channel="#mate"))
    asked = await query_of(store, "tea", channels=["#tea"])
    found = await searching(store).first(asked, 2, NEWEST, wants_total=False)
    assert (len(found.rows), found.total) == (2, Total(5))
