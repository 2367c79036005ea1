"""Several processes on one file: one keeper at a time, and no line is lost."""
# ruff: noqa: ASYNC110  # no event announces what another process does

import os
import signal
import sqlite3
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import anyio
import pytest
from anyio.abc import Process

from terrarium_mcp.store import Store, open_store, require_adopted
from terrarium_mcp.store.errors import Locked, StillOpening, TookTooLong
from terrarium_mcp.store.sqlite import store as store_module
from terrarium_mcp.store.sqlite.index.indexer import Indexer
from terrarium_mcp.store.sqlite.schema import MigrationBlocked, v1
from terrarium_mcp.store.sqlite.schema.step import ReportProgress, SourceDatabase
from terrarium_mcp.store.sqlite.schema.versions import VERSIONS, Version
from terrarium_mcp.store.sqlite.service import FileService
from tests.patience import PATIENCE
from tests.samples import terrarium_irc as sample
from tests.store.scene import SETTINGS, chat, check_index, differences, find, rows_of, write
from tests.store.traffic import read_beside_a_writer, recorded_beside_an_import

ROOT = Path(__file__).parents[2]

HOLDING = """
import sys, anyio
from pathlib import Path
from terrarium_mcp.store import open_store
from tests.store.scene import SETTINGS
async def main():
    async with open_store(Path(sys.argv[1]), SETTINGS) as store:
        while not store.keeper.is_us:
            await anyio.sleep(0.01)
        print("keeper", flush=True)
        await anyio.sleep_forever()
anyio.run(main)
"""

WRITING = """
import sys, anyio
from pathlib import Path
from terrarium_mcp.store import open_store
from tests.patience import PATIENCE
from tests.store.scene import SETTINGS, chat
async def main():
    async with open_store(Path(sys.argv[1]), SETTINGS) as store:
        await store.opening.wait(PATIENCE)
        print("ready", flush=True)
        sys.stdin.readline()
        for number in range(200):
            await store.messages.append(chat(f"<{sys.argv[2]}> line {number}"))
anyio.run(main)
"""


@asynccontextmanager
async def running(program: str, *arguments: str) -> AsyncIterator[Process]:
    """A process of its own that has said its first word."""
    process = await anyio.open_process(
        [sys.executable, "-c", program, *arguments], cwd=ROOT, stderr=None
    )
    try:
        assert process.stdout
        with anyio.fail_after(PATIENCE):
            await process.stdout.receive()
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        with anyio.CancelScope(shield=True):
            await process.aclose()


async def test_when_the_keeper_is_killed_another_takes_over(file: Path) -> None:
    async with running(HOLDING, str(file)) as other, open_store(file, SETTINGS) as store:
        await store.messages.append(chat("<ada> hello"))
        assert not store.keeper.claim()
        os.kill(other.pid, signal.SIGKILL)
        with anyio.fail_after(PATIENCE):
            while not store.keeper.is_us:
                await anyio.sleep(0.02)
        added = "INSERT INTO messages (channel, nick, message) VALUES ('#tea', 'bo', 'tea')"
        await anyio.to_thread.run_sync(write, file, added)  # the new keeper may be writing
        with anyio.fail_after(PATIENCE):
            newest = "SELECT max(id) FROM messages"
            while rows_of(file, "SELECT DISTINCT upto FROM derived") != rows_of(file, newest):
                await anyio.sleep(0.02)


async def test_processes_that_name_a_database_by_a_link_and_by_itself_have_one_keeper(
    file: Path, tmp_path: Path
) -> None:
    async with open_store(file, SETTINGS):
        pass
    link = tmp_path / "link.db"
    link.symlink_to(file)
    async with open_store(link, SETTINGS) as store, open_store(file, SETTINGS) as other:
        assert [store.keeper.is_us, other.keeper.is_us] == [True, False]
        await store.messages.append(chat("<ada> tea"))
        assert store.service.database.wal_bytes() > 0
        await store.service.database.checkpoint("TRUNCATE")
        assert store.service.database.wal_bytes() == 0
        assert not other.service.database.has_waiters()


async def test_two_processes_that_write_at_once_lose_nothing(file: Path) -> None:
    async with running(WRITING, str(file), "ada") as ada, running(WRITING, str(file), "bo") as bo:
        with anyio.fail_after(PATIENCE):
            for process in (ada, bo):
                assert process.stdin
                await process.stdin.send(b"go\n")
            assert [await ada.wait(), await bo.wait()] == [0, 0]
    for nick in ("ada", "bo"):
        said = rows_of(file, "SELECT message FROM messages WHERE nick = ? ORDER BY id", [nick])
        assert said == [(f"line {number}",) for number in range(200)]
    async with open_store(file, SETTINGS) as store:
        assert await store.differences() == []
    check_index(file)


async def test_processes_that_open_a_new_file_at_once_all_get_it(file: Path) -> None:
    async with (
        running(WRITING, str(file), "ada"),
        running(WRITING, str(file), "bo"),
        open_store(file, SETTINGS) as store,
    ):
        await store.opening.wait(PATIENCE)
        assert await store.messages.append(chat("<cy> hello")) == [1]


async def test_no_line_is_lost_that_is_recorded_beside_an_import(file: Path) -> None:
    assert len((await recorded_beside_an_import(file, 20_000, within=300)).each) > 10


async def test_readers_in_several_processes_bear_with_a_writer(file: Path) -> None:
    alone, beside, written = await read_beside_a_writer(file, readers=3, seconds=2)
    assert written
    assert len(alone.each) == len(beside.each) == 3 * 2 * 45


async def test_many_tasks_that_write_at_once_lose_nothing(store: Store) -> None:
    async def say(nick: str) -> None:
        for number in range(20):
            await store.messages.append(chat(f"<{nick}> line {number}"))

    async with anyio.create_task_group() as tasks:
        for nick in ("ada", "bo", "cy"):
            tasks.start_soon(say, nick)
    lines = (await store.messages.newest(await store.rooms.all(), 100)).messages
    assert len({line.id for line in lines}) == 60
    for nick in ("ada", "bo", "cy"):
        said = [line.text for line in lines if line.nick == nick]
        assert said == [f"line {number}" for number in range(20)]


ENDLESS = (
    "WITH RECURSIVE endless(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM endless LIMIT 60000000)"
    " SELECT max(n) FROM endless"
)


async def test_a_slow_read_ends_at_its_deadline_and_leaves_the_connection_free(
    store: Store,
) -> None:
    database = store._database  # noqa: SLF001 -- none of our queries is slow enough
    with anyio.fail_after(PATIENCE):
        for _ in range(5):
            with pytest.raises(TookTooLong, match=r"within 0\.05 s"):
                await database.rows(ENDLESS, deadline=0.05)
        assert await database.value("SELECT 7") == 7


async def test_many_slow_reads_hold_up_none_for_ever(store: Store) -> None:
    database = store._database  # noqa: SLF001 -- none of our queries is slow enough
    ended = []

    async def read_slowly() -> None:
        with pytest.raises(TookTooLong):
            await database.rows(ENDLESS, deadline=0.05)
        ended.append(True)

    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            for _ in range(8):
                tasks.start_soon(read_slowly)
    assert len(ended) == 8
    assert await find(store, "tea")


async def test_a_cancelled_read_leaves_the_pool_whole(store: Store) -> None:
    database = store._database  # noqa: SLF001 -- none of our queries is slow enough
    with anyio.fail_after(PATIENCE):
        for patience in (0, 0.001, 0.02, 0.06, 0.1):
            with anyio.move_on_after(patience):
                await database.rows(ENDLESS, deadline=9)
        async with anyio.create_task_group() as tasks:
            for _ in range(6):
                tasks.start_soon(database.value, "SELECT 1")
        assert len(database._idle) == 3  # noqa: SLF001


async def test_a_cancelled_writer_commits_all_or_nothing(store: Store) -> None:
    with anyio.fail_after(PATIENCE):
        for number in range(20):
            with anyio.move_on_after(number * 0.0005):
                await store.messages.append(chat(f"<ada> one {number}\n<ada> two {number}"))
    counts: dict[str, int] = {}
    for line in (await store.messages.newest(await store.rooms.all(), 100)).messages:
        counts[line.text.split()[1]] = counts.get(line.text.split()[1], 0) + 1
    assert set(counts.values()) <= {2}


async def test_leaving_in_the_midst_of_everything_is_no_error(file: Path) -> None:
    for patience in (0.0, 0.02, 0.1):
        with anyio.fail_after(PATIENCE):
            async with anyio.create_task_group() as tasks, open_store(file, SETTINGS) as store:
                tasks.start_soon(store.keeper.serve, store._database, store._indexer)  # noqa: SLF001
                await anyio.sleep(patience)
                tasks.cancel_scope.cancel()


async def test_opening_returns_at_once_while_a_migration_goes_on(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sample.make(file, 200)
    go_on = anyio.Event()

    def slowly(
        connection: sqlite3.Connection, source: SourceDatabase | None, report: ReportProgress
    ) -> None:
        v1.convert(connection, source, report)
        report(0.5)
        anyio.from_thread.run(go_on.wait)

    versions = (Version(1, slowly, effort=100), *VERSIONS[1:])
    monkeypatch.setattr("terrarium_mcp.store.sqlite.schema.runner.VERSIONS", versions)
    monkeypatch.setattr(store_module, "AT_ONCE", 0.1)
    monkeypatch.setattr("terrarium_mcp.store.sqlite.opening.PATIENCE", 0.05)
    async with open_store(file, SETTINGS, adopt=True) as store:
        with anyio.fail_after(PATIENCE):
            with pytest.raises(StillOpening, match=r"opening the history, [1-9]\d? %"):
                await store.rooms.all()
            with pytest.raises(StillOpening):
                await store.messages.append(chat("<ada> hello"))
        go_on.set()
        with anyio.fail_after(PATIENCE):
            await store.opening.wait(PATIENCE)
        assert len(await store.rooms.all()) == 2


async def test_another_process_that_waits_for_the_migration_answers_meanwhile(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sample.make(file, 20)
    migrating = (
        "import sys, time\n"
        "from pathlib import Path\n"
        "from terrarium_mcp.store.sqlite.keeper import Keeper\n"
        "from terrarium_mcp.store.sqlite.schema import migrate\n"
        "from tests.store.scene import SETTINGS\n"
        "told = []\n"
        "def report(part):\n"
        "    if not told:\n"
        "        told.append(part)\n"
        "        print('begun', flush=True)\n"
        "        sys.stdin.readline()\n"
        "keeper = Keeper(Path(sys.argv[1]))\n"
        "assert keeper.claim()\n"
        "migrate(Path(sys.argv[1]), SETTINGS, report, adopt=True)\n"
        "keeper.release()\n"
    )
    monkeypatch.setattr(store_module, "AT_ONCE", 0.1)
    # A look may last that long.
    monkeypatch.setattr("terrarium_mcp.store.sqlite.schema.runner.BUSY", 2 * PATIENCE)
    async with (
        running(migrating, str(file)) as other,
        open_store(file, SETTINGS, adopt=True) as store,
    ):
        with anyio.fail_after(PATIENCE):  # the event loop waits for nobody's lock
            for _ in range(40):
                await anyio.sleep(0.01)
        with pytest.raises(StillOpening):
            await store.opening.wait(0)
        assert other.stdin
        await other.stdin.send(b"go on\n")
        with anyio.fail_after(PATIENCE):
            await store.opening.wait(PATIENCE)
            assert await store.rooms.all()


ADOPTING = """
import sys
from pathlib import Path
from terrarium_mcp.store.sqlite.keeper import Keeper
from terrarium_mcp.store.sqlite.schema import migrate
from tests.store.scene import SETTINGS
told = []
def report(part):
    if part > 0.5 and not told:  # the copy is made, and rows are changed
        told.append(part)
        print("begun", flush=True)
        sys.stdin.readline()
keeper = Keeper(Path(sys.argv[1]))
assert keeper.claim()
migrate(Path(sys.argv[1]), SETTINGS, report, adopt=True)
keeper.release()
"""


async def test_who_may_not_adopt_waits_while_another_process_adopts(file: Path) -> None:
    sample.make(file, 20)
    async with running(ADOPTING, str(file)) as other, open_store(file, SETTINGS) as store:
        with pytest.raises(StillOpening):
            await store.opening.wait(0)
        require_adopted(file)
        assert other.stdin
        await other.stdin.send(b"go on\n")
        with anyio.fail_after(PATIENCE):
            await store.opening.wait(PATIENCE)
            assert await store.rooms.all()


def test_a_look_without_a_lock_that_finds_damage_refuses_nothing(file: Path) -> None:
    sample.make(file, 300)
    whole = file.read_bytes()
    file.write_bytes(whole[:100] + bytes(len(whole) - 100))  # as while its pages are written
    require_adopted(file)


async def test_a_current_file_that_another_program_holds_is_locked_and_not_to_be_migrated(
    file: Path,
) -> None:
    async with open_store(file, SETTINGS) as store:
        await store.messages.append(chat("<ada> tea"))
    write(file, "PRAGMA journal_mode=DELETE")
    with closing(sqlite3.connect(file, isolation_level=None)) as stranger:
        stranger.execute("BEGIN EXCLUSIVE")
        with pytest.raises(Locked, match="Another program has locked it"):
            async with open_store(file, SETTINGS) as store:
                await store.opening.wait(PATIENCE)


async def test_a_migration_in_another_program_without_the_lock_is_not_waited_for(
    file: Path,
) -> None:
    sample.make(file, 20)
    with closing(sqlite3.connect(file, isolation_level=None)) as stranger:
        stranger.execute("BEGIN EXCLUSIVE")
        with anyio.fail_after(PATIENCE), pytest.raises(MigrationBlocked):
            async with open_store(file, SETTINGS, adopt=True) as store:
                await store.opening.wait(PATIENCE)


async def test_a_process_that_cannot_open_the_file_leaves_it_to_another(file: Path) -> None:
    sample.make(file, 20)
    with closing(sqlite3.connect(file, isolation_level=None)) as stranger:
        stranger.execute("BEGIN EXCLUSIVE")
        failed = FileService(file, SETTINGS, adopt=True)
        await failed.run()
        with pytest.raises(MigrationBlocked):
            await failed.opening.wait()
        stranger.execute("ROLLBACK")
        async with open_store(file, SETTINGS, adopt=True) as store:
            await store.opening.wait(PATIENCE)
            assert store.keeper.is_us
            assert len((await store.messages.newest(await store.rooms.all(), 20)).messages) > 9
        await failed.aclose()


async def test_a_flood_of_appended_rows_is_no_endless_wait(
    store: Store, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store.messages.append(chat("<ada> hello"))
    with closing(sqlite3.connect(file)) as db, db:
        db.executemany(
            "INSERT INTO messages (channel, nick, message) VALUES ('#tea', 'bo', ?)",
            [(f"tea {number}",) for number in range(12_000)],
        )
    monkeypatch.setattr("terrarium_mcp.store.sqlite.index.indexer.PATIENCE", 0)
    monkeypatch.setattr("terrarium_mcp.store.sqlite.index.indexer.INDEXED_BY_READ", 5_000)
    with pytest.raises(StillOpening, match=r"indexing the history, \d+ %"):
        await find(store, "tea")
    monkeypatch.undo()
    await store._indexer.catch_up()  # noqa: SLF001 -- however long it takes here
    assert (await find(store, "tea")).total_text == "1,000+"


async def test_who_catches_up_at_the_same_time_indexes_nothing_twice(
    store: Store, file: Path
) -> None:
    await store.messages.append(chat("<ada> hello"))
    with closing(sqlite3.connect(file)) as db, db:
        db.executemany(
            "INSERT INTO messages (channel, nick, message) VALUES ('#tea', 'bo', ?)",
            [(f"tea {number}",) for number in range(6_000)],
        )
    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            for _ in range(5):
                tasks.start_soon(Indexer(store._database, "net").catch_up)  # noqa: SLF001
    check_index(file)
    assert await differences(store) == []


async def test_a_store_that_is_left_has_no_wal(file: Path) -> None:
    async with open_store(file, SETTINGS, adopt=True) as store:
        await store.messages.append(chat("<ada> hello"))
    assert sorted(found.name for found in file.parent.iterdir()) == [
        "irc_logs.db",
        "irc_logs.db.keeper",
    ]
