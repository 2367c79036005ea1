"""The counts of the last day and week lose what has left them, exactly once and never too much."""

from collections.abc import AsyncIterator
from contextlib import aclosing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from terrarium_mcp.chat.records import Origin
from terrarium_mcp.chat.times.timestamps import to_text
from terrarium_mcp.store import Store, open_store
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.index.counters import ADVANCE_EVERY, Counters
from terrarium_mcp.store.sqlite.index.rolling_windows import RollingWindows, window_starts
from terrarium_mcp.store.sqlite.ingest.append import FLOOD
from tests.patience import PATIENCE
from tests.store.scene import SETTINGS, line_of, past, rows_of

pytestmark = pytest.mark.usefixtures("at_once")

NOW = datetime.now(UTC).replace(microsecond=0)
DAY, WEEK = timedelta(days=1), timedelta(days=7)
LAST = "SELECT last_day, last_week FROM room_counts"
SINCE = "SELECT since FROM last_windows ORDER BY name"


@pytest.fixture
async def database(store: Store, file: Path) -> AsyncIterator[Database]:
    await store.opening.wait(PATIENCE)
    async with aclosing(Database(file)) as database:
        await database.open()
        yield database


async def advance_to(database: Database, now: datetime) -> None:
    """Count no line, at a time of the test's own."""
    async with database.writing() as writer:
        await Counters(lambda: now).add(writer, 10_000, 10_000)


async def test_lines_saved_but_not_yet_counted_do_not_leave_a_window_they_are_not_in(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("terrarium_mcp.store.sqlite.keeper.TRY_EVERY", 3_600)
    yesterday = NOW - DAY + timedelta(minutes=2)
    async with open_store(file, SETTINGS) as store, aclosing(Database(file)) as database:
        await store.messages.append([line_of("ada", "counted", yesterday) for _ in range(3)])
        await store.messages.append([line_of("bo", "not yet", yesterday) for _ in range(FLOOD)])
        assert rows_of(file, LAST) == [(3, 3)]
        await database.open()
        await RollingWindows(database, lambda: NOW + timedelta(minutes=3)).advance()
        assert rows_of(file, LAST) == [(0, 3)]
        assert await store.differences() == []
        assert rows_of(file, LAST) == [(0, 3 + FLOOD)]


async def test_a_line_leaves_a_window_just_after_its_length(
    store: Store, file: Path, database: Database
) -> None:
    await advance_to(database, NOW)
    said = [NOW, NOW - DAY + timedelta(hours=1), NOW - WEEK + timedelta(hours=1)]
    await store.messages.append(
        [line_of("ada", "tea", at, origin=Origin.IMPORT) for at in said for _ in range(50)]
    )
    assert rows_of(file, LAST) == [(100, 150)]
    at_its_end = NOW + timedelta(hours=1)
    await RollingWindows(database, lambda: at_its_end).advance()
    assert rows_of(file, LAST) == [(100, 150)]
    await RollingWindows(database, lambda: at_its_end + timedelta(milliseconds=1)).advance()
    assert rows_of(file, LAST) == [(50, 100)]
    assert await store.differences() == []


async def test_windows_never_go_back(store: Store, file: Path, database: Database) -> None:
    await store.messages.append([*past(60, NOW - timedelta(hours=60))])
    later = NOW + timedelta(hours=5)
    await advance_to(database, later)
    assert rows_of(file, SINCE) == [(window_starts(later)["day"],), (window_starts(later)["week"],)]
    counts = rows_of(file, LAST)
    await advance_to(database, NOW)
    assert rows_of(file, SINCE) == [(window_starts(later)["day"],), (window_starts(later)["week"],)]
    assert rows_of(file, LAST) == counts
    assert await store.differences() == []


def test_the_windows_are_a_day_and_a_week() -> None:
    assert window_starts(NOW) == {"day": to_text(NOW - DAY), "week": to_text(NOW - WEEK)}


@pytest.mark.parametrize(("after", "moved"), [(-1, False), (0, True)])
async def test_while_lines_are_written_the_windows_are_moved_once_a_minute(
    store: Store, file: Path, database: Database, after: int, moved: bool
) -> None:
    assert timedelta(minutes=1) == ADVANCE_EVERY
    await store.messages.append([line_of("ada", "tea", NOW)])
    present = [NOW + timedelta(hours=1)]
    counters = Counters(lambda: present[0])
    async with database.writing() as writer:
        await counters.add(writer, 2, 2)
    first = rows_of(file, SINCE)
    assert first[0] == (window_starts(present[0])["day"],)
    present[0] += timedelta(minutes=1, milliseconds=after)
    async with database.writing() as writer:
        await counters.add(writer, 2, 2)
    assert (rows_of(file, SINCE) != first) == moved
