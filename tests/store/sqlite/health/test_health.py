"""An examination of a database reports everything and changes nothing."""

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import anyio
import pytest

from terrarium_mcp.settings import Settings
from terrarium_mcp.store import Store, examine, open_store
from terrarium_mcp.store.sqlite.engine.wal_reset_bug import has_wal_reset_bug, other_writers_advice
from terrarium_mcp.store.sqlite.keeper import KeeperRecord, lock_file
from terrarium_mcp.store.sqlite.schema import APPLICATION_ID, CURRENT
from tests.patience import PATIENCE
from tests.samples import terrarium_irc as sample
from tests.servers.forked import forked
from tests.store.damage import flip_bytes
from tests.store.files.stored import stored
from tests.store.scene import NOON, SETTINGS, chat, write
from tests.store.sqlite.schema.test_refused import NOBODY, made
from tests.store.sqlite.test_processes import HOLDING, running

pytestmark = pytest.mark.usefixtures("at_once")

ROOT = Path(__file__).parents[2]


def seen(file: Path) -> dict[str, str]:
    """The facts by `section name`; those that are wrong begin with `!`."""
    return {
        f"{section.title} {fact.name}": f"{'! ' if fact.wrong else ''}{fact.text}"
        for section in examine(file, NOON)
        for fact in section.facts
    }


def wrong(file: Path) -> list[str]:
    return [text for text in seen(file).values() if text.startswith("!")]


async def test_a_database_behind_a_link_is_examined_with_what_is_in_its_wal(
    file: Path, tmp_path: Path
) -> None:
    link = tmp_path / "link.db"
    link.symlink_to(file)
    async with open_store(file, SETTINGS) as store:
        await store.messages.append(chat("<ada> tea\n<bo> no"))
        by_link = seen(link)
        assert [text[0] for name, text in by_link.items() if name.endswith(" lines")] == ["2"]
        assert "and 0.0 MB of WAL" not in by_link["database size"]
        assert by_link["keeper process"].startswith(str(os.getpid()))


@pytest.mark.parametrize(
    ("free", "told"),
    [
        (50_000_000_000, "50.0 GB free"),
        (3_000_000_000, "3.0 GB free, too little for a backup here, which may need 4.0 GB"),
        (60_000_000, "! 60.0 MB free, too little to record for a day: free some space, or lines"),
    ],
)
async def test_a_disk_that_is_nearly_full_is_named(
    file: Path, monkeypatch: pytest.MonkeyPatch, free: int, told: str
) -> None:
    async with open_store(file, SETTINGS) as store:
        await store.messages.append(chat("<ada> tea"))
    with file.open("r+b") as database:
        database.truncate(2_000_000_000)  # sparse: it takes no room
    disk = shutil.disk_usage(file.parent)._replace(free=free)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: disk)
    assert seen(file)["database disk"].startswith(told)


async def test_a_clock_that_would_make_lines_too_old_is_named(file: Path) -> None:
    keeps = Settings(network="net", retention_days=30)

    def retention(now: datetime) -> list[tuple[str, bool]]:
        facts = [one for section in examine(file, now, keeps) for one in section.facts]
        return [(one.text, one.wrong) for one in facts if one.name == "retention"]

    async with open_store(file, SETTINGS) as store:
        await store.messages.append(chat("<ada> tea"))
        soon, late = datetime.now(UTC), datetime.now(UTC) + timedelta(days=2)
        assert retention(NOON + timedelta(days=8)) == []
        [(text, is_wrong)] = retention(soon)  # NOON is long ago
        assert "nothing was recorded from 2026-05-01 until a day ago" in text
        assert is_wrong
        [(_, is_wrong)] = retention(late)  # the keeper has been running for more than a day
        assert not is_wrong
    [(_, is_wrong)] = retention(soon)  # nobody is about to remove anything
    assert not is_wrong


async def test_a_healthy_database_is_described_in_numbers(file: Path) -> None:
    async with open_store(file, SETTINGS) as store:
        await store.messages.append(chat("<ada> tea\n<bo> milk"))
        await store.messages.append(chat("<ada> mate", channel="#mate"))
    told = seen(file)
    assert not wrong(file)
    assert told["database version"] == f"{CURRENT}, application id {APPLICATION_ID:#x}"
    assert sqlite3.sqlite_version in told["database SQLite"]
    assert "WAL-reset bug" in told["database SQLite"]
    assert told["database journal"] == "WAL"
    assert told["database lines"] == "3 and 0 events in 2 rooms of net"
    assert told["database first, last"].startswith("2026-05-01 12:00:00.000, 2026-05-01 12:01")
    assert told["index index"] == "up to 3, complete"
    assert told["keeper process"].startswith("none; the last was ")
    assert told["other programs wrote"] == "nothing noticed"


async def test_a_look_changes_nothing_and_leaves_nothing(file: Path) -> None:
    async with open_store(file, SETTINGS) as store:
        await store.messages.append(chat("<ada> tea"))
    before = {one.name: one.read_bytes() for one in file.parent.iterdir()}
    seen(file)
    assert before == {one.name: one.read_bytes() for one in file.parent.iterdir()}


async def test_it_is_seen_while_others_record(store: Store, file: Path) -> None:
    await store.messages.append(chat("<ada> tea"))
    await store.spans.begin("net", "#tea", NOON, "joined")
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        told = seen(file)
    assert told["database lines"].startswith("1 and 0 events")
    assert told["database recording"].startswith("1 span open, last alive 2026-05-01 12:00")
    assert not wrong(file)


async def test_the_keeper_is_named_until_it_dies(file: Path) -> None:
    async with running(HOLDING, str(file)) as other:
        assert seen(file)["keeper process"].startswith(f"{other.pid} (")
        assert seen(file)["keeper since"]
        other.kill()
        await other.wait()
    assert seen(file)["keeper process"].startswith(f"none; the last was {other.pid} (")


async def test_a_keeper_s_command_line_that_is_no_utf_8_can_be_shown(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ["/bin/terrarium-mcp", "import", os.fsdecode(b"caf\xe9\x1b[2J.log")]
    monkeypatch.setattr(sys, "argv", command)
    async with open_store(file, SETTINGS):
        now = seen(file)["keeper process"]
    last = seen(file)["keeper process"]
    assert now.encode().endswith(b" (terrarium-mcp import caf[2J.log)")
    assert last == f"none; the last was {now}"


async def test_a_process_that_cannot_be_keeper_leaves_the_keepers_note_alone(file: Path) -> None:
    async with running(HOLDING, str(file)) as other, open_store(file, SETTINGS) as store:
        assert not store.keeper.claim()
        note = KeeperRecord.read(lock_file(file))
    assert note
    assert note.pid == other.pid


async def test_programs_that_append_are_counted(store: Store, file: Path) -> None:
    await store.messages.append(chat("<ada> tea"))
    for text in ("one", "two"):
        write(file, "INSERT INTO messages (channel, message) VALUES ('#tea', ?)", [text])
    await store.messages.newest(await store.rooms.all(), 9)
    told = seen(file)["other programs wrote"]
    assert told.startswith("2 lines, the last noticed 20")
    assert "WAL-reset bug" in told
    assert not wrong(file)


async def test_programs_that_append_are_warned_of_once(
    store: Store, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for text in ("one", "two", "three"):
        write(file, "INSERT INTO messages (channel, message) VALUES ('#tea', ?)", [text])
        await store.messages.newest(await store.rooms.all(), 9)
    assert caplog.text.count("another program appends lines") == 1
    assert "WAL-reset bug" in caplog.text


async def test_a_structure_that_lags_says_how_far(file: Path) -> None:
    async with open_store(file, SETTINGS) as store:
        await store.messages.append(chat("<ada> tea\n" * 5))
    write(file, "UPDATE derived SET upto = 2 WHERE name = 'links'")
    write(file, "UPDATE derived SET upto = -1 WHERE name = 'people'")
    assert seen(file)["index links"] == "up to 2, 3 to follow"
    assert "to be rebuilt" in seen(file)["index people"]


async def test_rooms_that_are_being_told_apart_are_named_until_they_are(file: Path) -> None:
    async with open_store(file, SETTINGS) as store:
        await store.messages.append(chat("<ada> tea\n" * 5, channel="#a["))
    assert "index rooms" not in seen(file)
    write(file, "INSERT INTO derived (name, upto) VALUES ('rooms', 2)")
    assert seen(file)["index rooms"] == "up to 2, 3 to follow"


def nothing(_: Path) -> str:
    return "no database yet"


def an_empty_one(file: Path) -> str:
    file.touch()
    return "no database yet"


def a_letter(file: Path) -> str:
    file.write_text("no database, a letter\n" * 100)
    return "is not an SQLite database"


def anothers(file: Path) -> str:
    made(file, "CREATE TABLE bookmarks (id)")
    return "belongs to another program (tables: bookmarks)"


def a_newer(file: Path) -> str:
    made(file, f"PRAGMA application_id={APPLICATION_ID}", "PRAGMA user_version=99")
    return "is of version 99"


def a_cut_one(file: Path) -> str:
    sample.make(file, 300)
    file.write_bytes(file.read_bytes()[:9_000])
    return "sqlite3 COPY .recover"


def a_folder(file: Path) -> str:
    file.mkdir()
    return "is a folder"


def a_circle(file: Path) -> str:
    file.symlink_to(file.name)
    return "is a link that leads back to itself"


def a_half_written(file: Path) -> str:
    sample.make(file, 5)
    Path(f"{file}-journal").write_bytes(b"x" * 600)
    return "died while it was writing"


@pytest.mark.parametrize(
    "make",
    [
        nothing,
        an_empty_one,
        a_letter,
        anothers,
        a_newer,
        a_cut_one,
        a_folder,
        a_circle,
        a_half_written,
    ],
)
def test_what_cannot_be_used_is_reported_with_the_way_out_and_left_alone(
    file: Path, make: Callable[[Path], str]
) -> None:
    told = make(file)
    before = file.read_bytes() if file.is_file() else None
    names = sorted(one.name for one in file.parent.iterdir())
    assert any(told in text for text in wrong(file)), seen(file)
    assert not any("[Errno" in text for text in wrong(file))
    assert before == (file.read_bytes() if file.is_file() else None)
    assert names == sorted(one.name for one in file.parent.iterdir())


def test_a_database_of_terrarium_irc_is_nothing_wrong_and_is_accepted(file: Path) -> None:
    sample.make(file, 5)
    before = file.read_bytes()
    assert "terrarium-irc's, not adopted: serve, bridge and up" in seen(file)["database version"]
    assert not wrong(file)
    assert file.read_bytes() == before


def test_a_locked_database_is_reported(file: Path) -> None:
    sample.make(file, 5)
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert "has locked it" in seen(file)["database contents"]


async def test_a_damaged_page_that_it_reads_is_reported(file: Path) -> None:
    async with open_store(file, SETTINGS) as store:
        await store.messages.append(chat("<ada> tea"))
    flip_bytes(file, "room_counts")
    assert "It is damaged" in seen(file)["database contents"]


async def test_another_journal_mode_is_wrong(file: Path) -> None:
    async with open_store(file, SETTINGS) as store:
        await store.messages.append(chat("<ada> tea"))
    made(file, "PRAGMA journal_mode=DELETE")
    assert seen(file)["database journal"].startswith("! rollback; another program changed it")


def test_copies_are_named_and_what_was_left_over_is_wrong(file: Path) -> None:
    sample.make(file, 5)
    (file.parent / "irc_logs.before-v1.db").touch()
    (file.parent / "irc_logs.db.check-x").mkdir()
    assert "irc_logs.before-v1.db" in seen(file)["database copy"]
    assert seen(file)["database left over"].startswith("! ")


def test_copies_are_found_whatever_characters_the_name_of_the_database_has(file: Path) -> None:
    named = file.with_name("irc[1].db")
    sample.make(named, 5)
    (file.parent / "irc[1].before-v1.db").touch()
    (file.parent / "irc[1].db.check-x").mkdir()
    assert "irc[1].before-v1.db" in seen(named)["database copy"]
    assert "irc[1].db.check-x" in seen(named)["database left over"]


def test_what_a_migration_left_is_told_from_what_other_programs_write_there(file: Path) -> None:
    sample.make(file, 5)
    for name in ("holiday.mp4.partial", "irc.before-v1.db.partial"):
        (file.parent / name).touch()
    assert "database left over" not in seen(file)
    (file.parent / "irc_logs.before-v1.2.db.partial").touch()
    assert "irc_logs.before-v1.2.db.partial: " in seen(file)["database left over"]
    assert "database copy" not in seen(file)


def test_a_half_written_copy_is_none_also_where_the_name_of_the_database_has_no_ending(
    file: Path,
) -> None:
    named = file.with_suffix("")
    sample.make(named, 5)
    (file.parent / "irc_logs.before-v1.partial").touch()
    assert "irc_logs.before-v1.partial: " in seen(named)["database left over"]
    assert "database copy" not in seen(named)


LOOKING = """
import os, sys
from datetime import UTC, datetime
from pathlib import Path
from terrarium_mcp.store import examine
if os.getuid() == 0:  # only now: the interpreter may live where nobody else may look
    os.setgroups([])
    os.setgid({nobody})
    os.setuid({nobody})
for section in examine(Path(sys.argv[1]), datetime.now(UTC)):
    for fact in section.facts:
        print(section.title, fact.name, fact.wrong, fact.text)
"""


def seen_by_another_account(mode: int) -> str:
    """What an account sees of a readable database in a folder with this mode."""
    with tempfile.TemporaryDirectory(prefix="terrarium-health-") as place:
        folder = Path(place)
        folder.chmod(0o755)
        file = folder / "irc_logs.db"

        async def record() -> None:
            async with open_store(file, SETTINGS) as store:
                await store.messages.append(chat("<ada> tea"))

        anyio.run(record)
        file.chmod(0o644)
        folder.chmod(mode)
        said = subprocess.run(
            forked("-c", LOOKING.format(nobody=NOBODY), file),
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=True,
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
        ).stdout
        folder.chmod(0o755)
    return said


def test_an_account_that_may_only_read_sees_everything_and_that_it_may_not_write() -> None:
    said = seen_by_another_account(0o555)
    assert "database lines False 1 and 0 events" in said
    assert "database access True This account may not write" in said


def test_an_account_that_the_folder_is_closed_to_is_told_how_its_owner_lets_it_in() -> None:
    said = seen_by_another_account(0o000)
    assert "database access True This account may not write" in said
    assert "chgrp -R GROUP " in said
    assert "Errno" not in said


@pytest.mark.parametrize(
    ("version", "has_it"),
    [
        ((3, 6, 23), False),
        ((3, 7, 0), True),
        ((3, 51, 2), True),
        ((3, 51, 3), False),
        ((3, 53, 0), False),
    ],
)
def test_the_wal_reset_bug_is_in_these_versions(version: tuple[int, ...], has_it: bool) -> None:
    assert has_wal_reset_bug(version) is has_it
    assert ("damage" in other_writers_advice(version)) is has_it


def test_how_a_database_was_adopted_is_told(file: Path) -> None:
    stored(f"v{CURRENT}-adopted", file)
    told = seen(file)["database adopted"]
    assert told.startswith("from terrarium-irc on 20")
    assert told.endswith(", local times read as America/New_York")
    assert not wrong(file)


async def test_of_a_database_that_version_1_adopted_the_zone_is_not_known(file: Path) -> None:
    stored("v1-adopted", file)
    assert seen(file)["database version"] == (
        f"1; the next start copies it, then migrates it to {CURRENT}"
    )
    async with open_store(file, SETTINGS) as store:
        await store.opening.wait(PATIENCE)
    assert seen(file)["database adopted"] == "from terrarium-irc, zone not known"


def test_a_database_of_our_own_was_adopted_from_nowhere(file: Path) -> None:
    stored(f"v{CURRENT}", file)
    assert "database adopted" not in seen(file)


@pytest.mark.parametrize("zone", ["Asia/Tokyo", "UTC"])
def test_a_zone_that_contradicts_the_adoption_is_wrong(file: Path, zone: str) -> None:
    stored(f"v{CURRENT}-adopted", file)
    told = examine(file, NOON, Settings(source_timezone=zone))
    (fact,) = [fact for one in told for fact in one.facts if fact.wrong]
    assert fact.name == "source zone"
    assert f"is {zone}" in fact.text
    assert "America/New_York" in fact.text
    assert not [fact for one in examine(file, NOON) for fact in one.facts if fact.wrong]


def test_a_table_that_is_missing_is_wrong(file: Path) -> None:
    stored(f"v{CURRENT}", file)
    write(file, "DROP TABLE topics")
    assert "table topics is missing" in seen(file)["database contents"]
