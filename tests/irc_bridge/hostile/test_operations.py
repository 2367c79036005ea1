"""What happens to a bridge on a bad day of its machine: kills, full disks, lost files, floods."""
# ruff: noqa: ASYNC110, ASYNC240  # no event announces what the disk does; small files

import resource
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest

from terrarium_mcp.cli.starting.bridge_runner import open_bridges, run_until_signal
from terrarium_mcp.cli.starting.health import MOVED, health_of
from terrarium_mcp.irc_bridge.record import recorder as recording
from terrarium_mcp.irc_bridge.record.recorder import OTHER_FILE
from terrarium_mcp.irc_bridge.record.trouble_notice import BEGUN, OVER
from terrarium_mcp.irc_bridge.toolbox import Toolbox
from terrarium_mcp.server import build_server
from terrarium_mcp.store import open_store
from terrarium_mcp.store.sqlite import path_watch
from tests.irc_bridge import crashing
from tests.irc_bridge.house import QUICK, House, living, settings_for
from tests.patience import PATIENCE
from tests.servers.beside import beside
from tests.servers.fake_ircd import FakeIrcd, fake_ircd
from tests.servers.logs import until_logged
from tests.store.scene import find, rows_of

HERE = ":ada!a@host.example PRIVMSG #tea :"
TEXTS = "SELECT message FROM messages WHERE nick = 'ada' ORDER BY id"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "TRY_AGAIN", 0.05)
    monkeypatch.setattr(recording, "SETTLING", 0.05)
    monkeypatch.setattr(path_watch, "LOOK_EVERY", 0.05)
    monkeypatch.setattr(path_watch, "SETTLED", 0.1)
    monkeypatch.setattr(path_watch, "BEGIN_AFTER", 0.3)


async def hears(house: House, ircd: FakeIrcd, *texts: str) -> None:
    """Ada says these, and the bridge has received them."""
    await ircd.says(*(HERE + text for text in texts))
    await house.bridge.hears(texts[-1])


def texts_in(file: Path) -> list[str]:
    return [row[0] for row in rows_of(file, TEXTS)]


SPANS = """
SELECT s.why_began, group_concat(message) FROM spans s JOIN rooms r ON r.id = s.room
JOIN messages m ON m.timestamp BETWEEN s.began AND s.alive AND m.message <> ''
WHERE r.channel = '#tea' GROUP BY s.id ORDER BY s.began
"""


def spans_of_tea(file: Path) -> list[tuple[str, str]]:
    """Why each began, and the lines that it covers."""
    return rows_of(file, SPANS)


async def test_six_thousand_lines_blasted_are_all_recorded_in_order(tmp_path: Path) -> None:
    lines = [f"line {number} of a flood" for number in range(6_000)]
    async with fake_ircd() as ircd, living(settings_for(ircd.port, tmp_path)) as house:
        with anyio.fail_after(120):
            await hears(house, ircd, *lines)
            await house.bridge.flush()
        assert house.bridge.report().waiting == 0
    assert texts_in(tmp_path / "irc_logs.db") == lines


async def test_a_bridge_killed_in_a_burst_keeps_what_it_had(tmp_path: Path) -> None:
    for killed in await crashing.while_blasted(tmp_path, 2, lines=4_000):
        assert killed.lag < 1  # 0.1 s on a machine that does nothing else: make soak measures it


async def test_a_full_disk_is_told_and_heals_and_nothing_is_lost(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "irc_logs.db"
    _, hard = unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)
    async with fake_ircd() as ircd, living(settings_for(ircd.port, tmp_path)) as house:
        with anyio.fail_after(PATIENCE):
            await hears(house, ircd, "before")
            await house.bridge.flush()
            try:
                resource.setrlimit(resource.RLIMIT_FSIZE, (file.stat().st_size, hard))
                many = [f"{number} " + "tea," * 90 for number in range(900)]
                await hears(house, ircd, *many)
                await until_logged(caplog, "to be recorded", "full")
                report = house.bridge.report()
                assert report.unwritable_since
                assert report.waiting
                assert "Check whether it is full" in report.write_trouble
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)
            await house.bridge.flush()
            assert house.bridge.report().unwritable_since is None
    assert "recording continues after" in caplog.text
    assert texts_in(file) == ["before", *many]


async def test_a_database_that_becomes_read_only_is_told_and_heals(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with fake_ircd() as ircd, living(settings_for(ircd.port, tmp_path)) as house:
        writer = house.store._database._writer  # noqa: SLF001 -- as a disk mounted read-only
        assert writer
        with anyio.fail_after(PATIENCE):
            await hears(house, ircd, "before")
            await house.bridge.flush()
            await writer.execute_fetchall("PRAGMA query_only=ON")
            await hears(house, ircd, "one", "two")
            await until_logged(caplog, "to be recorded", "This account may not write")
            assert house.bridge.report().waiting == 2
            await writer.execute_fetchall("PRAGMA query_only=OFF")
            await house.bridge.flush()
    assert texts_in(tmp_path / "irc_logs.db") == ["before", "one", "two"]


WITHOUT_PERMISSION = """
import os, sys, anyio
from pathlib import Path
from terrarium_mcp.cli.starting.bridge import run_bridge
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.settings import Settings
if os.getuid() == 0:  # only now: the interpreter may be where nobody else may look
    os.setuid(65534)
settings = Settings(db_path=Path(sys.argv[1]), irc_server="127.0.0.1", irc_channels="tea")
try:
    anyio.run(run_bridge, settings, lambda: settings, None, [])
except TerrariumError as error:
    sys.exit(str(error))
"""


def test_a_bridge_that_may_not_write_says_so_and_does_not_start() -> None:
    with tempfile.TemporaryDirectory() as home:
        folder, file = Path(home), Path(home) / "irc_logs.db"
        anyio.run(_begun, file)
        file.chmod(0o444)
        folder.chmod(0o555)
        ended = subprocess.run(
            [sys.executable, "-c", WITHOUT_PERMISSION, str(file)],
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        folder.chmod(0o755)
    assert ended.returncode == 1
    assert "This account may not write" in ended.stderr
    assert "Traceback" not in ended.stderr


async def _begun(file: Path) -> None:
    async with open_store(file) as store:
        await store.opening.wait(PATIENCE)


async def test_a_database_moved_away_loses_no_line_and_is_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file, moved = tmp_path / "irc_logs.db", tmp_path / "moved.db"
    async with fake_ircd() as ircd, living(settings_for(ircd.port, tmp_path)) as house:
        with anyio.fail_after(PATIENCE):
            await hears(house, ircd, "before")
            file.rename(moved)
            await hears(house, ircd, "after")
            await until_logged(caplog, "was moved away while in use", str(moved))
            await house.bridge.flush()
            told = await health_of(house.store, lambda: [house.bridge.report()])()
            assert (told["ok"], told["history"]) == (False, MOVED)
            moved.rename(file)
            await until_logged(caplog, "is in its place again")
            assert (await health_of(house.store, lambda: [house.bridge.report()])())["ok"]
            await hears(house, ircd, "back")
    assert texts_in(file) == ["before", "after", "back"]


async def test_a_database_that_was_deleted_is_begun_again_with_the_lines_that_waited(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "irc_logs.db"
    async with fake_ircd() as ircd, living(settings_for(ircd.port, tmp_path)) as house:
        with anyio.fail_after(PATIENCE):
            await hears(house, ircd, "before")
            await house.bridge.flush()
            for one in tmp_path.glob("irc_logs.db*"):
                one.unlink()
            await hears(house, ircd, "meanwhile")
            await until_logged(caplog, "1 line waits to be recorded", "was deleted while in use")
            await until_logged(caplog, "a new database was begun at")
            await hears(house, ircd, "after")
            await house.bridge.flush()
            assert (await find(house.store, "meanwhile")).messages
    assert texts_in(file) == ["meanwhile", "after"]
    assert spans_of_tea(file) == [(OTHER_FILE, "meanwhile,after")]
    assert "recording continues after" in caplog.text


async def test_a_backup_put_back_under_a_running_bridge_is_recorded_into(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file, backup = tmp_path / "irc_logs.db", tmp_path / "backup.db"
    async with fake_ircd() as ircd, living(settings_for(ircd.port, tmp_path)) as house:
        with anyio.fail_after(PATIENCE):
            await hears(house, ircd, "before")
            await house.bridge.flush()
            with closing(sqlite3.connect(file)) as source, closing(sqlite3.connect(backup)) as to:
                source.backup(to)
            await hears(house, ircd, "since the backup")
            await house.bridge.flush()
            backup.replace(file)
            await hears(house, ircd, "meanwhile")
            await until_logged(caplog, "was opened again")
            await house.bridge.flush()
    assert texts_in(file) == ["before", "meanwhile"]
    assert spans_of_tea(file) == [("joined", "before"), (OTHER_FILE, "meanwhile")]
    assert rows_of(file, "PRAGMA integrity_check") == [("ok",)]


async def test_a_search_works_while_nothing_can_be_written_and_the_log_is_not_flooded(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("terrarium_mcp.store.sqlite.keeper.TRY_EVERY", 0.01)
    async with fake_ircd() as ircd, living(settings_for(ircd.port, tmp_path)) as house:
        writer = house.store._database._writer  # noqa: SLF001 -- as a disk mounted read-only
        assert writer
        with anyio.fail_after(PATIENCE):
            await hears(house, ircd, *(f"tea {number} of old times" for number in range(30)))
            await house.bridge.flush()
            assert (await find(house.store, "tea")).messages
            await writer.execute_fetchall("PRAGMA query_only=ON")
            await hears(house, ircd, "new tea")
            await until_logged(caplog, "1 line waits")
            view = {"network": "local", "channel": "#tea"}
            answer = await house.toolbox.call("search_irc_history", {"query": "tea"}, view)
            while house.bridge.report().unwritable_since is None:
                await anyio.sleep(0.01)
            await anyio.sleep(0.5)  # in which each duty of the keeper fails dozens of times
            repeated = sum("This account may not write" in line for line in caplog.messages)
            await writer.execute_fetchall("PRAGMA query_only=OFF")
            await house.bridge.flush()
    assert not answer.failed
    assert "of old times" in answer.text
    assert repeated < 15


@pytest.mark.parametrize("wants", ["on", "off"])
async def test_the_channel_hears_of_an_outage_if_the_settings_want_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wants: str
) -> None:
    monkeypatch.setattr("terrarium_mcp.irc_bridge.record.trouble_notice.SAID_AFTER", 0.1)
    monkeypatch.setattr("terrarium_mcp.irc_bridge.record.trouble_notice.OVER_AFTER", 0.1)
    more: dict[str, Any] = {"say_trouble": wants, "irc_channels": ("#tea",)}
    async with fake_ircd() as ircd, living(settings_for(ircd.port, tmp_path, **more)) as house:
        writer = house.store._database._writer  # noqa: SLF001 -- as a disk mounted read-only
        assert writer
        notice = house.bridge._trouble_notice  # noqa: SLF001 -- what is not said can only be seen here
        begun, over, announce = anyio.Event(), anyio.Event(), notice._say  # noqa: SLF001

        async def say(text: str) -> None:
            await announce(text)
            (begun if text == BEGUN else over).set()

        monkeypatch.setattr(notice, "_say", say)
        with anyio.fail_after(PATIENCE):
            await writer.execute_fetchall("PRAGMA query_only=ON")
            await hears(house, ircd, "hello")
            await begun.wait()
            await writer.execute_fetchall("PRAGMA query_only=OFF")
            await house.bridge.flush()
            await over.wait()
            await house.bridge.network.confirm("#tea")
        told = [line.partition(" :")[2] for line in ircd.heard("PRIVMSG #tea ")]
        assert told == ([BEGUN, OVER] if wants == "on" else [])


async def test_the_heartbeat_follows_the_connection_and_says_goodbye(tmp_path: Path) -> None:
    file = tmp_path / "irc_logs.db"

    def seen() -> str:
        return str(rows_of(file, "SELECT report FROM heartbeats"))

    slow = replace(QUICK, backoff=(1.0,))
    async with (
        fake_ircd() as ircd,
        living(settings_for(ircd.port, tmp_path), timeouts=slow) as house,
    ):
        with anyio.fail_after(PATIENCE):
            while '"connected":true' not in seen() or '"missing":[]' not in seen():
                await anyio.sleep(0.05)
            await ircd.drops()
            await house.bridge.is_cut_off()
            while '"connected":false' not in seen():
                await anyio.sleep(0.05)
            await house.bridge.at_home.wait()
        await house.bridge.stop()
    assert '"stopped":true' in seen()


async def test_a_heartbeat_that_cannot_be_written_harms_no_recording(tmp_path: Path) -> None:
    file = tmp_path / "irc_logs.db"
    async with fake_ircd() as ircd, living(settings_for(ircd.port, tmp_path)) as house:
        await anyio.to_thread.run_sync(_drop_heartbeats, file)  # the bridge may have the lock
        with anyio.fail_after(PATIENCE):
            await ircd.drops()  # which is a change of state, and so due for a heartbeat
            await house.bridge.is_cut_off()
            await house.bridge.at_home.wait()
            await hears(house, ircd, "still here")
            await house.bridge.flush()
    assert texts_in(file) == ["still here"]


def _drop_heartbeats(file: Path) -> None:
    with closing(sqlite3.connect(file)) as other, other:
        other.execute("DROP TABLE heartbeats")


async def test_the_store_gets_its_turn_while_lines_pour_in(tmp_path: Path) -> None:
    before = sys.getswitchinterval()
    async with fake_ircd() as ircd:
        settings = settings_for(ircd.port, tmp_path)
        async with open_store(settings.db_path, settings) as store:
            toolbox = Toolbox(lambda: build_server(store, settings))
            async with open_bridges(store, settings, toolbox) as bridges:
                arguments = (bridges, store, settings, lambda: settings)
                try:
                    async with beside(run_until_signal, *arguments):
                        with anyio.fail_after(PATIENCE):
                            await ircd.hears("JOIN")
                        assert sys.getswitchinterval() < before / 10
                        await bridges.stop()
                finally:
                    sys.setswitchinterval(before)
