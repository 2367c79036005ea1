"""What runs on Windows does not need POSIX: seen on a system that has it, in processes without.

See as_on_windows/sitecustomize.py for what they lack.
"""

import json
import os
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from tests.cli.conftest import SAID
from tests.cli.programs import environment
from tests.patience import PATIENCE

ROOT = Path(__file__).parents[2]
ON_WINDOWS = os.pathsep.join([str(Path(__file__).with_name("as_on_windows")), str(ROOT)])

LOG = """\
2026-05-01 12:00:00\tada\tthe kettle is on
2026-05-01 12:01:00\tbo\tmilk and sugar?
"""


def there(**settings: object) -> dict[str, str]:
    """The environment of such a process."""
    return environment(PYTHONPATH=ON_WINDOWS, **settings)


def ran(*words: object, at: Path) -> subprocess.CompletedProcess[str]:
    """Run a command in the folder `at` to its end."""
    return python("-m", "terrarium_mcp", *words, at=at)


def python(*words: object, at: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *map(str, words)],
        cwd=at,
        env=there(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=PATIENCE,
        encoding="utf-8",
    )


def said(*words: object, at: Path) -> str:
    """What a command prints that ends well."""
    done = ran(*words, at=at)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


async def test_a_client_searches_over_stdio(history: Path, tmp_path: Path) -> None:
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "terrarium_mcp", "serve", "--db", str(history)],
        env=there(),
        cwd=tmp_path,
    )
    with anyio.fail_after(PATIENCE):
        async with Client(stdio_client(server)) as client:
            found = await client.call_tool("search_irc_history", {"query": "latch"})
            await client.call_tool("create_enhancement_request", {"title": "A", "summary": "b"})
    assert SAID in str(found.content)
    [idea] = (history.parent / "enhancements").glob("*.md")
    assert "A" in idea.read_text("utf-8")


def test_logs_are_imported_searched_exported_backed_up_and_restored(tmp_path: Path) -> None:
    logs = tmp_path / "irc.libera.#tea.weechatlog"
    logs.write_text(LOG, "utf-8")
    where = ("--db", tmp_path / "irc_logs.db")
    assert "2 added" in said("import", logs, "--timezone", "UTC", *where, at=tmp_path)
    assert "milk and sugar?" in said("search", "milk", *where, at=tmp_path)
    examined = ran("doctor", "--deep", *where, at=tmp_path)
    assert "every page is intact" in examined.stdout
    assert "Traceback" not in examined.stderr

    said("export", "--output", tmp_path / "all.jsonl", *where, at=tmp_path)
    assert "the kettle is on" in (tmp_path / "all.jsonl").read_text("utf-8")
    folder = tmp_path / "logs"
    folder.mkdir()
    said("export", "--format", "weechat", "--output", folder, *where, at=tmp_path)
    assert len([*folder.iterdir()]) == 1

    said("backup", tmp_path / "copy.tar", *where, at=tmp_path)
    (tmp_path / "restored" / "enhancements").mkdir(parents=True)
    restored = ("--db", tmp_path / "restored" / "irc_logs.db")
    said("restore", tmp_path / "copy.tar", *restored, at=tmp_path)
    assert "milk and sugar?" in said("search", "milk", *restored, at=tmp_path)


def test_a_large_import_reads_in_a_process_of_its_own(tmp_path: Path) -> None:
    logs = tmp_path / "irc.libera.#tea.weechatlog"
    lines = [
        f"2026-05-01 12:{n // 60 % 60:02}:{n % 60:02}\tada\tcup {n} of tea, {'x' * 1000}\n"
        for n in range(2_500)
    ]
    logs.write_text("".join(lines), "utf-8")
    where = ("--db", tmp_path / "irc_logs.db")
    assert "2,500 added" in said("import", logs, "--timezone", "UTC", *where, at=tmp_path)


def test_settings_and_the_entry_of_a_host_are_written(tmp_path: Path) -> None:
    options = ("--server", "127.0.0.1:1", "--no-tls", "--channels", "tea", "--contact", "ada")
    said("init", *options, "--model-url", "none", "--old-logs", "none", "--yes", at=tmp_path)
    assert "IRC_CHANNELS" in (tmp_path / ".env").read_text("utf-8")
    file = tmp_path / "claude_desktop_config.json"
    said("install", "claude-desktop", "--file", file, "--write", at=tmp_path)
    assert "serve" in json.loads(file.read_text("utf-8"))["mcpServers"]["terrarium"]["args"]


@pytest.mark.parametrize("command", ["bridge", "up", "demo"])
def test_what_records_names_wsl(command: str, tmp_path: Path) -> None:
    done = ran(command, at=tmp_path)
    assert done.returncode == 1
    assert done.stderr == (
        f"terrarium-mcp: The command {command} needs Linux or macOS: on Windows, run it in WSL"
        " (https://learn.microsoft.com/windows/wsl).\n"
    )


def test_http_is_served_until_ctrl_c(ours: Path, tmp_path: Path) -> None:
    words = ["-m", "terrarium_mcp", "serve", "--http", "--port", "0", "--db", str(ours)]
    with subprocess.Popen(
        [sys.executable, *words], cwd=tmp_path, env=there(), stderr=subprocess.PIPE, text=True
    ) as server:
        assert server.stderr
        address = next(line for line in server.stderr if line.startswith("http://")).strip()
        healthz = address.replace("/mcp", "/healthz")
        with urllib.request.urlopen(healthz, timeout=PATIENCE) as answer:  # noqa: S310
            assert answer.status == 200
        server.send_signal(signal.SIGINT)
        _, rest = server.communicate(timeout=PATIENCE)
    assert "Traceback" not in rest
    assert not ours.with_name(f"{ours.name}-wal").exists()  # the store was closed


LOCKED = """
import sys
from pathlib import Path
from filelock import FileLock
from terrarium_mcp.store.sqlite.engine.file_lock import is_held, text_in, write_into
file = Path(sys.argv[1])
with FileLock(file):
    write_into(file, "a longer text")
    write_into(file, "text")
    print(is_held(file), text_in(file), file.read_bytes()[1:])
print(is_held(file))
"""


def test_what_is_written_into_a_lock_spares_the_byte_that_is_locked(tmp_path: Path) -> None:
    printed = python("-c", LOCKED, tmp_path / "lock", at=tmp_path).stdout
    assert printed.splitlines() == ["True text b'text'", "False"]


def test_no_process_is_ended_to_see_whether_it_lives(tmp_path: Path) -> None:
    asking = (
        "import os, socket; from terrarium_mcp.cli.starting.liveness import process_is_alive;"
        " print(process_is_alive(f'{os.getpid()}@{socket.gethostname()}'))"
    )
    assert python("-c", asking, at=tmp_path).stdout == "None\n"
