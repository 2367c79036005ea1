"""Who spoke is counted by whole months and days, and is what a loop over all rows counts."""

import sqlite3
import tempfile
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from terrarium_mcp.chat.identity import fold
from terrarium_mcp.chat.query.parser import parse_query
from terrarium_mcp.chat.records import MessageType, NewMessage, Origin, Room
from terrarium_mcp.chat.relays import parse_relay
from terrarium_mcp.chat.times.timestamps import EVERY_LINE, Position
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import PurgeTarget, ScopeDetails, Store, open_store
from terrarium_mcp.store.errors import StoreFailed
from terrarium_mcp.store.search import Search
from terrarium_mcp.store.sqlite.index import talk_counts
from terrarium_mcp.store.sqlite.index.talk_counts import TalkCounter
from terrarium_mcp.store.sqlite.index.voice_rules import adopt_rules
from terrarium_mcp.store.sqlite.search import room_lines, scope_stats
from tests.conftest import STORIES
from tests.store.scene import (
    NOON,
    SETTINGS,
    chat,
    differences,
    line_of,
    redact,
    room,
    rows_of,
    write,
)

# No event announces what the keeper does.
# ruff: noqa: ASYNC110

JULY = datetime(2026, 7, 3, 0, 30, tzinfo=UTC)
"""Half an hour after July 2nd, which is thereby not over."""

PERIODS = "SELECT period FROM talk_counts ORDER BY room, period"
RELAYED = Settings(network="net", irc_server="irc.example", relays=(parse_relay("relaybot"),))
DOTTED = Settings(network="net", irc_server="irc.example", command_prefix=".")


@pytest.fixture(autouse=True)
def nothing_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of three lines in a month the days are counted too; who spoke is only known if counted."""
    monkeypatch.setattr(talk_counts, "MANY", 2)
    monkeypatch.setattr(talk_counts, "MANY_AT_HAND", 2)
    monkeypatch.setattr(talk_counts, "PAUSE", 0)
    monkeypatch.setattr(scope_stats, "MOST_READ", 0)
    monkeypatch.setattr(room_lines, "MOST_TALLIED", 0)


async def count_talk(store: Store, now: datetime = JULY) -> None:
    assert await differences(store) == []
    await TalkCounter(store._database, lambda: now).count()  # noqa: SLF001 -- as the keeper does


async def who(
    store: Store, rooms: Sequence[Room], words: str = "", until: Position = EVERY_LINE
) -> ScopeDetails | None:
    query = parse_query(words, now=NOON)
    stats = await store.scope_stats(Search(query=query, rooms=rooms, limit=1, until=until))
    return stats.details


def of_may(*days: int) -> list[Any]:
    """Two lines by ada and one by bo at noon of some days of May 2026."""
    return [
        line
        for day in days
        for line in chat("<ada> tea\n<bo> mate\n<ada> milk", at=NOON.replace(day=day))
    ]


async def test_months_that_are_over_and_days_of_busy_ones_are_counted(
    store: Store, file: Path
) -> None:
    await store.messages.append(of_may(3, 4))
    await store.messages.append(chat("<cy> tea\n<cy> mate", at=datetime(2026, 6, 9, 1, tzinfo=UTC)))
    await store.messages.append(chat("<cy> tea\n" * 3, at=datetime(2026, 7, 1, tzinfo=UTC)))
    await store.messages.append(chat("<cy> tea\n" * 3, at=datetime(2026, 7, 2, tzinfo=UTC)))
    await count_talk(store)
    assert rows_of(file, "SELECT * FROM talk_counts WHERE period = '2026-05'") == [
        (1, "2026-05", 6, f"[{'0,' * 12}6{',0' * 11}]", "[]", '{"2":"bo","4":"ada"}')
    ]
    assert [row[0] for row in rows_of(file, PERIODS)] == [
        "2026-05", "2026-05-03", "2026-05-04", "2026-06", "2026-07-01"
    ]  # fmt: skip
    assert await differences(store) == []


async def test_days_of_the_month_at_hand_are_counted_until_it_is(
    store: Store, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(talk_counts, "MANY", 10)
    await store.messages.append(of_may(3, 4))
    await count_talk(store, datetime(2026, 5, 5, 2, tzinfo=UTC))
    assert [row[0] for row in rows_of(file, PERIODS)] == ["2026-05-03", "2026-05-04"]
    told = await who(store, [await room(store)], "after:2026-05-01 before:2026-05-05")
    assert told
    assert told.talkers == [("net", "ada", 4), ("net", "bo", 2)]
    await count_talk(store)
    assert [row[0] for row in rows_of(file, PERIODS)] == ["2026-05"]
    assert await who(store, [await room(store)], "after:2026-05-01 before:2026-06-01") == told
    assert await differences(store) == []


async def test_who_talked_in_a_month_is_told_without_reading_a_line(store: Store) -> None:
    await store.messages.append(of_may(3, 4))
    await store.messages.append(chat("<dee> tea", at=datetime(2026, 6, 1, 0, 0, tzinfo=UTC)))
    tea = [await room(store)]
    assert await who(store, tea, "after:2026-05-01 before:2026-06-01") is None
    await count_talk(store)
    may = await who(store, tea, "after:2026-05-01 before:2026-06-01")
    assert may
    assert may.talkers == [("net", "ada", 4), ("net", "bo", 2)]
    assert (may.people, may.hours[12], may.rooms) == (2, 6, [(tea[0], 6)])
    day = await who(store, tea, "on:2026-05-04")
    assert day
    assert day.talkers == [("net", "ada", 2), ("net", "bo", 1)]
    everything = await who(store, tea)
    assert everything
    assert everything.talkers == [*may.talkers, ("net", "dee", 1)]


async def test_beside_counted_days_the_rest_is_read_if_it_is_little(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store.messages.append(of_may(3, 4, 5))
    await count_talk(store)
    tea, half = [await room(store)], "after:2026-05-03T12:01Z before:2026-05-05T12:01Z"
    assert await who(store, tea, half) is None
    monkeypatch.setattr(room_lines, "MOST_TALLIED", 3)
    told = await who(store, tea, half)
    assert told
    assert told.talkers == [("net", "ada", 4), ("net", "bo", 2)]
    monkeypatch.setattr(room_lines, "MOST_COUNTED", 5)
    assert await who(store, tea, half) is None


async def test_a_cutoff_within_a_day_hides_what_is_after_it(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = await store.messages.append(of_may(3, 4))
    await count_talk(store)
    monkeypatch.setattr(room_lines, "MOST_TALLIED", 3)
    noon = Position.at(NOON.replace(day=4))
    for until, lines in ((noon, 3), (Position(noon.timestamp, ids[3] + 1), 4)):
        told = await who(store, [await room(store)], until=until)
        assert told
        assert sum(told.hours) == lines


async def test_the_newest_spelling_is_shown_whichever_period_it_is_in(store: Store) -> None:
    for day, nick in ((1, "ADA"), (2, "Ada[]"), (3, "ada{}"), (4, "aDA{]")):
        await store.messages.append(
            chat(f"<{nick}> tea\n" * 3, at=datetime(2026, 5, day, tzinfo=UTC))
        )
    await store.messages.append(chat("<ADA[]> tea", at=datetime(2026, 6, 1, tzinfo=UTC)))
    await count_talk(store)
    tea = [await room(store)]
    for words, talkers in (
        ("before:2026-05-03", ["ADA", "Ada[]"]),
        ("before:2026-05-04", ["ada{}", "ADA"]),
        ("before:2026-06-01", ["aDA{]", "ADA"]),
        ("", ["ADA[]", "ADA"]),
    ):
        told = await who(store, tea, words)
        assert told
        assert [nick for _, nick, _ in told.talkers] == talkers, words


async def test_a_line_said_now_deletes_no_period_and_writes_to_none(
    store: Store, file: Path
) -> None:
    await store.messages.append(of_may(3))
    await count_talk(store)
    write(file, "CREATE TABLE deleted (period)")
    write(
        file,
        "CREATE TRIGGER noted AFTER DELETE ON talk_counts"
        " BEGIN INSERT INTO deleted VALUES (OLD.period); END",
    )
    await store.messages.append(chat("<ada> now", at=JULY))
    assert await differences(store) == []
    assert rows_of(file, "SELECT * FROM deleted") == []
    await store.messages.append([late("ada", 3)])
    assert await differences(store) == []
    assert rows_of(file, "SELECT * FROM deleted") == [("2026-05",), ("2026-05-03",)]


def late(nick: str, day: int, second: int = 0) -> NewMessage:
    """A line that an import brings, of a day of May 2026."""
    at = NOON.replace(day=day) + timedelta(seconds=second)
    return line_of(nick, "tea", at, origin=Origin.IMPORT)


@pytest.mark.parametrize("lines", [1, 3_000])
async def test_what_is_added_to_a_counted_day_is_counted(
    store: Store, file: Path, lines: int
) -> None:
    await store.messages.append(of_may(3, 4))
    await count_talk(store)
    await store.messages.append([late(f"late{n % 7}", 4, n) for n in range(lines)])
    assert await who(store, [await room(store)], "before:2026-06-01") is None
    assert [row[0] for row in rows_of(file, PERIODS)] == ["2026-05-03"]
    await count_talk(store)
    told = await who(store, [await room(store)], "before:2026-06-01")
    assert told
    assert (told.people, sum(told.hours)) == (2 + min(lines, 7), 6 + lines)


async def test_a_removed_nick_is_in_no_count_and_in_no_byte_of_the_file(
    store: Store, file: Path
) -> None:
    await store.messages.append(of_may(3, 4))
    await store.messages.append(chat("<Zebulon> tea\n<zebulon[]> tea", at=NOON.replace(day=4)))
    await count_talk(store)
    assert any("zebulon" in row[0] for row in rows_of(file, "SELECT people FROM talk_counts"))
    for nick in ("ZEBULON", "ZEBULON{}"):
        await store.removal.purge(PurgeTarget(nick), asked_by="op", at=JULY)
    assert [row[0] for row in rows_of(file, PERIODS)] == ["2026-05-03"]
    await count_talk(store)
    told = await who(store, [await room(store)], "before:2026-06-01")
    assert told
    assert told.people == 2
    await store._database.checkpoint("TRUNCATE")  # noqa: SLF001 -- as the keeper does
    for path in file.parent.iterdir():
        assert b"ebulon" not in path.read_bytes(), path.name


async def test_rooms_that_turn_out_to_be_one_are_counted_as_one(store: Store, file: Path) -> None:
    await store.rooms.set_casemapping("net", "ascii")
    for channel in ("#a[", "#a{"):
        await store.messages.append(chat("<ada> tea\n" * 2, channel=channel))
    await count_talk(store)
    assert rows_of(file, "SELECT room, period FROM talk_counts") == [(1, "2026-05"), (2, "2026-05")]
    await store.rooms.set_casemapping("net", "rfc1459")
    assert await differences(store) == []
    assert rows_of(file, PERIODS) == []
    await count_talk(store)
    told = await who(store, await store.rooms.all(), "on:2026-05")
    assert told
    assert told.talkers == [("net", "ada", 4)]


async def test_any_nick_that_a_row_may_have_is_counted(store: Store, file: Path) -> None:
    rows = [("a b",), (b"\xff\xfe",), ("x y",), ('"[]"',), (None,), ("",), (5,)]
    with closing(sqlite3.connect(file)) as db, db:
        db.executemany(
            "INSERT INTO messages (timestamp, channel, nick, message, message_type)"
            " VALUES ('2026-05-03 12:00:00', '#tea', CAST(? AS TEXT), 'tea', 'PRIVMSG')",
            rows,
        )
    assert await differences(store) == []
    tea = [await room(store)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(room_lines, "MOST_TALLIED", 7)
        read = await who(store, tea, "on:2026-05")
    await count_talk(store)
    assert await who(store, tea, "on:2026-05") == read
    assert read
    assert (read.people, sum(read.hours)) == (5, 7)
    assert await differences(store) == []


async def test_days_that_are_not_counted_yet_keep_their_month_from_being_counted(
    store: Store, file: Path
) -> None:
    await store.messages.append(of_may(3, 4))
    assert await differences(store) == []
    write(file, "UPDATE derived SET upto = 3 WHERE name = 'talk_counts'")
    await TalkCounter(store._database, lambda: JULY).count()  # noqa: SLF001
    assert [row[0] for row in rows_of(file, PERIODS)] == ["2026-05-03"]
    await count_talk(store)
    assert [row[0] for row in rows_of(file, PERIODS)] == ["2026-05", "2026-05-03", "2026-05-04"]


async def test_counting_that_was_interrupted_goes_on_where_it_was(
    store: Store, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store.messages.append(of_may(3, 4))
    monkeypatch.setattr(talk_counts, "_LINES_AT_ONCE", 1)
    count, calls = talk_counts._count, 0  # noqa: SLF001 -- a process may die after any transaction

    async def count_once(*some: Any, **more: Any) -> None:
        nonlocal calls
        calls += 1
        if calls > 1:
            raise StoreFailed("The disk is full.")
        await count(*some, **more)

    with monkeypatch.context() as patch:
        patch.setattr(talk_counts, "_count", count_once)
        with pytest.raises(StoreFailed):
            await count_talk(store)
    assert [row[0] for row in rows_of(file, PERIODS)] == ["2026-05-04"]
    write(file, 'UPDATE talk_counts SET people = \'{"99":"ada"}\'')
    await TalkCounter(store._database, lambda: JULY).count()  # noqa: SLF001
    assert [row[0] for row in rows_of(file, PERIODS)] == ["2026-05", "2026-05-03", "2026-05-04"]
    told = await who(store, [await room(store)], "on:2026-05-04")
    assert told
    assert told.talkers == [("net", "ada", 99)], "what was counted is not counted once more"


async def test_the_keeper_counts_periods(file: Path) -> None:
    async with open_store(file, SETTINGS) as store:
        await store.messages.append(chat("<ada> tea\n" * 3, at=datetime(2024, 5, 3, tzinfo=UTC)))
        assert await differences(store) == []
    write(file, "DELETE FROM talk_counts")
    async with open_store(file, SETTINGS):
        with anyio.fail_after(20):
            while len(rows_of(file, PERIODS)) < 2:
                await anyio.sleep(0.05)


async def test_a_wrong_period_is_named_and_a_rebuild_mends_it(store: Store, file: Path) -> None:
    await store.messages.append(of_may(3))
    await count_talk(store)
    write(file, "UPDATE talk_counts SET people = '{\"7\":[\"eve\"]}' WHERE period = '2026-05'")
    (found,) = await store.differences()
    assert found == "talk_counts: 1 differ from a recount, such as (1, '2026-05')."
    await store.rebuild(["talk_counts"])
    assert await differences(store) == []


NICKS = ["ada", "ADA", "Ada", "bo[]", "BO{}", "a b", "\u00c4nn", "relaybot"]
SAID = ["tea", "<Jane> tea", "<jane> mate", ".search tea", "!search tea", "Terra: hello"]
KINDS = [MessageType.PRIVMSG, MessageType.PRIVMSG, MessageType.ACTION, MessageType.JOIN]
DAYS = st.sampled_from(
    [datetime(2026, month, day, tzinfo=UTC) for month in (5, 6, 7) for day in (1, 2, 30)]
)
LINES = st.lists(
    st.tuples(
        DAYS,
        st.sampled_from([0, 1, 13 * 3_600, 24 * 3_600 - 1]),
        st.sampled_from(NICKS),
        st.sampled_from(SAID),
        st.sampled_from(["#tea", "#mate"]),
        st.sampled_from(KINDS),
    ),
    min_size=1,
    max_size=25,
)
CHANGES = st.lists(
    st.one_of(
        LINES,
        st.integers(1, 30),  # redacts
        st.sampled_from(["ada", "Jane"]),  # purges
        st.sampled_from([RELAYED, DOTTED]),
        st.just("rebuild"),
        st.just("count"),
    ),
    max_size=5,
)
ENDS = st.none() | st.tuples(DAYS, st.sampled_from([0, 0, 1, 5 * 3_600]))
SPANS = st.lists(
    st.tuples(ENDS, ENDS, ENDS, st.sampled_from([["#tea"], ["#mate"], ["#tea", "#mate"]])),
    min_size=4,
    max_size=8,
)


@given(LINES, CHANGES, SPANS)
@settings(
    max_examples=STORIES,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)
async def test_who_spoke_is_what_a_loop_over_all_rows_tells(
    lines: list[Any], changes: list[Any], spans: list[Any]
) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(room_lines, "MOST_TALLIED", 5_000)
        file = Path(folder) / "irc.db"
        async with open_store(file, RELAYED) as store:
            await store.messages.append([*map(heard, lines)])
            await count_talk(store)
            await tells_as_the_rows(store, file, spans)
            for change in changes:
                await changed(store, change)
                await tells_as_the_rows(store, file, spans)
            assert await differences(store) == []


def heard(line: Any) -> Any:
    day, second, nick, text, channel, kind = line
    at = day + timedelta(seconds=second)
    return line_of(nick, text, at, channel, kind, Origin.IMPORT)


async def changed(store: Store, change: Any) -> None:
    match change:
        case "rebuild":
            await store.rebuild(["talk_counts"])
        case "count":
            await count_talk(store)
        case str():
            await store.removal.purge(PurgeTarget(change), asked_by="op", at=JULY)
        case int():
            await redact(store, change)
        case Settings():
            await adopt_rules(store._database, change)  # noqa: SLF001 -- as a start does
            assert await differences(store) == []
        case _:
            await store.messages.append([*map(heard, change)])


async def tells_as_the_rows(store: Store, file: Path, spans: list[Any]) -> None:
    rooms = await store.rooms.all()
    for after, before, cutoff, channels in spans:
        since, until, end = (
            None if one is None else one[0] + timedelta(seconds=one[1])
            for one in (after, before, cutoff)
        )
        search = Search(
            query=replace(parse_query(""), since=since, until=until),
            rooms=[one for one in rooms if one.channel in channels],
            limit=1,
            until=Position.at(end) if end else EVERY_LINE,
        )
        stats = await store.scope_stats(search)
        rows = [row for row in spoken(file) if is_within(row, search)]
        assert stats.lines == len(rows)
        if not rows:
            assert stats.details is None
            continue
        assert stats.details
        hours = Counter(int(at[11:13]) for at, *_ in rows)
        assert stats.details.hours == [hours[hour] for hour in range(24)]
        said = Counter(fold(nick) for _, _, nick in rows if nick)
        assert stats.details.people == len(said)
        assert {fold(nick): n for _, nick, n in stats.details.talkers} == said
        assert {one.id: n for one, n in stats.details.rooms} == Counter(row[1] for row in rows)
        if len(channels) == 1:
            newest = {fold(nick): nick for _, _, nick in sorted(rows)}
            assert all(newest[fold(nick)] == nick for _, nick, _ in stats.details.talkers)


def spoken(file: Path) -> list[tuple[str, int, str]]:
    """Time, room and person of every line; "" for an aside."""
    return rows_of(
        file,
        "SELECT timestamp, room, CASE WHEN aside IS NULL THEN ifnull(speaker, nick) ELSE '' END"
        " FROM messages LEFT JOIN voices USING (id)"
        " WHERE redacted_at IS NULL AND message_type != 'JOIN'",
    )


def is_within(row: tuple[str, int, str], search: Search) -> bool:
    since, until = search.bounds
    return since <= row[0] < min(until, search.until.timestamp) and row[1] in {
        one.id for one in search.rooms
    }
