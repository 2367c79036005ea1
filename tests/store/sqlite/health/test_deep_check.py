"""A deep check finds what is inconsistent, on a copy, and makes nothing else wait."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from terrarium_mcp.store import DeepCheck, NotAdopted, NotChecked, check_deeply, open_store
from terrarium_mcp.store.sqlite.index.all_structures import DERIVED
from tests.samples import terrarium_irc as sample
from tests.store.damage import flip_bytes, garble_index
from tests.store.scene import SETTINGS, chat, write
from tests.store.sqlite.index.test_derived import a_little_of_everything

pytestmark = pytest.mark.usefixtures("at_once")

ALL = [one.name for one in DERIVED]


@pytest.fixture
async def recorded(file: Path) -> Path:
    """A database with a little of everything, closed."""
    async with open_store(file, SETTINGS) as store:
        await store.messages.append(a_little_of_everything())
        await store.messages.append(chat("<ada> one more tea\n<bo> and milk"))
    return file


async def checked(file: Path) -> DeepCheck:
    return await check_deeply(file, SETTINGS, lambda _: None)


def told(deep: DeepCheck) -> str:
    return "\n".join(f"{fact.name}: {fact.text}" for fact in deep.facts if fact.wrong)


async def test_nothing_is_wrong_with_an_ordinary_database(recorded: Path) -> None:
    said: list[str] = []
    deep = await check_deeply(recorded, SETTINGS, said.append)
    assert (deep.wrong, told(deep)) == ([], "")
    assert [fact.name for fact in deep.facts] == ["file", *ALL]
    assert said[-1] == f"checking {ALL[-1]}"


async def test_it_waits_for_no_writer_and_no_writer_waits_for_it(recorded: Path) -> None:
    async with open_store(recorded, SETTINGS) as store:
        with closing(sqlite3.connect(recorded, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            other.execute("INSERT INTO messages (channel, message) VALUES ('#tea', 'unfinished')")
            assert (await checked(recorded)).wrong == []
            other.execute("ROLLBACK")
        assert len(await store.messages.append(chat("<ada> on we go"))) == 1


async def test_rows_that_another_program_appended_are_nothing_wrong(recorded: Path) -> None:
    write(recorded, "INSERT INTO messages (channel, nick, message) VALUES ('#tea', 'x', 'y')")
    assert (await checked(recorded)).wrong == []


@pytest.mark.parametrize(
    ("table", "name"),
    [
        ("links", "links"),
        ("topics", "topics"),
        ("nick_changes", "people"),
        ("evidence", "people"),
        ("hour_counts", "counters"),
        ("nick_counts", "counters"),
        ("runs", "runs"),
        ("words", "words"),
    ],
)
async def test_a_table_that_lost_its_rows_is_named(recorded: Path, table: str, name: str) -> None:
    write(recorded, f"DELETE FROM {table}")  # noqa: S608
    deep = await checked(recorded)
    assert deep.wrong == [name]
    assert f"{name}: " in told(deep)


async def test_what_other_programs_changed_and_deleted_is_named(recorded: Path) -> None:
    write(recorded, "UPDATE messages SET message = 'mate at four' WHERE id = 1")
    write(recorded, "DELETE FROM messages WHERE id = 6")
    deep = await checked(recorded)
    assert "index" in deep.wrong
    assert "other programs: deleted from `messages`: 1 (id 6)" in told(deep)
    assert "other programs: changed in `messages`: 1 (id 1)" in told(deep)


async def test_of_many_changes_ten_ids_are_listed_and_the_others_counted(file: Path) -> None:
    async with open_store(file, SETTINGS) as store:
        await store.messages.append(chat("<ada> tea\n" * 20))
    write(file, "DELETE FROM messages WHERE id <= 13")
    ten = "1, 2, 3, 4, 5, 6, 7, 8, 9, 10"
    changes = told(await checked(file))
    assert f"other programs: deleted from `messages`: 13 (id {ten} and 3 more)" in changes


async def test_a_damaged_index_is_named(recorded: Path) -> None:
    garble_index(recorded)
    deep = await checked(recorded)
    assert deep.wrong == ["index"]


async def test_a_damaged_page_is_reported_with_the_way_to_repair_it(file: Path) -> None:
    async with open_store(file, SETTINGS) as store:
        await store.messages.append(chat("<ada> hello\n" * 2_000))
    flip_bytes(file, "messages")
    deep = await checked(file)
    assert "sqlite3 COPY .recover" in told(deep)


async def test_a_structure_that_is_being_rebuilt_is_to_be_rebuilt(recorded: Path) -> None:
    write(recorded, "UPDATE derived SET upto = -1 WHERE name = 'links'")
    assert (await checked(recorded)).wrong == ["links"]


async def test_what_was_rebuilt_is_right(recorded: Path) -> None:
    for table in ("links", "nick_counts", "words"):
        write(recorded, f"DELETE FROM {table}")  # noqa: S608
    write(recorded, "UPDATE messages SET message = 'mate at four' WHERE id = 1")
    deep = await checked(recorded)
    async with open_store(recorded, SETTINGS) as store:
        await store.rebuild(deep.wrong)
    assert (await checked(recorded)).wrong == []


async def test_nothing_of_it_is_left_beside_the_database(recorded: Path, tmp_path: Path) -> None:
    before = {one.name: one.stat().st_size for one in recorded.parent.iterdir()}
    await checked(recorded)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    await check_deeply(recorded, SETTINGS, lambda _: None, elsewhere)
    after = {one.name: one.stat().st_size for one in recorded.parent.iterdir() if one.is_file()}
    assert before == after
    assert not list(elsewhere.iterdir())


async def test_without_room_for_the_copy_it_says_how_much_is_needed(
    recorded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = shutil.disk_usage(recorded)._replace(free=1_000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: full)
    with pytest.raises(NotChecked, match=r"needs \d+ MB.*--temp"):
        await checked(recorded)


async def test_a_database_that_is_not_ours_yet_is_not_checked(file: Path) -> None:
    sample.make(file, 5)
    with pytest.raises(NotAdopted, match="Adopt it first: start terrarium-mcp serve"):
        await checked(file)
