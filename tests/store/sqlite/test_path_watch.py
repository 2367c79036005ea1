"""A database that is moved, deleted or replaced while in use: what is written goes somewhere."""
# ruff: noqa: ASYNC110, ASYNC240  # no event announces what the disk does; small files

import shutil
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import anyio
import pytest

from terrarium_mcp.chat.identity import Identity
from terrarium_mcp.chat.records import NewMessage, Origin
from terrarium_mcp.cli.starting.bridge_runner import claimed_channels
from terrarium_mcp.settings import Settings
from terrarium_mcp.settings.channels import ConfiguredChannel
from terrarium_mcp.store import AlreadyRecorded, Store, StoreFailed, claimed, open_store
from terrarium_mcp.store.sqlite import path_watch
from terrarium_mcp.store.sqlite.engine.file_lock import is_held
from terrarium_mcp.store.sqlite.keeper import lock_file
from tests.patience import PATIENCE
from tests.servers.logs import until_logged
from tests.store.dialogues import TEA, put, turn
from tests.store.scene import SETTINGS, chat, find, rows_of


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(path_watch, "LOOK_EVERY", 0.02)
    monkeypatch.setattr("terrarium_mcp.store.sqlite.service.LOOK_EVERY", 0.02)
    monkeypatch.setattr(path_watch, "SETTLED", 0.1)


@asynccontextmanager
async def opened(file: Path) -> AsyncIterator[Store]:
    async with open_store(file, SETTINGS) as store:
        await store.messages.append(chat("<ada> before"))
        with anyio.fail_after(PATIENCE):
            yield store


def texts(file: Path) -> list[str]:
    return [row[0] for row in rows_of(file, "SELECT message FROM messages ORDER BY id")]


async def test_a_moved_database_is_written_on_and_the_moved_file_alone_is_complete(
    file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    moved = file.with_name("moved.db")
    async with opened(file) as store:
        file.rename(moved)  # and leave the WAL behind
        await store.messages.append(chat("<ada> after"))
        await until_logged(caplog, "was moved away while in use", f"it is now {moved}")
        while file.with_name(f"{file.name}-wal").stat().st_size:
            await anyio.sleep(0.01)
        alone = file.with_name("alone.db")
        shutil.copy(moved, alone)
        assert texts(alone) == ["before", "after"]
        assert not file.exists()


async def test_a_database_that_is_moved_back_is_in_its_place_again(
    file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    moved = file.with_name("moved.db")
    async with opened(file) as store:
        file.rename(moved)
        await until_logged(caplog, "was moved away")
        await store.messages.append(chat("<ada> meanwhile"))
        moved.rename(file)
        await until_logged(caplog, "is in its place again")
        await store.messages.append(chat("<ada> after"))
    assert texts(file) == ["before", "meanwhile", "after"]


async def test_another_database_at_the_path_is_used_from_then_on(
    file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    other, moved = file.with_name("other.db"), file.with_name("moved.db")
    async with open_store(other, SETTINGS) as one:
        await one.messages.append(chat("<bo> in the other one"))
    async with opened(file) as store:
        assert (await find(store, "before")).messages
        file.rename(moved)
        await store.messages.append(chat("<ada> in the moved one"))
        other.rename(file)
        await until_logged(caplog, "was opened again")
        await store.messages.append(chat("<ada> after"))
        assert not (await find(store, "before")).messages
        assert (await find(store, "after")).messages
    assert texts(moved) == ["before", "in the moved one"]
    assert texts(file) == ["in the other one", "after"]
    assert rows_of(file, "PRAGMA integrity_check") == [("ok",)]
    assert rows_of(moved, "PRAGMA integrity_check") == [("ok",)]


async def test_a_link_that_leads_elsewhere_is_followed_with_its_wal_and_its_keeper(
    file: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    link, other = tmp_path / "link.db", tmp_path / "other.db"
    async with open_store(other, SETTINGS) as store:
        await store.messages.append(chat("<eve> elsewhere"))
    link.symlink_to(file)
    async with opened(link) as store:
        link.unlink()
        link.symlink_to(other)
        await until_logged(caplog, "was opened again")
        assert store.keeper.is_us
        assert (is_held(lock_file(other)), is_held(lock_file(file))) == (True, False)
        await store.messages.append(chat("<ada> tea again"))
        assert store.service.database.wal_bytes() == (tmp_path / "other.db-wal").stat().st_size > 0
    assert (texts(file), texts(other)) == (["before"], ["elsewhere", "tea again"])


async def test_a_replaced_database_does_not_get_the_wal_of_the_one_before(
    file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    other = file.with_name("other.db")
    async with open_store(other, SETTINGS) as one:
        await one.messages.append(chat("<bo> from the backup"))
    async with opened(file) as store:
        other.replace(file)
        with pytest.raises(StoreFailed, match="was deleted while in use"):
            await store.messages.append(chat("<ada> into nothing"))
        await until_logged(caplog, "was opened again")
        await store.messages.append(chat("<ada> after"))
    assert texts(file) == ["from the backup", "after"]
    assert rows_of(file, "PRAGMA integrity_check") == [("ok",)]


async def test_a_deleted_database_takes_no_line_and_a_new_one_is_begun(
    file: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(path_watch, "BEGIN_AFTER", 0.3)
    async with opened(file) as store:
        for one in file.parent.glob(f"{file.name}*"):
            one.unlink()
        with pytest.raises(StoreFailed, match="was deleted while in use"):
            await store.messages.append(chat("<ada> into nothing"))
        await until_logged(caplog, "was deleted while in use", "a new one is begun")
        await until_logged(caplog, "a new database was begun at")
        await store.messages.append(chat("<ada> after"))
        assert (await find(store, "after")).messages
    assert texts(file) == ["after"]


async def test_after_the_whole_folder_was_deleted_its_channels_are_claimed_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(path_watch, "BEGIN_AFTER", 0.1)
    file = tmp_path / "folder" / "irc_logs.db"
    settings = Settings(irc_channels=(ConfiguredChannel("#tea"),), network="net")
    async with opened(file) as store, claimed_channels(store, settings):
        shutil.rmtree(file.parent)
        await until_logged(caplog, "a new database was begun at")
        with pytest.raises(AlreadyRecorded), claimed(file, [("net", "#tea")]):
            pass
        shutil.rmtree(file.parent)
        file.parent.mkdir()
        with claimed(file, [("net", "#tea")]):
            await until_logged(caplog, "has been recording net/#tea into")
        await store.messages.append(chat("<ada> after"))


async def test_a_dialogue_goes_on_in_the_other_database_without_what_this_one_does_not_hold(
    file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    other = file.with_name("other.db")
    async with open_store(other, SETTINGS) as one:
        await put(one, turn(1, answer="from the backup"))
    rests = turn(3, sources=frozenset((1,)))
    async with opened(file) as store:
        await put(store, turn(2), rests)
        other.replace(file)
        with pytest.raises(StoreFailed, match="was deleted while in use"):
            await store.dialogues.put_turn(TEA, turn(2))
        await until_logged(caplog, "was opened again")
        await put(store, turn(2))
        assert not await store.dialogues.put_turn(TEA, rests)
        assert [one.answer for one in (await store.dialogues.load(TEA)).turns] == [
            "from the backup",
            "answer 2",
        ]


BO = Identity("net", "bo", user="b", host="home.example")


async def test_of_those_who_opted_out_in_the_other_database_nothing_is_written(
    file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Whatever both connections count as their version."""
    other = file.with_name("other.db")
    async with open_store(other, SETTINGS) as one:
        await one.opt_outs.add(BO, datetime.now(UTC))
    async with opened(file) as store:
        other.replace(file)
        await until_logged(caplog, "was opened again")
        await store.messages.append([said_by_bo("in the other one"), *chat("<ada> after")])
    assert texts(file) == ["after"]


async def test_those_who_opted_out_since_a_backup_stay_so_when_it_is_put_in_place(
    file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    other = file.with_name("other.db")
    async with open_store(other, SETTINGS) as one:
        await one.messages.append([said_by_bo("in the backup")])
    async with opened(file) as store:
        await store.opt_outs.add(BO, datetime.now(UTC))
        await store.messages.append([said_by_bo("never")])
        other.replace(file)
        await until_logged(caplog, "was opened again")
        await store.messages.append([said_by_bo("in the other one"), *chat("<ada> after")])
    assert texts(file) == ["in the backup", "after"]


async def test_what_they_said_before_they_opted_in_stays_out_of_a_backup_too(
    file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    other = file.with_name("other.db")
    async with open_store(other, SETTINGS) as one:
        await one.messages.append(chat("<ada> in the backup"))
    async with opened(file) as store:
        now = datetime.now(UTC)
        await store.opt_outs.add(BO, now - timedelta(hours=2))
        await store.opt_outs.remove(BO, now - timedelta(hours=1))
        await store.messages.append([said_by_bo("now")])
        other.replace(file)
        await until_logged(caplog, "was opened again")
        late = said_by_bo("meanwhile")._replace(origin=Origin.PLAYBACK)
        for hours in (3, 1.5, 0.5):
            await store.messages.append([late._replace(said_at=now - timedelta(hours=hours))])
    assert texts(file) == ["in the backup", "meanwhile", "meanwhile"]


async def bo_opts_out_and_the_file_is_deleted(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    """Until a new one is in use."""
    await store.opt_outs.add(BO, datetime.now(UTC))
    await store.messages.append([said_by_bo("never")])
    for one in store.path.parent.glob(f"{store.path.name}*"):
        one.unlink()
    await until_logged(caplog, "a new database was begun at")


async def test_those_who_opted_out_stay_so_in_the_place_of_a_deleted_database(
    file: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(path_watch, "BEGIN_AFTER", 0.3)
    async with opened(file) as store:
        await bo_opts_out_and_the_file_is_deleted(store, caplog)
        await store.messages.append([said_by_bo("in the new one"), *chat("<ada> after")])
        assert (await store.opt_outs.current()).covers(BO)
    async with open_store(file, SETTINGS) as store:
        await store.messages.append([said_by_bo("later")])
        await store.opt_outs.remove(BO, datetime.now(UTC))
        await store.messages.append([said_by_bo("back")])
        await store.messages.append([said_by_bo("to stay")])
    assert texts(file) == ["after", "back", "to stay"]


async def test_who_opted_in_again_in_the_new_database_is_not_carried_over_once_more(
    file: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(path_watch, "BEGIN_AFTER", 0.3)
    async with opened(file) as store:
        await bo_opts_out_and_the_file_is_deleted(store, caplog)
        await store.messages.append([said_by_bo("in the new one")])
        await store.opt_outs.remove(BO, datetime.now(UTC))
        await store.messages.append([said_by_bo("back")])
        await store.messages.append([said_by_bo("to stay")])
    assert texts(file) == ["back", "to stay"]


def said_by_bo(text: str) -> NewMessage:
    return NewMessage(
        network="net", channel="#tea", nick="bo", user="b", host="home.example", text=text,
        said_at=datetime.now(UTC), account="",
    )  # fmt: skip


async def test_a_strangers_file_at_the_path_is_left_alone(
    file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    moved = file.with_name("moved.db")
    async with opened(file) as store:
        file.rename(moved)
        with sqlite3.connect(file) as stranger:
            stranger.execute("CREATE TABLE recipes (id)")
        stranger.close()
        await until_logged(caplog, "cannot be used", "belongs to another program")
        await store.messages.append(chat("<ada> after"))
    assert texts(moved) == ["before", "after"]
    assert rows_of(file, "SELECT count(*) FROM recipes") == [(0,)]


async def test_in_the_place_of_a_deleted_database_a_strangers_file_is_in_the_way_of_what_waits(
    file: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(path_watch, "BEGIN_AFTER", 0.1)
    async with opened(file) as store:
        for one in file.parent.glob(f"{file.name}*"):
            one.unlink()
        with sqlite3.connect(file) as stranger:
            stranger.execute("CREATE TABLE recipes (id)")
        stranger.close()
        await until_logged(caplog, "a restart loses them", "Move that file away while")
        [told] = [one for one in caplog.messages if "Move that file away" in one]
        assert "otherwise" not in told
        file.rename(file.with_name("recipes.db"))
        await until_logged(caplog, "a new database was begun at")
        await store.messages.append(chat("<ada> after"))
    assert texts(file) == ["after"]
