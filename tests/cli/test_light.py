"""A command loads only the libraries that it needs."""

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from threading import Timer

import pytest

from terrarium_mcp import __version__
from terrarium_mcp.store import open_store
from tests.cli.programs import environment, python, ran
from tests.patience import PATIENCE
from tests.store.scene import SETTINGS, chat

LIST_TOOLS = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/list",
    "params": {
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        }
    },
}

IMPORTED = """
import sys
from terrarium_mcp.cli import main
sys.argv = {argv!r}
try:
    main()
finally:
    print(*{{name.partition(".")[0] for name in sys.modules}})
"""


QUICK = [
    *("--help", "--version", "help", "completion zsh", "install vscode --print"),
    *("serve --help", "bridge --help", "up --help", "demo --help", "purge --help"),
    *("doctor --help", "search --help", "talk --help", "export --help", "backup --help"),
    *("restore --help", "init --help", "install --help"),
]
EACH_IMPORTED = """
import os, sys
from terrarium_mcp.cli import main
for command in {commands!r}:
    if os.fork() == 0:
        sys.argv = ["terrarium-mcp", *command.split()]
        try:
            main()
        finally:
            print("", *{{name.partition(".")[0] for name in sys.modules}}, end="\\0")
    os.wait()
"""
"""A process for each command, forked from one that has imported what all of them do."""


@pytest.fixture(scope="module")
def imported_by(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """The packages that each of QUICK has imported at its end."""
    *told, rest = python(
        EACH_IMPORTED.format(commands=QUICK), tmp_path_factory.mktemp("light")
    ).split("\0")
    assert not rest
    packages = [set(one.splitlines()[-1].split()) for one in told]
    return dict(zip(QUICK, packages, strict=True))


@pytest.mark.parametrize("command", QUICK)
def test_help_and_version_import_neither_mcp_nor_pydle_nor_openai(
    imported_by: dict[str, set[str]], command: str
) -> None:
    imported = imported_by[command]
    assert "click" in imported
    assert not imported & {"mcp", "pydle", "openai", "aiosqlite", "uvicorn", "starlette"}


def test_a_request_needs_no_mcp(tmp_path: Path) -> None:
    code = "import sys, terrarium_mcp.request; print(*sys.modules)"
    imported = {name.partition(".")[0] for name in python(code, tmp_path).split()}
    assert "aiosqlite" in imported
    assert not imported & {"mcp", "mcp_types", "pydle", "openai", "uvicorn", "starlette"}


async def test_a_search_needs_no_mcp(tmp_path: Path) -> None:
    async with open_store(tmp_path / "irc_logs.db", SETTINGS) as store:
        await store.messages.append(chat("<ada> tea at four"))
    for flags in ([], ["--explain"]):
        argv = ["terrarium-mcp", "search", "--db", "irc_logs.db", *flags, "tea"]
        *shown, modules = python(IMPORTED.format(argv=argv), tmp_path).splitlines()
        assert any("<ada> tea at four" in line for line in shown)
        assert not set(modules.split()) & {"mcp", "mcp_types", "pydle", "openai", "starlette"}


def test_a_health_check_needs_no_mcp(tmp_path: Path) -> None:
    code = IMPORTED.format(argv=["terrarium-mcp", "doctor", "--live"])
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        check=False,  # no bridge is running
        timeout=PATIENCE,
        text=True,
    )
    imported = set(done.stdout.splitlines()[-1].split())
    assert "click" in imported
    assert not imported & {"mcp", "mcp_types", "pydle", "openai", "starlette"}


def test_help_names_every_command(tmp_path: Path) -> None:
    done = ran("terrarium-mcp --help", at=tmp_path)
    assert done.returncode == 0
    names = "init serve bridge up install doctor demo search export purge help completion"
    names += " backup restore talk"
    for command in names.split():
        assert f"\n  {command}" in done.stdout


def test_the_version_is_the_package_s(tmp_path: Path) -> None:
    done = ran("terrarium-mcp --version", at=tmp_path)
    assert (done.returncode, done.stdout) == (0, f"terrarium-mcp {__version__}\n")


def test_the_module_is_the_command(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "terrarium_mcp", "--version"],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        check=True,
        timeout=PATIENCE,
        text=True,
    )
    assert done.stdout == f"terrarium-mcp {__version__}\n"


NOT_AT_THE_START = {
    *(
        "dateparser",
        "dotenv",
        "frontmatter",
        "openai",
        "pydle",
        "regex",
        "slugify",
        "tomllib",
        "tzlocal",
    ),
    *("wordfreq", "yaml"),
    "terrarium_mcp.chat.disentanglement",
    "terrarium_mcp.cli.search",
    "terrarium_mcp.irc_bridge",
    "terrarium_mcp.serving.http",
    "terrarium_mcp.store.sqlite.health",
    "terrarium_mcp.store.records.imports",
    "terrarium_mcp.store.sqlite.removal",
    "terrarium_mcp.store.sqlite.search",
    "terrarium_mcp.store.sqlite.topics.conversations",
}
"""What takes long to load, and only some calls or commands need."""


def test_what_only_some_calls_need_is_not_loaded_before_the_tools_are_listed(
    tmp_path: Path,
) -> None:
    told = tmp_path / "stderr.txt"  # a pipe that nobody reads yet would fill up and stop it
    with (
        told.open("w") as stderr,
        subprocess.Popen(
            [
                sys.executable,
                "-X",
                "importtime",
                "-m",
                "terrarium_mcp",
                "serve",
                "--db",
                "irc_logs.db",
            ],
            cwd=tmp_path,
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
        ) as server,
    ):
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(f"{json.dumps(LIST_TOOLS)}\n")
        server.stdin.flush()
        assert "search_irc_history" in server.stdout.readline()
        server.communicate(timeout=PATIENCE)
    lines = told.read_text("utf-8").splitlines()
    imports = [line for line in lines if line.startswith("import time:")]
    loaded = {line.rpartition("|")[2].strip() for line in imports}
    assert "terrarium_mcp.tools.search" in loaded
    assert not loaded & NOT_AT_THE_START


SEARCH = "terrarium_mcp.store.sqlite.search.paging"
LINKING = "terrarium_mcp.chat.disentanglement.linking"


def test_over_http_what_the_first_calls_need_is_loaded_once_clients_can_connect(
    tmp_path: Path,
) -> None:
    command = ["-X", "importtime", "-m", "terrarium_mcp", "serve", "--http", "--port", "0"]
    with subprocess.Popen(
        [sys.executable, *command],
        cwd=tmp_path,
        env=environment(DB_PATH="irc_logs.db"),
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        hangs = Timer(PATIENCE, server.kill)
        hangs.start()
        try:
            assert server.stderr is not None
            before = loaded_until(server.stderr, "http://127.0.0.1:")
            after = loaded_until(server.stderr, LINKING)
        finally:
            hangs.cancel()
            server.kill()
    assert not before & {SEARCH, "regex._main", LINKING}
    assert after >= {SEARCH, "regex._main", LINKING}


def loaded_until(said: Iterable[str], end: str) -> set[str]:
    """The modules that `-X importtime` names up to a line that holds `end`, which may name one."""
    loaded = set[str]()
    for line in said:
        if line.startswith("import time:"):
            loaded.add(line.rpartition("|")[2].strip())
        if end in line:
            return loaded
    raise AssertionError(f"ended without {end}")
