"""`terrarium-mcp import` as people run it: what it finds, says, refuses, and survives."""

import os
import random
import shlex
import shutil
import signal
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.programs import HANGS, INSTALLED, environment, quick_words, ran
from tests.logformats.samples import LOGS

WEECHAT = LOGS / "weechat" / "logs"
BERLIN = ("--timezone", "Europe/Berlin")
KILLS = int(os.environ.get("KILLS", "3"))


def database(folder: Path) -> Path:
    return folder / "irc_logs.db"


def imported(
    folder: Path, *words: object, db: Path | None = None
) -> subprocess.CompletedProcess[str]:
    return ran("terrarium-mcp import", *words, at=folder, DB_PATH=db or database(folder))


def messages(db: Path) -> list[tuple[object, ...]]:
    """The rows of a database; none if it was not even made."""
    if not db.exists():
        return []
    columns = "id, timestamp, channel, nick, message, message_type"
    with closing(sqlite3.connect(db)) as connection:
        return list(connection.execute(f"SELECT {columns} FROM messages ORDER BY id"))  # noqa: S608 -- ours


def test_an_import_says_what_it_found_and_what_became_of_it(tmp_path: Path) -> None:
    done = imported(tmp_path, WEECHAT / "irc.labnet.#lab.weechatlog", *BERLIN)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "labnet/#lab: WeeChat, 1 file, times read as Europe/Berlin",
        "labnet/#lab: 214 lines, 200 added, 8 off the record (2026-10-24 to 2026-10-28)",
        "This was import 1; terrarium-mcp import --undo 1 removes it.",
    ]


def test_a_trial_stores_nothing(tmp_path: Path) -> None:
    done = imported(tmp_path, WEECHAT, *BERLIN, "--dry-run")
    assert "This was a trial: nothing was stored." in done.stdout
    assert messages(database(tmp_path)) == []


def test_imports_are_listed_and_undone(tmp_path: Path) -> None:
    def run(command: str) -> subprocess.CompletedProcess[str]:
        return ran(command, at=tmp_path, DB_PATH=database(tmp_path))

    imported(tmp_path, WEECHAT, *BERLIN)
    assert run("terrarium-mcp import --list").stdout.startswith("1  ")
    undone = run("terrarium-mcp import --undo 1")
    assert undone.returncode == 0, undone.stderr
    assert messages(database(tmp_path)) == []
    assert "(undone)" in run("terrarium-mcp import --list").stdout
    wrong = run("terrarium-mcp import --undo 7")
    assert wrong.returncode == 1
    assert "7" in wrong.stderr


@pytest.mark.parametrize(
    ("words", "cause"),
    [
        (["gone.log"], "gone.log: there is no such file"),
        ([LOGS / "truth.log"], "not a log of a known format"),
        ([WEECHAT], "--timezone"),
        ([WEECHAT, "--timezone", "Europe/Berlinn"], "Did you mean Europe/Berlin?"),
        ([WEECHAT, "--format", "wechat"], "Did you mean weechat?"),
        ([WEECHAT, "--encoding", "latin99"], "not an encoding"),
        ([WEECHAT, "--map", "#a"], "must be OLD=NEW"),
        ([WEECHAT / "irc.labnet.alice.weechatlog", *BERLIN], "--private"),
    ],
)
def test_what_cannot_be_done_is_said_with_the_way_out(
    words: list[object], cause: str, tmp_path: Path
) -> None:
    done = imported(tmp_path, *words)
    assert done.returncode == 1
    assert cause in done.stderr
    assert "Traceback" not in done.stderr
    assert messages(database(tmp_path)) == []


def test_lines_that_cannot_be_read_are_counted_and_written_down(tmp_path: Path) -> None:
    log = tmp_path / "irc.labnet.#lab.weechatlog"
    log.write_bytes(b"2026-10-24 23:57:13\tbob\thi\nnot a line\n2026-10-24 23:57:14\tbob\tho")
    done = imported(tmp_path, log, *BERLIN, "--rejects", tmp_path / "rejects.txt")
    assert "3 lines, 2 added, 1 could not be read" in done.stdout
    assert (tmp_path / "rejects.txt").read_text("utf-8") == (
        f"{log}:2: not a line of WeeChat: not a line\n"
    )


def test_an_export_for_terrarium_irc_is_imported_as_its_database(tmp_path: Path) -> None:
    imported(tmp_path, WEECHAT / "irc.labnet.#lab.weechatlog", *BERLIN)
    words = "terrarium-mcp export --format sqlite --output x.db"
    written = ran(words, at=tmp_path, DB_PATH=database(tmp_path))
    assert written.returncode == 0, written.stderr
    there = tmp_path / "there.db"
    done = imported(tmp_path, tmp_path / "x.db", "--network", "labnet", *BERLIN, db=there)
    assert "labnet/#lab: terrarium-irc, 1 file" in done.stdout, done.stderr
    assert len(messages(there)) == len(messages(database(tmp_path)))


def test_a_database_of_terrarium_mcp_is_refused_with_what_to_do_instead(tmp_path: Path) -> None:
    imported(tmp_path, WEECHAT / "irc.labnet.#lab.weechatlog", *BERLIN)
    done = imported(tmp_path, database(tmp_path), *BERLIN, db=tmp_path / "there.db")
    assert done.returncode == 1
    assert "terrarium-mcp restore" in done.stderr
    assert f"export --db {database(tmp_path)} --output history.jsonl" in done.stderr


def test_standard_input_is_read(tmp_path: Path) -> None:
    done = subprocess.run(
        quick_words(
            "terrarium-mcp import - --network labnet --channel tea --timezone UTC --format weechat"
        ),
        cwd=tmp_path,
        env=environment(DB_PATH=database(tmp_path)),
        input=b"2026-10-24 23:57:13\tbob\thi\n",
        capture_output=True,
        check=False,
        timeout=HANGS,
    )
    assert done.returncode == 0, done.stderr
    assert [row[2:5] for row in messages(database(tmp_path))] == [("#tea", "bob", "hi")]


def everything(db: Path, folder: Path) -> list[str]:
    """The lines of an export of everything, but for the first, which has its time."""
    name = folder / f"{db.stem}.jsonl"
    words = f"terrarium-mcp export --with-hosts --private --force --output {name}"
    done = ran(words, at=folder, DB_PATH=db)
    assert done.returncode == 0, done.stderr
    return name.read_text("utf-8").splitlines()[1:]


def test_an_export_into_an_empty_folder_is_the_same_history(tmp_path: Path) -> None:
    imported(tmp_path, WEECHAT, *BERLIN, "--private")
    exported = everything(database(tmp_path), tmp_path)
    there = tmp_path / "there"
    there.mkdir()
    done = imported(there, tmp_path / "irc_logs.jsonl", db=there / "irc_logs.db")
    assert "Restored as it was exported: " in done.stdout, done.stderr
    assert messages(there / "irc_logs.db") == messages(database(tmp_path))
    assert everything(there / "irc_logs.db", there) == exported
    again = imported(there, tmp_path / "irc_logs.jsonl", db=there / "irc_logs.db")
    assert "of them before" in again.stdout
    assert messages(there / "irc_logs.db") == messages(database(tmp_path))


def test_an_export_is_merged_into_a_history_of_its_own(tmp_path: Path) -> None:
    """Of two logs of one channel each line is there once, the other channel is renamed."""
    imported(tmp_path, WEECHAT / "irc.labnet.#lab.weechatlog", *BERLIN)
    everything(database(tmp_path), tmp_path)
    other = tmp_path / "other.db"
    imported(tmp_path, LOGS / "limnoria", *BERLIN, db=other)
    before = len(messages(other))
    done = imported(tmp_path, tmp_path / "irc_logs.jsonl", db=other)
    assert "LabNet/#lab: 200 lines, 2 added, 198 were there already" in done.stdout, done.stderr
    assert len(messages(other)) == before + 2
    renamed = imported(tmp_path, tmp_path / "irc_logs.jsonl", "--map", "#lab=#den", db=other)
    assert "LabNet/#den: 200 lines, 200 added" in renamed.stdout, renamed.stderr


def test_a_cut_export_is_refused_whole(tmp_path: Path) -> None:
    imported(tmp_path, WEECHAT, *BERLIN)
    everything(database(tmp_path), tmp_path)
    export = tmp_path / "irc_logs.jsonl"
    export.write_bytes(export.read_bytes()[:-100])
    done = imported(tmp_path, export, db=tmp_path / "there.db")
    assert done.returncode == 1
    assert "it was cut" in done.stderr or "damaged, or was cut" in done.stderr
    assert messages(tmp_path / "there.db") == []


def test_an_import_killed_at_any_point_and_repeated_is_as_one(tmp_path: Path) -> None:
    """Also the ids, since what was added before is recognised."""
    logs = tmp_path / "logs"
    shutil.copytree(LOGS / "weechat", logs / "weechat")
    shutil.copytree(LOGS / "limnoria", logs / "limnoria")
    whole = tmp_path / "whole.db"
    imported(tmp_path, logs, *BERLIN, db=whole)
    chance = random.Random(23)  # noqa: S311 -- when to kill
    for kill in range(KILLS):
        db = tmp_path / f"killed-{kill}.db"
        process = subprocess.Popen(
            quick_words("terrarium-mcp import", logs, *BERLIN),
            cwd=tmp_path,
            env=environment(DB_PATH=db),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            process.wait(chance.uniform(0.05, 1.0))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
        done = imported(tmp_path, logs, *BERLIN, db=db)
        assert done.returncode == 0, done.stderr
        assert messages(db) == messages(whole)


def test_the_readme_shows_what_an_import_prints(tmp_path: Path) -> None:
    """Its commands, run by a shell, over logs in the places that it names."""
    readme = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
    shown = readme.partition("## You have logs")[2].partition("```console\n")[2].partition("```")[0]
    home = tmp_path / "home"
    shutil.copytree(LOGS / "weechat" / "logs", home / ".weechat" / "logs")
    shutil.copytree(LOGS / "irssi" / "irclogs", home / "irclogs")
    znc = home / ".znc" / "users" / "ada" / "networks" / "labnet" / "moddata"
    shutil.copytree(LOGS / "znc" / "network-module" / "log", znc / "log")
    program, printed = shlex.quote(str(INSTALLED)), ""
    for command in (line for line in shown.splitlines() if line.startswith("$ ")):
        done = subprocess.run(
            ["sh", "-c", command.removeprefix("$ ").replace("terrarium-mcp", program, 1)],
            env=environment(DB_PATH=database(tmp_path), HOME=home),
            cwd=tmp_path,
            capture_output=True,
            check=False,
            text=True,
            timeout=HANGS,
        )
        assert done.returncode == 0, done.stderr
        printed += f"{command}\n{done.stdout}"
    assert printed == shown
