"""The outward sign: what /healthz and `doctor --live` say of bridges, here and elsewhere."""
# ruff: noqa: ASYNC110  # no event announces what another process does

import os
import signal
import socket
import sqlite3
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest

from terrarium_mcp.cli.starting.liveness import (
    STALE,
    duration,
    facts_of,
    health_json,
    process_is_alive,
    troubles,
)
from terrarium_mcp.store import BridgeReport, Heartbeat, open_store, this_process
from tests.cli.programs import ran, running
from tests.cli.test_signals import HERE, bridge, write_settings
from tests.patience import PATIENCE
from tests.servers.fake_ircd import fake_ircd
from tests.store.files.stored import stored
from tests.store.scene import rows_of

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
LONG_AGO = NOW - timedelta(hours=3, minutes=12)


def report(**more: Any) -> BridgeReport:
    given = {"network": "libera", "version": "1", "connected": True, "since": LONG_AGO, "wanted": 3}
    return BridgeReport(**{**given, **more})


def beat(**more: Any) -> Heartbeat:
    return Heartbeat(this_process(), NOW, report(**more))


def wrong(heartbeat: Heartbeat, now: datetime = NOW) -> list[str]:
    return [f"{fact.name}: {fact.text}" for fact in facts_of(heartbeat, now) if fact.wrong]


async def health(url: str) -> tuple[int, Mapping[str, Any]]:
    async with httpx2.AsyncClient(timeout=PATIENCE) as web:
        answer = await web.get(url.replace("/mcp", "/healthz"))
        return answer.status_code, answer.json()


def test_what_is_not_wrong_yet_is_a_trouble_all_the_same() -> None:
    just_now = NOW - timedelta(seconds=4)
    away = beat(connected=False, since=just_now, trouble="the password is wrong")
    outside = beat(since=just_now, missing=("#tea",), model_trouble="no answer")
    assert wrong(away) == wrong(outside) == []
    assert (troubles(away, NOW), troubles(outside, NOW)) == (["connected"], ["channels", "model"])
    assert troubles(beat(), NOW) == troubles(beat(connected=False, stopped=True), NOW) == []


def test_a_bridge_that_records_everything_is_well() -> None:
    one = beat(newest_line=NOW - timedelta(seconds=4), questions=2)
    assert wrong(one) == []
    told = {fact.name: fact.text for fact in facts_of(one, NOW)}
    assert told["connected"] == "for 3 h 12 min"
    assert told["channels"] == "in 3 of 3"
    assert told["newest line"] == "4 s ago"
    assert told["recording"] == "works, 0 lines waiting"
    assert told["questions"] == "2 in work or waiting"


@pytest.mark.parametrize(
    ("more", "what"),
    [
        (
            {"connected": False, "trouble": "SASL login failed: no such account"},
            "connected: not since 2026-11-22 08:48:00 UTC: SASL login failed: no such account",
        ),
        ({"missing": ("#a", "#b")}, "channels: in 1 of 3, not in #a, #b"),
        (
            {"unwritable_since": LONG_AGO, "waiting": 1234, "lost": 5, "write_trouble": "Full."},
            (
                "recording: not since 2026-11-22 08:48:00 UTC, 1,234 lines waiting;"
                " 5 lines lost since the start. Full."
            ),
        ),
        ({"stopped": True}, "process: stopped at 2026-11-22 12:00:00 UTC; start it again"),
    ],
)
def test_what_is_not_as_it_should_be_is_said(more: dict[str, Any], what: str) -> None:
    assert wrong(beat(**more)) == [what]


@pytest.mark.parametrize(
    "more", [{"connected": False, "trouble": "not started"}, {"missing": ("#a", "#b", "#c")}]
)
def test_a_bridge_has_two_minutes_to_come_into_its_channels(more: dict[str, Any]) -> None:
    one = beat(since=NOW, **more)
    assert wrong(one, NOW + timedelta(seconds=119)) == []
    assert len(wrong(one, NOW + timedelta(seconds=121))) == 1


def test_the_models_trouble_does_not_make_a_recorder_ill() -> None:
    one = beat(model_trouble="The model at http://10.0.0.1 is away.")
    assert wrong(one) == []
    assert health_json(one, NOW)["model"] == "trouble"


def test_a_silent_bridge_and_one_that_died_are_not_well() -> None:
    assert wrong(beat(), NOW + STALE) == []
    (silent,) = wrong(beat(), NOW + STALE + timedelta(seconds=1))
    assert "silent since 2026-11-22 12:00:00 UTC" in silent
    dead = Heartbeat(f"{2**22 + 1}@{socket.gethostname()}", NOW, report())
    (gone,) = wrong(dead)
    assert "ended unexpectedly after 2026-11-22 12:00:00 UTC" in gone
    assert [fact.name for fact in facts_of(dead, NOW)] == ["process", "newest line"]
    assert troubles(dead, NOW + timedelta(hours=1)) == []


def test_what_an_old_heartbeat_said_of_recording_is_not_said_to_be_so_now() -> None:
    later = NOW + timedelta(seconds=57)
    told = {fact.name: fact.text for fact in facts_of(beat(), later)}
    assert told["recording"] == ("worked 57 s ago, 0 lines waiting; no heartbeat was written since")
    assert wrong(beat(), later) == []
    assert troubles(beat(), later) == ["recording"]
    assert troubles(beat(), NOW + timedelta(seconds=45)) == []


def test_a_network_that_nobody_has_recorded_for_a_week_is_no_reason_for_an_alarm() -> None:
    one = beat()
    assert health_json(one, NOW + timedelta(days=6))["status"] == "degraded"
    assert health_json(one, NOW + timedelta(days=7))["status"] == "stopped"


def test_a_process_elsewhere_is_judged_by_its_heartbeat_alone() -> None:
    assert process_is_alive(f"{os.getpid()}@{socket.gethostname()}") is True
    assert process_is_alive("1@another-host") is None
    assert process_is_alive("nonsense") is None
    assert wrong(Heartbeat("1@another-host", NOW, report())) == []


def test_figures_name_no_channel_nick_or_address() -> None:
    one = beat(missing=("#secret",), trouble="no answer from irc.example", write_trouble="/srv/db")
    text = str(health_json(one, NOW))
    assert not [word for word in ("#secret", "irc.example", "/srv") if word in text]


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0 s"), (59, "59 s"), (61, "1 min 1 s"), (90_000, "1 d 1 h")]
)
def test_a_duration_has_two_units(seconds: int, text: str) -> None:
    assert duration(timedelta(seconds=seconds)) == text


def test_a_report_survives_the_database_and_a_strange_one_is_left_out(tmp_path: Path) -> None:
    one = report(missing=("#a",), newest_line=NOW, unwritable_since=NOW)
    assert BridgeReport.from_json(one.to_json()) == one
    with pytest.raises(ValueError, match="network"):
        BridgeReport.from_json("{}")

    async def written() -> list[Heartbeat]:
        async with open_store(tmp_path / "irc_logs.db") as store:
            await store.heartbeats.beat("libera", [], NOW, one)
            strange = sqlite3.connect(tmp_path / "irc_logs.db")
            strange.execute("INSERT INTO heartbeats VALUES ('oftc', '1@x', '2026', '[]')")
            strange.commit()
            strange.close()
            return await store.heartbeats.all()

    assert anyio.run(written) == [Heartbeat(this_process(), NOW, one)]


async def test_up_reports_itself_and_doctor_sees_it_from_outside(tmp_path: Path) -> None:
    async with bridge(tmp_path, "terrarium-mcp up", "--port", 0) as (both, ircd):
        await ircd.says(f"{HERE} #tea :hello")
        await ircd.settles()
        status, found = await health(await both.says("http://127.0.0.1:"))
        assert (status, found["status"]) == (200, "ok")
        one = found["networks"]["local"]
        assert (one["connected"], one["joined"], one["channels"]) == (True, 1, 1)
        assert (one["can_write"], one["model"]) == (True, "trouble")
        assert one["newest_line_age"] < 60
        file = tmp_path / "irc_logs.db"
        while '"connected":true' not in str(rows_of(file, "SELECT report FROM heartbeats")):
            await anyio.sleep(0.05)
        seen = await anyio.to_thread.run_sync(
            lambda: ran("terrarium-mcp doctor --live", at=tmp_path)
        )
        assert seen.returncode == 0, seen.stdout
        assert "bridge of local" in seen.stdout
        assert "in 1 of 1" in seen.stdout
        look = "nothing is wrong yet, but look at: bridge of local (model)\n"
        assert seen.stdout.endswith(look)  # nothing listens at the address of its model
        await both.stop()
    after = ran("terrarium-mcp doctor --live", at=tmp_path)
    assert after.returncode == 1
    assert "! process  stopped at" in after.stdout


async def test_a_server_beside_a_bridge_sees_how_it_ends(tmp_path: Path) -> None:
    async with (
        bridge(tmp_path) as (recorder, _),
        running("terrarium-mcp serve --http", "--port", 0, at=tmp_path) as server,
    ):
        url = await server.says("http://127.0.0.1:")
        with anyio.fail_after(PATIENCE):
            while not (await health(url))[1]["networks"].get("local", {}).get("connected"):
                await anyio.sleep(0.05)
        assert (await health(url))[0] == 200
        recorder.process.kill()
        await recorder.process.wait()
        with anyio.fail_after(PATIENCE):  # what it held is free once the whole process is gone
            while (found := await health(url))[0] == 200:
                await anyio.sleep(0.05)
        assert (found[0], found[1]["networks"]["local"]["status"]) == (503, "degraded")
    seen = ran("terrarium-mcp doctor --live", at=tmp_path)
    assert seen.returncode == 1
    assert "ended unexpectedly" in seen.stdout


async def test_a_bridge_that_was_told_to_stop_does_not_make_a_server_ill(tmp_path: Path) -> None:
    async with (
        bridge(tmp_path) as (recorder, _),
        running("terrarium-mcp serve --http", "--port", 0, at=tmp_path) as server,
    ):
        url = await server.says("http://127.0.0.1:")
        await recorder.stop(signal.SIGTERM)
        status, found = await health(url)
        assert (status, found["networks"]["local"]["status"]) == (200, "stopped")


async def test_a_history_without_a_bridge_is_well_and_doctor_says_how_to_start_one(
    ours: Path,
) -> None:
    async with running(
        "terrarium-mcp serve --http", "--port", 0, "--db", ours, at=ours.parent
    ) as server:
        status, found = await health(await server.says("http://127.0.0.1:"))
        assert (status, found["ok"], found["networks"]) == (200, True, {})
    seen = ran("terrarium-mcp doctor --live", "--db", ours, at=ours.parent)
    assert seen.returncode == 1
    assert "none is running. Start one: " in seen.stdout
    assert "bridge\n" in seen.stdout


async def test_doctor_names_the_network_of_the_settings_that_never_reported(tmp_path: Path) -> None:
    async with bridge(tmp_path) as (recorder, ircd):
        await recorder.stop()
        write_settings(tmp_path, ircd, TERRARIUM_NETWORK="oftc")
    seen = ran("terrarium-mcp doctor --live", at=tmp_path)
    assert seen.returncode == 1
    assert "bridge of oftc\n! process  none is running" in seen.stdout
    assert "bridge of local" not in seen.stdout  # it was told to stop, and nobody asks for it


def test_doctor_says_what_is_wrong_with_the_database(tmp_path: Path, theirs: Path) -> None:
    missing = ran("terrarium-mcp doctor --live", "--db", tmp_path / "none.db", at=tmp_path)
    assert missing.returncode == 1
    assert "There is no database" in missing.stdout
    not_adopted = ran("terrarium-mcp doctor --live", "--db", theirs, at=tmp_path)
    assert not_adopted.returncode == 1
    assert "Adopt it first: start terrarium-mcp serve" in not_adopted.stdout
    old = ran("terrarium-mcp doctor --live", "--db", stored("v1", tmp_path / "v1.db"), at=tmp_path)
    assert old.returncode == 1
    assert "is of version 1" in old.stdout
    assert "Traceback" not in missing.stderr + old.stderr


async def test_doctor_says_that_another_program_holds_the_database(ours: Path) -> None:
    holder = sqlite3.connect(ours, isolation_level=None)
    holder.execute("PRAGMA locking_mode=EXCLUSIVE")
    holder.execute("BEGIN IMMEDIATE")
    holder.execute("CREATE TABLE x (y)")
    seen = ran("terrarium-mcp doctor --live", "--db", ours, at=ours.parent)
    holder.execute("ROLLBACK")
    holder.close()
    assert seen.returncode == 1
    assert "Another program has locked it" in seen.stdout


async def test_a_bridge_that_cannot_connect_says_why_and_has_some_time(tmp_path: Path) -> None:
    async with fake_ircd() as ircd:
        write_settings(tmp_path, ircd)
    async with running("terrarium-mcp bridge", at=tmp_path) as program:
        await program.says("connecting again in")
        while "not since" not in (seen := ran("terrarium-mcp doctor --live", at=tmp_path)).stdout:
            assert "none is running" in seen.stdout  # it has just begun
        assert "127.0.0.1" in seen.stdout
        assert seen.returncode == 0
        await program.stop()
