"""Who may change terrarium-irc's database, and what the commands say of the zone it was read in."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.conftest import SAID
from tests.cli.programs import ran, running
from tests.store.files.stored import stored
from tests.store.scene import rows_of

SEARCH = "terrarium-mcp search garden gate"
PURGE = "terrarium-mcp purge --nick ada --yes"
BACKUP = "terrarium-mcp backup ../backup.tar"
BERLIN, TOKYO = "Europe/Berlin", "Asia/Tokyo"
PUBLIC = {"IRC_SERVER": "127.0.0.1", "IRC_CHANNELS": "tea", "TERRARIUM_CONTACT": "ada"}


def everything(folder: Path) -> dict[str, tuple[bytes, int]]:
    """The bytes and the time of change of every file."""
    return {one.name: (one.read_bytes(), one.stat().st_mtime_ns) for one in folder.iterdir()}


def refused(command: str, file: Path, **settings: str) -> str:
    """The one line with which a command ends, after a look that no file has changed."""
    before = everything(file.parent)
    done = ran(command, "--db", file, at=file.parent, **settings)
    assert everything(file.parent) == before
    assert done.returncode == 1
    assert not done.stdout
    (line,) = done.stderr.splitlines()
    return line


@pytest.mark.parametrize(
    "command", [SEARCH, PURGE, "terrarium-mcp purge --nick ada --thorough --copies --yes", BACKUP]
)
def test_no_other_command_changes_a_byte_of_it(theirs: Path, command: str) -> None:
    told = refused(command, theirs)
    assert "is a database of terrarium-irc" in told
    assert "terrarium-mcp serve, bridge or up" in told
    assert "--adopt" in told


@pytest.mark.parametrize("mode", ["wal", "delete"])
def test_nor_while_the_old_bot_has_it_open(theirs: Path, mode: str) -> None:
    with closing(sqlite3.connect(theirs, isolation_level=None)) as old_bot:
        old_bot.execute(f"PRAGMA journal_mode={mode}")
        old_bot.execute("BEGIN IMMEDIATE")
        old_bot.execute("INSERT INTO messages (channel, message) VALUES ('#tea', 'meanwhile')")
        assert "is a database of terrarium-irc" in refused(SEARCH, theirs)


def test_with_the_flag_they_adopt_it(theirs: Path) -> None:
    done = ran(SEARCH, "--adopt", "--db", theirs, at=theirs.parent)
    assert done.returncode == 0, done.stderr
    assert f"<ada> {SAID}" in done.stdout
    assert theirs.with_name("theirs.before-v1.db").is_file()
    done = ran(PURGE, "--adopt", "--db", theirs, at=theirs.parent)
    assert done.returncode == 0, done.stderr
    assert rows_of(theirs, "SELECT message FROM messages") == []


def test_a_backup_adopts_it_with_the_flag_unless_it_has_no_place(theirs: Path) -> None:
    place = theirs.parent.with_name("backup.tar")
    place.write_bytes(b"")
    assert "backup.tar exists" in refused(f"{BACKUP} --adopt", theirs)
    place.unlink()
    done = ran(f"{BACKUP} --adopt", "--db", theirs, at=theirs.parent)
    assert done.returncode == 0, done.stderr
    assert "1 message in 1 channel" in done.stdout
    assert place.is_file()
    assert theirs.with_name("theirs.before-v1.db").is_file()


async def test_the_zone_is_shown_held_to_and_mended_with_the_kept_copy(theirs: Path) -> None:
    folder = theirs.parent
    async with running(
        "terrarium-mcp serve --http", "--port", 0, "--db", theirs,
        at=folder, TERRARIUM_SOURCE_TIMEZONE=BERLIN,
    ) as server:  # fmt: skip
        await server.says("/mcp")
        await server.stop()
    assert rows_of(theirs, "SELECT timestamp FROM messages") == [("2025-11-05 13:23:00.123",)]

    done = ran("terrarium-mcp doctor", "--db", theirs, at=folder)
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("  adopted")]
    assert "from terrarium-irc on " in line
    assert " UTC by terrarium-mcp " in line
    assert "local times read as Europe/Berlin" in line
    assert done.returncode == 0
    done = ran("terrarium-mcp doctor", "--db", theirs, at=folder, TERRARIUM_SOURCE_TIMEZONE=TOKYO)
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("! source zone")]
    assert "is Asia/Tokyo" in line
    assert "1 wrong: database (source zone)" in done.stdout
    assert done.returncode == 1

    for command in ("serve", "bridge", "up --port 0"):
        settings = {"TERRARIUM_SOURCE_TIMEZONE": TOKYO, **PUBLIC}
        done = ran(f"terrarium-mcp {command}", "--db", theirs, at=folder, **settings)
        assert done.returncode == 1
        assert "read as Europe/Berlin" in done.stderr.splitlines()[-1]
    done = ran(SEARCH, "--db", theirs, at=folder, TERRARIUM_SOURCE_TIMEZONE=TOKYO)
    assert f"<ada> {SAID}" in done.stdout

    # The way back, as docs/database.md has it.
    copy = theirs.with_name("theirs.before-v1.db")
    for name in ("theirs.db", "theirs.db-wal", "theirs.db-shm"):
        if (folder / name).exists():
            (folder / name).rename(folder / name.replace("theirs", "wrong-zone"))
    shutil.copy(copy, theirs)
    done = ran(SEARCH, "--adopt", "--db", theirs, at=folder, TERRARIUM_SOURCE_TIMEZONE=TOKYO)
    assert f"<ada> {SAID}" in done.stdout
    assert rows_of(theirs, "SELECT timestamp FROM messages") == [("2025-11-05 05:23:00.123",)]


def test_the_doctor_says_that_it_was_not_adopted_yet(theirs: Path) -> None:
    before = everything(theirs.parent)
    done = ran("terrarium-mcp doctor", "--db", theirs, at=theirs.parent)
    assert "terrarium-irc's, not adopted: serve, bridge and up copy and adopt it" in done.stdout
    assert done.returncode == 0
    assert everything(theirs.parent) == before


@pytest.mark.parametrize("option", ["--live", "--deep", "--rebuild"])
def test_the_doctor_says_that_it_is_to_be_adopted_first(theirs: Path, option: str) -> None:
    before = everything(theirs.parent)
    done = ran(f"terrarium-mcp doctor {option}", "--db", theirs, at=theirs.parent)
    assert "is a database of terrarium-irc. Adopt it first: start terrarium-mcp serve" in (
        done.stdout
    )
    assert "--adopt" not in done.stdout  # which the doctor does not have
    assert done.returncode == 1
    assert everything(theirs.parent) == before


def test_the_doctor_names_a_table_that_is_missing_and_rebuilds_it_if_asked(ours: Path) -> None:
    with closing(sqlite3.connect(ours)) as db:
        db.execute("DROP TABLE phrase_index")
    before = everything(ours.parent)
    done = ran("terrarium-mcp doctor", "--db", ours, at=ours.parent)
    assert "table phrase_index is missing" in done.stdout
    assert "run terrarium-mcp doctor --rebuild" in done.stdout
    assert "1 wrong: database (contents)" in done.stdout
    assert done.returncode == 1
    assert everything(ours.parent) == before

    done = ran("terrarium-mcp doctor --rebuild", "--db", ours, at=ours.parent)
    assert "  recreated  table phrase_index is missing" in done.stdout
    assert "  emptied    derived, message_index, " in done.stdout
    assert "  filled     all of these, from the messages" in done.stdout
    assert done.returncode == 0, done.stdout
    done = ran('terrarium-mcp search "garden gate"', "--db", ours, at=ours.parent)
    assert f"<ada> {SAID}" in done.stdout


def test_what_a_repair_emptied_is_indexed_once_and_then_found_complete(ours: Path) -> None:
    with closing(sqlite3.connect(ours)) as db, db:
        db.executemany(
            "INSERT INTO messages (channel, nick, message) VALUES ('#tea', 'bo', ?)",
            [(f"tea {number}",) for number in range(6_000)],
        )
    ran(SEARCH, "--db", ours, at=ours.parent)
    with closing(sqlite3.connect(ours)) as db, db:
        db.execute("DROP TABLE topics")
    done = ran("terrarium-mcp doctor --rebuild", "--db", ours, at=ours.parent)
    assert done.returncode == 0, done.stdout
    assert "\nrebuilt\n" not in done.stdout  # the deep check found nothing left to rebuild
    assert "behind" not in done.stdout
    assert not [line for line in done.stdout.splitlines() if line.startswith("!")]


def test_a_missing_index_is_created_and_nothing_is_emptied(ours: Path) -> None:
    with closing(sqlite3.connect(ours)) as db:
        db.execute("DROP INDEX idx_messages_timestamp")
    done = ran("terrarium-mcp doctor --rebuild", "--db", ours, at=ours.parent)
    assert "  recreated  index idx_messages_timestamp is missing" in done.stdout
    assert "  emptied " not in done.stdout
    assert done.returncode == 0, done.stdout


def test_a_repair_that_fails_says_why(ours: Path) -> None:
    with closing(sqlite3.connect(ours, isolation_level=None)) as other:
        other.execute("DROP TABLE topics")
        other.execute("BEGIN IMMEDIATE")
        done = ran("terrarium-mcp doctor --rebuild", "--db", ours, at=ours.parent)
    assert "! not done  " in done.stdout
    assert "can be repaired only while no other program has it open" in done.stdout
    assert "2 wrong: schema (not done), database (contents)" in done.stdout
    assert done.returncode == 1


def test_a_database_without_tables_is_called_empty(tmp_path: Path) -> None:
    file = tmp_path / "empty.db"
    with closing(sqlite3.connect(file)) as db:
        db.execute("CREATE TABLE once (x)")
        db.execute("DROP TABLE once")
    done = ran("terrarium-mcp doctor", "--db", file, at=tmp_path)
    assert "0, empty; the next start makes the tables" in done.stdout
    assert "terrarium-irc" not in done.stdout


def test_the_help_of_purge_says_that_it_adopts_before_it_asks(tmp_path: Path) -> None:
    said = " ".join(ran("terrarium-mcp purge --help", at=tmp_path).stdout.split())
    assert "With --adopt, the database is adopted before the confirmation is asked for" in said


def test_a_repair_leaves_the_migration_of_an_older_file_to_the_next_start(tmp_path: Path) -> None:
    file = tmp_path / "irc_logs.db"
    stored("v1", file)
    with closing(sqlite3.connect(file)) as db:
        db.execute("DROP TABLE topics")
    done = ran("terrarium-mcp doctor --rebuild", "--db", file, at=tmp_path)
    assert "  to be filled  by the next start, which migrates the file first" in done.stdout
    assert "  to follow  " in done.stdout
    assert "is of an older version: start terrarium-mcp once, which migrates it" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("nothing is wrong that can be seen so far")
    assert done.returncode == 0, done.stdout
    assert rows_of(file, "PRAGMA user_version") == [(1,)]
    done = ran("terrarium-mcp doctor --deep", "--db", file, at=tmp_path)
    assert "1 wrong: deep check (not done)" in done.stdout
    assert done.returncode == 1
