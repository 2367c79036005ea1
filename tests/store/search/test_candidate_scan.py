"""Look-ups in the index: the newest lines that meet all conditions, in any number of ranges."""

from datetime import UTC, timedelta

import pytest

from terrarium_mcp.chat.query.parsed_query import Query
from terrarium_mcp.chat.query.parser import parse_query
from terrarium_mcp.chat.records import Origin
from terrarium_mcp.chat.times.timestamps import BEGINNING, EVERY_LINE, Position, to_text
from terrarium_mcp.store import Store
from terrarium_mcp.store.search import Search
from terrarium_mcp.store.search.relevance.corpus import CandidateLine
from terrarium_mcp.store.search.relevance.lookup import (
    Lookup,
    any_word,
    by_speaker,
    in_scope,
    speech,
)
from terrarium_mcp.store.search.relevance.question import PlainQuestion
from terrarium_mcp.store.search.scope import SearchScope
from terrarium_mcp.store.sqlite.engine.reads import Params, Reads, Row
from terrarium_mcp.store.sqlite.search.corpus import SqliteCorpus
from terrarium_mcp.store.sqlite.search.snapshot import Snapshot, current_snapshot
from tests.store.scene import NOON, chat, line_of, redact


async def snapshot_of(store: Store) -> Snapshot:
    search = Search(query=Query(), rooms=await store.rooms.all(), limit=1)
    snapshot = await current_snapshot(store._indexer, search)  # noqa: SLF001 -- what every search begins with
    assert snapshot is not None
    return snapshot


async def corpus_of(
    store: Store,
    words: str = "",
    *,
    channel: str = "",
    since: str = BEGINNING.timestamp,
    until: Position = EVERY_LINE,
    reads: Reads | None = None,
) -> SqliteCorpus:
    every = await store.rooms.all()
    rooms = [room for room in every if not channel or room.channel == channel]
    scope = SearchScope(
        query=parse_query(words), rooms=rooms, all_rooms=rooms == every, since=since, until=until
    )
    question = PlainQuestion(text=words, scope=scope, now=NOON, zone=UTC, hits=20)
    return SqliteCorpus(reads or store._database, await snapshot_of(store), question)  # noqa: SLF001


class CountingReads(Reads):
    """Reads that note how many rows each statement returns."""

    def __init__(self, reads: Reads) -> None:
        self._reads = reads
        self.rows_of_statements: list[int] = []

    async def rows(self, sql: str, params: Params = ()) -> list[Row]:
        rows = await self._reads.rows(sql, params)
        self.rows_of_statements.append(len(rows))
        return rows


async def found(corpus: SqliteCorpus, lookup: Lookup) -> list[int] | None:
    return (await corpus.find([lookup])).get(lookup)


async def test_all_conditions_have_to_be_met_and_one_of_each(store: Store) -> None:
    await store.messages.append(
        chat("<ada> tea\n<Bo> tea milk\n<ada> milk\n<bo> gate\n-ada- tea milk")
    )
    await store.messages.append(chat("<ada> tea milk", channel="#mate"))
    corpus = await corpus_of(store, channel="#tea")
    tea, milk = any_word(["tea"], 3), any_word(["milk"], 2)
    assert await found(corpus, Lookup((tea,), 9)) == [6, 5, 2, 1]
    assert await found(corpus, Lookup((tea,), 2)) == [6, 5]
    assert await found(corpus, Lookup((tea, milk), 9)) == [6, 5, 2]
    assert await found(corpus, Lookup((any_word(["tea", "gate"], 5),), 9)) == [6, 5, 4, 2, 1]
    assert await found(corpus, Lookup((tea, by_speaker("bo", 2)), 9)) == [2]
    assert await found(corpus, Lookup((tea, in_scope(5)), 9)) == [5, 2, 1]
    assert await found(corpus, Lookup((speech(9), by_speaker("ada", 2)), 9)) == [6, 5, 3, 1]
    assert await found(corpus, Lookup((any_word(["zebra"], 0),), 9)) == []
    assert await corpus.find([]) == {}


async def test_a_look_up_of_a_time_finds_its_lines_and_one_of_no_lines_is_left_out(
    store: Store,
) -> None:
    await store.messages.append(chat("<ada> tea\n" * 6))
    corpus = await corpus_of(store)
    tea = (any_word(["tea"], 6),)
    times = [to_text(NOON + timedelta(minutes=n)) for n in range(9)]
    first, last = Lookup(tea, 9, times[1], times[3]), Lookup(tea, 2, times[2])
    never = Lookup(tea, 9, times[7], times[8])
    assert await corpus.find([first, never, last]) == {first: [4, 3, 2], last: [6, 5]}


@pytest.mark.parametrize("imports", [1, 3, 7, 8, 9, 40])
async def test_however_many_ranges_there_are_the_newest_lines_are_found(
    store: Store, imports: int
) -> None:
    """Each import lies before the one before it, so that each is a run of its own."""
    said = list[str]()
    for n in range(imports):
        talk = [f"tea {'rare' if n % 5 == 2 else ''}", "hm", "tea"]
        at = NOON - timedelta(days=2 * n)  # too far apart for runs to be joined
        lines = [line_of("ada", text, at, origin=Origin.IMPORT) for text in talk]
        await store.messages.append(lines)
        said += talk
    await store.messages.append([line_of("ada", "tea rare", NOON + timedelta(days=1))])
    said.append("tea rare")
    snapshot = await snapshot_of(store)
    assert len(snapshot.runs) == (imports + 1 if imports > 1 else 1)
    corpus = await corpus_of(store)
    runs = sorted(snapshot.runs, key=lambda run: run.ended, reverse=True)
    newest_first = [n for run in runs for n in range(run.last, run.first - 1, -1)]
    for word in ("tea", "rare"):
        holding = {number for number, text in enumerate(said, 1) if word in text.split()}
        expected = [number for number in newest_first if number in holding]
        for most in (1, 2, 3, len(expected), len(expected) + 1, 200):
            got = await found(corpus, Lookup((any_word([word], 1),), most))
            assert got is not None
            assert len(got) == min(most, len(expected))
            if most < len(expected):
                assert got == expected[:most], (word, most)
            assert set(got) <= holding


async def test_neighbours_are_four_lines_before_and_ten_after_in_the_same_room(
    store: Store,
) -> None:
    lines = [
        line_of("ada", f"line {n}", NOON + timedelta(minutes=n), "#tea" if n % 2 else "#mate")
        for n in range(1, 61)
    ]
    await store.messages.append(lines)
    corpus = await corpus_of(store)
    (line,) = await corpus.lines([21])
    assert line == CandidateLine(
        21, line.room, "2026-05-01 12:21:00.000", "ada", "line 21", may_answer=True
    )
    (talk,) = await corpus.around([line])
    assert [one.id for one in talk] == list(range(13, 42, 2))
    several = await corpus.lines([21, 31, 2, 3, 40])
    talks = await corpus.around(several)
    by_room = [[one.id for one in talk] for talk in talks]
    assert sorted(by_room) == sorted(
        [
            list(range(1, 52, 2)),  # 3, 21 and 31 share lines
            list(range(2, 23, 2)),
            list(range(32, 61, 2)),
        ]
    )


@pytest.mark.parametrize(
    ("second", "talks"),
    [
        (17, [(6, 27)]),
        (24, [(6, 34)]),  # the windows share one line
        (25, [(6, 20), (21, 35)]),
        (30, [(6, 20), (26, 40)]),
    ],
)
async def test_windows_that_share_a_line_are_one_talk(
    store: Store, second: int, talks: list[tuple[int, int]]
) -> None:
    await store.messages.append(
        [line_of("ada", "x", NOON + timedelta(minutes=n)) for n in range(40)]
    )
    corpus = await corpus_of(store)
    found = await corpus.around(await corpus.lines([10, second]))
    assert [[line.id for line in talk] for talk in found] == [
        list(range(first, last + 1)) for first, last in talks
    ]


async def test_a_line_of_several_windows_is_read_once(store: Store) -> None:
    await store.messages.append(
        [line_of("ada", "x", NOON + timedelta(minutes=n)) for n in range(40)]
    )
    reads = CountingReads(store._database)  # noqa: SLF001
    lines = await (await corpus_of(store)).lines([10, 11, 12, 13])
    (talk,) = await (await corpus_of(store, reads=reads)).around(lines)
    windows, lines_read = reads.rows_of_statements
    assert (windows, lines_read) == (4, len(talk))


async def test_only_lines_that_may_be_seen_are_read(store: Store) -> None:
    await store.messages.append(
        chat("<ada> tea 1\n<ada> tea 2\n<bo> tea 3\n<ada> tea 4\n<ada> tea 5")
    )
    await store.messages.append(chat("<ada> tea 6", channel="#mate"))
    await redact(store, 4)
    every = await store.rooms.all()
    assert len(every) == 2
    corpus = await corpus_of(
        store,
        "tea from:ada",
        channel="#tea",
        since=to_text(NOON + timedelta(minutes=1)),
        until=Position(to_text(NOON + timedelta(minutes=4)), 5),
    )
    lines = await corpus.lines(range(1, 9))
    assert [line.id for line in lines] == [2]
    (talk,) = await corpus.around(lines)
    assert [(line.id, line.may_answer) for line in talk] == [(1, False), (2, True), (3, False)]


async def test_lines_said_after_the_search_began_are_no_neighbours(store: Store) -> None:
    await store.messages.append(chat("<ada> tea 1\n<ada> tea 2"))
    corpus = await corpus_of(store)
    await store.messages.append(chat("<ada> tea 3", at=NOON + timedelta(seconds=30)))
    assert [line.id for line in await corpus.lines([1, 2, 3])] == [1, 2]
    (talk,) = await corpus.around(await corpus.lines([2]))
    assert [line.id for line in talk] == [1, 2]


async def test_what_stands_in_a_line_is_read_as_people_read_it(store: Store) -> None:
    await store.messages.append(chat("* Ada \x02drinks\x02 tea\n-bo- \x0304red"))
    lines = await (await corpus_of(store)).lines([1, 2])
    assert [(line.said_by, line.text) for line in lines] == [("Ada", "drinks tea"), ("bo", "red")]


async def test_a_talk_is_in_the_order_of_time_whatever_its_ids(store: Store) -> None:
    minutes = [0, 4, 1, 3, 2]
    await store.messages.append(
        [line_of("ada", "x", NOON + timedelta(minutes=n), origin=Origin.IMPORT) for n in minutes]
    )
    corpus = await corpus_of(store)
    (talk,) = await corpus.around(await corpus.lines([5]))
    assert [line.id for line in talk] == [1, 3, 5, 4, 2]


async def test_replies_are_read_below_the_twenty_best_lines_and_four_lines_below_the_others(
    store: Store,
) -> None:
    """Forty lines apart, so that no two windows meet: 4 + 1 + 10 lines, and 4 + 1 + 4."""
    await store.messages.append(chat("<ada> tea\n" * 1_000))
    corpus = await corpus_of(store)
    best_first = await corpus.lines(range(900, 50, -40))
    passages = await corpus.around(best_first)
    lengths = {passage[4].id: len(passage) for passage in passages}
    assert [lengths[line.id] for line in best_first] == [15] * 20 + [9] * 2
