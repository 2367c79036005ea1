"""Counters equal a recount, whatever comes, goes and is redacted, in whatever order."""

import sqlite3
import tempfile
from collections import Counter
from collections.abc import Sequence
from contextlib import aclosing, closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from anyio import to_thread
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from terrarium_mcp.chat.identity import fold
from terrarium_mcp.chat.records import MessageType, NewMessage, Origin
from terrarium_mcp.chat.times.timestamps import EVERY_LINE, Position, to_text
from terrarium_mcp.store import Store, open_store
from terrarium_mcp.store.records.figures import RoomStats
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.index.counters import Counters
from terrarium_mcp.store.sqlite.index.link_index import LinkIndex
from terrarium_mcp.store.sqlite.index.nick_evidence import PeopleIndex
from terrarium_mcp.store.sqlite.index.rolling_windows import RollingWindows
from terrarium_mcp.store.sqlite.index.structure import Derived
from terrarium_mcp.store.sqlite.index.topic_index import TopicIndex
from tests.conftest import STORIES
from tests.store.scene import NOON, SETTINGS, chat, line_of, rows_of, write

pytestmark = pytest.mark.usefixtures("at_once")

FEW = settings(max_examples=STORIES, suppress_health_check=[HealthCheck.function_scoped_fixture])
NOW = datetime.now(UTC).replace(microsecond=0)
"""The counters that a store keeps go by the clock: single hours are those of the last days."""

COUNTERS = Counters(lambda: NOW)
DERIVED: tuple[Derived, ...] = (COUNTERS, LinkIndex(), TopicIndex(), PeopleIndex())


async def differences(file: Path) -> list[str]:
    """How the derived tables of a file differ from a recount."""
    async with aclosing(Database(file)) as database:
        await database.open()
        async with database.writing() as writer:
            return [told for one in DERIVED for told in await one.differences(writer)]


async def redact(file: Path, ids: Sequence[int]) -> None:
    """Remove the text of messages, as a redaction does."""
    async with aclosing(Database(file)) as database:
        await database.open()
        async with database.writing() as writer:
            for one in DERIVED:
                await one.remove(writer, ids)
            await writer.many(
                "UPDATE messages SET redacted_at = '2026-06-01', message = NULL"
                " WHERE id = ? AND redacted_at IS NULL",
                [(number,) for number in ids],
            )


async def delete(file: Path, ids: Sequence[int]) -> None:
    """Remove messages, as a purge does."""
    async with aclosing(Database(file)) as database:
        await database.open()
        async with database.writing() as writer:
            for one in DERIVED:
                await one.remove(writer, ids)
            await writer.many("DELETE FROM messages WHERE id = ?", [(number,) for number in ids])


async def test_every_line_is_counted_once(store: Store, file: Path) -> None:
    await store.messages.append(chat("<ada> is there tea?\n* ada waits\n<bo> https://tea.example"))
    await store.messages.append([line_of("cy", "", kind=MessageType.JOIN)])
    assert rows_of(
        file,
        "SELECT lines, words, questions, links, actions, events, joins, people FROM room_counts",
    ) == [(3, 5, 1, 1, 1, 1, 1, 2)]
    assert await differences(file) == []


async def test_the_newest_spelling_of_a_nick_stands(store: Store, file: Path) -> None:
    await store.messages.append([line_of("[Ada]", "hi"), line_of("{ADA}", "ho", NOON)])
    await store.messages.append(
        [line_of("{ada}", "before", NOON - timedelta(days=1), origin=Origin.IMPORT)]
    )
    assert rows_of(file, "SELECT folded, lines, spelt FROM nick_counts") == [("{ada}", 3, "{ADA}")]


async def test_a_day_knows_its_ids(store: Store, file: Path) -> None:
    await store.messages.append(chat("<ada> one\n<ada> two"))
    await store.messages.append([line_of("bo", "later", NOON + timedelta(days=1))])
    await store.messages.append([line_of("cy", "played back", NOON, origin=Origin.PLAYBACK)])
    days = "SELECT day, first_id, last_id FROM day_counts"
    assert rows_of(file, days) == [("2026-05-01", 1, 4), ("2026-05-02", 3, 3)]
    await delete(file, [4])
    assert rows_of(file, days) == [("2026-05-01", 1, 2), ("2026-05-02", 3, 3)]


async def test_a_removed_line_takes_its_time_and_spelling_along(store: Store, file: Path) -> None:
    await store.messages.append(chat("<ada> one\n<bo> two\n<Ada> three"))
    await redact(file, [3])
    await redact(file, [3])  # nothing is left to take
    assert rows_of(file, "SELECT lines, people, last FROM room_counts") == [
        (2, 2, to_text(NOON + timedelta(minutes=1)))
    ]
    assert rows_of(file, "SELECT spelt, seen FROM nick_counts WHERE folded = 'ada'") == [
        (None, int(NOON.timestamp()))
    ]
    assert await differences(file) == []


async def test_nothing_is_left_of_a_room_without_messages(store: Store, file: Path) -> None:
    await store.messages.append(chat("<ada> one\n<bo> two"))
    await delete(file, [1, 2])
    for rows in ("room_counts", "day_counts", "hour_counts", "nick_counts"):
        assert rows_of(file, f"SELECT * FROM {rows}") == []  # noqa: S608 -- our names


async def test_the_last_windows_move_with_the_present(store: Store, file: Path) -> None:
    await store.messages.append(
        [
            line_of("ada", "yesterday", NOW - timedelta(hours=23, minutes=58)),
            line_of("bo", "x", NOW),
        ]
    )
    last = "SELECT last_day, last_week FROM room_counts"
    assert rows_of(file, last) == [(2, 2)]
    later = Counters(lambda: NOW + timedelta(minutes=3))
    async with aclosing(Database(file)) as database:
        await database.open()
        async with database.writing() as writer:
            await later.add(writer, 3, 3)
    assert rows_of(file, last) == [(1, 2)]
    assert await differences(file) == []


@pytest.mark.parametrize(("lines", "left"), [(49, 49), (50, 0)])
async def test_where_nobody_writes_the_keeper_moves_the_last_windows(
    store: Store, file: Path, lines: int, left: int
) -> None:
    yesterday = NOW - timedelta(hours=23, minutes=58)
    await store.messages.append([line_of("ada", "yesterday", yesterday) for _ in range(lines)])
    async with aclosing(Database(file)) as database:
        await database.open()
        await RollingWindows(database, lambda: NOW + timedelta(minutes=3)).advance()
    assert rows_of(file, "SELECT last_day, last_week FROM room_counts") == [(left, lines)]
    assert await differences(file) == []


async def test_a_wrong_count_is_named(store: Store, file: Path) -> None:
    await store.messages.append(chat("<ada> one"))
    write(file, "UPDATE hour_counts SET lines = 7")
    (told,) = await differences(file)
    assert told.startswith("hour_counts: 2 rows differ from a recount")


TEXTS = st.sampled_from(
    ["tea?", "two words", "", "see https://tea.example/ or http://mate.example", "://", "tea\x0f"]
)


@st.composite
def heard(draw: st.DrawFn) -> NewMessage:
    line = line_of(
        draw(st.sampled_from(["ada", "Ada", "[bo]", "{bo}", "cy\u00e9"])),
        draw(TEXTS),
        NOW + timedelta(hours=draw(st.integers(-230, 0)), milliseconds=draw(st.integers(0, 2500))),
        draw(st.sampled_from(["#tea", "#mate"])),
        draw(st.sampled_from(MessageType)),
        draw(st.sampled_from(Origin)),
    )
    return line._replace(account=draw(st.sampled_from(["", "Countess", "countess"])))


@dataclass(frozen=True)
class Foreign:
    """A row that another program appended, in which anything may be NULL."""

    columns: tuple[str | None, ...]


foreign = st.builds(
    Foreign,
    st.tuples(
        st.sampled_from([None, to_text(NOW - timedelta(days=2))[:19], to_text(NOW)[:19]]),
        st.sampled_from([None, "#tea", "#mate", "bo"]),
        st.sampled_from([None, "ada", "ADA"]),
        st.one_of(st.none(), TEXTS),
        st.sampled_from([None, "PRIVMSG", "join", "privmsg", "odd"]),
    ),
)


@dataclass(frozen=True)
class Removal:
    """Messages that are redacted, or deleted."""

    ids: Sequence[int]
    deleted: bool


removals = st.builds(Removal, st.lists(st.integers(1, 40), max_size=5, unique=True), st.booleans())
scripts = st.lists(st.one_of(st.lists(heard(), max_size=6), foreign, removals), max_size=12)


async def catch_up(store: Store) -> None:
    """Read from every derived structure, so that it indexes what other programs wrote."""
    rooms = await store.rooms.all()
    await store.stats.overview(rooms, until=EVERY_LINE, now=NOW)
    await store.links.find(rooms, 1)
    await store.people.lookup("ada", "net", rooms)
    for one in rooms:
        await store.topics.current(one)


async def play(store: Store, file: Path, script: Sequence[Any]) -> None:
    """Play a script."""
    for step in script:
        match step:
            case Foreign(columns):
                await to_thread.run_sync(
                    write,
                    file,
                    "INSERT INTO messages (timestamp, channel, nick, message, message_type)"
                    " VALUES (?, ?, ?, ?, ?)",
                    columns,
                )
                await catch_up(store)
            case Removal(ids, deleted):
                await catch_up(store)
                await (delete if deleted else redact)(file, ids)
            case lines:
                await store.messages.append(lines)
    await catch_up(store)


@FEW
@given(scripts)
async def test_derived_tables_equal_a_recount(script: Sequence[Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "irc.db"
        async with open_store(file, SETTINGS) as store:
            await play(store, file, script)
            assert await differences(file) == []


def brute(file: Path, room_id: int, until: Position, now: datetime) -> dict[str, Any]:
    """The figures of a room, by plain Python over every row."""
    with closing(sqlite3.connect(file)) as db:
        rows = db.execute(
            "SELECT id, timestamp, nick, upper(ifnull(message_type, 'PRIVMSG'))"
            " FROM messages WHERE room = ? AND timestamp NOT NULL AND redacted_at IS NULL"
            " ORDER BY timestamp, id",
            (room_id,),
        ).fetchall()
    rows = [row for row in rows if Position(row[1], row[0]) < until]
    said = [
        row
        for row in rows
        if MessageType.parse(row[3])
        in (MessageType.PRIVMSG, MessageType.NOTICE, MessageType.ACTION)
    ]
    talkers = Counter(fold(row[2]) for row in said if row[2] is not None)
    hours = Counter(int(row[1][11:13]) for row in said)
    return {
        "lines": len(said),
        "people": len(talkers),
        "first": said[0][1] if said else None,
        "last": said[-1][1] if said else None,
        "last_day": sum(row[1] >= to_text(now - timedelta(days=1)) for row in said),
        "last_week": sum(row[1] >= to_text(now - timedelta(days=7)) for row in said),
        "talkers": sorted(talkers.items(), key=lambda one: (-one[1], one[0]))[:10],
        "hours": [hours[hour] for hour in range(24)],
    }


def plain(figures: RoomStats) -> dict[str, Any]:
    """Figures in the form of `brute`."""
    told = figures._asdict()
    del told["room"]
    told["talkers"] = [(fold(nick), lines) for nick, lines in figures.talkers]
    return told | {name: to_text(told[name]) if told[name] else None for name in ("first", "last")}


_TIMES = ("first", "last", "last_day", "last_week")

cutoffs = st.one_of(
    st.just(EVERY_LINE),
    st.builds(
        lambda minutes, number: Position(to_text(NOW - timedelta(minutes=minutes)), number),
        st.integers(-5, 14_000),
        st.integers(0, 20),
    ),
)
nows = st.builds(lambda hours: NOW + timedelta(hours=hours), st.integers(-100, 200))


@FEW
@given(scripts, cutoffs, nows)
async def test_figures_equal_a_plain_aggregation(
    script: Sequence[Any], until: Position, now: datetime
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "irc.db"
        async with open_store(file, SETTINGS) as store:
            await play(store, file, script)
            rooms = await store.rooms.all()
            overview = await store.stats.overview(rooms, until=until, now=now)
            for one, totals in zip(rooms, overview, strict=True):
                expected = brute(file, one.id, until, now)
                figures = await store.stats.for_room(one, until=until, now=now)
                assert plain(figures) == expected
                assert plain(totals) == {
                    name: expected[name] for name in ("lines", "people", *_TIMES)
                } | {"talkers": [], "hours": ()}
