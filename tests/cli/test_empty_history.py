"""A history without a line: its operator reads where it is and how it is filled, on stderr."""

from pathlib import Path

import pytest

from terrarium_mcp.store import claimed
from terrarium_mcp.store.sqlite.keeper import Keeper
from tests.cli.programs import ran, running
from tests.samples import terrarium_irc as sample

HOW = (
    "Nothing is recorded yet in {}. Run `terrarium-mcp bridge` to record the channels of"
    " IRC_CHANNELS, `terrarium-mcp import PATH` to bring in logs, or set DB_PATH to a terrarium-irc"
    " database."
)


def test_a_server_without_history_says_on_stderr_how_it_is_filled(tmp_path: Path) -> None:
    done = ran("terrarium-mcp serve", at=tmp_path, DB_PATH=tmp_path / "irc_logs.db")
    assert HOW.format(tmp_path / "irc_logs.db") in done.stderr
    assert not done.stdout
    assert done.returncode == 0


SERVERS = pytest.mark.parametrize("command", ["serve", "serve --http --port 0"])


def test_a_server_without_history_names_the_logs_of_the_account(tmp_path: Path) -> None:
    logs = tmp_path / "home" / ".weechat" / "logs"
    logs.mkdir(parents=True)
    (logs / "irc.libera.#tea.weechatlog").write_bytes(b"not read")
    env = {"DB_PATH": tmp_path / "irc_logs.db", "HOME": tmp_path / "home"}
    done = ran("terrarium-mcp serve", at=tmp_path, **env)
    assert "There are logs in this account: `terrarium-mcp import ~/.weechat/logs`." in done.stderr


@SERVERS
async def test_it_says_so_while_it_serves(tmp_path: Path, command: str) -> None:
    file = tmp_path / "irc_logs.db"
    async with running(f"terrarium-mcp {command}", at=tmp_path, DB_PATH=file) as server:
        assert HOW.format(file) in await server.says("Nothing is recorded")
        assert server.process.returncode is None


@SERVERS
async def test_it_says_so_after_an_opening_that_takes_long(tmp_path: Path, command: str) -> None:
    file = sample.make(tmp_path / "theirs.db", [])
    migrating = Keeper(file)
    assert migrating.claim()  # as a process does that is at it
    async with running(f"terrarium-mcp {command}", at=tmp_path, DB_PATH=file) as server:
        await server.says("another process is opening the history; waiting for it")
        assert not [line for line in server.said if "Nothing is recorded" in line]
        migrating.release()
        assert HOW.format(file) in await server.says("Nothing is recorded")


async def test_a_port_in_use_is_all_that_is_said_of_a_start_that_fails(tmp_path: Path) -> None:
    file = tmp_path / "irc_logs.db"
    async with running("terrarium-mcp serve --http --port 0", at=tmp_path, DB_PATH=file) as server:
        port = (await server.says("http://127.0.0.1:")).rpartition(":")[2].partition("/")[0]
        done = ran("terrarium-mcp serve --http --port", port, at=tmp_path, DB_PATH=file)
    assert done.returncode == 1
    assert "Nothing is recorded" not in done.stderr


def test_a_server_beside_a_bridge_that_fills_the_history_says_nothing(tmp_path: Path) -> None:
    file = tmp_path / "irc_logs.db"
    with claimed(file, [("libera", "#tea")]):
        done = ran("terrarium-mcp serve", at=tmp_path, DB_PATH=file)
    assert "Nothing is recorded" not in done.stderr
    assert done.returncode == 0
    later = ran("terrarium-mcp serve", at=tmp_path, DB_PATH=file)
    assert HOW.format(file) in later.stderr


def test_a_search_in_no_history_says_how_it_is_filled(tmp_path: Path) -> None:
    ran("terrarium-mcp serve", at=tmp_path, DB_PATH=tmp_path / "irc_logs.db")
    done = ran("terrarium-mcp search tea", at=tmp_path, DB_PATH=tmp_path / "irc_logs.db")
    assert HOW.format(tmp_path / "irc_logs.db") in done.stderr
    assert done.returncode == 1


def test_a_server_with_history_says_nothing_of_it(history: Path) -> None:
    done = ran("terrarium-mcp serve", at=history.parent, DB_PATH=history)
    assert "Nothing is recorded" not in done.stderr
