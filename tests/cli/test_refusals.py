"""What cannot be used ends the start: one line that names the cause and the way out."""

import socket
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from terrarium_mcp.store.sqlite.keeper import lock_file
from tests.cli.programs import (
    environment,
    quick_python,
    quick_words,
    ran,
    running,
    without_progress,
    words,
)
from tests.patience import PATIENCE
from tests.servers.forked import forked
from tests.servers.ircd import free_port

NOBODY = 65534
PUBLIC = {"IRC_SERVER": "irc.example.org", "IRC_CHANNELS": "tea", "TERRARIUM_CONTACT": "ada"}

Done = subprocess.CompletedProcess[str]


def refused(done: Done) -> str:
    """The one line on stderr with which a command ended."""
    assert done.returncode == 1, done.stderr
    assert not done.stdout
    (line,) = without_progress(done.stderr.splitlines())
    assert line.startswith("terrarium-mcp: ")
    return line


def misused(done: Done) -> str:
    """What click says of a command line that makes no sense."""
    assert done.returncode == 2
    assert not done.stdout
    assert "Traceback" not in done.stderr
    return done.stderr.splitlines()[-1]


@pytest.mark.parametrize("command", ["serve", "bridge"])
@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("IRC_PORT", "tea", "IRC_PORT='tea' (from the environment): "),
        ("IRC_PORT", "70000", "must be 65535 or less"),
        ("TERRARIUM_TIMEZONE", "Europe/Berln", "Did you mean Europe/Berlin?"),
        ("TERRARIUM_CONTAKT", "ada", "Did you mean TERRARIUM_CONTACT?"),
    ],
)
def test_a_bad_setting_is_named(
    tmp_path: Path, command: str, name: str, value: str, told: str
) -> None:
    line = refused(ran(f"terrarium-mcp {command}", at=tmp_path, **{name: value}))
    assert name in line
    assert told in line
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(sys.platform != "linux", reason="reads how much memory is mapped in /proc")
@pytest.mark.parametrize("command", ["serve", "search tea"])
def test_a_lack_of_memory_is_named(ours: Path, command: str) -> None:
    code = f"""
import resource, sys
from pathlib import Path
from terrarium_mcp.cli import main
mapped = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (mapped, mapped))
sys.argv[1:] = {command.split()}
main()
"""
    done = subprocess.run(
        forked("-c", code),
        cwd=ours.parent,
        env=environment(DB_PATH=ours),  # there: to open it takes threads, which need more
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=PATIENCE,
        text=True,
    )
    assert "no more memory, or no more threads" in refused(done)
    assert "ulimit -v" in done.stderr


@pytest.mark.parametrize("command", ["serve", "serve --http --port 0", "bridge"])
def test_an_unknown_tool_is_named(tmp_path: Path, command: str) -> None:
    done = ran(f"terrarium-mcp {command}", at=tmp_path, TERRARIUM_TOOLS="serch_web", **PUBLIC)
    assert "Did you mean search_web?" in refused(done)


def test_a_bad_secret_is_not_repeated(tmp_path: Path) -> None:
    (tmp_path / "terrarium.toml").write_text("TERRARIUM_SASL_PASSWORD = 123456\n")
    line = refused(ran("terrarium-mcp serve", at=tmp_path))
    assert "TERRARIUM_SASL_PASSWORD" in line
    assert "123456" not in line


@pytest.mark.parametrize("flag", ["--env-file", "--config"])
@pytest.mark.parametrize("command", ["serve", "up"])
def test_a_missing_settings_file_is_named(tmp_path: Path, command: str, flag: str) -> None:
    done = ran(f"terrarium-mcp {command}", flag, "nowhere", at=tmp_path)
    assert "There is no settings file nowhere." in refused(done)


def a_text(path: Path) -> str:
    path.write_text("this is no database, it is a letter\n" * 100)
    return "is not an SQLite database"


def anothers(path: Path) -> str:
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE bookmarks (id)")
    return "belongs to another program (tables: bookmarks)"


def a_newer(path: Path) -> str:
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(f"PRAGMA application_id={0x7465_7272}")
        db.execute("PRAGMA user_version=99")
    return "is of version 99; this terrarium-mcp knows versions up to "


def a_folder(path: Path) -> str:
    path.mkdir()
    return "is a folder"


def a_circle(path: Path) -> str:
    path.symlink_to(path.name)
    return "is a link that leads back to itself"


@pytest.mark.parametrize(
    ("command", "made"),
    [
        ("serve", a_circle),
        ("search tea", a_circle),
        ("bridge", a_circle),
        ("backup copy.db", a_circle),
        ("backup copy.db", a_folder),
        ("purge --nick ada", a_circle),
        ("serve", a_text),
        ("serve", anothers),
        ("serve", a_newer),
        ("serve", a_folder),
        ("serve --sse --port 0", a_text),
        ("bridge", anothers),
        ("up --port 0", a_newer),
    ],
)
def test_a_database_that_is_not_ours_is_left_alone(
    tmp_path: Path, command: str, made: Callable[[Path], str]
) -> None:
    file = tmp_path / "some.db"
    told = made(file)
    before = file.read_bytes() if file.is_file() else b""
    line = refused(ran(f"terrarium-mcp {command}", "--db", file, at=tmp_path, **PUBLIC))
    assert str(file) in line
    assert told in line
    assert (file.read_bytes() if file.is_file() else b"") == before


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that everybody may look into, and only we may write."""
    with tempfile.TemporaryDirectory(prefix="terrarium-") as name:
        folder = Path(name)
        folder.chmod(0o555)
        try:
            yield folder
        finally:
            folder.chmod(0o755)


# An account that owns nothing may not even read Python where only root can: so it first imports.
AS_NOBODY = """
import os, sys
import anyio._backends._asyncio, terrarium_mcp.cli.starting.stdio, terrarium_mcp.cli.starting.http
from terrarium_mcp.cli import main
if os.getuid() == 0:
    os.setgroups([])
    os.setgid({nobody})
    os.setuid({nobody})
sys.argv = ["terrarium-mcp", *{argv!r}]
sys.stderr = sys.stdout
try:
    main()
except SystemExit as end:
    print("status", end.code)
"""


@pytest.mark.parametrize("how", [["serve"], ["serve", "--http", "--port", "0"]], ids=" ".join)
def test_a_folder_that_may_not_be_written_is_named(open_folder: Path, how: list[str]) -> None:
    argv = [*how, "--db", str(open_folder / "irc_logs.db")]
    told, status = quick_python(
        AS_NOBODY.format(nobody=NOBODY, argv=argv), open_folder
    ).splitlines()
    assert status == "status 1"
    assert told.startswith(f"terrarium-mcp: This account may not write {open_folder}.")
    assert told.endswith(f"ssh HOST /path/to/terrarium-mcp serve --db {open_folder}/irc_logs.db")
    assert not list(open_folder.iterdir())


def test_a_folder_that_may_not_be_entered_has_no_settings(tmp_path: Path) -> None:
    argv = ["search", "tea", "--db", "/nowhere/irc_logs.db"]
    code = "import pathlib; pathlib.Path().chmod(0o600)" + AS_NOBODY.format(
        nobody=NOBODY, argv=argv
    )
    told, status = quick_python(code, tmp_path).splitlines()
    assert told.startswith("terrarium-mcp: There is no database /nowhere/irc_logs.db.")
    assert status == "status 1"


@pytest.mark.parametrize("command", ["search tea", "purge --nick ada"])
def test_a_database_in_a_folder_that_may_not_be_looked_into_is_not_said_to_be_missing(
    tmp_path: Path, command: str
) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(0o700)
    code = f"import terrarium_mcp.cli.starting.{command.split(maxsplit=1)[0]}" + AS_NOBODY.format(
        nobody=NOBODY, argv=[*command.split(), "--db", str(closed / "irc_logs.db")]
    )
    told, status = quick_python(code, tmp_path).splitlines()
    assert told.startswith(f"terrarium-mcp: The folder {closed} cannot be made or looked into: ")
    assert status == "status 1"


@pytest.mark.parametrize(
    ("module", "command", "told"),
    [
        ("export", "export --output", "Give this account access to {closed}, or name another"),
        ("export", "export --format znc --output", "Give this account access to {closed}, or name"),
        ("backup", "backup", "Give this account access to {closed}, or name another place."),
        ("restore", "restore", "Permission denied. The backup {closed}/x was not restored."),
        ("import_logs", "import", "Nothing to import. {closed}/x: Permission denied"),
        ("export", "export --db", "The folder {closed} cannot be made or looked into: Permission"),
        ("import_logs", "import . --db", "The folder {closed} cannot be made or looked into: "),
    ],
)
def test_a_file_in_a_folder_that_may_not_be_entered_is_named(
    tmp_path: Path, module: str, command: str, told: str
) -> None:
    tmp_path.chmod(0o755)
    closed = tmp_path / "closed"
    closed.mkdir(0o000)
    code = f"import terrarium_mcp.cli.starting.{module}" + AS_NOBODY.format(
        nobody=NOBODY, argv=[*command.split(), str(closed / "x")]
    )
    line, status = quick_python(code, tmp_path).splitlines()
    assert line.startswith("terrarium-mcp: ")
    assert told.format(closed=closed) in line
    assert status == "status 1"


@pytest.mark.parametrize("option", ["--live", "--deep", "--rebuild"])
def test_the_doctor_says_that_a_folder_is_closed_to_it(tmp_path: Path, option: str) -> None:
    tmp_path.chmod(0o755)
    closed = tmp_path / "closed"
    closed.mkdir(0o000)
    code = "import terrarium_mcp.cli.starting.doctor" + AS_NOBODY.format(
        nobody=NOBODY, argv=["doctor", option, "--db", str(closed / "irc_logs.db")]
    )
    *told, verdict, status = quick_python(code, tmp_path).splitlines()
    assert told[-2].startswith("! ")
    assert f"This account may not write {closed}." in told[-2]
    assert "wrong: " in verdict
    assert status == "status 1"


@pytest.mark.parametrize("how", [["serve"], ["serve", "--http", "--port", "0"]], ids=" ".join)
def test_a_database_below_a_folder_that_may_not_be_entered_is_not_said_to_have_no_folder(
    tmp_path: Path, how: list[str]
) -> None:
    tmp_path.chmod(0o755)
    closed = tmp_path / "closed"
    (closed / "data").mkdir(parents=True)
    closed.chmod(0o000)
    argv = [*how, "--db", str(closed / "data" / "irc_logs.db")]
    told, status = quick_python(AS_NOBODY.format(nobody=NOBODY, argv=argv), tmp_path).splitlines()
    assert told.startswith(f"terrarium-mcp: The folder {closed}/data cannot be made or looked into")
    assert status == "status 1"


def test_a_talk_log_below_a_folder_that_may_not_be_entered_stops_no_doctor(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    closed = tmp_path / "closed"
    (closed / "data").mkdir(parents=True)
    closed.chmod(0o000)
    (tmp_path / ".env").write_text(
        "IRC_SERVER=localhost\nIRC_CHANNELS=tea\nTERRARIUM_TALK_LOG=closed/data/talk.jsonl\n"
    )
    (tmp_path / ".env").chmod(0o644)
    code = "import terrarium_mcp.cli.starting.doctor" + AS_NOBODY.format(
        nobody=NOBODY, argv=["doctor", "--db", str(closed / "data" / "irc_logs.db")]
    )
    told = quick_python(code, tmp_path)
    assert "Traceback" not in told
    assert "1 wrong: database (access)" in told


def test_an_entry_for_a_database_below_such_a_folder_is_written(open_folder: Path) -> None:
    open_folder.chmod(0o777)
    closed = open_folder / "closed"
    (closed / "data").mkdir(parents=True)
    closed.chmod(0o000)
    argv = ["install", "claude-code", "--write", "--db", str(closed / "data" / "irc_logs.db")]
    code = "import terrarium_mcp.cli.starting.install" + AS_NOBODY.format(nobody=NOBODY, argv=argv)
    told = quick_python(code, open_folder)
    assert "Traceback" not in told
    assert "There is no folder" not in told
    assert "irc_logs.db" in (open_folder / ".mcp.json").read_text()


def test_the_doctor_says_that_the_lock_of_the_keeper_is_closed_to_it(open_folder: Path) -> None:
    file = open_folder / "irc_logs.db"
    done = ran("terrarium-mcp serve", at=open_folder, DB_PATH=file)
    assert done.returncode == 0, done.stderr
    open_folder.chmod(0o777)
    file.chmod(0o666)
    lock = lock_file(file)
    lock.chmod(0o000)
    code = "import terrarium_mcp.cli.starting.doctor" + AS_NOBODY.format(
        nobody=NOBODY, argv=["doctor", "--db", str(file)]
    )
    *told, verdict, status = quick_python(code, open_folder).splitlines()
    assert f"! process  unknown: {lock} cannot be used: Permission denied." in told[-2]
    assert verdict == "1 wrong: keeper (process)"
    assert status == "status 1"


@pytest.mark.parametrize("old_logs", [["--old-logs", "closed/x.db"], []], ids=["option", ".env"])
def test_init_says_that_the_folder_of_old_logs_is_closed_to_it_and_leaves_one_that_is_set(
    open_folder: Path, old_logs: list[str]
) -> None:
    open_folder.chmod(0o777)
    (open_folder / "closed").mkdir(0o000)
    (open_folder / ".env").write_text("DB_PATH=closed/irc_logs.db\n")
    (open_folder / ".env").chmod(0o666)
    argv = ["init", "--yes", "--server", "127.0.0.1:9", "--channels", "tea", "--model-url", "none"]
    code = "import terrarium_mcp.cli.starting.init" + AS_NOBODY.format(
        nobody=NOBODY, argv=[*argv, *old_logs]
    )
    *told, status = quick_python(code, open_folder).splitlines()
    named = f"closed/x.db cannot be the database: This account may not write {open_folder}/closed."
    assert (named in told[-1]) == bool(old_logs)
    assert status == f"status {1 if old_logs else 0}"
    assert "DB_PATH=closed/irc_logs.db\n" in (open_folder / ".env").read_text()


@pytest.mark.parametrize(
    ("option", "told"),
    [
        ("--db", "This account may not write {file}. SQLite needs to, even for reading: "),
        ("--env-file", "{file} cannot be read: "),
        ("--config", "{file} cannot be read as TOML: "),
    ],
)
def test_a_file_that_may_not_be_read_is_no_mistake_of_the_command_line(
    open_folder: Path, option: str, told: str
) -> None:
    open_folder.chmod(0o777)
    file = open_folder / "file"
    file.touch(0o600)
    code = "import tomllib, terrarium_mcp.cli.starting.search" + AS_NOBODY.format(
        nobody=NOBODY, argv=["search", "tea", option, str(file)]
    )
    line, status = quick_python(code, open_folder).splitlines()
    assert line.startswith(f"terrarium-mcp: {told.format(file=file)}")
    assert status == "status 1"


def test_a_settings_file_that_may_not_be_looked_for_is_named(tmp_path: Path) -> None:
    argv = ["search", "tea", "--config", "terrarium.toml"]
    code = "import pathlib; pathlib.Path().chmod(0o600)" + AS_NOBODY.format(
        nobody=NOBODY, argv=argv
    )
    told, status = quick_python(code, tmp_path).splitlines()
    assert told.startswith(
        "terrarium-mcp: This account may not look for the settings file terrarium.toml."
    )
    assert status == "status 1"


@pytest.mark.parametrize("command", ["serve --sse", "up"])
def test_a_port_in_use_is_named(tmp_path: Path, command: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        line = refused(ran(f"terrarium-mcp {command}", "--port", port, at=tmp_path, **PUBLIC))
    assert f"Port {port} on 127.0.0.1 is in use" in line
    assert "--port" in line


@pytest.mark.parametrize(
    ("command", "host"),
    [
        ("serve --http", "0.0.0.0"),  # noqa: S104 -- it is refused
        ("serve --http", "::"),
        ("serve --sse", "192.0.2.1"),
        ("up", "example.org"),
    ],
)
def test_an_address_others_could_reach_is_refused(tmp_path: Path, command: str, host: str) -> None:
    done = ran(f"terrarium-mcp {command}", "--host", host, "--port", 0, at=tmp_path, **PUBLIC)
    line = refused(done)
    assert f"Will not listen on {host}: there are no access tokens yet" in line
    assert "--host 127.0.0.1" in line


@pytest.mark.parametrize("command", ["serve --http", "up"])
@pytest.mark.parametrize("port", ["65536", "-1", "tea"])
def test_a_port_that_cannot_be_is_a_usage_error(tmp_path: Path, command: str, port: str) -> None:
    line = misused(ran(f"terrarium-mcp {command}", f"--port={port}", at=tmp_path))
    assert port in line


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("bridge", "IRC_SERVER"),
        ("bridge", "IRC_CHANNELS"),
        ("bridge", "TERRARIUM_CONTACT"),
        ("up --port 0", "TERRARIUM_CONTACT"),
    ],
)
def test_what_the_bridge_needs_is_named(tmp_path: Path, command: str, name: str) -> None:
    line = refused(ran(f"terrarium-mcp {command}", at=tmp_path, **PUBLIC | {name: ""}))
    assert f"{name} is not set" in line
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("command", ["bridge", "up --port 0"])
def test_a_certificate_authority_that_cannot_be_used_is_named(tmp_path: Path, command: str) -> None:
    settings = PUBLIC | {"TERRARIUM_TLS_CAFILE": "ca.pem"}
    line = refused(ran(f"terrarium-mcp {command}", at=tmp_path, **settings))
    assert "TERRARIUM_TLS_CAFILE names ca.pem, which cannot be used: No such file" in line
    (tmp_path / "ca.pem").write_text("no certificate\n")
    line = refused(ran(f"terrarium-mcp {command}", at=tmp_path, **settings))
    assert "TERRARIUM_TLS_CAFILE names ca.pem, which cannot be used" in line


@pytest.mark.parametrize("option", ["--host 0.0.0.0", "--port 8765"])
def test_an_address_without_http_is_refused(tmp_path: Path, option: str) -> None:
    told = misused(ran(f"terrarium-mcp serve {option}", at=tmp_path))
    assert f"{option.split(maxsplit=1)[0]} needs --http, or --sse" in told
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("option", ["--deep", "--rebuild", "--temp ."])
def test_a_look_at_the_bridges_is_no_check_of_the_database(tmp_path: Path, option: str) -> None:
    told = misused(ran(f"terrarium-mcp doctor --live {option}", at=tmp_path))
    assert f"{option.split(maxsplit=1)[0]} is not part of --live: run doctor twice." in told


@pytest.mark.parametrize("what", ["--list", "--undo 1"])
@pytest.mark.parametrize(
    "option",
    ["--dry-run", "--private", "--format znc", "--network net", "--channel tea", "--map a=#b",
     "--date 2026-10-24", "--timezone UTC", "--encoding cp1251", "--rejects rejects.txt"],
)  # fmt: skip
def test_an_option_of_an_import_changes_nothing_of_its_list_and_of_an_undo(
    tmp_path: Path, what: str, option: str
) -> None:
    told = misused(ran(f"terrarium-mcp import {what} {option}", at=tmp_path))
    assert f"{option.split(maxsplit=1)[0]} is not part of {what.split(maxsplit=1)[0]}" in told


def test_a_folder_for_a_copy_needs_a_check_that_makes_one(tmp_path: Path) -> None:
    told = misused(ran("terrarium-mcp doctor --temp .", at=tmp_path))
    assert "--temp needs --deep, or --rebuild" in told


@pytest.mark.parametrize(
    "command", ["", "sing", "serve --sing", "bridge --mcp not-an-address", "demo --twice"]
)
def test_a_command_line_that_makes_no_sense_is_a_usage_error(tmp_path: Path, command: str) -> None:
    assert misused(ran(f"terrarium-mcp {command}", at=tmp_path))


@pytest.mark.parametrize("command", ["bridge", "up --port 0"])
async def test_an_irc_server_that_is_away_is_named_and_tried_again(
    tmp_path: Path, command: str
) -> None:
    away = {"IRC_SERVER": "127.0.0.1", "IRC_PORT": free_port(), "IRC_CHANNELS": "tea"}
    async with running(f"terrarium-mcp {command}", at=tmp_path, **away) as program:
        assert "127.0.0.1" in await program.says("connecting again in")
        await program.stop()
    assert program.ended_well()


@pytest.mark.parametrize("command", ["init", "install cursor", "import -", "serve"])
def test_a_closed_input_is_one_in_which_there_is_nothing(tmp_path: Path, command: str) -> None:
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" <&-', "sh", *words(f"terrarium-mcp {command}")],
        cwd=tmp_path,
        env=environment(HOME=tmp_path),
        capture_output=True,
        check=False,
        timeout=PATIENCE,
        text=True,
    )
    assert done.returncode == (0 if command == "serve" else 1)
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("closed", ["2>&- <&-", "2>&-", "2>&- <&- >&-"])
def test_closed_streams_keep_no_command_from_running(tmp_path: Path, closed: str) -> None:
    copy = tmp_path / "copy.db"
    ran("terrarium-mcp serve --db irc_logs.db", at=tmp_path)
    done = subprocess.run(
        ["sh", "-c", f'exec "$@" {closed}', "sh", *words("terrarium-mcp backup"), copy],
        cwd=tmp_path,
        env=environment(DB_PATH="irc_logs.db"),
        capture_output=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 0
    assert copy.is_file()


_INITIALIZE = (
    b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion":'
    b' "2025-06-18", "capabilities": {}, "clientInfo": {"name": "ada", "version": "1"}}}\n'
)


@pytest.mark.parametrize("command", ["doctor", "serve", "search gate", "--help"])
def test_a_full_disk_behind_standard_output_is_named(ours: Path, command: str) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            quick_words(f"terrarium-mcp {command}"),
            cwd=ours.parent,
            env=environment(DB_PATH=ours),
            input=_INITIALIZE,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            timeout=PATIENCE,
        )
    assert done.returncode == 1
    assert done.stderr.decode().splitlines()[-1] == (
        "terrarium-mcp: Standard output cannot be written: No space left on device."
    )
    assert b"Traceback" not in done.stderr
