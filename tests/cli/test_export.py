"""`terrarium-mcp export`: the history as files that other programs read."""

import csv
import json
import shutil
import signal
import stat
import subprocess
from datetime import UTC, timedelta
from pathlib import Path

import anyio
import pytest

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.chat.relays import Relay
from terrarium_mcp.logformats.export_formats import ExportFormat
from terrarium_mcp.logformats.jsonl import read_jsonl, read_jsonl_head
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import ArchivedMessage, open_store
from tests.cli.conftest import SAID
from tests.cli.programs import environment, quick_words, ran, without_progress
from tests.cli.terminal import terminal
from tests.patience import PATIENCE
from tests.servers.forked import forked
from tests.store.scene import NOON, SETTINGS, chat, line_of, past, rows_of, write
from tests.store.sqlite.imports.logs import bring

EXPORT = "terrarium-mcp export"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Two channels, an event, a redaction, a private message and a forged line."""
    file = tmp_path / "irc_logs.db"
    anyio.run(_remember, file)
    return file


async def _remember(file: Path) -> None:
    async with open_store(file, SETTINGS) as store:
        await store.messages.append(chat("<ada> tea at four\n* bo waves"))
        await store.messages.append(
            [
                line_of("cy", "", NOON + timedelta(hours=1), kind=MessageType.JOIN),
                line_of("cy", "\x1b]0;owned\x07red \x9b31mtext", NOON + timedelta(hours=2)),
                line_of("dan", "mate, please", NOON + timedelta(days=1), "#Mate/Bar"),
                line_of("eve", "sorry", NOON + timedelta(days=1))._replace(msgid="m"),
                line_of("ada", "between us", NOON, "bo"),
            ]
        )
        await store.removal.redact("net", "#tea", "m", asked_by="eve", at=NOON)


def told(done: subprocess.CompletedProcess[str]) -> str:
    """The only line on stderr of a command that was refused."""
    assert done.returncode == 1
    assert not done.stdout
    *_, line = done.stderr.splitlines()
    assert line.startswith("terrarium-mcp: ")
    return line.removeprefix("terrarium-mcp: ")


def files_in(folder: Path) -> dict[str, str]:
    return {
        one.relative_to(folder).as_posix(): one.read_text("utf-8")
        for one in folder.rglob("*")
        if one.is_file()
    }


def test_by_default_it_writes_everything_as_json_lines(file: Path) -> None:
    done = ran(EXPORT, "--db", file, at=file.parent)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.encode().splitlines(keepends=True)
    head = read_jsonl_head(lines[0])
    assert head.is_whole
    assert head.left_out == ("hosts", "private messages")
    records = [one for one in read_jsonl(lines) if isinstance(one, ArchivedMessage)]
    assert [(one.nick, one.message) for one in records] == [
        ("ada", "tea at four"),
        ("bo", "waves"),
        ("cy", ""),
        ("cy", "\x1b]0;owned\x07red \x9b31mtext"),
        ("dan", "mate, please"),
        ("eve", ""),
    ]
    assert [one.nick for one in records if one.redacted_at] == ["eve"]
    assert "host.example" not in done.stdout
    assert "between us" not in done.stdout


def test_hosts_and_private_messages_are_written_on_request(file: Path) -> None:
    done = ran(f"{EXPORT} --with-hosts --private", "--db", file, at=file.parent)
    assert done.stdout.count('"host":"host.example"') == 7
    assert "between us" in done.stdout
    assert read_jsonl_head(done.stdout.encode().splitlines()[0]).left_out == ()
    assert len([*read_jsonl(done.stdout.encode().splitlines())]) == 9
    for flags, cause in (
        ("--private --format csv", "with --format jsonl only"),
        ("--private tea", "name no query and no channel"),
    ):
        assert cause in told(ran(f"{EXPORT} {flags}", "--db", file, at=file.parent))


def test_a_query_and_channels_select_what_is_written(file: Path) -> None:
    def selected(arguments: str) -> list[str]:
        done = ran(f"{EXPORT} {arguments}", "--format", "text", "--db", file, at=file.parent)
        return [line.split(" ", 3)[3] for line in done.stdout.splitlines()]

    assert selected("from:ada") == ["<ada> tea at four"]
    assert selected("from:net/ada") == ["<ada> tea at four"]
    assert selected("-- -tea from:ada") == []
    assert selected("after:2026-05-02") == ["<dan> mate, please"]
    assert selected("--channel net/tea before:2026-05-01T12:30") == [
        "<ada> tea at four",
        "* bo waves",
    ]
    assert selected("--channel #mate/bar") == ["<dan> mate, please"]
    assert len(selected("--channel tea --channel #Mate/Bar")) == 5
    assert selected("in:#mate/bar after:2026 type:privmsg") == ["<dan> mate, please"]
    # Nothing but times and channels: events too.
    assert "*** cy joins" in selected("in:tea after:2026")


def test_plain_text_names_the_day_and_holds_nothing_that_cannot_be_seen(file: Path) -> None:
    done = ran(
        EXPORT, "--format", "text", "--db", file, at=file.parent, TERRARIUM_TIMEZONE="Asia/Tokyo"
    )
    assert done.stdout.splitlines() == [
        "2026-05-01 21:00:00 #tea <ada> tea at four",
        "2026-05-01 21:01:00 #tea * bo waves",
        "2026-05-01 22:00:00 #tea *** cy joins",
        "2026-05-01 23:00:00 #tea <cy> ]0;ownedred 31mtext",
        "2026-05-02 21:00:00 #Mate/Bar <dan> mate, please",
    ]


def test_csv_is_read_by_a_spreadsheet(file: Path) -> None:
    write(
        file,
        "INSERT INTO messages (channel, nick, message) VALUES ('#tea', 'x', ?)",
        ['a "b",\nc'],
    )
    done = ran(f"{EXPORT} --format csv --with-hosts", "--db", file, at=file.parent)
    rows = [*csv.DictReader(done.stdout.splitlines(keepends=True))]
    assert rows[0] == {
        "id": "1",
        "time": "2026-05-01T12:00:00.000Z",
        "network": "net",
        "channel": "#tea",
        "type": "PRIVMSG",
        "nick": "ada",
        "account": "",
        "text": "tea at four",
        "user": "~ada",
        "host": "host.example",
    }
    assert rows[-1]["text"] == 'a "b",\nc'
    assert "eve" not in {row["nick"] for row in rows}


def test_each_channel_is_a_log_of_weechat(file: Path, tmp_path: Path) -> None:
    done = ran(f"{EXPORT} --format weechat --output logs", "--db", file, at=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "logs: 5 messages, " in done.stderr
    assert files_in(tmp_path / "logs") == {
        "irc.net.#tea.weechatlog": "2026-05-01T12:00:00.000000Z\tada\ttea at four\n"
        "2026-05-01T12:01:00.000000Z\t *\tbo waves\n"
        "2026-05-01T13:00:00.000000Z\t-->\tcy (@) has joined #tea\n"
        "2026-05-01T14:00:00.000000Z\tcy\t\x1b]0;owned\x07red \x9b31mtext\n",
        "irc.net.#mate_bar.weechatlog": "2026-05-02T12:00:00.000000Z\tdan\tmate, please\n",
    }


def test_each_channel_is_a_log_of_irssi_and_one_may_go_to_standard_output(
    file: Path, tmp_path: Path
) -> None:
    ran(f"{EXPORT} --format irssi --output logs", "--db", file, at=tmp_path)
    written = files_in(tmp_path / "logs")
    assert set(written) == {"net/#tea.log", "net/#mate_bar.log"}
    assert written["net/#mate_bar.log"] == (
        "--- Log opened Sat May 02 12:00:00 2026\n12:00 < dan> mate, please\n"
    )
    done = ran(f"{EXPORT} --format irssi --channel tea", "--db", file, at=tmp_path)
    assert done.stdout == written["net/#tea.log"]
    error = told(ran(f"{EXPORT} --format irssi", "--db", file, at=tmp_path))
    assert error.endswith("name a folder with --output FOLDER, or one channel with --channel.")


def test_each_day_is_a_log_of_znc_in_the_zone_of_the_reader(file: Path, tmp_path: Path) -> None:
    done = ran(
        f"{EXPORT} --format znc --with-hosts --output logs",
        *("--db", file),
        at=tmp_path,
        TERRARIUM_TIMEZONE="Pacific/Kiritimati",  # 14 hours ahead
    )
    assert done.returncode == 0, done.stderr
    assert files_in(tmp_path / "logs") == {
        "net/#tea/2026-05-02.log": "[02:00:00] <ada> tea at four\n[02:01:00] * bo waves\n"
        "[03:00:00] *** Joins: cy (~cy@host.example)\n"
        "[04:00:00] <cy> \x1b]0;owned\x07red \x9b31mtext\n",
        "net/#mate-bar/2026-05-03.log": "[02:00:00] <dan> mate, please\n",
    }
    error = told(ran(f"{EXPORT} --format znc --channel tea", "--db", file, at=tmp_path))
    assert error == "The logs are several files: name a folder with --output FOLDER."


def test_two_channels_never_share_a_file(file: Path, tmp_path: Path) -> None:
    write(file, "INSERT INTO messages (channel, nick, message) VALUES ('#mate_bar', 'x', 'y')")
    error = told(ran(f"{EXPORT} --format irssi --output logs", "--db", file, at=tmp_path))
    assert "net/#mate_bar" in error
    assert "net/#Mate/Bar" in error
    assert "have the same file" in error
    assert not (tmp_path / "logs").exists()


def test_terrarium_irc_s_table_is_written_and_can_be_adopted_again(
    file: Path, tmp_path: Path
) -> None:
    zone = {"TERRARIUM_SOURCE_TIMEZONE": "America/New_York"}
    error = told(ran(f"{EXPORT} --format sqlite", "--db", file, at=tmp_path, **zone))
    assert error == "A database is a file: name it with --output FILE."
    done = ran(f"{EXPORT} --format sqlite --output old.db", "--db", file, at=tmp_path, **zone)
    assert done.returncode == 0, done.stderr
    old = tmp_path / "old.db"
    assert rows_of(old, "SELECT * FROM messages LIMIT 2") == [
        (1, "2026-05-01 08:00:00.000000", "#tea", "ada", None, None, "tea at four", "PRIVMSG"),
        *[
            (2, "2026-05-01 08:01:00.000000", "#tea", "bo", None, None,
             "\x01ACTION waves\x01", "PRIVMSG")
        ],
    ]  # fmt: skip
    tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
    assert rows_of(old, tables) == [("messages",)]
    done = ran(f"{EXPORT} --adopt --format text", "--db", old, at=tmp_path, **zone)
    assert done.stdout.splitlines()[:2] == [
        "2026-05-01 12:00:00 #tea <ada> tea at four",
        "2026-05-01 12:01:00 #tea * bo waves",
    ]


async def test_what_controls_a_terminal_does_not_reach_one(file: Path) -> None:
    command = f"{EXPORT} --format csv"
    line = quick_words(command, "--db", file)
    async with terminal(line, at=file.parent, environ=environment()) as screen:
        await screen.ends()
    assert "red 31mtext" in screen.shown
    assert "\x1b" not in screen.shown
    assert "\x9b" not in screen.shown
    done = await anyio.to_thread.run_sync(lambda: ran(command, "--db", file, at=file.parent))
    assert "\x1b]0;owned" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "cause"),
    [
        ("nothing matches this", "Nothing matches, so nothing was written."),
        ("--channel #taa", "No channel #taa. Did you mean #tea?"),
        ("--output no/such/folder/file", "There is no folder "),
        ("--output . ", "is not an ordinary file"),
        ("--output irc_logs.db/file", "There is no folder "),
        (f"--output {'x' * 300}", "cannot be looked at: File name too long. Name another place."),
        ("--format znc --output logs.txt", "is not an empty folder"),
        ("--format znc --output x --force", "--force replaces a file"),
    ],
)
def test_what_cannot_be_exported_is_named_and_nothing_is_left(
    file: Path, arguments: str, cause: str
) -> None:
    (file.parent / "logs.txt").write_text("no folder")
    before = {one.name for one in file.parent.iterdir()}
    assert cause in told(ran(f"{EXPORT} {arguments}", "--db", file, at=file.parent))
    assert {one.name for one in file.parent.iterdir()} - before <= {"irc_logs.db.keeper"}
    if "--output" not in arguments:
        done = ran(f"{EXPORT} {arguments} --output out.jsonl", "--db", file, at=file.parent)
        assert cause in told(done)
        assert not (file.parent / "out.jsonl").exists()


def test_an_unknown_format_is_refused_with_those_that_there_are(file: Path) -> None:
    done = ran(f"{EXPORT} --format pdf", "--db", file, at=file.parent)
    assert done.returncode == 2
    assert all(f"'{form.value}'" in done.stderr for form in ExportFormat)


def test_a_database_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    assert "Nothing is recorded yet" in told(ran(EXPORT, "--db", "no.db", at=tmp_path))
    assert not list(tmp_path.iterdir())


def test_a_file_that_exists_is_replaced_only_on_request(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.txt"
    out.write_text("precious")
    command = f"{EXPORT} --format text --output out.txt"
    assert "exists. Name another file, or replace it with --force." in told(
        ran(command, "--db", file, at=tmp_path)
    )
    assert out.read_text() == "precious"
    done = ran(f"{command} --force", "--db", file, at=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "tea at four" in out.read_text()
    assert stat.S_IMODE(out.stat().st_mode) == 0o600


@pytest.mark.parametrize("ending", ["-wal", "-journal"])
@pytest.mark.parametrize("is_there", [True, False])
def test_no_database_is_written_beside_what_sqlite_would_apply_to_it(
    file: Path, tmp_path: Path, ending: str, *, is_there: bool
) -> None:
    out, left = tmp_path / "old-bot.db", tmp_path / f"old-bot.db{ending}"
    left.write_text("the last writes of a bot that was killed")
    if is_there:
        out.write_text("what else it wrote")
    command = f"{EXPORT} --output old-bot.db --force --format"
    refused = told(ran(command, "sqlite", "--db", file, at=tmp_path))
    assert f"{left} is left from another database" in refused
    assert "Move it away first." in refused
    assert out.exists() is is_there
    assert ran(command, "text", "--db", file, at=tmp_path).returncode == 0


@pytest.mark.parametrize(
    "output",
    ["irc_logs.db", "irc_logs.db-wal", "irc_logs.db.keeper", "irc_logs.db.waiting",
     "irc_logs.db.importing", "irc_logs.db.claims", "irc_logs.db.recorder-1f",
     "irc_logs.before-v3.db", "enhancements/tea.md", "link", "twin"],
)  # fmt: skip
def test_the_history_is_never_written_over_whatever_its_file_is_called(
    file: Path, output: str
) -> None:
    folder = file.parent
    (folder / "enhancements").mkdir()
    (folder / "link").symlink_to(file)
    (folder / "twin").hardlink_to(file)
    before = file.read_bytes()
    done = ran(
        f"{EXPORT} --format sqlite --force --output {output}", "--db", "irc_logs.db", at=folder
    )
    assert told(done) == (f"{folder / output} belongs to the history in {file}. Name another file.")
    assert file.read_bytes() == before
    assert (folder / "link").is_symlink()


def test_a_link_leads_to_the_same_history(file: Path, tmp_path: Path) -> None:
    (tmp_path / "linked.db").symlink_to(file)
    done = ran(f"{EXPORT} --force --output irc_logs.db-wal", "--db", "linked.db", at=tmp_path)
    assert "belongs to the history in" in told(done)


@pytest.mark.parametrize("forgotten", ["--output", "--output --force", "--db"])
def test_an_option_without_its_value_is_refused_and_nothing_is_written(
    file: Path, forgotten: str
) -> None:
    done = ran(f"{EXPORT} {forgotten}", at=file.parent, DB_PATH=file)
    option = forgotten.split(maxsplit=1)[0]
    assert done.returncode == 2
    assert done.stderr.endswith(f"Option '{option}' requires an argument.\n")
    assert {one.name for one in file.parent.iterdir()} <= {file.name, f"{file.name}.keeper"}


def test_a_folder_of_logs_is_not_made_in_the_backlog(file: Path, tmp_path: Path) -> None:
    done = ran(f"{EXPORT} --format znc --output enhancements", "--db", file, at=tmp_path)
    assert "enhancements belongs to the history in" in told(done)
    assert not (tmp_path / "enhancements").exists()


@pytest.fixture(scope="module")
def long_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """20,000 lines, to be copied by each test that exports them."""
    file = tmp_path_factory.mktemp("long") / "irc_logs.db"
    anyio.run(_bring_many, file)
    return file


async def _bring_many(file: Path) -> None:
    async with open_store(file, SETTINGS) as store:
        await bring(store, past(20_000))


def test_a_reader_that_ends_early_causes_no_traceback(long_file: Path, tmp_path: Path) -> None:
    shutil.copy(long_file, tmp_path)
    done = subprocess.run(
        ["/bin/sh", "-c", '"$@" | head -n 2', "sh", *quick_words(EXPORT, "--db", "irc_logs.db")],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        check=False,
        timeout=PATIENCE,
    )
    assert len(done.stdout.splitlines()) == 2
    assert done.stderr == b""


def test_a_full_disk_is_named(file: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            quick_words(EXPORT, "--db", file),
            env=environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            timeout=PATIENCE,
        )
    assert done.returncode == 1
    assert without_progress(done.stderr.decode().splitlines()) == [
        "terrarium-mcp: Standard output cannot be written: No space left on device."
    ]


STOPPED = """
import itertools, os, signal, sys
from terrarium_mcp.cli import main
from terrarium_mcp.logformats import exporting
write, lines = exporting.jsonl_line, itertools.count()
def stopped(*record, **how):
    if next(lines) == 1_000:
        os.kill(os.getpid(), {how})
    return write(*record, **how)
exporting.jsonl_line = stopped
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where a shell put it behind
sys.argv = ["terrarium-mcp", "export", "--db", "irc_logs.db", "--output", "out.jsonl"]
main()
"""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_an_export_that_is_stopped_leaves_nothing_under_its_name(
    long_file: Path, tmp_path: Path, how: signal.Signals
) -> None:
    shutil.copy(long_file, tmp_path)
    done = subprocess.run(
        forked("-c", STOPPED.format(how=int(how))),
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode in (1, 128 + how, -signal.SIGKILL)
    assert b"Traceback" not in done.stderr
    left = [one for one in tmp_path.iterdir() if "out" in one.name]
    assert not (tmp_path / "out.jsonl").exists()
    assert len(left) == (how is signal.SIGKILL)  # what nobody could remove has another name


def test_a_mistyped_operator_is_said_to_be_text(file: Path) -> None:
    done = ran(f"{EXPORT} tea frmo:ada", "--db", file, at=file.parent)
    assert "note: frmo: is not an operator; did you mean from:?" in done.stderr


def test_relayed_words_are_exported_as_they_were_sent(tmp_path: Path) -> None:
    async def remember() -> None:
        settings = Settings(network="net", relays=(Relay("relaybot"),))
        async with open_store(tmp_path / "irc_logs.db", settings) as store:
            await store.messages.append(chat("<relaybot> <jane> hello"))

    anyio.run(remember)
    done = ran(f"{EXPORT} from:jane", "--db", "irc_logs.db", at=tmp_path)
    [line] = [json.loads(one) for one in done.stdout.splitlines() if '"text"' in one]
    assert (line["nick"], line["text"]) == ("relaybot", "<jane> hello")
    assert line["time"].startswith(NOON.astimezone(UTC).strftime("%Y-%m-%dT%H:%M"))


def test_said_is_exported_from_either_history(history: Path) -> None:
    done = ran(f"{EXPORT} --adopt garden", "--db", history, at=history.parent)
    assert SAID in done.stdout
