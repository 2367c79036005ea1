"""What a person at a shell expects of any command: help, a version, completion, colours."""

import logging
import os
import subprocess
from pathlib import Path

import anyio
import pytest

from terrarium_mcp import __version__
from terrarium_mcp.cli.console import ConsoleHandler
from terrarium_mcp.store.sqlite.keeper import Keeper
from tests.cli.programs import INSTALLED, environment, quick_words, ran
from tests.cli.terminal import terminal

RED, YELLOW = "\x1b[31m", "\x1b[33m"
COLOURS = {"TERM": "xterm"}


def test_a_capital_v_shows_the_version(tmp_path: Path) -> None:
    done = ran("terrarium-mcp -V", at=tmp_path)
    assert (done.returncode, done.stdout) == (0, f"terrarium-mcp {__version__}\n")


def test_help_is_also_a_word(tmp_path: Path) -> None:
    overall = ran("terrarium-mcp help", at=tmp_path)
    assert overall.returncode == 0
    assert overall.stdout == ran("terrarium-mcp --help", at=tmp_path).stdout
    of_search = ran("terrarium-mcp help search", at=tmp_path)
    assert of_search.returncode == 0
    assert of_search.stdout == ran("terrarium-mcp search --help", at=tmp_path).stdout
    unknown = ran("terrarium-mcp help serch", at=tmp_path)
    assert unknown.returncode == 2
    assert "(Did you mean one of: 'search', 'serve'?)" in unknown.stderr


def test_the_help_of_the_completion_has_a_line_to_copy_for_each_shell(tmp_path: Path) -> None:
    told = ran("terrarium-mcp completion --help", at=tmp_path).stdout
    assert "\\b" not in told
    lines = [" ".join(line.split()) for line in told.splitlines()]
    assert 'bash: eval "$(terrarium-mcp completion bash)" in ~/.bashrc' in lines
    assert "fish: terrarium-mcp completion fish | source in ~/.config/fish/config.fish" in lines


@pytest.mark.parametrize(
    ("shell", "line"),
    [
        ("bash", "complete -o nosort -F _terrarium_mcp_completion terrarium-mcp"),
        ("zsh", "#compdef terrarium-mcp"),
        ("fish", "complete --no-files --command terrarium-mcp"),
    ],
)
def test_a_shell_gets_its_completion(tmp_path: Path, shell: str, line: str) -> None:
    done = ran(f"terrarium-mcp completion {shell}", at=tmp_path)
    assert done.returncode == 0
    assert line in done.stdout
    assert "_TERRARIUM_MCP_COMPLETE" in done.stdout


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("terrarium-mcp se", {"serve", "search"}),
        ("terrarium-mcp search --li", {"--limit"}),
        ("terrarium-mcp install claude-", {"claude-desktop", "claude-code"}),
    ],
)
def test_bash_completes_commands_and_options(tmp_path: Path, typed: str, offered: set[str]) -> None:
    script = ran("terrarium-mcp completion bash", at=tmp_path).stdout
    count = len(typed.split())
    ask = (
        f"{script}\nCOMP_WORDS=({typed}) COMP_CWORD={count - 1}\n"
        '_terrarium_mcp_completion terrarium-mcp\nprintf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    path = f"{INSTALLED.parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", ask], cwd=tmp_path, env=environment(PATH=path), capture_output=True,
        check=True, text=True,
    )  # fmt: skip
    assert set(done.stdout.split()) == offered


async def shown(command: str, at: Path, status: int, **environ: str) -> str:
    """Everything that a command writes to a terminal."""
    kept = environment(**COLOURS, **environ)
    async with terminal(quick_words(command), at=at, environ=kept) as screen:
        await screen.ends(status)
        return screen.shown


async def test_a_terminal_gets_colours(tmp_path: Path) -> None:
    text = await shown("terrarium-mcp serve", tmp_path, 1, IRC_PORT="tea")
    assert f"{RED}terrarium-mcp:\x1b[0m IRC_PORT='tea'" in text
    text = await shown("terrarium-mcp doctor", tmp_path, 1, IRC_NIK="Fern")
    assert f"{YELLOW}WARNING\x1b[0m IRC_NIK in the environment is not a setting." in text
    assert f"{RED}! contents" in text


async def test_no_color_and_pipes_get_none(tmp_path: Path) -> None:
    assert "\x1b" not in await shown("terrarium-mcp doctor", tmp_path, 1, IRC_NIK="x", NO_COLOR="1")
    done = ran("terrarium-mcp doctor", at=tmp_path, IRC_NIK="Fern")
    assert "WARNING IRC_NIK" in done.stderr
    assert "\x1b" not in done.stdout + done.stderr


async def test_an_empty_no_color_is_no_wish(tmp_path: Path) -> None:
    assert YELLOW in await shown("terrarium-mcp doctor", tmp_path, 1, IRC_NIK="x", NO_COLOR="")


async def test_a_long_opening_is_one_line_on_a_terminal(theirs: Path) -> None:
    """The sample is small: another process pretends to migrate it, then lets go."""
    migrating = Keeper(theirs)
    assert migrating.claim()
    command = quick_words("terrarium-mcp search gate --adopt", "--db", theirs)
    async with terminal(command, at=theirs.parent, environ=environment(**COLOURS)) as screen:
        await screen.sees("another process is opening the history; waiting for it")
        migrating.release()
        text = await screen.ends()
    assert text.count("another process is opening the history") == 1
    assert "opening the history, " not in text


async def test_progress_overwrites_itself_on_a_terminal(ours: Path) -> None:
    command = quick_words("terrarium-mcp doctor --deep", "--db", ours)
    async with terminal(command, at=ours.parent, environ=environment(**COLOURS)) as screen:
        await screen.ends()
        lines = screen.shown.split("\r\n")
    (progress,) = [line for line in lines if "checking links" in line]
    assert progress.count("\r\x1b[2K") > 2
    assert progress.rpartition("\r\x1b[2K")[2].strip("\x1b[0m") == "deep check"


def test_progress_is_not_written_to_a_file(ours: Path) -> None:
    (ours.parent / "#mate.weechatlog").write_text("2026-10-24 23:57:13\tada\ttea?\n")
    logs = "'#mate.weechatlog' --network libera --timezone UTC"
    for command in (
        f"import {logs}", "import --undo 1", "doctor --deep", "doctor --deep --rebuild",
        "backup backups", "purge --nick ada --yes",
    ):  # fmt: skip
        done = ran(f"terrarium-mcp {command}", "--db", ours, at=ours.parent)
        assert (done.returncode, done.stderr) == (0, ""), command


async def test_records_of_progress_overwrite_each_other(tmp_path: Path) -> None:
    code = (
        "import logging; from terrarium_mcp.cli.console import ConsoleHandler;"
        "log = logging.getLogger('x'); log.addHandler(ConsoleHandler()); log.setLevel('INFO');"
        "more = {'progress': True};"
        "log.info('1 %', extra=more); log.info('2 %', extra=more); log.info('done');"
        "log.info('3 %', extra=more); log.handlers[0].end_progress(); print('end')"
    )
    python = INSTALLED.parent / "python"
    command = [str(python), "-c", code]
    async with terminal(command, at=tmp_path, environ=environment(**COLOURS)) as screen:
        await screen.ends()
        erase = "\r\x1b[2K"
        assert screen.shown == f"INFO 1 %{erase}INFO 2 %{erase}INFO done\r\nINFO 3 %{erase}end\r\n"
    done = await anyio.run_process(command, stderr=subprocess.PIPE, cwd=tmp_path)
    assert done.stderr.decode().splitlines() == ["INFO 1 %", "INFO 2 %", "INFO done", "INFO 3 %"]


def test_what_strangers_say_moves_no_cursor_in_the_log() -> None:
    reason = "\x1b[2A\x1b[2K\x1b]0;mine\x07all is well\u202e"
    record = logging.LogRecord("x", logging.WARNING, __file__, 1, "kicked: %s", (reason,), None)
    record.exc_text = "Traceback:\n  File \x1b[8m"
    shown = ConsoleHandler().format(record)
    assert shown == "WARNING kicked: [2A[2K]0;mineall is well\nTraceback:\n  File [8m"


def test_the_list_of_commands_says_of_each_in_whole_what_it_does(tmp_path: Path) -> None:
    listed = ran("terrarium-mcp help", at=tmp_path).stdout.partition("Commands:\n")[2]
    assert len(listed.splitlines()) > 10
    assert [line for line in listed.splitlines() if not line.endswith(".")] == []
    assert "..." not in listed
