"""A file that we cannot or may not use is refused with the reason and the way out, untouched."""
# ruff: noqa: ASYNC240  # small files, and nobody else waits for this loop

import os
import re
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import anyio
import pytest

from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.store import check_deeply, make_backup, open_store
from terrarium_mcp.store.errors import StoreFailed
from terrarium_mcp.store.sqlite.schema import APPLICATION_ID, CURRENT
from tests.patience import PATIENCE
from tests.samples import terrarium_irc as sample
from tests.servers.forked import forked
from tests.store.scene import SETTINGS, chat, check_index, find, rows_of, write

NOBODY = 65534

MESSAGES = sample.SCHEMA.partition(";")[0]
"""The statement that makes terrarium-irc's messages."""


async def refusal(file: Path) -> str:
    """What opening says, after a look that it has changed nothing."""
    before = file.read_bytes() if file.is_file() else None
    with pytest.raises(TerrariumError) as refused:
        async with open_store(file, SETTINGS, adopt=True) as store:
            await store.opening.wait(PATIENCE)
    if before is not None:
        assert file.read_bytes() == before
    return str(refused.value)


def made(file: Path, *statements: str) -> Path:
    with closing(sqlite3.connect(file)) as db, db:
        for statement in statements:
            db.execute(statement)
    return file


async def test_a_later_version_is_refused_with_both_versions_named(file: Path) -> None:
    made(file, f"PRAGMA application_id={APPLICATION_ID}", f"PRAGMA user_version={CURRENT + 1}")
    told = await refusal(file)
    assert f"is of version {CURRENT + 1}" in told
    assert f"versions up to {CURRENT}" in told


@pytest.mark.parametrize("version", [-1, -3, -(2**31)])
async def test_a_version_below_zero_is_refused_and_named(file: Path, version: int) -> None:
    async with open_store(file, SETTINGS) as store:
        await store.messages.append(chat("<ada> tea"))
    made(file, f"PRAGMA user_version={version}")
    told = await refusal(file)
    assert f"is marked as version {version}, which no terrarium-mcp does" in told
    assert "Go back to a backup" in told


async def test_a_foreign_application_id_is_refused(file: Path) -> None:
    made(file, "PRAGMA application_id=1196444487", "CREATE TABLE tiles (x)")
    assert "belongs to another program (tables: tiles)" in await refusal(file)


async def test_a_foreign_user_version_is_refused_with_both_versions_named(file: Path) -> None:
    made(file, "PRAGMA user_version=12", "CREATE TABLE messages (id)")
    told = await refusal(file)
    assert "belongs to another program" in told
    assert "version 12" in told
    assert f"up to {CURRENT}" in told


@pytest.mark.parametrize("columns", ["id, body", "id, timestamp, channel, nick, message"])
async def test_foreign_tables_are_refused_and_named(file: Path, columns: str) -> None:
    made(file, f"CREATE TABLE messages ({columns})", "CREATE TABLE cookies (id)")
    assert "another program (tables: cookies, messages)" in await refusal(file)


async def test_of_many_foreign_tables_it_says_how_many_more_there_are(file: Path) -> None:
    made(file, *(f"CREATE TABLE cookies{n} (id)" for n in range(1, 10)))
    names = ", ".join(f"cookies{n}" for n in range(1, 7))
    assert f"another program (tables: {names} and 3 more)" in await refusal(file)


@pytest.mark.parametrize("encoding", ["UTF-16le", "UTF-16be"])
async def test_text_in_another_encoding_is_refused_with_the_way_to_ours(
    file: Path, encoding: str
) -> None:
    made(file, f"PRAGMA encoding='{encoding}'", MESSAGES)
    write(file, "INSERT INTO messages (channel, nick, message) VALUES ('#tea', 'ada', 'zwiebel')")
    told = await refusal(file)
    assert f"has its text in {encoding}" in told
    assert "(sqlite3 OLD .dump | sqlite3 NEW)" in told
    new = file.with_name("new.db")
    with closing(sqlite3.connect(file)) as old:
        made(new, *(one for one in old.iterdump() if one.startswith(("CREATE", 'INSERT INTO "m'))))
    async with open_store(new, SETTINGS, adopt=True) as store:
        assert (await find(store, "zwiebel")).messages


@pytest.mark.parametrize("ids", [(0, 1, 2), (-7, -3), (-1, 5)])
async def test_messages_that_no_search_would_find_are_not_adopted_until_they_have_other_ids(
    file: Path, ids: tuple[int, ...]
) -> None:
    made(file, MESSAGES)
    for number in ids:
        row = f"{number}, '2025-06-01 09:00:00', '#tea', 'ada', 'zwiebel'"
        write(file, f"INSERT INTO messages (id, timestamp, channel, nick, message) VALUES ({row})")  # noqa: S608
    told = await refusal(file)
    assert f"ids below 1, such as {min(ids)}" in told
    [remedy] = re.findall(r"sqlite3 \((.*;)\)", told)
    write(file, remedy)
    async with open_store(file, SETTINGS, adopt=True) as store:
        assert len((await find(store, "zwiebel")).messages) == len(ids)
        assert await store.differences() == []


@pytest.mark.parametrize("content", [b"no database at all", b"S", b"SQLite format 3"])
async def test_what_is_no_sqlite_is_refused(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    assert "is not an SQLite database" in await refusal(file)


@pytest.mark.parametrize("size", [16, 99, 512, 9_000])
async def test_a_truncated_file_is_refused(file: Path, size: int) -> None:
    sample.make(file, 300)
    file.write_bytes(file.read_bytes()[:size])
    told = await refusal(file)
    assert "damaged" in told or "not an SQLite database" in told


async def test_a_truncated_file_of_ours_is_refused(file: Path) -> None:
    async with open_store(file, SETTINGS) as store:
        await store.messages.append(chat("<ada> hello\n" * 2_000))
    file.write_bytes(file.read_bytes()[:40_000])
    assert "damaged" in await refusal(file)


async def test_a_folder_is_refused(tmp_path: Path) -> None:
    assert "is a folder" in await refusal(tmp_path)


async def test_a_device_is_refused() -> None:
    assert "/dev/null is not a file." in await refusal(Path("/dev/null"))


@pytest.mark.skipif(
    sys.platform != "linux" or os.getuid() != 0, reason="only root mounts a file system"
)
async def test_a_read_only_file_system_is_named_with_what_works_on_it(tmp_path: Path) -> None:
    place, file = tmp_path / "stick", tmp_path / "stick" / "irc_logs.db"
    place.mkdir()
    if (await anyio.run_process(["mount", "-t", "tmpfs", "tmpfs", place], check=False)).returncode:
        pytest.skip("this container may not mount")
    try:
        async with open_store(file, SETTINGS) as store:
            await store.messages.append(chat("<ada> hello"))
        await anyio.run_process(["mount", "-o", "remount,ro", place])
        told = await refusal(file)
        make_backup(file, tmp_path / "copy.db", lambda *_: None, compress=False)
    finally:
        await anyio.run_process(["umount", place])
    assert told.startswith(f"{place} is on a read-only file system.")
    assert f"terrarium-mcp backup COPY.tar --db {file}" in told
    assert (tmp_path / "copy.db").is_file()


async def test_a_file_in_the_folders_way_is_refused(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")
    assert "cannot be made" in await refusal(tmp_path / "data" / "irc_logs.db")


async def test_a_missing_folder_is_made(tmp_path: Path) -> None:
    async with open_store(tmp_path / "a" / "b#1 %20?" / "irc.db", SETTINGS) as store:
        assert await store.rooms.all() == []
    assert version(tmp_path / "a" / "b#1 %20?" / "irc.db") == CURRENT


async def test_an_empty_file_becomes_a_database(file: Path) -> None:
    file.touch()
    async with open_store(file, SETTINGS) as store:
        assert await store.messages.append(chat("<ada> hello")) == [1]
    assert not list(file.parent.glob("*before*"))


def version(path: Path) -> int:
    return int(rows_of(path, "PRAGMA user_version")[0][0])


PROGRAM = """
import os, sys, anyio
from pathlib import Path
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.store import open_store
async def main():
    if os.getuid() == 0:  # only now: the interpreter may live where nobody else may look
        os.setgroups([])
        os.setgid({nobody})
        os.setuid({nobody})
    try:
        async with open_store(Path(sys.argv[1]), adopt=True):
            print("opened")
    except TerrariumError as why:
        print(type(why).__name__, why)
anyio.run(main)
"""


@pytest.fixture
def in_a_public_place() -> Path:
    """A folder that other accounts can reach: pytest keeps its own to itself."""
    folder = Path(tempfile.mkdtemp(prefix="terrarium-refused-"))
    folder.chmod(0o755)
    return folder


@pytest.mark.parametrize("mode", [0o555, 0o444, 0o000])
def test_a_folder_without_permission_is_refused_with_a_recipe(
    in_a_public_place: Path, mode: int
) -> None:
    folder = in_a_public_place / "data"
    folder.mkdir()
    sample.make(folder / "irc_logs.db", 5)
    folder.chmod(mode)
    try:
        said = subprocess.run(
            forked("-c", PROGRAM.format(nobody=NOBODY), folder / "irc_logs.db"),
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
            cwd=Path(__file__).parents[2],
        )
    finally:
        folder.chmod(0o755)
        for found in (folder / "irc_logs.db", folder, in_a_public_place):
            found.unlink() if found.is_file() else found.rmdir()
    assert said.stdout.startswith("StoreFailed"), said.stderr
    assert "Traceback" not in said.stderr
    assert "chgrp" in said.stdout or "looked into" in said.stdout


async def test_a_full_disk_loses_nothing_that_was_saved(file: Path) -> None:
    async with open_store(file, SETTINGS) as store:
        await store.messages.append(chat("<ada> saved"))
        async with store._database.writing() as writer:  # noqa: SLF001 -- a full disk, made cheaply
            pages = await writer.value("PRAGMA page_count")
            await writer.rows(f"PRAGMA max_page_count={pages + 1}")
        long = chat("\n".join(f"<bo> {os.urandom(400).hex()}" for _ in range(300)))
        with pytest.raises(StoreFailed, match="The disk is full"):
            await store.messages.append(long)
        async with store._database.writing() as writer:  # noqa: SLF001 -- and there is room again
            await writer.rows("PRAGMA max_page_count=1000000")
        assert await store.messages.append(long[:3]) == [2, 3, 4]
        page = await store.messages.newest(await store.rooms.all(), 9)
        assert len(page.messages) == 4


async def test_a_full_disk_leaves_an_old_database_as_it_was(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from terrarium_mcp.store.sqlite.schema import runner

    connect = runner._connect  # noqa: SLF001 -- a full disk, made cheaply

    def on_a_full_disk(path: Path) -> sqlite3.Connection:
        connection = connect(path)
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count={pages + 1}")
        return connection

    sample.make(file, 2_000)
    monkeypatch.setattr(runner, "_connect", on_a_full_disk)
    assert "The disk is full" in await refusal(file)
    assert not list(file.parent.glob("*before*"))


WRITING_INTO_A_LIMIT = """
import resource, sys, anyio
from pathlib import Path
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.store import open_store
from tests.patience import PATIENCE
from tests.store.scene import SETTINGS, chat, find
async def main():
    async with open_store(Path(sys.argv[1]), SETTINGS) as store:
        await store.opening.wait(PATIENCE)
        await store.messages.append(chat("<ada> saved"))
        await store.opening.wait_to_the_end()
        await find(store, "saved")  # so that it is indexed
        await store.messages.append(chat("<bo> waits to be indexed"))
        wal = Path(sys.argv[1] + "-wal")
        limit, unlimited = wal.stat().st_size, resource.RLIM_INFINITY
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, unlimited))
        print(len((await find(store, "saved")).messages))
        try:
            await store.messages.append(chat("<bo> much\\n" * 3_000))
        except TerrariumError as why:
            print(type(why).__name__, why)
        resource.setrlimit(resource.RLIMIT_FSIZE, (unlimited, unlimited))
        print(await store.messages.append(chat("<ada> and on we go")))
        assert await store.differences() == []
anyio.run(main)
"""


def test_a_write_that_the_system_refuses_loses_nothing_that_was_saved(file: Path) -> None:
    said = subprocess.run(
        forked("-c", WRITING_INTO_A_LIMIT, file),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        cwd=Path(__file__).parents[2],
    )
    found, refused, saved = said.stdout.splitlines()
    assert found == "1"  # without the newest lines
    assert refused.startswith("DiskFull")
    assert "The disk cannot be read or written" in refused or "The disk is full" in refused
    assert saved == "[3]"
    said_there = [row[0] for row in rows_of(file, "SELECT message FROM messages ORDER BY id")]
    assert said_there == ["saved", "waits to be indexed", "and on we go"]
    check_index(file)


async def test_rows_with_null_in_every_column_are_shown_nowhere_and_stop_nothing(
    file: Path,
) -> None:
    nulls = ", ".join(["NULL"] * 19)
    async with open_store(file, SETTINGS) as store:
        await store.messages.append(chat("<ada> tea"))
        write(file, f"INSERT INTO messages VALUES ({nulls})")  # noqa: S608
        nothing_said = "INSERT INTO messages (channel, nick, message, message_type, timestamp)"
        write(file, f"{nothing_said} VALUES ('#tea', NULL, NULL, NULL, NULL)")
        await store.messages.append(chat("<bo> milk"))
        page = await store.messages.newest(await store.rooms.all(), 9)
        assert [line.text for line in page.messages] == ["tea", "", "milk"]
        assert (await find(store, "tea")).messages
    assert (await check_deeply(file, SETTINGS, lambda _: None)).wrong == []
