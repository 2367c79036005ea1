"""The recorder loses nothing, keeps the order, and lets nobody wait for the disk."""

import sqlite3
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import monotonic

import anyio
import pytest

from terrarium_mcp.chat.coverage import Coverage
from terrarium_mcp.chat.records import NewMessage, Origin
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.irc_bridge.record import recorder as recording
from terrarium_mcp.irc_bridge.record.recorder import OTHER_FILE, Recorder
from terrarium_mcp.irc_bridge.record.server_contact import ServerContact
from terrarium_mcp.store import HEARTBEAT, BridgeReport, Store, open_store
from terrarium_mcp.store.errors import StoreFailed, TookTooLong
from terrarium_mcp.store.sqlite import path_watch
from terrarium_mcp.store.sqlite.opening import Opening
from tests.irc_bridge.house import lines_of, locked, said
from tests.irc_bridge.record.clocks import ScriptedClocks
from tests.patience import PATIENCE
from tests.servers.beside import beside
from tests.servers.logs import until_logged

REPORT = BridgeReport(
    network="local", version="1", connected=True, since=datetime(2026, 11, 22, 12, tzinfo=UTC)
)


@asynccontextmanager
async def recorded(folder: Path, contact: ServerContact | None = None) -> AsyncIterator[Recorder]:
    """A recorder at work, whose lines are all on disk after the block."""
    async with open_store(folder / "irc_logs.db") as store, anyio.create_task_group() as tasks:
        recorder = Recorder(store, "local", contact=contact)
        tasks.start_soon(recorder.run)
        try:
            yield recorder
        finally:
            recorder.finish()  # or it would save for ever, whatever ended the block


def delete_history(folder: Path) -> None:
    for file in folder.glob("irc_logs.db*"):
        file.unlink()


async def coverage_of(store: Store) -> Coverage:
    return await store.spans.coverage(await store.rooms.all())


def texts(lines: Sequence[object]) -> list[str]:
    return [getattr(line, "text", "") for line in lines]


async def test_a_line_is_durable_within_a_tenth_of_a_second(tmp_path: Path) -> None:
    took = []
    async with recorded(tmp_path) as recorder:
        await recorder.flush()
        with sqlite3.connect(tmp_path / "irc_logs.db", isolation_level=None) as reader:
            for n in range(10):
                recorder.record(said(f"line {n}"))
                began = monotonic()
                while reader.execute("SELECT count(*) FROM messages").fetchone()[0] <= n:
                    await anyio.lowlevel.checkpoint()
                took.append(monotonic() - began)
        reader.close()
    assert sorted(took)[5] < 0.1


async def test_a_burst_of_six_thousand_lines_loses_none_and_keeps_their_order(
    tmp_path: Path,
) -> None:
    with anyio.fail_after(PATIENCE):
        async with recorded(tmp_path) as recorder:
            notes = [recorder.record(said(f"{n}")) for n in range(6_000)]
            assert recorder.waiting == 6_000
            await recorder.flush()
            assert recorder.waiting == 0
            lines = await lines_of(recorder.store)
    assert texts(lines) == [str(n) for n in range(6_000)]
    assert [note.message_id for note in notes] == [line.id for line in lines]


async def test_a_recorder_names_the_network_that_had_no_name(tmp_path: Path) -> None:
    async with open_store(tmp_path / "irc_logs.db") as store:
        await store.messages.append([said("tea")._replace(network="irc")])
        about = {"network": "irc", "channel": "#tea"}
        await store.backlog.create("Milk", "more of it", about=about, lines=[])
    async with recorded(tmp_path) as recorder:
        await recorder.flush()
        assert [one.network for one in await recorder.store.rooms.all()] == ["local"]
        assert [one.network for one in await recorder.store.backlog.all()] == ["local"]


async def test_flush_returns_when_all_before_it_is_on_disk(tmp_path: Path) -> None:
    async with recorded(tmp_path) as recorder:
        for n in range(5):
            note = recorder.record(said(f"line {n}"))
            await recorder.flush()
            assert note.message_id
            assert len(await lines_of(recorder.store)) == n + 1


async def test_notes_know_their_ids_and_a_known_line_of_playback_has_none(tmp_path: Path) -> None:
    def line(text: str, msgid: str, origin: Origin = Origin.PLAYBACK) -> NewMessage:
        return said(text, msgid=msgid, origin=origin)

    async with recorded(tmp_path) as recorder:
        notes = [
            recorder.record(line("one", "a", Origin.LIVE)),
            recorder.record(line("one", "a")),
            recorder.record(line("two", "b")),
            recorder.record(line("two", "b")),
            recorder.record(line("three", "c", Origin.LIVE)),
        ]
        await recorder.flush()
        lines = {line.text: line.id for line in await lines_of(recorder.store)}
    assert [note.message_id for note in notes] == [lines["one"], 0, lines["two"], 0, lines["three"]]


async def test_a_locked_database_delays_lines_and_loses_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("terrarium_mcp.store.sqlite.engine.database.BUSY_MS", 50)
    monkeypatch.setattr(recording, "TRY_AGAIN", 0.05)
    tries = 0

    async with recorded(tmp_path) as recorder:
        append = recorder.store.messages.append

        async def counted(heard: Sequence[NewMessage]) -> list[int]:
            nonlocal tries
            tries += 1
            return await append(heard)

        recorder.record(said("before"))
        await recorder.flush()
        monkeypatch.setattr(recorder.store.messages, "append", counted)
        async with locked(tmp_path / "irc_logs.db"):
            notes = [recorder.record(said(f"meanwhile {n}")) for n in range(3)]
            with anyio.fail_after(PATIENCE):
                while tries < 3:
                    await anyio.lowlevel.checkpoint()
            assert recorder.waiting == 3
            assert notes[0].message_id == 0
        with anyio.fail_after(PATIENCE):
            await recorder.flush()
        found = texts(await lines_of(recorder.store))
    assert found == ["before", "meanwhile 0", "meanwhile 1", "meanwhile 2"]
    assert caplog.text.count("3 lines wait to be recorded") == 1
    assert caplog.text.count("recording continues") == 1


@pytest.mark.parametrize(
    "failure", [StoreFailed("The disk is full."), TookTooLong("No answer within 20 s.")]
)
async def test_whatever_the_history_could_not_do_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failure: TerrariumError
) -> None:
    monkeypatch.setattr(recording, "TRY_AGAIN", 0.01)
    failures = [failure]
    async with recorded(tmp_path) as recorder:
        append = recorder.store.messages.append

        async def failing_once(heard: Sequence[NewMessage]) -> list[int]:
            if failures:
                raise failures.pop()
            return await append(heard)

        monkeypatch.setattr(recorder.store.messages, "append", failing_once)
        recorder.record(said("written in the end"))
        with anyio.fail_after(PATIENCE):
            await recorder.flush()
        assert texts(await lines_of(recorder.store)) == ["written in the end"]


async def test_stopping_while_the_disk_is_full_comes_to_an_end_that_tells_what_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(recording, "TRY_AGAIN", 0.01)
    monkeypatch.setattr(recording, "AT_THE_END", 0.2)

    async def full(_: Sequence[NewMessage]) -> list[int]:
        raise StoreFailed("The disk is full.")

    with anyio.fail_after(PATIENCE):
        async with recorded(tmp_path) as recorder:
            monkeypatch.setattr(recorder.store.messages, "append", full)
            recorder.record(said("never written"))
    assert "local: 1 line lost: the history could not be written" in caplog.text


async def test_what_was_heard_is_on_disk_even_when_the_recorder_is_cancelled(
    tmp_path: Path,
) -> None:
    async with open_store(tmp_path / "irc_logs.db") as store:
        recorder = Recorder(store, "local")
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(recorder.run)
            await recorder.flush()
            for n in range(2_500):
                recorder.record(said(f"{n}"))
            tasks.cancel_scope.cancel()
            recorder.finish()
        assert len(await lines_of(store)) == 2_500


async def test_lines_wait_for_a_history_that_is_still_being_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_store(tmp_path / "irc_logs.db") as store:
        opened = store.opening
        store.opening = Opening()
        monkeypatch.setattr("terrarium_mcp.store.sqlite.opening.PATIENCE", 0.01)
        recorder = Recorder(store, "local")
        note = recorder.record(said("early"))
        async with beside(recorder.run):
            await anyio.wait_all_tasks_blocked()
            assert not note.message_id
            store.opening.succeed()
            with anyio.fail_after(PATIENCE):
                await recorder.flush()
            assert note.message_id
            recorder.finish()
        store.opening = opened


async def test_a_history_that_cannot_be_opened_ends_the_recorder(tmp_path: Path) -> None:
    async with open_store(tmp_path / "irc_logs.db") as store:
        store.opening = Opening()
        store.opening.fail(StoreFailed("It is damaged."))
        recorder = Recorder(store, "local")
        with anyio.fail_after(PATIENCE), pytest.RaisesGroup(pytest.RaisesExc(StoreFailed)):
            await recorder.run()


async def test_the_spans_say_when_a_channel_was_recorded_and_why_it_ended(tmp_path: Path) -> None:
    async with recorded(tmp_path) as recorder:
        recorder.begin("#tea", "joined")
        recorder.begin("#mate", "joined")
        recorder.record(said("hello"))
        recorder.end("#tea", "kicked by ada")
        recorder.begin("#tea", "joined")
        recorder.end_all("connection lost: reset")
        recorder.end_all("once more")
        await recorder.flush()
        spans = (await coverage_of(recorder.store)).spans
    assert sorted(span.why_ended for span in spans) == [
        "connection lost: reset",
        "connection lost: reset",
        "kicked by ada",
    ]
    assert not any(span.going_on for span in spans)


async def test_finishing_closes_what_is_open(tmp_path: Path) -> None:
    async with recorded(tmp_path) as recorder:
        recorder.begin("#tea", "joined")
    async with open_store(tmp_path / "irc_logs.db") as store:
        (span,) = (await coverage_of(store)).spans
    assert span.why_ended == "the recorder was stopped"


async def test_a_channel_in_which_nobody_speaks_is_still_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording, "HEARTBEAT", timedelta(seconds=0.02))
    async with recorded(tmp_path) as recorder:
        recorder.begin("#tea", "joined")
        await recorder.flush()
        (first,) = (await coverage_of(recorder.store)).spans
        with anyio.fail_after(PATIENCE):
            while (await coverage_of(recorder.store)).spans[0].ended <= first.ended:
                recorder.note_contact()  # such as a PONG
                await recorder.flush()


async def test_a_suspended_machine_recorded_until_it_last_heard_the_server(tmp_path: Path) -> None:
    clocks = ScriptedClocks()
    async with recorded(tmp_path, ServerContact(clocks)) as recorder:
        recorder.begin("#tea", "joined")
        for _ in range(3):
            clocks.go_on(HEARTBEAT)
            recorder.note_contact()
        heard = clocks.now
        clocks.go_on(timedelta(hours=8))  # the lid is closed
        recorder.note_contact()  # a line that had arrived by then
        recorder.beat_soon()
        recorder.end_all("connection lost: the server stopped responding")
        await recorder.flush()
        (span,) = (await coverage_of(recorder.store)).spans
    assert abs(span.ended - heard) < timedelta(milliseconds=1)


async def test_a_machine_that_slept_missed_nothing_if_the_connection_goes_on(
    tmp_path: Path,
) -> None:
    clocks = ScriptedClocks()
    async with recorded(tmp_path, ServerContact(clocks)) as recorder:
        recorder.begin("#tea", "joined")
        clocks.go_on(timedelta(minutes=10))
        recorder.note_contact()
        clocks.go_on(HEARTBEAT)
        recorder.note_contact()  # it answers
        recorder.end_all("connection lost: reset")
        await recorder.flush()
        (span,) = (await coverage_of(recorder.store)).spans
    assert abs(span.ended - clocks.now) < timedelta(milliseconds=1)


async def test_a_clock_that_is_set_ends_a_span_before_it_and_begins_one_after_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    clocks = ScriptedClocks()
    days = timedelta(days=3)
    clocks.now = datetime.now(UTC) - days  # as a machine without a clock starts, before NTP
    async with recorded(tmp_path, ServerContact(clocks)) as recorder:
        recorder.begin("#tea", "joined")
        clocks.go_on(timedelta(seconds=5))
        recorder.note_contact()
        behind = clocks.now
        clocks.go_on(timedelta(seconds=5), by_the_time_of_day=days)
        recorder.note_contact()
        recorder.record(said("by the right time"))
        await recorder.flush()
        coverage = await coverage_of(recorder.store)
    first, second = coverage.spans
    assert abs(first.ended - behind) < timedelta(milliseconds=1)
    assert (first.why_ended, second.going_on) == (recording.CLOCK_SET, True)
    assert [gap.length > timedelta(days=2) for gap in coverage.gaps()] == [True]
    assert "local: the clock of this machine was set" in caplog.text


@pytest.fixture
def reopening_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "TRY_AGAIN", 0.05)
    monkeypatch.setattr(path_watch, "LOOK_EVERY", 0.05)
    monkeypatch.setattr(path_watch, "BEGIN_AFTER", 0.1)


@pytest.mark.usefixtures("reopening_soon")
async def test_a_new_database_knows_how_long_a_channel_that_was_left_meanwhile_was_recorded(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with recorded(tmp_path) as recorder:
        recorder.begin("#tea", "joined")
        await recorder.flush()
        delete_history(tmp_path)
        recorder.record(said("meanwhile"))
        recorder.note_contact()
        recorder.end("#tea", "kicked by ada")
        recorder.begin("#mate", "joined")
        with anyio.fail_after(PATIENCE):
            await until_logged(caplog, "a new database was begun at")
            await recorder.flush()
        (line,) = await lines_of(recorder.store)
        tea, mate = (await coverage_of(recorder.store)).spans
    assert (tea.why_began, tea.why_ended) == (OTHER_FILE, "kicked by ada")
    assert tea.began <= line.said_at <= tea.ended
    assert mate.why_began == "joined"


@pytest.mark.usefixtures("reopening_soon")
async def test_a_new_database_covers_a_line_that_came_while_an_earlier_one_was_written(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    clocks = ScriptedClocks()
    writing, written = anyio.Event(), anyio.Event()

    async def write_slowly() -> None:
        writing.set()
        await written.wait()

    async with recorded(tmp_path, ServerContact(clocks)) as recorder:
        recorder.begin("#tea", "joined")
        recorder.afterwards(write_slowly)
        await writing.wait()
        clocks.go_on(timedelta(seconds=1))
        recorder.record(said("meanwhile")._replace(said_at=clocks.now))
        delete_history(tmp_path)
        clocks.go_on(timedelta(seconds=1))
        written.set()
        with anyio.fail_after(PATIENCE):
            await until_logged(caplog, "a new database was begun at")
            await recorder.flush()
        (line,) = await lines_of(recorder.store)
        (tea,) = (await coverage_of(recorder.store)).spans
    assert tea.began <= line.said_at


async def test_a_report_with_any_words_in_it_is_stored(tmp_path: Path) -> None:
    state = replace(REPORT, model_trouble="no tea \ud800")
    async with open_store(tmp_path / "irc_logs.db") as store, anyio.create_task_group() as tasks:
        recorder = Recorder(store, "local", report=lambda: state)
        tasks.start_soon(recorder.run)
        recorder.finish()
    async with open_store(tmp_path / "irc_logs.db") as store:
        (heartbeat,) = await store.heartbeats.all()
    assert heartbeat.report.model_trouble == "no tea ?"
    assert heartbeat.report.stopped


async def test_a_report_that_fails_ends_no_recording(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording, "SETTLING", 0.0)
    tried = anyio.Event()

    def fails() -> BridgeReport:
        tried.set()
        raise ValueError("a bug of ours")

    async with open_store(tmp_path / "irc_logs.db") as store, anyio.create_task_group() as tasks:
        recorder = Recorder(store, "local", report=fails)
        tasks.start_soon(recorder.run)
        recorder.begin("#tea", "joined")
        with anyio.fail_after(PATIENCE):
            await tried.wait()
        recorder.record(said("still here"))
        await recorder.flush()
        recorder.finish()
        assert texts(await lines_of(store)) == ["still here"]
    assert "a bug of ours" in caplog.text


async def test_the_network_gets_its_name_before_its_first_line_is_written(tmp_path: Path) -> None:
    async with open_store(tmp_path / "irc_logs.db") as store:
        await store.messages.append([said("old")._replace(network="irc")])
        async with anyio.create_task_group() as tasks:
            recorder = Recorder(store, "local")
            recorder.record(said("new"))
            tasks.start_soon(recorder.run)
            recorder.finish()
        (room,) = await store.rooms.all()
        assert room.network == "local"
        assert texts(await lines_of(store)) == ["old", "new"]


@pytest.mark.parametrize("home", ["", "first"])
async def test_lines_of_the_network_under_another_spelling_are_its_own(
    tmp_path: Path, home: str
) -> None:
    async with open_store(tmp_path / "irc_logs.db") as store, anyio.create_task_group() as tasks:
        await store.messages.append([said("old")._replace(network="Local")])
        recorder = Recorder(store, "local", home)
        recorder.record(said("new"))
        tasks.start_soon(recorder.run)
        await recorder.flush()
        assert [room.network for room in await store.rooms.all()] == ["local"]
        assert texts(await lines_of(store)) == ["old", "new"]
        recorder.finish()


@pytest.mark.parametrize(("home", "owner"), [("first", "first"), ("", "second")])
async def test_rows_without_a_network_go_to_the_home_network_whoever_records_first(
    home: str, owner: str, tmp_path: Path
) -> None:
    async with open_store(tmp_path / "irc_logs.db") as store, anyio.create_task_group() as tasks:
        await store.messages.append([said("long ago")._replace(network="irc")])
        recorder = Recorder(store, "second", home)
        tasks.start_soon(recorder.run)
        recorder.record(said("today")._replace(network="second"))
        await recorder.flush()
        recorder.finish()
        lines = await lines_of(store)
        assert [(line.text, line.room.network) for line in lines] == [
            ("long ago", owner),
            ("today", "second"),
        ]
