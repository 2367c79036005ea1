"""A bridge as a service: what the manager hears over its socket, and what is in deploy/."""

import configparser
import re
import shlex
import signal
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import click
import pytest
from anyio import to_thread

from terrarium_mcp.cli import commands
from terrarium_mcp.cli.starting.service_manager import ServiceManager, keep_informed
from terrarium_mcp.settings import setting_names
from terrarium_mcp.store import open_store
from tests.cli.programs import running
from tests.cli.test_signals import write_settings
from tests.patience import PATIENCE
from tests.servers.beside import beside
from tests.servers.fake_ircd import fake_ircd

DEPLOY = Path(__file__).parents[2] / "deploy"
UNIT = DEPLOY / "terrarium.service"
DOCKERFILE = (DEPLOY / "Dockerfile").read_text("utf-8").replace("\\\n", " ")


class Manager:
    """The receiving end of a service manager's socket."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(path))
        self._socket.settimeout(PATIENCE)

    def hears(self, wanted: str) -> list[str]:
        """Everything up to the message with this in it."""
        heard = [self._socket.recv(4096).decode()]
        while wanted not in heard[-1]:
            heard.append(self._socket.recv(4096).decode())
        return heard

    def close(self) -> None:
        self._socket.close()


@asynccontextmanager
async def manager(folder: Path) -> AsyncIterator[Manager]:
    one = Manager(folder / "notify")
    try:
        yield one
    finally:
        one.close()


async def test_a_bridge_is_ready_without_its_network_and_says_how_it_is(tmp_path: Path) -> None:
    async with manager(tmp_path) as one:
        async with fake_ircd() as ircd:
            write_settings(tmp_path, ircd)
            port = ircd.port
        told = {"NOTIFY_SOCKET": one.path, "WATCHDOG_USEC": 300_000}
        async with running("terrarium-mcp bridge", at=tmp_path, **told) as program:
            heard = await to_thread.run_sync(one.hears, "not connected")
            assert "READY=1" in heard
            async with fake_ircd(port=port):
                await program.says("recording", "#tea")
                heard = await to_thread.run_sync(one.hears, "recording 1 of 1 channels")
                assert heard[-1] == "WATCHDOG=1\nSTATUS=local: connected, recording 1 of 1 channels"
                program.process.send_signal(signal.SIGTERM)
                heard = await to_thread.run_sync(one.hears, "STOPPING=1")
                await program.stop()
    assert program.ended_well()


async def test_the_watchdog_hears_nothing_of_a_recorder_that_is_stuck(tmp_path: Path) -> None:
    async with manager(tmp_path) as one, open_store(tmp_path / "irc_logs.db") as store:
        quick = ServiceManager({"NOTIFY_SOCKET": str(one.path), "WATCHDOG_USEC": "30000"})
        states = iter([False, True, True, True])
        async with beside(keep_informed, quick, store, list, lambda: next(states, True)):
            await to_thread.run_sync(one.hears, "WATCHDOG=1")
            later = await to_thread.run_sync(lambda: one.hears("STATUS") + one.hears("STATUS"))
    assert later == ["STATUS=", "STATUS="]


async def test_without_a_manager_nothing_is_sent_and_another_process_is_not_watched() -> None:
    nobody = ServiceManager({})
    assert not nobody.is_there
    nobody.notify("READY=1")  # and nothing happens
    others = ServiceManager({"NOTIFY_SOCKET": "/x", "WATCHDOG_USEC": "9", "WATCHDOG_PID": "1"})
    assert others.pause == 20
    others.notify("READY=1")  # a socket that does not exist is no reason to stop


def test_an_abstract_socket_is_understood(tmp_path: Path) -> None:
    name = f"\0terrarium-{tmp_path.name}-{id(tmp_path)}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as receiver:
        receiver.bind(name)
        receiver.settimeout(PATIENCE)
        ServiceManager({"NOTIFY_SOCKET": name.replace("\0", "@")}).notify("READY=1")
        assert receiver.recv(100) == b"READY=1"


def test_a_path_with_an_at_sign_is_a_path(tmp_path: Path) -> None:
    one = Manager(tmp_path / "user@1000")
    ServiceManager({"NOTIFY_SOCKET": str(one.path)}).notify("READY=1")
    assert one.hears("READY") == ["READY=1"]
    one.close()


def unit() -> configparser.SectionProxy:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # as configparser documents it
    parser.read(UNIT, "utf-8")
    return parser["Service"]


def is_understood(words: list[str]) -> bool:
    """Whether the command line can be parsed, its files aside."""
    with click.Context(commands) as context:
        name, command, rest = commands.resolve_command(context, words)
        assert command is not None
        command.make_context(name, rest)
    return True


def test_the_unit_starts_a_command_that_exists_with_settings_that_exist() -> None:
    program, *words = shlex.split(unit()["ExecStart"])
    assert Path(program).name == "terrarium-mcp"
    assert is_understood(words)
    names = {one.partition("=")[0] for one in shlex.split(unit()["Environment"])}
    assert names <= set(setting_names())


def test_the_unit_waits_longer_than_the_recorder_and_watches_it() -> None:
    service = unit()
    assert service["Type"] == "notify"
    assert int(service["TimeoutStopSec"]) > 60 + 5
    assert int(service["WatchdogSec"]) >= 120
    assert service["ExecReload"] == "/bin/kill -HUP $MAINPID"
    assert service["User"] == "terrarium"
    assert service["ProtectSystem"] == "strict"
    assert service["Environment"].endswith(f"/var/lib/{service['StateDirectory']}/irc_logs.db")


@pytest.mark.parametrize(
    "source",
    [
        word
        for line in re.findall(r"^COPY (.+)$", DOCKERFILE, re.MULTILINE)
        for word in line.split()[:-1]
    ],
)
def test_everything_that_the_image_copies_exists(source: str) -> None:
    assert (DEPLOY.parent / source).exists()


def test_the_image_copies_all_that_its_installation_reads() -> None:
    copied = {
        word
        for line in re.findall(r"^COPY (.+)$", DOCKERFILE, re.MULTILINE)
        for word in line.split()
    }
    project = (DEPLOY.parent / "pyproject.toml").read_text("utf-8")
    read = re.findall(r'^(?:readme|license-files) = \[?"([^"]+)"', project, re.MULTILINE)
    assert {*read, "pyproject.toml", "terrarium_mcp"} <= copied


def test_the_image_runs_commands_that_exist_as_a_user_of_its_own() -> None:
    lists = {
        name: re.findall(r'"([^"]+)"', words)
        for name, words in re.findall(r"^(ENTRYPOINT|CMD) (.+)$", DOCKERFILE, re.MULTILINE)
    }
    assert lists["ENTRYPOINT"] == ["terrarium-mcp"]
    assert is_understood(lists["CMD"])
    (check,) = re.findall(r"^HEALTHCHECK .* CMD (\[.+\])$", DOCKERFILE, re.MULTILINE)
    program, *words = re.findall(r'"([^"]+)"', check)
    assert program == "terrarium-mcp"
    assert is_understood(words)
    assert "--live" in words
    order = [line.split()[0] for line in DOCKERFILE.splitlines() if line]
    assert order.index("USER") < order.index("ENTRYPOINT")
    (setting,) = re.findall(r"^ENV (\w+)=/data/", DOCKERFILE, re.MULTILINE)
    assert setting in setting_names()
