"""The WAL is emptied when nobody writes, when it is old and when it is large."""
# ruff: noqa: ASYNC110  # no event announces what another process does

import shutil
import sqlite3
from collections.abc import AsyncIterator
from contextlib import aclosing, closing
from pathlib import Path

import anyio
import pytest

from terrarium_mcp.store import open_store
from terrarium_mcp.store.sqlite.engine import checkpoints
from terrarium_mcp.store.sqlite.engine.checkpoints import LARGE, OLD, QUIET, Checkpoints
from terrarium_mcp.store.sqlite.engine.database import Database
from tests.patience import PATIENCE
from tests.store.scene import SETTINGS, rows_of
from tests.store.sqlite.test_processes import running

RECORDING = """
import sys, anyio
from pathlib import Path
from terrarium_mcp.store import open_store
from terrarium_mcp.store.sqlite.engine import checkpoints
from tests.patience import PATIENCE
from tests.store.scene import SETTINGS, chat
checkpoints.QUIET = 0.5
async def main():
    async with open_store(Path(sys.argv[1]), SETTINGS) as store:
        await store.opening.wait(PATIENCE)
        assert store.keeper.is_us
        for number in range(40):
            await store.messages.append(chat(f"<ada> line {number}"))
        print("said", flush=True)
        await anyio.sleep_forever()
anyio.run(main)
"""

READING = """
import sys
from pathlib import Path
import anyio
from terrarium_mcp.store import open_store
from tests.patience import PATIENCE
from tests.store.scene import SETTINGS
async def main():
    async with open_store(Path(sys.argv[1]), SETTINGS) as store:
        await store.opening.wait(PATIENCE)
        assert await store.rooms.all()
        print("open", flush=True)
        await anyio.sleep_forever()
anyio.run(main)
"""


class Duty:
    """The duty at a time of the test's own, on a file into which lines are written."""

    def __init__(self, database: Database) -> None:
        self.now = 1_000.0
        self.database = database
        self.checkpoints = Checkpoints(database, lambda: self.now)
        self._written = 0

    async def write(self) -> None:
        self._written += 1
        async with self.database.writing() as writer:
            sql = "INSERT INTO topics (room, said, message) VALUES (1, '', ?)"
            await writer.run(sql, [self._written])

    async def is_emptied_at(self, now: float) -> bool:
        self.now = now
        await self.checkpoints.empty_wal()
        return self.database.wal_bytes() == 0


@pytest.fixture
async def duty(file: Path) -> AsyncIterator[Duty]:
    async with open_store(file, SETTINGS) as store:
        await store.opening.wait(PATIENCE)
    async with aclosing(Database(file)) as database:
        await database.open()
        yield Duty(database)


def lines_in_copy(file: Path, copy: Path) -> int:
    """How many lines a plain copy holds; 0 if it was made while a checkpoint wrote."""
    shutil.copyfile(file, copy)
    try:
        return int(rows_of(copy, "SELECT count(*) FROM messages")[0][0])
    except sqlite3.DatabaseError:
        return 0


def is_still(file: Path, copy: Path) -> bool:
    """Whether the file is what was copied: a checkpoint wrote no more of it meanwhile."""
    return file.read_bytes() == copy.read_bytes()


async def test_it_is_emptied_15_seconds_after_the_last_write(duty: Duty) -> None:
    assert QUIET == 15
    await duty.write()
    assert not await duty.is_emptied_at(1_000)
    assert not await duty.is_emptied_at(1_010)
    await duty.write()
    assert not await duty.is_emptied_at(1_011)
    assert not await duty.is_emptied_at(1_025.9)
    assert await duty.is_emptied_at(1_026)


async def test_a_wal_that_is_always_written_to_is_emptied_once_it_is_ten_minutes_old(
    duty: Duty,
) -> None:
    assert OLD == 600
    assert await duty.is_emptied_at(1_900)
    for now in range(2_000, 2_500, 10):
        await duty.write()
        assert not await duty.is_emptied_at(now)
    await duty.write()
    assert await duty.is_emptied_at(2_500)


async def test_a_large_wal_is_emptied_at_once(duty: Duty, monkeypatch: pytest.MonkeyPatch) -> None:
    assert LARGE == 16_000 * 4_096
    monkeypatch.setattr(checkpoints, "LARGE", 10_000)
    await duty.write()
    assert not await duty.is_emptied_at(1_000)
    await duty.write()
    await duty.write()
    assert await duty.is_emptied_at(1_000)


async def test_a_reader_in_the_midst_of_reading_is_waited_for(duty: Duty, file: Path) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM topics").fetchone()
        await duty.write()
        assert not await duty.is_emptied_at(1_000)
        assert not await duty.is_emptied_at(1_015)
        reader.execute("COMMIT")
        assert not await duty.is_emptied_at(1_029)
        assert await duty.is_emptied_at(1_030)


async def test_once_nobody_writes_a_plain_copy_holds_every_line_though_readers_are_open(
    file: Path,
) -> None:
    async with open_store(file, SETTINGS) as store:
        await store.opening.wait(PATIENCE)
    copy = file.with_name("copy.db")
    async with running(RECORDING, str(file)):
        with closing(sqlite3.connect(file, isolation_level=None)) as stranger:
            stranger.execute("BEGIN")  # and it is in the midst of reading all lines
            assert stranger.execute("SELECT count(*) FROM messages").fetchone() == (40,)
            async with running(READING, str(file)):
                with anyio.fail_after(PATIENCE):
                    while lines_in_copy(file, copy) != 40 or not is_still(file, copy):
                        await anyio.sleep(0.1)
            stranger.execute("COMMIT")
        with anyio.fail_after(PATIENCE):
            while file.with_name(f"{file.name}-wal").stat().st_size:
                await anyio.sleep(0.05)
    async with open_store(copy, SETTINGS) as store:
        page = await store.messages.newest(await store.rooms.all(), 99)
        assert [line.text for line in page.messages] == [f"line {n}" for n in range(40)]
        assert await store.differences() == []
