"""Statistics count what was said, by whom, and when."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.chat.times.timestamps import EVERY_LINE, Position
from terrarium_mcp.store import Store
from terrarium_mcp.store.sqlite.index.rolling_windows import window_starts
from terrarium_mcp.store.sqlite.topics import stats_sql
from tests.store.scene import NOON, chat, line_of, room, write

pytestmark = pytest.mark.usefixtures("at_once")

HOUR = timedelta(hours=1)


async def test_statistics_of_a_room(store: Store) -> None:
    await store.messages.append(
        [
            line_of("ada", "long ago", NOON - timedelta(days=9)),
            line_of("bo", "days ago", NOON - timedelta(days=3)),
            line_of("Ada", "spelt otherwise", NOON - HOUR),
            line_of("cy", "", NOON - HOUR, kind=MessageType.JOIN),
            line_of("ada", "waves", NOON, kind=MessageType.ACTION),
            line_of("bo", "elsewhere", NOON, "#mate"),
        ]
    )
    stats_sql = await store.stats.for_room(await room(store), until=EVERY_LINE, now=NOON)
    assert (stats_sql.lines, stats_sql.people) == (4, 2)
    assert (stats_sql.last_day, stats_sql.last_week) == (2, 3)
    assert (stats_sql.first, stats_sql.last) == (NOON - timedelta(days=9), NOON)
    assert stats_sql.talkers == [("ada", 3), ("bo", 1)]
    assert stats_sql.hours[11:13] == [1, 3]
    assert sum(stats_sql.hours) == 4


async def test_statistics_end_at_the_cutoff(store: Store) -> None:
    await store.messages.append(chat("<ada> one\n<bo> two\n<cy> three"))
    until = Position.at(NOON + timedelta(minutes=1))
    stats_sql = await store.stats.for_room(await room(store), until=until, now=NOON)
    assert (stats_sql.lines, stats_sql.people, stats_sql.talkers) == (1, 1, [("ada", 1)])


async def test_an_empty_room_has_statistics_too(store: Store) -> None:
    await store.spans.begin("net", "#tea", NOON, "joined")
    stats_sql = await store.stats.for_room(await room(store), until=EVERY_LINE, now=NOON)
    assert (stats_sql.lines, stats_sql.first, stats_sql.last, stats_sql.talkers) == (
        0,
        None,
        None,
        [],
    )


async def test_an_overview_has_every_room_asked_for(store: Store) -> None:
    await store.messages.append(chat("<ada> one") + chat("<ada> a\n<bo> b", channel="#mate"))
    rooms = await store.rooms.all()
    stats_sql = await store.stats.overview(rooms, until=EVERY_LINE, now=NOON)
    assert [(one.room.channel, one.lines, one.people) for one in stats_sql] == [
        ("#mate", 2, 2),
        ("#tea", 1, 1),
    ]
    assert await store.stats.overview([], until=EVERY_LINE, now=NOON) == []


async def test_a_row_without_a_nick_in_the_sqlite_file_is_a_line_of_no_person(
    store: Store, file: Path
) -> None:
    await store.messages.append(chat("<ada> one"))
    write(file, "INSERT INTO messages (channel, nick, message) VALUES ('#tea', NULL, 'appended')")
    (stats_sql,) = await store.stats.overview([await room(store)], until=EVERY_LINE, now=NOON)
    assert (stats_sql.lines, stats_sql.people) == (2, 1)


async def test_the_top_ten_count_also_nicks_with_few_lines(store: Store) -> None:
    await store.messages.append([line_of("ada", "x", NOON) for _ in range(30)])
    await store.messages.append(
        [line_of(f"n{n:02}", "x", NOON) for n in range(12) for _ in range(n)]
    )
    stats_sql = await store.stats.for_room(await room(store), until=EVERY_LINE, now=NOON)
    assert stats_sql.talkers == [("ada", 30), *((f"n{n:02}", n) for n in range(11, 2, -1))]


@pytest.mark.parametrize("few", [16, 0], ids=["room by room", "by time"])
@pytest.mark.parametrize("until", [EVERY_LINE, Position.at(NOON), Position.at(NOON - 50 * HOUR)])
async def test_an_overview_of_many_rooms_says_the_same_as_one_of_few(
    store: Store, monkeypatch: pytest.MonkeyPatch, few: int, until: Position
) -> None:
    monkeypatch.setattr(stats_sql, "_FEW", few)
    for n in range(20):
        at = NOON - timedelta(hours=5 * n)
        await store.messages.append(chat("<ada> a\n<bo> b\n" * (n + 1), channel=f"#r{n}", at=at))
    rooms = await store.rooms.all()
    for now in (NOON, NOON + 3 * HOUR, NOON + 90 * HOUR):
        singly = [await store.stats.for_room(one, until=until, now=now) for one in rooms]
        assert await store.stats.overview(rooms, until=until, now=now) == [
            one._replace(talkers=(), hours=()) for one in singly
        ]


@pytest.mark.parametrize(
    "sql", [stats_sql.current_totals, stats_sql.totals_before, stats_sql.recounted_totals]
)
@pytest.mark.parametrize("in_rooms", [stats_sql.FEW_ROOMS, stats_sql.MANY_ROOMS])
async def test_the_totals_in_sqlite_are_of_no_room_that_was_not_asked_for(
    store: Store, sql: Callable[[str], str], in_rooms: str
) -> None:
    for channel in ("#tea", "#mate", "#cocoa"):
        await store.messages.append(chat("<ada> a\n<bo> b", channel=channel))
    until = Position.at(NOON + HOUR)
    params = {"until": until.timestamp, "until_id": until.id, "is_current": False} | window_starts(
        NOON
    )
    tea, mate, cocoa = sorted(await store.rooms.all(), key=lambda one: one.id)
    for asked in ([tea, cocoa], [mate, cocoa], [mate], [cocoa, mate, tea], []):
        rows = await store._database.rows(  # noqa: SLF001 -- what leaves SQLite, not what is returned
            sql(in_rooms), params | stats_sql.room_params(asked)
        )
        assert {row["room"] for row in rows} == {one.id for one in asked}
