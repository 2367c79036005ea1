"""The figures of a person, of words, of a time equal a plain count over all rows."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import anyio
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from terrarium_mcp.chat.identity import fold
from terrarium_mcp.chat.query.parsed_query import Query
from terrarium_mcp.chat.query.parser import parse_query
from terrarium_mcp.chat.records import Origin, Room
from terrarium_mcp.chat.times.timestamps import EVERY_LINE, Position, from_text
from terrarium_mcp.store import ScopeStats, Store, TookTooLong
from terrarium_mcp.store.errors import Locked
from terrarium_mcp.store.search import Search
from terrarium_mcp.store.sqlite.engine import database
from terrarium_mcp.store.sqlite.index import word_blocks
from terrarium_mcp.store.sqlite.index.word_blocks import WordBlockCounter
from terrarium_mcp.store.sqlite.ingest import append
from terrarium_mcp.store.sqlite.search import exact, room_lines, scope_stats
from terrarium_mcp.store.sqlite.search.matching_lines import MatchingLines
from tests.conftest import EXAMPLES
from tests.irc_bridge.house import locked
from tests.store.scene import NOON, chat, differences, line_of, past
from tests.store.sqlite.search.test_exact import (
    A_LOG,
    ASKED,
    CHANNELS,
    NICKS,
    Line,
    Said,
    a_log,
    every_line,
    is_wanted,
)

ZONES = [UTC, ZoneInfo("Asia/Kolkata"), ZoneInfo("America/New_York")]
MOMENTS = st.none() | st.integers(-3 * 24 * 60, 4 * 24 * 60).map(
    lambda minutes: NOON + timedelta(minutes=minutes)
)
"""Any minute of the days on which a log has lines, and before and after these."""

Selection = tuple[
    str, str | None, datetime | None, datetime | None, datetime | None, list[str], str, ZoneInfo
]
"""Words, a person, after, before, a cutoff, channels, periods, the reader's zone."""


def selections_of(
    words: st.SearchStrategy[str], nicks: st.SearchStrategy[str | None]
) -> st.SearchStrategy[Selection]:
    return st.tuples(
        words,
        nicks,
        MOMENTS,
        MOMENTS,
        MOMENTS,
        st.sampled_from([CHANNELS, CHANNELS, CHANNELS[:1], CHANNELS[1:]]),
        st.sampled_from(["", "day", "week", "month"]),
        st.sampled_from(ZONES),
    )


ANY = selections_of(
    st.lists(st.sampled_from(ASKED), max_size=2).map(" ".join), st.none() | st.sampled_from(NICKS)
)
OF_A_WORD = selections_of(st.sampled_from(["tea", "cafe"]), st.none())
"""Lines with a word, which may be counted in blocks."""

SELECTIONS = st.lists(st.one_of(ANY, ANY, OF_A_WORD), min_size=6, max_size=12)


@given(
    *A_LOG[:3], SELECTIONS, st.sampled_from([0, 6, 2_000]), A_LOG[-1], st.sampled_from([0, 2, 5])
)
@settings(
    max_examples=max(10, EXAMPLES // 4),  # each takes a second
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # to shrink a log takes minutes
)
async def test_figures_are_those_of_a_plain_count_over_all_rows(
    groups: list[tuple[Origin, int, list[Said]]],
    strange: list[Said],
    redacted: set[int],
    selections: list[Selection],
    most_read: int,
    casemapping: str,
    block: int,
) -> None:
    async with a_log(groups, strange, redacted, casemapping) as (store, file):
        with pytest.MonkeyPatch.context() as patch:
            if block:
                patch.setattr(word_blocks, "BLOCK", block)
                patch.setattr(word_blocks, "FREQUENT", 1)
                patch.setattr(word_blocks, "PAUSE", 0)  # after each of hundreds of tiny blocks
                await differences(store)
                await WordBlockCounter(store._database).count()  # noqa: SLF001 -- as the keeper does
            patch.setattr(scope_stats, "MOST_READ", most_read)
            patch.setattr(exact, "_FEW", min(most_read, 400))
            patch.setattr(exact, "_FEW_OF_A_PHRASE", min(most_read, 400))
            patch.setattr(exact, "_LOOKED_AT", 4)
            rooms, lines = await store.rooms.all(), every_line(file)
            for selection in selections:
                search = searched(selection, rooms)
                chosen = [line for line in lines if is_wanted(line, search, casemapping)]
                stats = await store.scope_stats(search, selection[6])
                assert_counted(stats, chosen, search, selection[6], most_read)


def searched(selection: Selection, rooms: Sequence[Room]) -> Search:
    words, nick, after, before, cutoff, channels, _, zone = selection
    query = parse_query(words, now=NOON)
    if nick:
        query = replace(query, people=(nick,))
    query = replace(
        query,
        since=max(filter(None, (query.since, after)), default=None),
        until=min(filter(None, (query.until, before)), default=None),
    )
    return Search(
        query=query,
        rooms=[room for room in rooms if room.channel in channels],
        limit=1,
        until=Position.at(cutoff) if cutoff else EVERY_LINE,
        zone=zone,
    )


def assert_counted(
    stats: ScopeStats, chosen: Sequence[Line], search: Search, per: str, most_read: int
) -> None:
    """What was counted is what a loop over the lines counts."""
    said = f"{search.query} {search.until} {per}"
    assert stats.lines == len(chosen), said
    if not chosen:
        assert stats == ScopeStats(0)
        return
    assert (stats.first, stats.last) == tuple(
        from_text(line.timestamp) for line in (chosen[0], chosen[-1])
    ), said
    assert not stats.is_cut
    if per:
        by_period = Counter(first_day(line, per, search) for line in chosen)
        assert stats.periods == sorted(by_period.items(), reverse=True), said
    else:
        assert stats.periods == ()
    if len(chosen) <= most_read:
        assert stats.details, said
    if stats.details:
        by_nick = Counter(fold(line.nick) for line in chosen)
        assert stats.details.people == len(by_nick), said
        talkers = {fold(nick): lines for _, nick, lines in stats.details.talkers}
        assert talkers == dict(by_nick.most_common(10)) or len(by_nick) > 10, said
        by_room = {room.id: lines for room, lines in stats.details.rooms}
        assert by_room == Counter(line.room for line in chosen), said
        hours = Counter(int(line.timestamp[11:13]) for line in chosen)
        assert stats.details.hours == [hours[hour] for hour in range(24)], said
        here = Counter(from_text(one.timestamp).astimezone(search.zone).hour for one in chosen)
        local_hours = [here[hour] for hour in range(24)]
        is_few = len(chosen) <= most_read
        assert stats.details.local_hours in ([local_hours] if is_few else [local_hours, ()]), said


def first_day(line: Line, per: str, search: Search) -> date:
    day = from_text(line.timestamp).astimezone(search.zone).date()
    match per:
        case "week":
            return day - timedelta(day.weekday())
        case "month":
            return day.replace(day=1)
        case _:
            return day


def asked(rooms: Sequence[Room], words: str = "", **more: object) -> Search:
    facts: dict[str, object] = {"query": parse_query(words, now=NOON), "rooms": rooms, **more}
    return Search(limit=1, **facts)  # type: ignore[arg-type]


def only_by_counters(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is read or counted by the index, as if there were too many lines for it."""

    async def never(*_: object) -> None:
        raise AssertionError("the index was walked")

    monkeypatch.setattr(scope_stats, "MOST_READ", 0)
    monkeypatch.setattr(room_lines, "MOST_TALLIED", 0)
    monkeypatch.setattr(exact.ExactSearch, "all_if_few", returns_none)
    monkeypatch.setattr(exact.ExactSearch, "count", never)


async def returns_none(*_: object) -> None:
    """Whatever is asked."""


@pytest.mark.parametrize("words", ["tea", "from:CY", "from:cy from:bo", "TEA", ""])
async def test_a_person_a_word_and_a_time_are_counted_without_a_walk_of_the_index(
    store: Store, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    await store.messages.append([*past(60)])
    await store.messages.append(chat("<bo> mate"))
    only_by_counters(monkeypatch)
    rooms = await store.rooms.all()
    expected = {"tea": 60, "from:CY": 60, "from:cy from:bo": 61, "TEA": 60, "": 61}[words]
    stats = await store.scope_stats(asked(rooms, words))
    assert (stats.lines, stats.details) == (expected, None)
    if words.startswith("from"):
        tea = [room for room in rooms if room.channel == "#tea"]
        assert (await store.scope_stats(asked(tea, "from:cy"))).lines == 20


async def test_asides_are_not_among_the_lines_with_a_word(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store.messages.append(
        [*chat("<ada> tea\n<bo> mate"), line_of("Terra", "tea is nice")._replace(own=True)]
    )
    rooms = await store.rooms.all()
    for most_read in (2_000, 0):
        monkeypatch.setattr(scope_stats, "MOST_READ", most_read)
        monkeypatch.setattr(exact, "_FEW", most_read)
        assert (await store.scope_stats(asked(rooms, "tea"))).lines == 1, most_read


async def test_the_lines_of_a_person_before_a_late_cutoff_are_all_but_the_last(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = list(past(60))
    await store.messages.append(lines)
    rooms = await store.rooms.all()
    counted: list[Query] = []
    count = exact.ExactSearch.count

    async def noted(self: exact.ExactSearch, query: exact.ExactQuery) -> int:
        counted.append(query.scope.query)
        assert query.scope.since == Position.at(lines[50].said_at).timestamp
        return await count(self, query)

    monkeypatch.setattr(scope_stats, "MOST_READ", 0)
    monkeypatch.setattr(exact.ExactSearch, "all_if_few", returns_none)
    monkeypatch.setattr(exact.ExactSearch, "count", noted)
    until = Position.at(lines[50].said_at)
    assert (await store.scope_stats(asked(rooms, "from:cy", until=until))).lines == 50
    assert len(counted) == 1


async def test_a_line_said_while_a_person_is_counted_makes_no_wrong_number(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = list(past(60))
    await store.messages.append(lines)
    is_short = MatchingLines._is_short  # noqa: SLF001 -- the moment between snapshot and counter

    async def meanwhile(self: MatchingLines, part: exact.ExactQuery) -> bool:
        await store.messages.append([line_of("cy", "tea", NOON)])
        return await is_short(self, part)

    monkeypatch.setattr(scope_stats, "MOST_READ", 0)
    monkeypatch.setattr(MatchingLines, "_is_short", meanwhile)
    monkeypatch.setattr(exact.ExactSearch, "all_if_few", returns_none)
    until = Position.at(lines[50].said_at)
    rooms = await store.rooms.all()
    assert (await store.scope_stats(asked(rooms, "from:cy", until=until))).lines == 50


async def test_more_periods_than_are_counted_leave_out_the_oldest(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scope_stats, "MOST_PERIODS", 3)
    for days in range(6):
        await store.messages.append(chat("<ada> tea", at=NOON + timedelta(days=days)))
    rooms = await store.rooms.all()
    for most_read in (0, 2_000):
        monkeypatch.setattr(scope_stats, "MOST_READ", most_read)
        for words in ("tea", ""):
            stats = await store.scope_stats(asked(rooms, words), "day")
            assert stats.periods == [(date(2026, 5, day), 1) for day in (6, 5, 4)]
            assert (stats.is_cut, stats.lines) == (True, 6)


async def test_more_than_sixteen_rooms_that_are_not_all_are_counted_exactly(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n in range(20):
        await store.messages.append(chat("<ada> tea\n<bo> mate\n" * (n + 1), channel=f"#r{n}"))
    rooms = [room for room in await store.rooms.all() if room.channel != "#r19"]
    monkeypatch.setattr(exact, "_LOOKED_AT", 4)
    for most_read in (0, 2_000):
        monkeypatch.setattr(scope_stats, "MOST_READ", most_read)
        for words, lines in (("tea", 190), ("", 380), ("after:2026-05-01T10:00", 380)):
            stats = await store.scope_stats(asked(rooms, words))
            assert (stats.lines, stats.first) == (lines, NOON)


async def test_what_cannot_be_counted_in_time_is_an_error_and_no_number(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store.messages.append([*past(30)])
    rooms = await store.rooms.all()
    for module in (scope_stats, database):
        monkeypatch.setattr(module, "DEADLINE", 0.0)
    with pytest.raises(TookTooLong, match="Name a channel or a shorter time"):
        await store.scope_stats(asked(rooms, "tea -c++"))
    monkeypatch.undo()
    monkeypatch.setattr(scope_stats, "DEADLINE", 0.0)
    with pytest.raises(TookTooLong, match=r"No index has :\), which is without a letter"):
        await store.scope_stats(asked(rooms, "tea :)"))


async def test_lines_that_another_program_keeps_from_being_indexed_are_no_matter_of_time(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(append, "SEVERAL", 20)  # the lines wait for the next read
    await store.messages.append(chat("<ada> tea"))
    rooms = await store.rooms.all()
    # The keeper waits for no first line.
    assert (await store.scope_stats(asked(rooms, "tea"))).lines == 1
    await store.messages.append(chat("<bo> more tea"))
    monkeypatch.setattr(scope_stats, "DEADLINE", 0.1)
    monkeypatch.setattr(database, "BUSY_MS", 500)

    async def wait_to_write() -> None:
        with pytest.raises(Locked):
            await store.messages.append(chat("<ada> tea"))

    async with locked(store.path):
        for words in ("tea", ""):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(wait_to_write)  # as the keeper does, over and over
                await anyio.wait_all_tasks_blocked()
                with pytest.raises(Locked, match="Another program has locked it"):
                    await store.scope_stats(asked(rooms, words))
    assert (await store.scope_stats(asked(rooms, "tea"))).lines == 2


async def test_an_empty_history_and_no_room_hold_nothing(store: Store) -> None:
    assert await store.scope_stats(asked([]), "day") == ScopeStats(0)
    await store.messages.append(chat("<ada> tea"))
    assert await store.scope_stats(asked([]), "day") == ScopeStats(0)
    assert await store.scope_stats(asked(await store.rooms.all(), "zebra"), "day") == ScopeStats(0)


async def test_a_row_without_a_nick_is_a_line_of_no_person(store: Store) -> None:
    await store.messages.append(chat("<ada> tea"))
    await store.messages.append([line_of("", "tea", NOON)])
    stats = await store.scope_stats(asked(await store.rooms.all(), "tea"))
    assert stats.details
    assert (stats.lines, stats.details.people) == (2, 1)


async def test_the_newest_spelling_of_a_nick_is_shown(store: Store) -> None:
    await store.messages.append(chat("<ADA> tea\n<Ada> tea\n<bo> tea"))
    stats = await store.scope_stats(asked(await store.rooms.all(), "tea"))
    assert stats.details
    assert stats.details.talkers == [("net", "Ada", 2), ("net", "bo", 1)]


async def test_who_said_all_that_was_said_in_a_long_time_is_counted_in_groups(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store.messages.append(chat("<ADA> tea\n<bo> mate\n<ada> milk", channel="#mate"))
    await store.messages.append(chat("<Ada> tea\n<cy> tea", at=NOON + timedelta(hours=30)))
    await store.messages.append([line_of("Terra", "hello")._replace(own=True)])
    rooms = await store.rooms.all()
    read = await store.scope_stats(asked(rooms, "after:2026-05-01 before:2026-06-01"), "day")
    monkeypatch.setattr(scope_stats, "MOST_READ", 0)
    grouped = await store.scope_stats(asked(rooms, "after:2026-05-01 before:2026-06-01"), "day")
    assert grouped == read
    assert grouped.details
    assert grouped.details.talkers == [("net", "Ada", 3), ("net", "bo", 1), ("net", "cy", 1)]
    monkeypatch.setattr(room_lines, "MOST_TALLIED", 5)
    assert (await store.scope_stats(asked(rooms, "after:2026-05-01"))).details is None
    monkeypatch.setattr(room_lines, "MOST_TALLIED", 6)
    assert (await store.scope_stats(asked(rooms, "after:2026-05-01"))).details == grouped.details
    assert (await store.scope_stats(asked(rooms, "tea"))).details is None


@pytest.mark.parametrize("words", ["tea", ""])
@pytest.mark.parametrize("most_read", [0, 2_000])
async def test_periods_begin_and_end_with_the_time_that_was_selected(
    store: Store, monkeypatch: pytest.MonkeyPatch, words: str, most_read: int
) -> None:
    for hour in range(48):
        await store.messages.append(chat("<ada> tea", at=NOON + timedelta(hours=hour)))
    monkeypatch.setattr(scope_stats, "MOST_READ", most_read)
    monkeypatch.setattr(exact, "_FEW", 0)
    times = "after:2026-05-01T20:30 before:2026-05-03T02:30"
    stats = await store.scope_stats(asked(await store.rooms.all(), f"{words} {times}"), "day")
    assert stats.periods == [
        (date(2026, 5, 3), 3), (date(2026, 5, 2), 24), (date(2026, 5, 1), 3)
    ]  # fmt: skip


async def test_a_word_longer_than_is_kept_is_not_counted_with_those_that_begin_alike(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    alike = "x" * 40
    await store.messages.append(chat(f"<ada> {alike}\n<ada> {alike}y\n<ada> {alike}z\n<bo> tea"))
    monkeypatch.setattr(scope_stats, "MOST_READ", 0)
    rooms = await store.rooms.all()
    for word in (alike, f"{alike}y", alike[:39]):
        assert (await store.scope_stats(asked(rooms, word))).lines == (word != alike[:39])
