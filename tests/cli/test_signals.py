"""What signals do to a running bridge, as a real process on a scripted network."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest
from anyio import to_thread

from tests.cli.programs import Program, environment, running
from tests.patience import PATIENCE
from tests.servers.fake_ircd import FakeIrcd, fake_ircd
from tests.store.scene import rows_of

HERE = ":ada!a@host.example PRIVMSG"
_TEXTS = "SELECT message FROM messages"


def write_settings(folder: Path, ircd: FakeIrcd, **more: object) -> None:
    """The `.env` of a bridge that waits for no model."""
    settings = {
        "IRC_SERVER": "127.0.0.1",
        "IRC_PORT": ircd.port,
        "IRC_USE_SSL": "off",
        "IRC_CHANNELS": "tea",
        "AGENT_API_URL": "http://127.0.0.1:9",
        "DB_PATH": "irc_logs.db",
    }
    lines = [f"{name}={value}\n" for name, value in {**settings, **more}.items()]
    (folder / ".env").write_text("".join(lines))


@asynccontextmanager
async def bridge(
    folder: Path, command: str = "terrarium-mcp bridge", *more: object
) -> AsyncIterator[tuple[Program, FakeIrcd]]:
    """A bridge that records #tea."""
    async with fake_ircd() as ircd:
        write_settings(folder, ircd)
        async with running(command, *more, at=folder) as program:
            await program.says("recording", "#tea")
            with anyio.fail_after(PATIENCE):
                yield program, ircd


async def is_recorded(file: Path, ircd: FakeIrcd, channel: str, text: str) -> None:
    """Say it, and wait until it is on disk."""
    await ircd.says(f"{HERE} {channel} :{text}")
    while (text,) not in rows_of(file, _TEXTS):  # noqa: ASYNC110 -- no event announces it
        await anyio.sleep(0.02)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
async def test_a_bridge_says_goodbye_and_leaves_with_status_0(
    tmp_path: Path, how: signal.Signals
) -> None:
    async with bridge(tmp_path) as (program, ircd):
        await ircd.says(f"{HERE} #tea :the last word")
        await ircd.settles()
        await program.stop(how)
        assert ircd.heard("QUIT") == ["QUIT :until later"]
    assert program.ended_well()
    said = rows_of(tmp_path / "irc_logs.db", "SELECT message FROM messages WHERE nick = 'ada'")
    assert said == [("the last word",)]
    why = rows_of(tmp_path / "irc_logs.db", "SELECT why_ended FROM spans")
    assert why == [("the recorder was stopped",)]


def joins_behind_the_farewell(line: str) -> list[str] | None:
    """A server that is slow to answer a JOIN, and still does once the client has said QUIT."""
    if line.startswith("JOIN"):
        return []
    return [":Terra!u@h JOIN #tea", "ERROR :Closing link"] if line.startswith("QUIT") else None


@pytest.mark.parametrize("role", ["record", "answer"])
async def test_nothing_is_said_to_begin_behind_the_line_that_the_bridge_stops(
    tmp_path: Path, role: str
) -> None:
    (tmp_path / "terrarium.toml").write_text(f'[channel."#tea"]\nrole = "{role}"\n')
    async with fake_ircd(answer=joins_behind_the_farewell) as ircd:
        write_settings(tmp_path, ircd)
        async with running("terrarium-mcp bridge", at=tmp_path) as program:
            with anyio.fail_after(PATIENCE):
                await ircd.hears("JOIN")
            await program.stop()
    assert program.ended_well()
    told = "\n".join(program.said)
    assert "stopping" in told
    assert "#tea" not in told


async def test_a_hangup_reloads_the_settings_and_keeps_the_connection(tmp_path: Path) -> None:
    file = tmp_path / "irc_logs.db"
    async with bridge(tmp_path) as (program, ircd):
        write_settings(tmp_path, ircd, IRC_CHANNELS="mate", COMMAND_PREFIX=".", IRC_NICK="Luna")
        program.process.send_signal(signal.SIGHUP)
        await program.says("settings reloaded; changed: IRC_CHANNELS, COMMAND_PREFIX")
        await program.says("needs a restart: IRC_NICK")
        assert await ircd.hears("PART #tea") == ["PART #tea :no longer in my settings"]
        await program.says("recording", "#mate")
        await ircd.says(f"{HERE} #tea :not yours any more")
        await is_recorded(file, ircd, "#mate", "hello")
        await ircd.says(f"{HERE} #mate :.ping", f"{HERE} #mate :!ping")
        await ircd.hears("PRIVMSG #mate :ada: pong")
        await program.stop()
        assert ircd.connections == 1
        assert len(ircd.heard("PRIVMSG #mate :ada: pong")) == 1
        assert ircd.heard("NICK") == ["NICK Terra"]
    assert program.ended_well()
    assert ("not yours any more",) not in rows_of(file, "SELECT message FROM messages")
    ended = rows_of(
        file,
        "SELECT channel, why_ended FROM spans s JOIN rooms r ON r.id = s.room ORDER BY channel",
    )
    assert ended == [
        ("#mate", "the recorder was stopped"),
        ("#tea", "no longer in the settings"),
    ]


async def test_a_hangup_may_spell_a_channel_in_another_way(tmp_path: Path) -> None:
    async with bridge(tmp_path) as (program, ircd):
        write_settings(tmp_path, ircd, IRC_CHANNELS="TEA")
        program.process.send_signal(signal.SIGHUP)
        await program.says("settings reloaded; changed: IRC_CHANNELS")
        await is_recorded(tmp_path / "irc_logs.db", ircd, "#tea", "still here")
        await program.stop()
        assert not ircd.heard("PART")
    assert program.ended_well()


async def test_a_hangup_changes_what_a_channel_is_for(tmp_path: Path) -> None:
    file, toml = tmp_path / "irc_logs.db", tmp_path / "terrarium.toml"
    async with bridge(tmp_path) as (program, ircd):
        await is_recorded(file, ircd, "#tea", "for the record")
        toml.write_text('[channel."#tea"]\nrole = "answer"\npersona = "ghost.txt"\n')
        program.process.send_signal(signal.SIGHUP)
        await program.says("were not reloaded", "there is no file ghost.txt")
        toml.write_text('[channel."#tea"]\nrole = "answer"\n')
        program.process.send_signal(signal.SIGHUP)
        await program.says("settings reloaded; changed: [channel]")
        await ircd.says(f"{HERE} #tea :between us", f"{HERE} #tea :!ping")
        await ircd.hears("PRIVMSG #tea :ada: pong")
        toml.write_text('COMMAND_PREFIX = "."\n')
        program.process.send_signal(signal.SIGHUP)
        await program.says("settings reloaded; changed: COMMAND_PREFIX, [channel]")
        await is_recorded(file, ircd, "#tea", "for the record again")
        await program.stop()
        assert not ircd.heard("PART")
    assert program.ended_well()
    said = rows_of(file, "SELECT message FROM messages WHERE nick = 'ada'")
    assert said == [("for the record",), ("for the record again",)]


async def test_bad_settings_are_one_line_in_the_log_and_change_nothing(tmp_path: Path) -> None:
    async with bridge(tmp_path) as (program, ircd):
        write_settings(tmp_path, ircd, IRC_CHANNELS="mate", AGENT_TEMPERATURE="hot")
        program.process.send_signal(signal.SIGHUP)
        await program.says("were not reloaded, and remain as they were", "AGENT_TEMPERATURE")
        write_settings(tmp_path, ircd, IRC_CHANNELS="")
        program.process.send_signal(signal.SIGHUP)
        await program.says("were not reloaded", "IRC_CHANNELS is not set")
        await is_recorded(tmp_path / "irc_logs.db", ircd, "#tea", "still here")
        await program.stop()
        assert not ircd.heard("PART")
    assert program.ended_well()
    assert sum("not reloaded" in line for line in program.said) == 2


async def test_a_hangup_while_the_network_is_away_counts_once_it_is_back(tmp_path: Path) -> None:
    async with fake_ircd() as ircd:
        write_settings(tmp_path, ircd)
        port = ircd.port
    async with running("terrarium-mcp bridge", at=tmp_path) as program:
        await program.says("connecting again in")
        ircd.port = port
        write_settings(tmp_path, ircd, IRC_CHANNELS="mate")
        program.process.send_signal(signal.SIGHUP)
        await program.says("settings reloaded; changed: IRC_CHANNELS")
        async with fake_ircd(port=port) as back:
            await program.says("recording", "#mate")
            assert [line for line in back.heard("JOIN") if "tea" in line] == []
            await program.stop()
    assert program.ended_well()


async def test_up_survives_a_hangup_too(tmp_path: Path) -> None:
    async with bridge(tmp_path, "terrarium-mcp up", "--port", 0) as (program, ircd):
        write_settings(tmp_path, ircd, IRC_CHANNELS="tea,mate")
        program.process.send_signal(signal.SIGHUP)
        await program.says("recording", "#mate")
        await program.stop()
    assert program.ended_well()


async def test_a_second_signal_ends_the_wait_for_a_disk_and_the_status_says_what_it_cost(
    tmp_path: Path,
) -> None:
    file = tmp_path / "irc_logs.db"
    async with bridge(tmp_path) as (program, ircd):
        await is_recorded(file, ircd, "#tea", "before")
        for one in (file, file.with_name("irc_logs.db-wal")):
            one.unlink()
        await ircd.says(f"{HERE} #tea :never written")
        await program.says("1 line waits to be recorded", "was deleted while in use")
        program.process.send_signal(signal.SIGTERM)
        await program.says("stopping")
        seconds = await program.stop()
    assert seconds < 45  # of the minute for which one signal alone would wait
    assert program.process.returncode == 3
    assert any("1 line lost: the history could not be written" in line for line in program.said)


@asynccontextmanager
async def starting(
    folder: Path, ircd: FakeIrcd, certificate: Path, command: str
) -> AsyncIterator[tuple[Program, Callable[[], None]]]:
    """A process that reads a certificate before anything else, until `go_on()`."""
    waited_for = folder / "ca.pem"
    os.mkfifo(waited_for)
    write_settings(folder, ircd, TERRARIUM_TLS_CAFILE=waited_for.name)
    async with running(command, at=folder) as program:
        with anyio.fail_after(PATIENCE):
            pipe = await to_thread.run_sync(waited_for.open, "wb", abandon_on_cancel=True)

        def go_on() -> None:
            waited_for.unlink()
            shutil.copy(certificate, waited_for)
            pipe.write(certificate.read_bytes())
            pipe.close()

        with pipe:
            yield program, go_on


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("command", ["terrarium-mcp bridge", "terrarium-mcp up --port 0"])
async def test_a_start_can_be_stopped(
    tmp_path: Path, server_keys: Path, command: str, how: signal.Signals
) -> None:
    certificate = server_keys / "cert.pem"
    async with fake_ircd() as ircd, starting(tmp_path, ircd, certificate, command) as (program, _):
        # A signal between the opening and the reading of the certificate, both in C, is obeyed once
        # that has been read: the next one interrupts the reading.
        with anyio.fail_after(PATIENCE):
            while program.process.returncode is None:
                program.process.send_signal(how)
                with anyio.move_on_after(5):
                    await program.process.wait()
            await program.falls_silent()
        (line,) = program.said
        assert line.endswith("INFO stopped before it had started")
        assert program.ended_well()
        assert not ircd.connections


@pytest.mark.parametrize("command", ["terrarium-mcp bridge", "terrarium-mcp up --port 0"])
async def test_a_hangup_during_the_start_is_obeyed_after_it(
    tmp_path: Path, server_keys: Path, command: str
) -> None:
    certificate = server_keys / "cert.pem"
    async with (
        fake_ircd() as ircd,
        starting(tmp_path, ircd, certificate, command) as (program, go_on),
    ):
        program.process.send_signal(signal.SIGHUP)
        write_settings(tmp_path, ircd, IRC_CHANNELS="mate", TERRARIUM_TLS_CAFILE="ca.pem")
        go_on()
        await program.says("settings reloaded; changed: IRC_CHANNELS")
        await program.says("recording", "#mate")
        await program.stop()
    assert program.ended_well()


INTERRUPTED = """
import os, signal, sys
from importlib.metadata import entry_points
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where a shell put it behind
class Interrupts:
    def find_spec(self, module, *_):
        if module == sys.argv[2]:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupts())
(command,) = entry_points(group="console_scripts", name="terrarium-mcp")
command.load()()
"""


@pytest.mark.parametrize(
    ("module", "status", "told"),
    [("click", -signal.SIGINT, ""), ("terrarium_mcp.cli.help", 1, "\nAborted!\n")],
)
def test_a_command_that_is_interrupted_while_it_is_loaded_prints_no_traceback(
    tmp_path: Path, module: str, status: int, told: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, "help", module],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        check=False,
        timeout=PATIENCE,
        text=True,
    )
    assert (done.returncode, done.stdout, done.stderr) == (status, "", told)
