"""`terrarium-mcp install`: the file of each host gets our entry, and keeps its own."""

import json
import stat
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters

from terrarium_mcp.cli.starting.hosts import HOSTS, Machine
from terrarium_mcp.cli.starting.jsonc import parsed
from tests.cli.programs import INSTALLED, environment, ran, words
from tests.cli.terminal import terminal
from tests.cli.test_serve import finds_it
from tests.patience import PATIENCE

CLAUDE_DESKTOP = """\
{
  "globalShortcut": "Ctrl+Space",
  "mcpServers": {
    "filesystem": {
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-filesystem", "/home/ada"],
      "env": {"TOKEN": "hunter2"}
    }
  },
  "preferences": {"menuBarEnabled": false}
}
"""
CLAUDE_CODE = """\
{
  "mcpServers": {
    "tracker": {
      "type": "http",
      "url": "https://tracker.example/mcp"
    }
  }
}"""
VSCODE = """\
{
\t// Asked for when a server needs it
\t"inputs": [
\t\t{"type": "promptString", "id": "key", "description": "API key", "password": true},
\t],
\t"servers": {
\t\t"weather": {
\t\t\t"type": "stdio",
\t\t\t"command": "uvx",
\t\t\t"args": ["weather"], // of the tutorial
\t\t},
\t}
}
"""
CURSOR = '{"mcpServers": {"docs": {"url": "http://localhost:3000/sse"}}, "later": null}'

FILES = {
    "claude-desktop": CLAUDE_DESKTOP,
    "claude-code": CLAUDE_CODE,
    "vscode": VSCODE,
    "cursor": CURSOR,
}
USUAL = {
    "claude-desktop": ".config/Claude/claude_desktop_config.json",
    "claude-code": "project/.mcp.json",
    "vscode": ".config/Code/User/mcp.json",
    "cursor": ".cursor/mcp.json",
}
EACH = pytest.mark.parametrize("host", list(FILES))


@pytest.fixture
def home(tmp_path: Path, ours: Path) -> Path:
    """A home with a project in it, whose database is there."""
    project = tmp_path / "project"
    (project / "data").mkdir(parents=True)
    ours.rename(project / "data" / "irc_logs.db")
    return tmp_path


def install(host: str, home: Path, *flags: object, status: int = 0) -> str:
    """What `install HOST` prints, run in the project."""
    done = ran(
        f"terrarium-mcp install {host}", *flags, at=home / "project", HOME=home, XDG_CONFIG_HOME=""
    )
    assert done.returncode == status, done.stderr
    return done.stdout + done.stderr


def there(host: str, home: Path) -> Path:
    """The host's file, with what it has already."""
    file = home / USUAL[host]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(FILES[host])
    return file


def ours_in(host: str, text: str) -> dict[str, Any]:
    """Our entry in the text of a file."""
    entry: dict[str, Any] = parsed(text).value[HOSTS[host].section]["terrarium"]
    return entry


@EACH
def test_the_entry_is_added_and_everything_else_stays(host: str, home: Path) -> None:
    file = there(host, home)
    told = install(host, home, "--write")
    after = file.read_text()
    entry = ours_in(host, after)
    assert entry["command"] == str(INSTALLED)
    assert entry["args"] == ["serve", "--db", str(home / "project" / "data" / "irc_logs.db")]
    assert entry.get("type", "stdio") == "stdio"
    merged = parsed(after).value
    del merged[HOSTS[host].section]["terrarium"]
    assert merged == parsed(FILES[host]).value
    for comment in ("// Asked for when a server needs it", "// of the tutorial"):
        assert (comment in after) == (comment in FILES[host])
    assert f"Wrote {file}. The old one is {file}.before-1." in told
    assert Path(f"{file}.before-1").read_text() == FILES[host]


async def test_the_entry_starts_a_server_from_any_folder(home: Path, tmp_path: Path) -> None:
    """That of each host has the same words, as the test before shows."""
    install("cursor", home, "--write")
    entry = ours_in("cursor", (home / USUAL["cursor"]).read_text())
    server = StdioServerParameters(
        command=entry["command"], args=entry["args"], env=environment(), cwd=tmp_path
    )
    with anyio.fail_after(PATIENCE):
        async with Client(server) as client:
            assert await finds_it(client)


@EACH
def test_a_file_that_is_missing_is_made_for_this_account_alone(host: str, home: Path) -> None:
    install(host, home, "--write")
    file = home / USUAL[host]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert ours_in(host, file.read_text())["args"][0] == "serve"
    assert not list(file.parent.glob("*.before-*"))


def test_vscode_calls_its_servers_servers_and_wants_a_type(home: Path) -> None:
    install("vscode", home, "--write")
    written = json.loads((home / USUAL["vscode"]).read_text())
    assert list(written) == ["servers"]
    assert written["servers"]["terrarium"]["type"] == "stdio"
    install("claude-desktop", home, "--write")
    written = json.loads((home / USUAL["claude-desktop"]).read_text())
    assert list(written) == ["mcpServers"]
    assert "type" not in written["mcpServers"]["terrarium"]


@EACH
def test_a_second_run_changes_nothing(host: str, home: Path) -> None:
    file = there(host, home)
    install(host, home, "--write")
    after = file.read_bytes()
    assert "has this entry already" in install(host, home, "--write")
    assert file.read_bytes() == after
    assert len(list(file.parent.glob("*.before-*"))) == 1


def test_an_entry_without_a_name_is_refused(home: Path) -> None:
    done = ran("terrarium-mcp install cursor --write --name", "", at=home, HOME=home)
    assert done.returncode == 2
    assert "it is empty. Name the entry, such as terrarium." in done.stderr


def test_another_database_replaces_the_entry_and_keeps_each_copy(home: Path) -> None:
    file = there("claude-desktop", home)
    install("claude-desktop", home, "--write")
    told = install("claude-desktop", home, "--write", "--db", "other.db")
    assert '-        "' in told
    assert ours_in("claude-desktop", file.read_text())["args"][2] == str(home / "project/other.db")
    assert Path(f"{file}.before-1").read_text() == CLAUDE_DESKTOP
    assert Path(f"{file}.before-2").exists()


@pytest.mark.parametrize("flag", ["--write", "--print"])
def test_settings_of_the_environment_are_named_since_no_entry_has_them(
    home: Path, flag: str
) -> None:
    settings = {
        "TERRARIUM_WRITE_TOOLS": "off",
        "IRC_SERVER": "irc.libera.chat",
        "DB_PATH": "data/irc_logs.db",
        "HOME": str(home),
    }
    command = f"terrarium-mcp install cursor {flag}"
    told = ran(command, at=home / "project", **settings).stderr
    assert "unknown to the server: IRC_SERVER, TERRARIUM_WRITE_TOOLS, set in the env" in told
    assert "Write what it needs into .env, and repeat the command." in told
    written = "TERRARIUM_WRITE_TOOLS=off\nIRC_SERVER=irc.libera.chat\n"
    (home / "project" / ".env").write_text(written)
    assert "unknown to the server" not in ran(command, at=home / "project", **settings).stderr


@EACH
def test_print_shows_the_entry_and_writes_nothing(host: str, home: Path) -> None:
    done = ran(f"terrarium-mcp install {host} --print", at=home / "project", HOME=home)
    assert ours_in(host, done.stdout)["command"] == str(INSTALLED)
    assert str(home / USUAL[host]) in done.stderr
    assert not (home / USUAL[host]).exists()


@EACH
def test_a_broken_file_is_refused_with_its_line_and_stays(host: str, home: Path) -> None:
    file = there(host, home)
    broken = '{\n  "mcpServers": {\n    "a": {}\n    "b": {}\n  }\n}\n'
    file.write_text(broken)
    told = install(host, home, "--write", status=1)
    assert f'terrarium-mcp: {file}, line 4: a , is missing before "b".' in told
    assert "It was not changed." in told
    assert file.read_text() == broken
    file.write_bytes(b'{"a": "\xff"}')
    assert "cannot be read" in install(host, home, "--write", status=1)


@pytest.mark.parametrize("answer", ["n", "y"])
async def test_the_difference_is_shown_before_anything_is_written(home: Path, answer: str) -> None:
    file = there("cursor", home)
    async with terminal(
        words("terrarium-mcp install cursor"), at=home / "project", environ=environment(HOME=home)
    ) as screen:
        await screen.sees(f"{file}:", '"terrarium": {', "Write it?")
        assert file.read_text() == CURSOR
        await screen.types(answer)
        told = await screen.ends()
    assert (file.read_text() == CURSOR) == (answer == "n")
    assert ("Left " in told) == (answer == "n")
    assert ("Restart Cursor" in told) == (answer == "y")


def test_without_a_terminal_it_writes_only_with_the_flag(home: Path) -> None:
    file = there("cursor", home)
    told = install("cursor", home, status=1)
    assert "There is no terminal to ask at. Add --write to write it, or --print" in told
    assert file.read_text() == CURSOR


def test_the_settings_file_of_this_folder_goes_along(home: Path) -> None:
    (home / "project" / ".env").write_text("TERRARIUM_TIMEZONE=Europe/Berlin\nDB_PATH=x/tea.db\n")
    told = install("claude-code", home, "--write")
    arguments = ours_in("claude-code", (home / USUAL["claude-code"]).read_text())["args"]
    project = home / "project"
    assert arguments == [
        "serve", "--db", str(project / "x/tea.db"), "--env-file", str(project / ".env"),
    ]  # fmt: skip
    assert f"There is no folder {project / 'x'} yet" in told
    assert told.rstrip().endswith("or name the database with --db.")


def test_who_named_the_database_is_not_told_to_name_it(home: Path) -> None:
    told = install("cursor", home, "--print", "--db", "x/tea.db")
    assert told.rstrip().endswith("Correct --db, or make the folder.")


def test_a_link_stays_a_link_and_the_mode_stays(home: Path) -> None:
    file = there("cursor", home)
    real = home / "dotfiles.json"
    file.rename(real)
    real.chmod(0o640)
    file.symlink_to(real)
    install("cursor", home, "--write")
    assert file.is_symlink()
    assert ours_in("cursor", real.read_text())
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


def test_name_and_file_can_be_others(home: Path) -> None:
    install("vscode", home, "--write", "--name", "tea", "--file", ".vscode/mcp.json")
    written = json.loads((home / "project" / ".vscode" / "mcp.json").read_text())
    assert list(written["servers"]) == ["tea"]
    assert not (home / USUAL["vscode"]).exists()


def test_an_unknown_host_is_refused_with_those_there_are(home: Path) -> None:
    told = install("emacs", home, status=2)
    for host in FILES:
        assert host in told


MAC, WINDOWS, LINUX = "darwin", "win32", "linux"
DESKTOP = "Claude/claude_desktop_config.json"


@pytest.mark.parametrize(
    ("host", "platform", "environ", "file"),
    [
        ("claude-desktop", MAC, {}, f"/h/Library/Application Support/{DESKTOP}"),
        ("claude-desktop", WINDOWS, {"APPDATA": "/r"}, f"/r/{DESKTOP}"),
        ("claude-desktop", WINDOWS, {}, f"/h/AppData/Roaming/{DESKTOP}"),
        ("claude-desktop", LINUX, {}, f"/h/.config/{DESKTOP}"),
        ("claude-desktop", LINUX, {"XDG_CONFIG_HOME": "/x"}, f"/x/{DESKTOP}"),
        ("claude-desktop", LINUX, {"XDG_CONFIG_HOME": "x"}, f"/h/.config/{DESKTOP}"),
        ("claude-code", MAC, {}, "/p/.mcp.json"),
        ("claude-code", WINDOWS, {}, "/p/.mcp.json"),
        ("claude-code", LINUX, {}, "/p/.mcp.json"),
        ("vscode", MAC, {}, "/h/Library/Application Support/Code/User/mcp.json"),
        ("vscode", WINDOWS, {"APPDATA": "/r"}, "/r/Code/User/mcp.json"),
        ("vscode", LINUX, {}, "/h/.config/Code/User/mcp.json"),
        ("cursor", MAC, {}, "/h/.cursor/mcp.json"),
        ("cursor", WINDOWS, {"APPDATA": "/r"}, "/h/.cursor/mcp.json"),
        ("cursor", LINUX, {}, "/h/.cursor/mcp.json"),
    ],
)  # fmt: skip
def test_each_platform_has_its_places(
    host: str, platform: str, environ: dict[str, str], file: str
) -> None:
    machine = Machine(platform=platform, home=Path("/h"), folder=Path("/p"), environ=environ)
    assert HOSTS[host].file(machine) == Path(file)


@pytest.mark.parametrize(
    "command",
    [
        "terrarium-mcp install claude-desktop",
        "terrarium-mcp install claude-code",
        "terrarium-mcp install vscode",
        "terrarium-mcp install cursor",
    ],
)
def test_every_host_is_installed_with_one_yes(home: Path, command: str) -> None:
    done = ran(command, "--write", at=home / "project", HOME=home, XDG_CONFIG_HOME="")
    assert done.returncode == 0, done.stderr
    assert (home / USUAL[command.rsplit(maxsplit=1)[-1]]).is_file()
