"""While nothing can be written: what the log says and when, and what happens to the lines."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest

from terrarium_mcp.backoff import Reminder
from terrarium_mcp.irc_bridge.record import recorder as recording
from terrarium_mcp.irc_bridge.record import trouble_notice
from terrarium_mcp.irc_bridge.record.recorder import Recorder
from terrarium_mcp.irc_bridge.record.trouble_notice import (
    BEGUN,
    OVER,
    OVER_WITH_LOSS,
    TroubleNotice,
)
from terrarium_mcp.store import open_store
from tests.irc_bridge.house import lines_of, locked, said
from tests.patience import PATIENCE
from tests.servers.beside import beside
from tests.servers.logs import until_logged


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("terrarium_mcp.store.sqlite.engine.database.BUSY_MS", 20)
    monkeypatch.setattr(recording, "TRY_AGAIN", 0.02)


@asynccontextmanager
async def recording_to(file: Path) -> AsyncIterator[Recorder]:
    """A recorder at work; everything it holds is on disk after the block."""
    async with open_store(file) as store:
        recorder = Recorder(store, "local")
        with anyio.fail_after(PATIENCE):
            async with beside(recorder.run):
                try:
                    await recorder.flush()
                    yield recorder
                finally:
                    recorder.finish()


@asynccontextmanager
async def notices_of(recorder: Recorder) -> AsyncIterator[list[str]]:
    """What a channel is told of the recorder's trouble, as long as the block takes."""
    heard: list[str] = []

    async def say(text: str) -> None:
        heard.append(text)

    async with beside(TroubleNotice(recorder, say).run):
        yield heard


async def begins(recorder: Recorder) -> None:
    while not recorder.outage:
        await anyio.lowlevel.checkpoint()


def test_a_message_is_due_at_once_and_then_ever_more_rarely() -> None:
    reminder = Reminder()
    due = [minute for minute in range(60) if reminder.take_due(60.0 * minute)]
    assert due == [0, 1, 3, 8, 18, 28, 38, 48, 58]


async def test_the_log_repeats_with_the_numbers_of_the_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("terrarium_mcp.backoff.REMINDED", (0.01, 3600))
    file = tmp_path / "irc_logs.db"
    async with recording_to(file) as recorder:
        async with locked(file):
            recorder.record(said("one"))
            await begins(recorder)
            recorder.record(said("two"))
            await until_logged(caplog, "2 lines wait to be recorded")
        await recorder.flush()
        assert recorder.outage is None
    assert "local: 1 line waits to be recorded. The database" in caplog.text
    assert "local: 2 lines wait to be recorded since 20" in caplog.text
    assert "Another program has locked it" in caplog.text
    assert "local: recording continues after" in caplog.text


async def test_where_no_line_waits_the_log_counts_none(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "irc_logs.db"
    async with recording_to(file) as recorder:
        async with locked(file):
            recorder.begin("#tea", "joined")
            await begins(recorder)
        await recorder.flush()
    failed, continues = caplog.messages
    assert failed.startswith("local: nothing can be recorded. The database")
    assert re.fullmatch(r"local: recording continues after \d+ s", continues)


async def test_beyond_what_memory_holds_the_coverage_shows_a_gap_and_the_log_counts_what_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(recording, "MOST_WAITING", 10)
    file = tmp_path / "irc_logs.db"
    async with recording_to(file) as recorder:
        recorder.begin("#tea", "joined")
        recorder.begin("#mate", "joined")
        await recorder.flush()
        async with locked(file):
            for number in range(15):
                recorder.record(said(f"{number}"))
            recorder.begin("#late", "joined")
            recorder.end("#mate", "kicked")
            assert (recorder.waiting, recorder.lost) == (10, 5)
        while recorder.waiting:
            await anyio.lowlevel.checkpoint()
        await recorder.flush()
        recorder.record(said("again"))
        await recorder.flush()
        lines = [line.text for line in await lines_of(recorder.store)]
        rooms = {room.id: room.channel for room in await recorder.store.rooms.all()}
        spans = (await recorder.store.spans.coverage(await recorder.store.rooms.all())).spans
    assert lines == [*(str(number) for number in range(10)), "again"]
    ended = [(rooms[span.room], span.why_ended) for span in spans if not span.going_on]
    assert sorted(ended) == [
        ("#mate", "too many lines were waiting to be written"),
        ("#tea", "too many lines were waiting to be written"),
    ]
    assert sorted(rooms[span.room] for span in spans if span.going_on) == ["#late", "#tea"]
    assert "no more fit into memory" in caplog.text
    assert "local: recording again; 5 lines lost since the start" in caplog.text


async def test_a_full_queue_drained_in_one_group_still_begins_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording, "MOST_WAITING", 1)
    file = tmp_path / "irc_logs.db"
    async with recording_to(file) as recorder:
        async with locked(file):
            recorder.record(said("kept"))
            recorder.record(said("lost"))
        await recorder.flush()
        recorder.record(said("kept too"))
        await recorder.flush()
        assert [line.text for line in await lines_of(recorder.store)] == ["kept", "kept too"]


@pytest.mark.parametrize(("most", "over"), [(100, OVER), (2, OVER_WITH_LOSS)])
async def test_the_channel_hears_once_that_nothing_is_recorded_and_once_that_it_is_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int, over: str
) -> None:
    monkeypatch.setattr(recording, "MOST_WAITING", most)
    monkeypatch.setattr(trouble_notice, "SAID_AFTER", 0.05)
    monkeypatch.setattr(trouble_notice, "OVER_AFTER", 0.05)
    file = tmp_path / "irc_logs.db"
    async with recording_to(file) as recorder, notices_of(recorder) as heard:
        async with locked(file):
            for number in range(3):
                recorder.record(said(f"{number}"))
            while not heard:
                await anyio.lowlevel.checkpoint()
        while len(heard) < 2:
            await anyio.lowlevel.checkpoint()
    assert heard == [BEGUN, over]


async def test_a_short_lock_is_not_worth_a_word_in_the_channel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trouble_notice, "SAID_AFTER", 0.2)
    monkeypatch.setattr(trouble_notice, "OVER_AFTER", 0.05)
    file = tmp_path / "irc_logs.db"
    async with recording_to(file) as recorder, notices_of(recorder) as heard:
        async with locked(file):
            recorder.record(said("one"))
            await begins(recorder)
        await recorder.flush()
        async with locked(file):  # another outage, whose time is not the first one's
            recorder.record(said("two"))
            await begins(recorder)
            while not heard:
                await anyio.lowlevel.checkpoint()
        await recorder.flush()
        while len(heard) < 2:
            await anyio.lowlevel.checkpoint()
    assert heard == [BEGUN, OVER]


@pytest.mark.parametrize(("over_after", "expected"), [(3600, [BEGUN]), (0, [BEGUN, OVER])])
async def test_a_trouble_that_comes_and_goes_is_said_once_an_hour(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, over_after: float, expected: list[str]
) -> None:
    monkeypatch.setattr(trouble_notice, "SAID_AFTER", 0)
    monkeypatch.setattr(trouble_notice, "OVER_AFTER", over_after)
    file = tmp_path / "irc_logs.db"
    async with recording_to(file) as recorder, notices_of(recorder) as heard:
        for _ in range(3):
            async with locked(file):
                recorder.record(said("one"))
                await begins(recorder)
                await anyio.wait_all_tasks_blocked()
            await recorder.flush()
            await anyio.wait_all_tasks_blocked()
        assert heard == expected


async def test_a_trouble_that_still_goes_on_an_hour_after_the_last_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trouble_notice, "SAID_AFTER", 0)
    monkeypatch.setattr(trouble_notice, "OVER_AFTER", 0)
    monkeypatch.setattr(trouble_notice, "EVERY", 0.3)
    file = tmp_path / "irc_logs.db"
    async with recording_to(file) as recorder, notices_of(recorder) as heard:
        for times in (2, 4):
            async with locked(file):
                recorder.record(said("one"))
                while len(heard) < times - 1:
                    await anyio.lowlevel.checkpoint()
            while len(heard) < times:
                await anyio.lowlevel.checkpoint()
    assert heard == [BEGUN, OVER] * 2
