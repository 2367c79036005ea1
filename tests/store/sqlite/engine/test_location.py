"""Where an open file is, and how it is read without harm to SQLite's locks."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from terrarium_mcp.store import examine, open_store
from terrarium_mcp.store.sqlite.engine.files import wal_of
from terrarium_mcp.store.sqlite.engine.location import FileLocation, beginning_of
from tests.store.scene import NOON, line_of

READING = (
    "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('SELECT * FROM rooms').fetchall()"
)


def another_program_reads(file: Path) -> None:
    """It closes the file as well: if it takes itself for the last one, it removes the WAL."""
    subprocess.run([sys.executable, "-c", READING, file], check=True)


async def test_a_second_store_and_the_doctor_of_a_process_release_no_lock_of_the_first(
    file: Path,
) -> None:
    async with open_store(file) as store:
        await store.messages.append([line_of("ada", "one", NOON)])
        wal = wal_of(file).stat().st_ino
        async with open_store(file):
            pass
        examine(file, NOON)
        another_program_reads(file)
        assert wal_of(file).stat().st_ino == wal
        await store.messages.append([line_of("ada", "two", NOON)])
    async with open_store(file) as store:
        assert await store.differences() == []
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("SELECT count(*) FROM messages").fetchall() == [(2,)]


def test_a_file_that_is_not_open_is_read_by_a_descriptor_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "some"
    file.write_bytes(b"0123456789")
    assert beginning_of(file, 4) == b"0123"
    assert beginning_of(file, 40) == b"0123456789"
    with pytest.raises(FileNotFoundError):
        beginning_of(tmp_path / "none", 4)


def test_a_file_that_is_open_is_read_whether_or_not_its_descriptor_can_be(tmp_path: Path) -> None:
    file = tmp_path / "some"
    file.write_bytes(b"0123456789")
    for mode in ("rb", "ab"):
        with file.open(mode) as held:
            location = FileLocation.found(file)
            assert location
            assert location.descriptor == held.fileno()
            assert location.is_open
            assert beginning_of(file, 4) == b"0123"
        assert not location.is_open
