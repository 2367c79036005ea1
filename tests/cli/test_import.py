"""`terrarium-mcp import` as people run it: what it finds, says, refuses, and survives."""

import gzip
import os
import random
import shlex
import shutil
import signal
import sqlite3
import subprocess
import tarfile
import zipfile
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing, contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from time import monotonic

import anyio
import pytest
from anyio import to_thread

from terrarium_mcp.chat.identity import Identity
from terrarium_mcp.store import Store, open_store
from tests.cli.programs import Program, environment, quick_words, ran, running, words
from tests.logformats.samples import LOGS
from tests.patience import PATIENCE
from tests.servers.forked import forked
from tests.store.files.stored import stored
from tests.store.scene import NOON, line_of, rows_of

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


def spans(db: Path) -> list[tuple[object, ...]]:
    """The times that the logs cover, whatever their ids."""
    return sorted(rows_of(db, "SELECT room, began, ended, why_began, source FROM spans"))


def test_an_import_says_what_it_found_and_what_became_of_it(tmp_path: Path) -> None:
    done = imported(tmp_path, WEECHAT / "irc.labnet.#lab.weechatlog", *BERLIN)
    assert done.returncode == 0, done.stderr
    became = "200 added, 8 off the record, 6 without a message"
    assert done.stdout.splitlines() == [
        "labnet/#lab: WeeChat, 1 file, times read as Europe/Berlin",
        f"labnet/#lab: 214 lines, {became} (2026-10-24 to 2026-10-28)",
        "This was import 1; terrarium-mcp import --undo 1 removes it.",
    ]


@pytest.mark.parametrize("name", ["#lab.weechatlog", "#lab.weechatlog.txt", "#lab.weechatlog.1"])
def test_a_log_of_weechat_on_its_own_names_its_channel(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"2026-10-24 23:57:13\tbob\thi\n")
    done = imported(tmp_path, name, *BERLIN, "--network", "labnet", "--dry-run")
    assert done.stdout.startswith("labnet/#lab: WeeChat, 1 file,")


def test_a_trial_stores_nothing(tmp_path: Path) -> None:
    done = imported(tmp_path, WEECHAT, *BERLIN, "--dry-run")
    assert "This was a trial: nothing was stored." in done.stdout
    assert "labnet/#lab: 214 lines, 200 messages, 8 off the record" in done.stdout
    assert list(tmp_path.iterdir()) == []


async def test_lines_of_people_who_opted_out_are_reported_apart(tmp_path: Path) -> None:
    log = tmp_path / "irc.labnet.#lab.weechatlog"
    log.write_bytes(b"2026-10-24 23:57:13\tada\thi\n2026-10-24 23:57:15\tbob\tho\n")
    async with open_store(database(tmp_path)) as store:
        await store.opt_outs.add(Identity("labnet", "ada", "~ada", "host.example"), NOON)
    done = await to_thread.run_sync(imported, tmp_path, log, *BERLIN)
    left_out = "1 of people who opted out or had theirs removed"
    assert f"labnet/#lab: 2 lines, 1 added, {left_out} (" in done.stdout


async def test_the_days_of_a_log_whose_clock_was_wrong_are_those_of_its_corrected_times(
    tmp_path: Path,
) -> None:
    evening = [
        line_of(
            ("ada", "bo")[n % 2],
            f"sentence number {n} of this evening",
            NOON.replace(hour=22) + timedelta(minutes=n),
            "#lab",
            network="labnet",
        )
        for n in range(20)
    ]
    async with open_store(database(tmp_path)) as store:
        await store.messages.append(evening)
    fast = [(line.said_at + timedelta(hours=3), line) for line in evening]
    log = tmp_path / "irc.labnet.#lab.weechatlog"
    log.write_text("".join(f"{at:%F %T}\t{line.nick}\t{line.text}\n" for at, line in fast))
    done = await to_thread.run_sync(imported, tmp_path, log, "--timezone", "UTC")
    assert "its clock was 10800 s fast" in done.stdout
    assert "(2026-05-01 to 2026-05-01)" in done.stdout


def test_imports_are_listed_and_undone(tmp_path: Path) -> None:
    def run(command: str) -> subprocess.CompletedProcess[str]:
        return ran(command, at=tmp_path, DB_PATH=database(tmp_path))

    imported(tmp_path, WEECHAT, *BERLIN)
    assert run("terrarium-mcp import --list").stdout.startswith("1  ")
    undone = run("terrarium-mcp import --undo 1")
    assert undone.returncode == 0, undone.stderr
    assert messages(database(tmp_path)) == []
    assert "(undone)" in run("terrarium-mcp import --list").stdout
    again = run("terrarium-mcp import --undo 1")
    assert (again.returncode, again.stdout) == (
        0,
        "Import 1 was undone already: nothing of it is left to remove.\n",
    )
    wrong = run("terrarium-mcp import --undo 7")
    assert wrong.returncode == 1
    assert "7" in wrong.stderr


async def test_an_undo_that_was_interrupted_is_listed_as_that_and_finished_by_the_next_import(
    tmp_path: Path,
) -> None:
    def stop(_: int) -> None:
        raise KeyboardInterrupt

    def listed() -> str:
        return ran("terrarium-mcp import --list", at=tmp_path, DB_PATH=database(tmp_path)).stdout

    log = WEECHAT / "irc.labnet.#lab.weechatlog"
    await to_thread.run_sync(imported, tmp_path, log, *BERLIN)
    async with open_store(database(tmp_path)) as store:
        with pytest.raises(KeyboardInterrupt):
            await store.imports.undo(1, stop)
    unfinished = await to_thread.run_sync(listed)
    assert "(undo not finished: run terrarium-mcp import --undo 1 again)" in unfinished
    again = await to_thread.run_sync(imported, tmp_path, log, *BERLIN)
    assert "This was import 2" in again.stdout
    assert "(undone)" in (await to_thread.run_sync(listed)).splitlines()[0]


def test_an_import_that_has_nothing_new_is_none(tmp_path: Path) -> None:
    log = WEECHAT / "irc.labnet.#lab.weechatlog"
    imported(tmp_path, log, *BERLIN)
    again = imported(tmp_path, log, *BERLIN)
    assert again.returncode == 0, again.stderr
    assert again.stdout.splitlines()[1:] == [
        "labnet/#lab: 1 file imported before",
        "Nothing is new: nothing was stored.",
    ]
    listed = ran("terrarium-mcp import --list", at=tmp_path, DB_PATH=database(tmp_path))
    assert len(listed.stdout.splitlines()) == 1


def test_a_log_that_grew_has_no_half_of_a_line(tmp_path: Path) -> None:
    whole = (WEECHAT / "irc.labnet.#lab.weechatlog").read_bytes()
    log = tmp_path / "irc.labnet.#lab.weechatlog"
    log.write_bytes(whole)
    imported(tmp_path, log, *BERLIN, db=tmp_path / "once.db")
    for cut in (whole.index(b"hello") + 3, len(whole) // 2, len(whole)):
        log.write_bytes(whole[:cut])
        imported(tmp_path, log, *BERLIN)
    once = {row[1:] for row in messages(tmp_path / "once.db")}
    assert {row[1:] for row in messages(database(tmp_path))} == once


@pytest.mark.parametrize("option", ["--list", "--undo 1"])
def test_where_there_is_no_database_none_is_made_for_its_imports(
    tmp_path: Path, option: str
) -> None:
    done = ran(f"terrarium-mcp import {option} --db data/irc.db", at=tmp_path)
    assert done.returncode == 1
    assert "There is no database" in done.stderr
    assert "Name one with DB_PATH or --db." in done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("words", "cause"),
    [
        ([LOGS / "irssi", "--date", "2026-10-24", *BERLIN], "the day on which one file begins"),
        ([LOGS / "irssi", "--channel", "#x", *BERLIN], "they name ##double, #lab, #lab-dev"),
        (["gone.log"], "gone.log: there is no such file"),
        ([LOGS / "truth.log"], "not a log of a known format"),
        ([LOGS / "truth.log"], "weechat, znc; docs/adding-a-format.md shows how to add another."),
        ([WEECHAT], "--timezone"),
        ([WEECHAT, "--timezone", "Europe/Berlinn"], "Did you mean Europe/Berlin?"),
        ([WEECHAT, "--timezone", "CEST"], "not a time zone. Name a place of it, such as Europe/"),
        ([WEECHAT, "--timezone", "+0200"], "not a time zone. Name a place of it, such as Europe/"),
        ([WEECHAT, "--format", "wechat"], "Did you mean weechat?"),
        ([WEECHAT, "--encoding", "latin99"], "not an encoding"),
        ([WEECHAT, "--encoding", "hex"], "not an encoding"),
        ([WEECHAT, "--format", "quassel"], "not a database of the format quassel"),
        ([WEECHAT, *BERLIN, "--map", "#lb=#x"], "is named #lb. Did you mean #lab?"),
        ([WEECHAT, "--map", "#a"], "must be OLD=NEW"),
        ([WEECHAT / "irc.labnet.alice.weechatlog", *BERLIN], "with alice: --private imports them."),
        ([WEECHAT / "irc.labnet.alice.weechatlog", *BERLIN], "--map 'alice=#channel'"),
        (
            [
                WEECHAT / "irc.labnet.alice.weechatlog",
                WEECHAT / "irc.server.labnet.weechatlog",
                *BERLIN,
                "--channel",
                "#lab",
            ],
            "(--channel is for a file that is imported alone)",
        ),
    ],
)
def test_what_cannot_be_done_is_said_with_the_way_out(
    words: list[object], cause: str, tmp_path: Path
) -> None:
    done = imported(tmp_path, *words)
    assert done.returncode == 1
    assert cause in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_lines_that_cannot_be_read_are_counted_and_written_down(tmp_path: Path) -> None:
    log = tmp_path / "irc.labnet.#lab.weechatlog"
    log.write_bytes(b"2026-10-24 23:57:13\tbob\thi\nnot a line\n2026-10-24 23:57:14\tbob\tho")
    done = imported(tmp_path, log, *BERLIN, "--rejects", tmp_path / "rejects.txt")
    assert "3 lines, 2 added, 1 could not be read" in done.stdout
    assert "--rejects" not in done.stdout
    assert (tmp_path / "rejects.txt").read_text("utf-8") == (
        f"{log}:2: not a line of WeeChat: not a line\n"
    )


def test_every_line_of_a_log_is_accounted_for(tmp_path: Path) -> None:
    log = tmp_path / "irc.q.#q.weechatlog"
    log.write_text(
        "2026-11-01 10:00:00\tann\thello\n"
        "2026-11-01 10:00:01\t-->\tGuard] (an [n=Guardian@x.example) has joined #q\n"
        "2026-11-01 10:00:02\t--\tTopic set by -Server- on Sat, 24 Oct 2026 23:50:00\n"
        "2026-11-01 10:00:03\tbob\t!identify | ann\n"
        "2026-11-01 10:00:04\tbob\t!identify ann hunter2\n"
        "2026-11-01 10:00:05\t--\tsomething strange here\n"
    )
    done = imported(tmp_path, log, *BERLIN)
    assert "q/#q: 6 lines, 2 added, 1 with a password, 3 without a message (" in done.stdout


def test_a_line_that_tells_of_several_people_is_several_messages(tmp_path: Path) -> None:
    log = tmp_path / "#lab.log"
    log.write_text(
        "--- Log opened Sat Oct 24 23:57:13 2026\n"
        "23:57 <bob> hi\n"
        "23:58 -!- Netsplit a.example <-> b.example quits: ada, cy, dan\n"
    )
    done = imported(tmp_path, log, *BERLIN, "--network", "labnet")
    assert "3 lines with 4 messages, 4 added, 1 without a message" in done.stdout


def test_the_first_line_that_cannot_be_read_is_shown_where_a_log_changes_its_theme(
    tmp_path: Path,
) -> None:
    log = tmp_path / "#lab.log"
    before = [f"23:57 <bob> line {number}" for number in range(400)]
    after = [f"23:58:00 -- bob \x1b[31m\x02says: {number}" for number in range(200)]
    opened = "--- Log opened Sat Oct 24 23:57:13 2026"
    log.write_text("\n".join([opened, *before, *after]), "utf-8")
    done = imported(tmp_path, log, *BERLIN, "--network", "labnet")
    assert "601 lines, 400 added, 1 without a message, 200 could not be read" in done.stdout
    told = [line for line in done.stdout.splitlines() if "the first that" in line]
    place = f"{log}:402: not a line of irssi"
    assert told == [f"the first that could not be read: {place}: 23:58:00 -- bob [31msays: 0"]


def test_how_to_see_the_lines_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    log = tmp_path / "irc.labnet.#lab.weechatlog"
    log.write_bytes(b"2026-10-24 23:57:13\tbob\thi\nnot a line\n")
    assert "--rejects FILE writes down" in imported(tmp_path, log, *BERLIN).stdout


def test_a_log_in_utf_16_is_refused_with_the_way_to_convert_it(tmp_path: Path) -> None:
    for encoding in ("utf-16-le", "utf-16-be"):
        log = tmp_path / "irc.labnet.#lab.weechatlog"
        log.write_bytes("\ufeff2026-10-24 23:57:13\tbob\thi\n".encode(encoding))
        done = imported(tmp_path, log, *BERLIN)
        assert done.returncode == 1
        assert "iconv -f UTF-16 -t UTF-8" in done.stderr


def test_what_cannot_be_read_is_added_to_what_stands_in_the_file(tmp_path: Path) -> None:
    log, rejects = tmp_path / "irc.labnet.#lab.weechatlog", tmp_path / "rejects.txt"
    log.write_bytes(b"not a line\n2026-10-24 23:57:14\tbob\tho")
    rejects.write_text("of my own\n", "utf-8")
    imported(tmp_path, log, *BERLIN, "--rejects", rejects)
    mine, reject = rejects.read_text("utf-8").splitlines()
    assert mine == "of my own"
    assert reject.endswith("not a line")
    nowhere = imported(tmp_path, log, *BERLIN, "--rejects", tmp_path / "no" / "rejects.txt")
    assert "rejects.txt cannot be written: No such file or directory." in nowhere.stderr
    assert "Traceback" not in nowhere.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="where a full disk can be had")
@pytest.mark.parametrize("lines", [1, 1_000], ids=["at its end", "in the middle"])
def test_a_disk_that_is_full_of_rejects_is_explained_and_the_import_goes_on_later(
    tmp_path: Path, lines: int
) -> None:
    log = tmp_path / "irc.labnet.#lab.weechatlog"
    stamps = (f"2026-10-24 23:{n // 60:02}:{n % 60:02}" for n in range(lines))
    log.write_text("".join(f"{stamp}\tbob\thi\nnot a line\n" for stamp in stamps))
    full = imported(tmp_path, log, *BERLIN, "--rejects", "/dev/full")
    assert full.returncode == 1
    assert full.stderr.splitlines()[-1] == (
        "terrarium-mcp: /dev/full cannot be written: No space left on device. What was imported"
        " by now stays: make room there, and run the same import again."
    )
    assert "Traceback" not in full.stderr
    again = imported(tmp_path, log, *BERLIN)
    assert again.returncode == 0
    assert len(messages(database(tmp_path))) == lines
    trial = imported(tmp_path, log, *BERLIN, "--dry-run", "--rejects", "/dev/full")
    assert trial.stderr.endswith("/dev/full cannot be written: No space left on device.\n")


@pytest.mark.parametrize("trial", [(), ("--dry-run",)], ids=["import", "trial"])
def test_a_compressed_log_that_was_cut_is_written_down_and_alone_it_fails_the_import(
    tmp_path: Path, trial: Sequence[str]
) -> None:
    logs, rejects = tmp_path / "logs", tmp_path / "rejects.txt"
    logs.mkdir()
    words = (pow(3, at, 1_000_003) for at in range(2_000))
    lines = (f"2026-10-24 23:57:13\tbob\t{word}\n" for word in words)
    packed = gzip.compress("".join(lines).encode())
    cut = logs / "irc.labnet.#lab.weechatlog.gz"
    cut.write_bytes(packed[: len(packed) // 2])
    alone = imported(tmp_path, logs, *BERLIN, *trial, "--rejects", rejects)
    assert alone.returncode == 1
    assert f"not read: {cut}: " in alone.stdout
    assert alone.stderr == "terrarium-mcp: None of the logs could be read.\n"
    (named,) = rejects.read_text("utf-8").splitlines()
    assert named.startswith(f"{cut}: ")
    (logs / "irc.labnet.#tea.weechatlog").write_bytes(b"2026-10-24 23:57:13\tbob\thi\n")
    with_another = imported(tmp_path, logs, *BERLIN, *trial, "--rejects", rejects)
    assert with_another.returncode == 0
    assert rejects.read_text("utf-8").splitlines() == [named, named]


@pytest.mark.parametrize("has_log", [False, True])
def test_the_rejects_have_each_file_that_an_import_is_refused_for(
    tmp_path: Path, has_log: bool
) -> None:
    """All of them are no logs; or one needs an option, and nothing is imported either."""
    logs, rejects = tmp_path / "logs", tmp_path / "rejects.txt"
    (logs / "labnet").mkdir(parents=True)
    for n in range(12):
        (logs / f"{n:02}.txt").write_text("no log\n")
    if has_log:
        (logs / "labnet" / "#tea.log").write_text("[23:57:13] <bob> hi\n")
    done = imported(tmp_path, logs, "--rejects", rejects)
    assert done.returncode == 1
    listed = rejects.read_text("utf-8").splitlines()
    assert [Path(line.partition(": ")[0]).name for line in listed] == [
        *(f"{n:02}.txt" for n in range(12)),
        *(["#tea.log"] if has_log else []),
    ]


@pytest.mark.parametrize(
    ("rejects", "cause"),
    [
        ("irc.labnet.#lab.weechatlog", "is read by this command. Name another file."),
        ("twin", "is read by this command. Name another file."),
        ("irc_logs.db", "belongs to the history in"),
        ("irc_logs.db-wal", "belongs to the history in"),
    ],
)
def test_rejects_are_written_into_no_log_and_not_into_the_history(
    tmp_path: Path, rejects: str, cause: str
) -> None:
    log = tmp_path / "irc.labnet.#lab.weechatlog"
    written = b"not a line\n2026-10-24 23:57:14\tbob\tho"
    log.write_bytes(written)
    (tmp_path / "twin").hardlink_to(log)
    done = ran("terrarium-mcp import", log, *BERLIN, "--rejects", rejects,
               at=tmp_path, DB_PATH="irc_logs.db")  # fmt: skip
    assert done.returncode == 1
    assert cause in done.stderr
    assert log.read_bytes() == written
    assert {one.name for one in tmp_path.iterdir()} == {log.name, "twin"}


def test_a_log_of_12_hours_of_which_no_line_tells_the_half_is_named_with_the_way_back(
    tmp_path: Path,
) -> None:
    log = tmp_path / "2005" / "02" / "06" / "#ubuntu.txt"
    log.parent.mkdir(parents=True)
    log.write_text("[04:04] <ada> hi\n[08:10] <bob> ho\n")
    there = ("--timezone", "UTC", "--network", "freenode")
    taken = imported(tmp_path, log, *there)
    assert "undo this import, and repeat it with --clock pm." in taken.stdout
    assert imported(tmp_path, "--undo", "1").returncode == 0
    told = imported(tmp_path, log, *there, "--clock", "pm")
    assert "1 file, times read as UTC, 1 by a 12-hour clock" in told.stdout
    stamps = [str(row[1])[:16] for row in messages(database(tmp_path))]
    assert stamps == ["2005-02-06 16:04", "2005-02-06 20:10"]
    again = imported(tmp_path, log, *there, "--clock", "24")
    assert "1 file imported before" in again.stdout
    assert "if it was right, import with --timezone UTC --clock pm." in again.stdout


def test_a_file_that_was_imported_in_another_zone_is_named_with_the_way_back(
    tmp_path: Path,
) -> None:
    log = tmp_path / "irc.labnet.#lab.weechatlog"
    log.write_bytes(b"2026-10-24 23:57:14\tbob\tho\n")
    imported(tmp_path, log, "--timezone", "UTC")
    again = imported(tmp_path, log, "--timezone", "America/New_York")
    assert "1 file imported before" in again.stdout
    assert (
        f"{log}: imported before with times of UTC, and not again with times of America/New_York."
        " If the first was wrong, run terrarium-mcp import --undo 1, then"
    ) in again.stdout
    assert "imported before with" not in imported(tmp_path, log, "--timezone", "UTC").stdout


def test_a_file_that_grew_since_it_was_imported_in_another_zone_is_named_too(
    tmp_path: Path,
) -> None:
    log = tmp_path / "irc.labnet.#lab.weechatlog"
    log.write_bytes(b"2026-10-24 23:57:14\tbob\tho\n")
    imported(tmp_path, log, "--timezone", "UTC")
    log.write_bytes(log.read_bytes() + b"2026-10-24 23:58:14\tbob\thi\n")
    again = imported(tmp_path, log, "--timezone", "America/New_York")
    assert f"{log}: imported before with times of UTC, and not again" in again.stdout
    assert "if it was right, import with --timezone UTC." in again.stdout
    assert len(messages(database(tmp_path))) == 1
    assert "1 added" in imported(tmp_path, log, "--timezone", "UTC").stdout
    imported(tmp_path, "--undo", "1")
    imported(tmp_path, "--undo", "2")
    assert "2 added" in imported(tmp_path, log, "--timezone", "America/New_York").stdout


CYRILLIC = "2026-10-24 23:57:14\tbob\t\u0447\u0430\u0439\n".encode("cp1251")


def test_lines_in_an_encoding_that_was_guessed_are_named_with_the_way_back(tmp_path: Path) -> None:
    log = tmp_path / "irc.labnet.#lab.weechatlog"
    log.write_bytes(CYRILLIC)
    guessed = "1 line not in UTF-8, read as cp1252"
    trial = imported(tmp_path, log, *BERLIN, "--dry-run").stdout
    assert f"{guessed} (--encoding names another)" in trial
    assert (
        f"{guessed} (if that is wrong, run terrarium-mcp import --undo 1, then import again with"
        " --encoding)"
    ) in imported(tmp_path, log, *BERLIN).stdout
    known = (*BERLIN, "--encoding", "cp1251")
    way_back = (
        f"{log}: imported before without --encoding cp1251; what was read then keeps its encoding."
        " If that is wrong, run terrarium-mcp import --undo 1, then the same import once more."
    )
    again = imported(tmp_path, log, *known).stdout
    assert way_back in again
    assert "Nothing is new" in again
    imported(tmp_path, "--undo", 1)
    assert "imported before" not in imported(tmp_path, log, *known).stdout
    assert [row[4] for row in messages(database(tmp_path))] == ["\u0447\u0430\u0439"]
    assert "without --encoding" not in imported(tmp_path, log, *known).stdout


def test_a_log_that_grew_since_its_encoding_was_guessed_is_named_too(tmp_path: Path) -> None:
    log = tmp_path / "irc.labnet.#lab.weechatlog"
    log.write_bytes(CYRILLIC)
    imported(tmp_path, log, *BERLIN)
    log.write_bytes(CYRILLIC + b"2026-10-24 23:58:14\tbob\thi\n")
    known = (*BERLIN, "--encoding=cp1251")
    assert (
        f"{log}: imported before without --encoding cp1251; what was read then keeps its encoding."
        " If that is wrong, run terrarium-mcp import --undo 1, then"
    ) in imported(tmp_path, log, *known).stdout
    imported(tmp_path, "--undo", 1)
    assert [row[4] for row in messages(database(tmp_path))] == ["\u0447\u0430\u0439", "hi"]
    log.write_bytes(log.read_bytes() + b"2026-10-24 23:59:14\tbob\tho\n")
    assert "imported before" not in imported(tmp_path, log, *known).stdout


def test_a_new_log_of_a_name_that_was_imported_in_another_zone_is_imported(tmp_path: Path) -> None:
    log = tmp_path / "irc.labnet.#lab.weechatlog"
    log.write_bytes(b"2026-10-24 23:57:14\tbob\tho\n")
    imported(tmp_path, log, "--timezone", "Europe/Berlin")
    log.write_bytes(b"2026-10-26 08:00:00\tbob\thi\n2026-10-26 08:00:10\tbob\thu\n")
    assert "2 added" in imported(tmp_path, log, "--timezone", "UTC").stdout


def test_a_file_of_which_nothing_could_be_stored_is_read_again(tmp_path: Path) -> None:
    log = tmp_path / "irc.labnet.#lab.weechatlog"
    log.write_bytes(b"2026-10-24 23:57:14\tbob\t[off] ho\n")
    assert "1 off the record" in imported(tmp_path, log, *BERLIN).stdout
    assert "1 off the record" in imported(tmp_path, log, *BERLIN).stdout


def test_a_log_in_which_nobody_says_anything_is_recognised_the_second_time(
    tmp_path: Path,
) -> None:
    log = tmp_path / "libera" / "#tea.log"
    log.parent.mkdir()
    opened, closed = "--- Log opened Sat May 02 12:00:00", "--- Log closed Sat May 02 12:10:00"
    log.write_text(f"{opened} 2026\n{closed} 2026\n")
    assert "This was import 1" in imported(tmp_path, log, "--timezone", "UTC").stdout
    again = imported(tmp_path, log, "--timezone", "UTC")
    assert again.stdout.splitlines()[1:] == [
        "libera/#tea: 1 file imported before",
        "Nothing is new: nothing was stored.",
    ]
    assert len(imported(tmp_path, "--list").stdout.splitlines()) == 1
    assert rows_of(database(tmp_path), "SELECT began, ended FROM spans") == [
        ("2026-05-02 12:00:00.000", "2026-05-02 12:10:00.000")
    ]
    imported(tmp_path, "--undo", 1)
    assert "This was import 2" in imported(tmp_path, log, "--timezone", "UTC").stdout


def test_a_channel_that_may_be_another_is_named_with_what_makes_it_so(tmp_path: Path) -> None:
    for name in ("#we_ird", "#we-ird"):
        log = tmp_path / f"irc.labnet.{name}.weechatlog"
        log.write_bytes(f"2026-10-24 23:57:14\tbob\tin {name}\n".encode())
    words = (tmp_path, "--timezone", "UTC")
    trial = imported(tmp_path, *words, "--dry-run")
    assert "#we-ird may be #we_ird; if it is, import with --map '#we-ird=#we_ird'" in trial.stdout
    done = imported(tmp_path, *words)
    assert (
        "if it is, run terrarium-mcp import --undo 1, then import again with"
        " --map '#we-ird=#we_ird'"
    ) in done.stdout


def test_what_is_no_log_stops_no_other_and_is_named(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    shutil.copytree(WEECHAT, logs)
    for name, text in (
        ("a.html", "<html>\n"),
        ("b.json", '{"password": "$2a$11$kF3U", "seen": "12:30"}\n'),
        ("c.txt", "tea\nset servers { 10.0.0.1:6667:kF3U }\n/server 10.0.0.1:22:kF3U\n"),
        ("notes.txt", "2026-10-24 23:57:13\tbob\thi\n"),
    ):
        (logs / name).write_text(text)
    done = imported(tmp_path, logs, *BERLIN)
    assert done.returncode == 0, done.stderr
    assert (
        f"not read: {logs}/a.html: not a log of a known format. It is XML or HTML, in an"
        " unknown form\n"
        f"not read: {logs}/b.json: not a log of a known format. It is JSON, in an unknown form\n"
        f"not read: {logs}/c.txt: not a log of a known format."
        " None of its first lines begins with a time\n"
        f"not read: {logs}/notes.txt: its network is not named anywhere. Name it with --network."
        " Its path names no channel. Name it with --channel."
        " It looks like a log of WeeChat; if it is not, --format names its format.\n"
    ) in done.stdout
    assert "kF3U" not in done.stdout + done.stderr


def test_a_packed_file_in_a_packed_file_is_no_text_and_many_unread_files_are_all_named(
    tmp_path: Path,
) -> None:
    logs = tmp_path / "logs"
    shutil.copytree(WEECHAT, logs)
    with zipfile.ZipFile(logs / "outer.zip", "w") as outer:
        outer.writestr("inner.zip", b"PK\x03\x04and so on\n23:57 < bob> hi\n")
    with tarfile.open(logs / "backup.tar", "w") as backup:
        backup.add(stored("v1", tmp_path / "v1.db"), "history.db")
    for number in range(6):
        (logs / f"{number}.html").write_text("<html>\n")
    done = imported(tmp_path, logs, *BERLIN, "--rejects", "rejects.txt")
    assert done.returncode == 0, done.stderr
    assert "not read: 3 more files (--rejects FILE lists them all)\n" in done.stdout
    told = (tmp_path / "rejects.txt").read_text("utf-8")
    assert f"{logs}/outer.zip/inner.zip: a packed file within a packed file" in told
    assert "restore it first, and write it with terrarium-mcp export --db THE-RESTORED-FILE" in told
    assert told.count(".html: not a log") == 6


def test_each_file_that_cannot_be_read_is_told_in_a_line_of_its_own(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "#a.7z").write_bytes(b"7z\xbc\xaf\x27\x1c\0\x04")
    (logs / "#b.rar").write_bytes(b"Rar!\x1a\x07\x01\0")
    with zipfile.ZipFile(logs / "#c.xlsx", "w") as document:
        document.writestr("[Content_Types].xml", "<Types/>")
    (logs / "#d.mp3").write_bytes(b"ID3\x04\0\0")
    for number in range(8):
        (logs / f"{number}.html").write_text("<html>\n")
    done = imported(tmp_path, logs, *BERLIN)
    assert done.returncode == 1
    assert done.stderr.startswith(
        "terrarium-mcp: Nothing to import.\n"
        f"{logs}/#a.7z: a 7z archive, which cannot be read here. Unpack it first.\n"
        f"{logs}/#b.rar: a RAR archive, which cannot be read here. Unpack it first.\n"
        f"{logs}/#c.xlsx: a document of an office program, not a text file.\n"
        f"{logs}/#d.mp3: not a text file.\n"
        f"{logs}/0.html: not a log of a known format. It is XML or HTML, in an unknown form\n"
    )
    assert "\n2 more files cannot be read either.\nKnown formats are bip, " in done.stderr


def test_an_archive_of_tar_under_another_name_is_no_log(tmp_path: Path) -> None:
    """Nothing would keep its private conversations apart, and no option makes a channel of it."""
    for name, line in {"#lab.log": "hi all", "alice.log": "for you alone"}.items():
        (tmp_path / name).write_text(
            f"--- Log opened Sat Oct 24 23:57:00 2026\n23:57 < bob> {line}\n"
        )
    packed = tmp_path / "irclogs.tar.gz"
    with tarfile.open(packed, "w:gz") as tar:
        for name in ("#lab.log", "alice.log"):
            tar.add(tmp_path / name, f"LabNet/{name}")
    with zipfile.ZipFile(tmp_path / "outer.zip", "w") as outer:
        outer.write(packed, "LabNet/#old.tar.gz")
    (tmp_path / "bk2").write_bytes(gzip.decompress(packed.read_bytes()))
    for file, named in {"outer.zip": "outer.zip/LabNet/#old.tar.gz", "bk2": "bk2"}.items():
        place = ("--network", "LabNet", "--channel", "#tea")
        done = imported(tmp_path, tmp_path / file, *BERLIN, *place)
        assert done.returncode == 1
        assert f"{named}: a packed file within a packed file" in done.stderr


def test_zeros_that_a_crash_left_and_a_byte_order_mark_lose_no_line(tmp_path: Path) -> None:
    log = tmp_path / "irc.labnet.#lab.weechatlog"
    line = b"2026-10-24 23:57:1%d\tbob\thi\n"
    log.write_bytes(b"\xef\xbb\xbf" + line % 1 + bytes(40_000) + line % 2 + b"\0\n" + line % 3)
    done = imported(tmp_path, log, *BERLIN, "--rejects", tmp_path / "rejects.txt")
    assert "4 lines, 3 added, 1 without a message (" in done.stdout, done.stderr
    assert (tmp_path / "rejects.txt").read_text("utf-8") == ""


def test_a_log_of_a_classic_mac_is_read_line_by_line_and_no_zero_is_stored(tmp_path: Path) -> None:
    log = tmp_path / "irc.labnet.#lab.weechatlog"
    lines = [f"2026-10-24 23:57:1{second}\tbob\thi {second}" for second in range(9)]
    log.write_text("\r".join([*lines, "2026-10-24 23:57:20\tbob\tz\0ero\0"]))
    done = imported(tmp_path, log, *BERLIN)
    assert "10 lines, 10 added (" in done.stdout, done.stderr
    with closing(sqlite3.connect(database(tmp_path))) as connection:
        texts = [text for (text,) in connection.execute("SELECT message FROM messages ORDER BY id")]
    assert texts[0::9] == ["hi 0", "zero"]


def piped(folder: Path, lines: bytes, *words: str) -> subprocess.CompletedProcess[bytes]:
    """Import lines from standard input."""
    return subprocess.run(
        quick_words("terrarium-mcp import - --network labnet --channel tea --timezone UTC", *words),
        cwd=folder,
        env=environment(DB_PATH=database(folder)),
        input=lines,
        capture_output=True,
        check=False,
        timeout=PATIENCE,
    )


def test_windows_of_a_client_are_not_said_to_be_empty(tmp_path: Path) -> None:
    log = tmp_path / "irclogs" / "tea" / "tea.log"
    log.parent.mkdir(parents=True)
    log.write_text("--- Log opened Sat Oct 24 10:00:00 2026\n10:00 < bob> hi\n")
    words = ("irclogs", *BERLIN, "--network", "LibNet")
    refused = imported(tmp_path, *words)
    assert refused.returncode == 1
    assert "windows in which a client talks to its user: irclogs/tea/tea.log." in refused.stderr
    assert "empty" not in refused.stderr
    log.rename(log.with_name("#tea.log"))
    assert "LibNet/#tea: 2 lines, 1 added" in imported(tmp_path, *words).stdout
    (tmp_path / "nothing.log").touch()
    assert "The files are empty." in imported(tmp_path, "nothing.log").stderr


def test_standard_input_is_read(tmp_path: Path) -> None:
    done = piped(tmp_path, b"2026-10-24 23:57:13\tbob\thi\n", "--format", "weechat")
    assert done.returncode == 0, done.stderr
    assert [row[2:5] for row in messages(database(tmp_path))] == [("#tea", "bob", "hi")]


def test_a_date_is_asked_for_where_none_is_told(tmp_path: Path) -> None:
    lines = b"[23:57:13] <bob> hi\n[00:01:00] <bob> ho\n"
    refused = piped(tmp_path, lines)
    assert refused.returncode == 1
    assert b"standard input: its lines have no date. Name the day" in refused.stderr
    assert messages(database(tmp_path)) == []
    done = piped(tmp_path, lines, "--date", "2015-10-24")
    assert b"2 added (2015-10-24 to 2015-10-25)" in done.stdout, done.stderr


def test_an_export_for_terrarium_irc_is_imported_as_its_database(tmp_path: Path) -> None:
    imported(tmp_path, WEECHAT / "irc.labnet.#lab.weechatlog", *BERLIN)
    words = "terrarium-mcp export --format sqlite --output x.db"
    written = ran(words, at=tmp_path, DB_PATH=database(tmp_path))
    assert written.returncode == 0, written.stderr
    there = tmp_path / "there.db"
    done = imported(tmp_path, tmp_path / "x.db", "--network", "labnet", *BERLIN, db=there)
    assert "labnet/#lab: terrarium-irc, 1 file" in done.stdout, done.stderr
    assert len(messages(there)) == len(messages(database(tmp_path)))


@pytest.mark.parametrize("form", ["jsonl", "sqlite"])
def test_the_channel_of_an_export_and_of_a_database_may_be_named_as_that_of_a_log(
    tmp_path: Path, form: str
) -> None:
    imported(tmp_path, WEECHAT / "irc.labnet.#lab.weechatlog", *BERLIN)
    words = f"terrarium-mcp export --format {form} --output {tmp_path / 'export'}"
    assert ran(words, at=tmp_path, DB_PATH=database(tmp_path)).returncode == 0
    there, network = tmp_path / "there.db", ("--network", "labnet", *BERLIN)
    done = imported(tmp_path, tmp_path / "export", "--channel", "den", *network, db=there)
    assert "labnet/#den: 200 lines, 200 added" in done.stdout, done.stderr
    assert {row[2] for row in messages(there)} == {"#den"}


def test_a_database_of_terrarium_mcp_is_refused_with_what_to_do_instead(tmp_path: Path) -> None:
    imported(tmp_path, WEECHAT / "irc.labnet.#lab.weechatlog", *BERLIN)
    done = imported(tmp_path, database(tmp_path), *BERLIN, db=tmp_path / "there.db")
    assert done.returncode == 1
    assert "terrarium-mcp restore" in done.stderr
    assert f"export --db {database(tmp_path)} --output history.jsonl" in done.stderr


def everything(db: Path, folder: Path) -> list[str]:
    """The lines of an export of everything, but for the first, which has its time."""
    name = folder / f"{db.stem}.jsonl"
    words = f"terrarium-mcp export --with-hosts --private --force --output {name}"
    done = ran(words, at=folder, DB_PATH=db)
    assert done.returncode == 0, done.stderr
    return name.read_text("utf-8").splitlines()[1:]


@pytest.mark.parametrize(
    "options", [(), (*BERLIN, "--encoding", "cp1252")], ids=["plain", "with what it says itself"]
)
def test_an_export_into_an_empty_folder_is_the_same_history(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    imported(tmp_path, WEECHAT, *BERLIN, "--private")
    exported = everything(database(tmp_path), tmp_path)
    there = tmp_path / "there"
    there.mkdir()
    done = imported(there, tmp_path / "irc_logs.jsonl", *options, db=there / "irc_logs.db")
    assert "Restored as it was exported: " in done.stdout, done.stderr
    assert messages(there / "irc_logs.db") == messages(database(tmp_path))
    assert everything(there / "irc_logs.db", there) == exported
    again = imported(there, tmp_path / "irc_logs.jsonl", db=there / "irc_logs.db")
    assert "of them before" in again.stdout
    assert messages(there / "irc_logs.db") == messages(database(tmp_path))


def test_an_export_in_a_folder_with_other_logs_is_imported_with_them(tmp_path: Path) -> None:
    imported(tmp_path, WEECHAT / "irc.labnet.#lab.weechatlog", *BERLIN)
    mix = tmp_path / "mix"
    mix.mkdir()
    everything(database(tmp_path), mix)
    (mix / "irc.labnet.#tea.weechatlog").write_bytes(b"2026-10-24 23:57:13\tbob\thi\n")
    there = tmp_path / "there.db"
    undecided = imported(tmp_path, mix, db=there)
    assert "irc.labnet.#tea.weechatlog" in undecided.stderr
    assert "--timezone" in undecided.stderr
    done = imported(tmp_path, mix, *BERLIN, db=there)
    assert "labnet/#tea: 1 line, 1 added" in done.stdout, done.stderr
    assert "labnet/#lab: 200 lines, 200 added" in done.stdout


def test_what_is_no_log_beside_an_export_is_named(tmp_path: Path) -> None:
    imported(tmp_path, WEECHAT / "irc.labnet.#lab.weechatlog", *BERLIN)
    mix = tmp_path / "mix"
    mix.mkdir()
    everything(database(tmp_path), mix)
    shutil.copy(LOGS / "truth.log", mix)
    done = imported(tmp_path, mix, db=tmp_path / "there.db")
    assert "truth.log: not a log of a known format" in done.stdout, done.stderr
    assert "labnet/#lab: 200 lines, 200 added" in done.stdout


@pytest.mark.parametrize("kind", ["channel", "private"])
def test_an_export_after_an_import_that_was_undone_stays_when_that_is_undone_again(
    tmp_path: Path, kind: str
) -> None:
    imported(tmp_path, WEECHAT, *BERLIN, "--private")
    everything(database(tmp_path), tmp_path)
    there = tmp_path / "there.db"
    log = "irc.labnet.#lab.weechatlog" if kind == "channel" else "irc.labnet.alice.weechatlog"
    imported(tmp_path, WEECHAT / log, *BERLIN, "--private", db=there)
    undo = f"terrarium-mcp import --undo 1 --db {there}"
    assert ran(undo, at=tmp_path).returncode == 0
    done = imported(tmp_path, tmp_path / "irc_logs.jsonl", db=there)
    assert "labnet/#lab: 200 lines, 200 added" in done.stdout, done.stderr
    found = ran(f"terrarium-mcp search hello --db {there}", at=tmp_path)
    assert "hello" in found.stdout.partition("\n")[2]
    before = messages(there)
    assert "was undone already" in ran(undo, at=tmp_path).stdout
    assert messages(there) == before


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


@pytest.mark.parametrize("lines", [10, 20_000], ids=["here", "in a process of its own"])
def test_a_cut_export_that_is_to_be_merged_is_named_as_such(tmp_path: Path, lines: int) -> None:
    log = tmp_path / "irc.labnet.#lab.weechatlog"
    said = (f"2026-10-24 23:57:13\tbob\t{at} of a rather long talk\n" for at in range(lines))
    log.write_text("".join(said), "utf-8")
    imported(tmp_path, log, *BERLIN)
    everything(database(tmp_path), tmp_path)
    export = tmp_path / "irc_logs.jsonl"
    export.write_bytes(export.read_bytes()[:-100])
    done = imported(tmp_path, export, "--map", "#lab=#den", db=tmp_path / "there.db")
    assert done.returncode == 1
    assert f"{export}: Line " in done.stderr
    assert "it was cut" in done.stderr or "damaged, or was cut" in done.stderr
    assert messages(tmp_path / "there.db") == []


def test_an_import_killed_at_any_point_and_repeated_is_as_one(tmp_path: Path) -> None:
    """Also the ids, since what was added before is recognised."""
    logs = tmp_path / "logs"
    shutil.copytree(LOGS / "weechat", logs / "weechat")
    shutil.copytree(LOGS / "limnoria", logs / "limnoria")
    shutil.copytree(LOGS / "irssi", logs / "irssi")
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
        assert spans(db) == spans(whole)


@contextmanager
def reading_much(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """An import, in a process group of its own, of so much that another process reads it."""
    log = folder / "irc.labnet.#tea.weechatlog"
    stamps = (f"2026-10-{n // 8_000 + 1:02} {n % 8_000 // 360:02}:{n // 6 % 60:02}:{n % 6 * 10:02}"
              for n in range(80_000))  # fmt: skip
    log.write_text("".join(f"{at}\tada\ta kettle is on at {at}\n" for at in stamps))
    usual = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored behind a shell
    try:
        process = subprocess.Popen(
            words("terrarium-mcp import", log, *BERLIN),
            cwd=folder,
            env=environment(DB_PATH=database(folder)),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
    finally:
        signal.signal(signal.SIGINT, usual)
    with process:
        try:
            yield process
        finally:
            process.kill()


def interrupted(process: subprocess.Popen[str]) -> str:
    """What it writes to stderr when Ctrl-C is pressed at its terminal."""
    os.killpg(process.pid, signal.SIGINT)
    return process.communicate(timeout=PATIENCE)[1]


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="where /proc tells the children")
def test_an_import_that_is_interrupted_at_its_start_prints_no_traceback(tmp_path: Path) -> None:
    with reading_much(tmp_path) as process:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        until(lambda: children.read_text() != "")
        told = interrupted(process)
    assert told.split()[-1] == "Aborted!"
    assert "Traceback" not in told


def test_an_import_that_is_interrupted_says_how_it_goes_on(tmp_path: Path) -> None:
    def is_some_stored() -> bool:
        with suppress(sqlite3.OperationalError):  # it is being made
            return bool(messages(database(tmp_path)))
        return False

    with reading_much(tmp_path) as process:
        until(is_some_stored)
        told = interrupted(process)
    assert "What was stored so far stays; the same command continues from there." in told
    assert "Traceback" not in told


CLOSING = """
import os, signal, sys
from terrarium_mcp.cli import main
from terrarium_mcp.store.sqlite.engine.database import Database
checkpoint = Database.checkpoint
async def interrupted(*how):
    for _ in range({times}):
        os.kill(os.getpid(), signal.SIGINT)
    return await checkpoint(*how)
Database.checkpoint = interrupted
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where a shell put it behind
sys.argv = ["terrarium-mcp", *sys.argv[1:]]
main()
"""


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("command", [["import", "logs", *BERLIN], ["import", "--undo", "1"]])
def test_ctrl_c_while_a_database_is_closed_ends_the_process(
    tmp_path: Path, command: list[str], times: int
) -> None:
    shutil.copytree(LOGS / "weechat", tmp_path / "logs")
    if "--undo" in command:
        imported(tmp_path, tmp_path / "logs", *BERLIN)
    done = subprocess.run(
        forked(
            "-c",
            CLOSING.format(times=times),
            *command,
            *(BERLIN if "logs" in command else ()),
        ),
        cwd=tmp_path,
        env=environment(DB_PATH=database(tmp_path)),
        capture_output=True,
        check=False,
        timeout=PATIENCE,
        text=True,
    )
    assert (done.returncode, done.stderr.split()[-1]) == (1, "Aborted!")
    assert "Traceback" not in done.stderr


@asynccontextmanager
async def importing_behind_another(folder: Path, store: Store) -> AsyncIterator[Program]:
    """An import that waits for another during the block, and then comes to its end."""
    log = WEECHAT / "irc.labnet.#lab.weechatlog"
    async with AsyncExitStack() as other:
        await other.enter_async_context(store.imports.alone(pytest.fail))
        async with running(
            "terrarium-mcp import", log, *BERLIN, at=folder, DB_PATH=database(folder)
        ) as program:
            await program.says("Another import into this database is running")
            yield program
            await other.aclose()
            with anyio.fail_after(PATIENCE):
                await program.process.wait()


async def test_an_import_waits_for_the_end_of_another_and_says_so(tmp_path: Path) -> None:
    async with open_store(database(tmp_path)) as store:
        async with importing_behind_another(tmp_path, store) as program:
            assert await store.imports.all() == []
        assert program.ended_well()
        assert len(await store.imports.all()) == 1


async def test_an_import_that_waited_spells_a_network_as_the_other_did(tmp_path: Path) -> None:
    async with open_store(database(tmp_path)) as store:
        async with importing_behind_another(tmp_path, store):
            await store.messages.append([line_of("ada", "hi", channel="#lab", network="LabNet")])
        assert [room.network for room in await store.rooms.all()] == ["LabNet"]


def irssi_log(folder: Path, network: str) -> Path:
    (folder / network).mkdir(parents=True)
    (folder / network / "#tea.log").write_text(
        "--- Log opened Sat Oct 24 12:00:00 2026\n12:01 < ada> tea at four\n12:02 < bo> milk\n"
    )
    return folder


@pytest.mark.parametrize(
    "settings", [{"TERRARIUM_NETWORK": "libera"}, {"IRC_SERVER": "irc.libera.chat"}]
)
def test_a_network_is_spelt_as_the_settings_name_it(
    tmp_path: Path, settings: dict[str, str]
) -> None:
    logs = irssi_log(tmp_path / "irclogs", "Libera")
    done = ran(
        "terrarium-mcp import", logs, *BERLIN, at=tmp_path, DB_PATH=database(tmp_path), **settings
    )
    assert done.stdout.startswith("libera/#tea: irssi,"), done
    assert rows_of(database(tmp_path), "SELECT network FROM rooms") == [("libera",)]


async def test_of_two_recorded_spellings_an_import_takes_that_of_the_settings(
    tmp_path: Path,
) -> None:
    async with open_store(database(tmp_path)) as store:
        for network in ("Libera", "libera"):
            await store.messages.append([line_of("ada", "hi", network=network)])
    logs = irssi_log(tmp_path / "irclogs", "LIBERA")
    done = ran(
        "terrarium-mcp import",
        *(logs, *BERLIN),
        at=tmp_path,
        DB_PATH=database(tmp_path),
        TERRARIUM_NETWORK="libera",
    )
    assert done.stdout.startswith("libera/#tea: irssi,"), done


async def test_an_opt_out_holds_for_a_log_that_spells_the_network_otherwise(
    tmp_path: Path,
) -> None:
    """The bridge recorded nobody yet, and the import knows no settings."""
    async with open_store(database(tmp_path)) as store:
        await store.rooms.set_casemapping("libera", "rfc1459")
        await store.opt_outs.add(Identity("libera", "ada", "~ada", "host"), NOON)
    done = imported(tmp_path, irssi_log(tmp_path / "irclogs", "Libera"), *BERLIN)
    assert done.returncode == 0, done
    assert [row[3] for row in messages(database(tmp_path))] == ["bo"]


def until(is_so: Callable[[], bool]) -> None:
    """Wait for something of which no event tells."""
    deadline = monotonic() + PATIENCE
    while not is_so():
        assert monotonic() < deadline


@pytest.mark.parametrize("name", ["README.md", "docs/why/once.md"])
def test_the_documentation_shows_what_an_import_prints(name: str, tmp_path: Path) -> None:
    """Its commands, run by a shell, over logs in the places that it names."""
    page = (Path(__file__).parents[2] / name).read_text("utf-8")
    shown = page.partition("```console\n")[2].partition("```")[0]
    home = tmp_path / "home"
    shutil.copytree(LOGS / "weechat" / "logs", home / ".weechat" / "logs")
    shutil.copytree(LOGS / "irssi" / "irclogs", home / "irclogs")
    znc = home / ".znc" / "users" / "ada" / "networks" / "labnet" / "moddata"
    shutil.copytree(LOGS / "znc" / "network-module" / "log", znc / "log")
    program, printed = shlex.join(quick_words("terrarium-mcp")), ""
    for command in (line for line in shown.splitlines() if line.startswith("$ ")):
        done = subprocess.run(
            ["sh", "-c", command.removeprefix("$ ").replace("terrarium-mcp", program, 1)],
            env=environment(DB_PATH=database(tmp_path), HOME=home),
            cwd=tmp_path,
            capture_output=True,
            check=False,
            text=True,
            timeout=PATIENCE,
        )
        assert done.returncode == 0, done.stderr
        printed += f"{command}\n{done.stdout}"
    assert printed == shown


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGHUP])
async def test_an_import_that_is_told_to_end_leaves_nothing_behind(
    how: signal.Signals, tmp_path: Path
) -> None:
    """It waits for the rest of its standard input, of which it has a copy already."""
    (temporary := tmp_path / "temporary").mkdir()
    async with running(
        "terrarium-mcp import -", at=tmp_path, DB_PATH=tmp_path / "x.db", TMPDIR=temporary
    ) as program:
        assert program.process.stdin
        await program.process.stdin.send(b"23:57 < bob> hi\n")
        with anyio.fail_after(PATIENCE):
            while not list(temporary.glob("*/standard-input")):  # noqa: ASYNC110 -- no event
                await anyio.sleep(0.02)
        await program.stop(how)
    assert program.process.returncode == 128 + how
    assert program.said == []
    assert not list(temporary.iterdir())


def test_names_of_strangers_do_not_control_the_terminal(tmp_path: Path) -> None:
    """Those of files in an archive, of channels, and of what cannot be read."""
    escape, turned = "\x1b]0;x\x07\x1b[2J", "\u202e"
    log = "--- Log opened Sat Oct 24 23:50:00 2026\n23:57 < bob> hi\n23:58 \x1b[31m\n"
    packed = tmp_path / "logs.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(f"net/#a{escape.replace(chr(7), '')}{turned}.log", log)  # as a server may
        archive.writestr(f"bad{escape}{turned}\nterrarium-mcp: all is well.log", "nonsense\n")
        archive.writestr(f"c{escape}{turned}.log.gz", b"no gzip")
        archive.writestr(f"d{escape}{turned}.db", b"SQLite format 3\0 or not")
    rejects = tmp_path / "rejects"
    done = imported(tmp_path, packed, *BERLIN, "--rejects", rejects)
    assert done.returncode == 0, done.stderr
    assert "1 added" in done.stdout
    alone = tmp_path / f"e{escape}{turned}.zip"
    alone.write_bytes(b"PK no zip")
    refused = imported(tmp_path, alone, *BERLIN)
    assert refused.returncode == 1
    assert "e]0;x" in refused.stderr
    listed = imported(tmp_path, "--list")
    told = (done.stdout, done.stderr, refused.stderr, listed.stdout, rejects.read_text("utf-8"))
    for text in told:
        assert not {"\x1b", "\x07", turned} & set(text)
        assert "\nterrarium-mcp: all is well" not in text
    assert len(rejects.read_text("utf-8").splitlines()) == 4
