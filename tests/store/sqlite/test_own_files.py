"""Every file of a history is known for one, so that no command writes over it."""

from pathlib import Path

from terrarium_mcp.store import Store, claimed
from terrarium_mcp.store.backlog import backlog_folder
from terrarium_mcp.store.sqlite.engine.write_lock import LockWaiters
from terrarium_mcp.store.sqlite.health.deep_check import check_deeply
from terrarium_mcp.store.sqlite.own_files import belongs_to
from terrarium_mcp.store.sqlite.schema.backup import copy_name
from tests.store.scene import NOON, SETTINGS, line_of


async def test_whatever_a_store_at_work_puts_beside_its_database_belongs_to_it(
    store: Store, file: Path
) -> None:
    there: set[Path] = set()

    def look(_: str = "") -> None:
        there.update(file.parent.iterdir())

    await store.messages.append([line_of("ada", "green tea", NOON)])
    (file.parent / copy_name(file, 7)).touch()
    waiters = LockWaiters(file)
    waiters.announce()
    with claimed(file, [("net", "#tea")]):
        look()
    waiters.withdraw()
    await check_deeply(file, SETTINGS, look)
    names = {one.name.removeprefix(file.name) for one in there}
    assert {"", "-wal", "-shm", ".keeper", ".waiting"} <= names
    assert {one[:7] for one in names} >= {".record", ".check-", ".claims"}
    assert {one for one in there if not belongs_to(one, file)} == set()


def test_a_file_belongs_to_it_before_it_is_there_and_under_another_name(tmp_path: Path) -> None:
    database = tmp_path / "irc_logs.db"
    assert belongs_to(database, database)
    assert belongs_to(tmp_path / "irc_logs.db-journal", database)
    assert belongs_to(backlog_folder(database) / "tea.md", database)
    database.touch()
    (tmp_path / "linked").symlink_to(database)
    (tmp_path / "twin").hardlink_to(database)
    assert belongs_to(tmp_path / "linked", database)
    assert belongs_to(tmp_path / "twin", database)


def test_a_circle_of_links_is_no_database_to_which_a_file_could_belong(tmp_path: Path) -> None:
    circle = tmp_path / "circle.db"
    circle.symlink_to(circle)
    assert belongs_to(circle, circle)
    assert not belongs_to(tmp_path / "irc_logs.db", circle)


def test_other_files_do_not_belong_to_it(tmp_path: Path) -> None:
    database = tmp_path / "irc_logs.db"
    database.touch()
    others = ["irc_logs.db.tar", "irc_logs", "other.db", "other.db-wal", "sub/irc_logs.db-wal"]
    assert [name for name in others if belongs_to(tmp_path / name, database)] == []
