"""What the store creates can be read by its owner alone; an owner who shares it does so once."""

import os
import shutil
import sqlite3
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import anyio
import pytest

from terrarium_mcp.store import Backlog, PurgeTarget, open_store
from terrarium_mcp.store.private_files import create_private, create_private_folder, mode_within
from terrarium_mcp.store.sqlite.claims import claimed
from terrarium_mcp.store.sqlite.engine.write_lock import LockWaiters
from tests.patience import PATIENCE
from tests.samples import terrarium_irc as sample
from tests.servers.forked import forked
from tests.store.files.stored import stored
from tests.store.scene import NOON, SETTINGS, chat
from tests.store.sqlite.schema.test_refused import NOBODY

ROOT = Path(__file__).parents[2]

SEARCHING_AS_ANOTHER = f"""
import html.entities, os, sys, anyio, frontmatter, slugify, yaml
from pathlib import Path
from terrarium_mcp.store import open_store
from tests.patience import PATIENCE
from tests.store.scene import SETTINGS, chat, find, texts
async def main():
    if os.getuid() == 0:  # only now: the interpreter may live where nobody else may look
        os.setgroups([])
        os.setgid({NOBODY})
        os.setuid({NOBODY})
    os.umask(0o077)
    async with open_store(Path(sys.argv[1]), SETTINGS) as store:
        await store.opening.wait(PATIENCE)
        print(texts((await find(store, "tea")).messages), flush=True)
        await store.messages.append(chat("<bo> tea for two"))
        idea, _ = await store.backlog.create("Milk", "more of it", about={{}}, lines=[])
        print(sorted(one.title for one in await store.backlog.all()))
anyio.run(main)
"""


@pytest.fixture(params=[0o000, 0o022, 0o077], ids=oct, autouse=True)
def umask(request: pytest.FixtureRequest) -> Iterator[None]:
    """The modes do not depend on it."""
    before = os.umask(request.param)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def modes(folder: Path) -> dict[str, int]:
    """The mode of everything in a folder."""
    return {f"{one.relative_to(folder)}": mode(one) for one in folder.rglob("*")}


def owners_in(folder: Path) -> dict[str, int]:
    """Who owns everything in a folder."""
    return {one.name: one.stat().st_uid for one in folder.rglob("*")}


async def test_everything_that_is_created_is_for_the_owner_alone(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "data" / "irc_logs.db"
    async with open_store(file, SETTINGS) as store:
        await store.messages.append(chat("<ada> tea"))
        await store.backlog.create("Milk", "more of it", about={}, lines=["1 12:00 <ada> tea"])
        waiters = LockWaiters(file)
        waiters.announce()
        found = modes(tmp_path)
        waiters.withdraw()
    (idea,) = (name for name in found if name.endswith(".md"))
    folders = ["deep", "deep/data", "deep/data/enhancements"]
    parts = ["", "-wal", "-shm", ".keeper", ".waiting"]
    files = [
        idea,
        "deep/data/enhancements.lock",
        *(f"deep/data/irc_logs.db{part}" for part in parts),
    ]
    assert found == dict.fromkeys(folders, 0o700) | dict.fromkeys(files, 0o600)


def there(name: str, file: Path) -> None:
    """Make a database that everybody may read and a group may write."""
    _ = sample.make(file, 5) if name == "terrarium-irc" else stored(name, file)
    file.chmod(0o664)


def share(folder: Path, group: int) -> None:
    """What the error message tells an owner to do."""
    for command in (
        ["chgrp", "-R", f"{group}", f"{folder}"],
        ["chmod", "-R", "g+rwX", f"{folder}"],
        ["chmod", "g+s", f"{folder}"],
    ):
        subprocess.run(command, check=True)


@pytest.mark.parametrize("name", ["v1", "terrarium-irc"])
async def test_a_file_that_exists_keeps_its_mode_and_the_copy_of_it_is_private(
    file: Path, name: str
) -> None:
    there(name, file)
    folder = mode(file.parent)
    async with open_store(file, SETTINGS, adopt=True) as store:
        await store.messages.append(chat("<ada> tea"))
        found = modes(file.parent)
    assert mode(file.parent) == folder
    copy = "irc_logs.before-v1.db" if name == "terrarium-irc" else "irc_logs.before-v2.db"
    shared = [f"irc_logs.db{part}" for part in ("", "-wal", "-shm", ".keeper")]
    assert found == dict.fromkeys(shared, 0o664) | {copy: 0o600}


@pytest.mark.parametrize(("protected", "lock"), [(0o400, 0o600), (0o440, 0o640)])
def test_a_database_that_was_made_read_only_can_be_locked(
    file: Path, protected: int, lock: int
) -> None:
    file.touch()
    file.chmod(protected)
    waiters = LockWaiters(file)
    waiters.announce()
    waiters.withdraw()
    (beside,) = [one for one in file.parent.iterdir() if one != file]
    assert mode(beside) == lock


async def test_a_line_that_is_removed_from_an_idea_leaves_its_mode(tmp_path: Path) -> None:
    async with open_store(tmp_path / "irc_logs.db", SETTINGS) as store:
        (line,) = chat("<ada> tea")
        (number,) = await store.messages.append([line._replace(msgid="x1")])
        quote = f"{number} 12:00 <ada> tea"
        idea, _ = await store.backlog.create("Milk", "more", about={}, lines=[quote])
        written = tmp_path / "enhancements" / idea.filename
        written.chmod(0o640)
        assert await store.removal.redact("net", "#tea", "x1", asked_by="ada", at=NOON)
        assert "<ada> tea" not in written.read_text("utf-8")
        assert mode(written) == 0o640


def test_a_file_is_never_created_twice_nor_its_mode_changed(tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.write_text("mine")
    there.chmod(0o644)
    with pytest.raises(FileExistsError):
        create_private(there)
    assert (there.read_text(), mode(there)) == ("mine", 0o644)
    create_private_folder(tmp_path)
    create_private_folder(tmp_path / "a" / "b")
    create_private_folder(tmp_path / "a" / "b")
    assert (mode(tmp_path / "a"), mode(tmp_path / "a" / "b")) == (0o700, 0o700)


@pytest.mark.parametrize(("folder", "within"), [(0o700, 0o600), (0o755, 0o600), (0o770, 0o660)])
def test_a_folder_shared_with_a_group_shares_its_new_files(
    tmp_path: Path, folder: int, within: int
) -> None:
    tmp_path.chmod(folder)
    assert mode_within(tmp_path) == within


@pytest.fixture
def shared() -> Iterator[Path]:
    """A folder that other accounts can reach: pytest keeps its own to itself."""
    folder = Path(tempfile.mkdtemp(prefix="terrarium-shared-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


needs_root = pytest.mark.skipif(os.getuid() != 0, reason="only root can give a file away")


@needs_root
async def test_what_root_creates_beside_a_database_belongs_to_its_owner(shared: Path) -> None:
    file = shared / "data" / "irc_logs.db"
    async with open_store(file, SETTINGS) as store:
        await store.messages.append(chat("<ada> tea"))
    for one in (file.parent, file):
        os.chown(one, NOBODY, NOBODY)
    for lock in file.parent.glob("*.keeper"):
        lock.unlink()
    async with open_store(file, SETTINGS):
        waiters = LockWaiters(file)
        waiters.announce()
        with claimed(file, [("libera", "#tea")]):
            owners = {one.name: one.stat().st_uid for one in file.parent.iterdir()}
        waiters.withdraw()
    endings = {name.removeprefix(file.name).partition("-")[0] for name in owners}
    assert endings >= {"", ".keeper", ".waiting", ".claims", ".recorder"}
    assert set(owners.values()) == {NOBODY}
    done = another_account(file)
    assert done.returncode == 0, done.stderr


@needs_root
async def test_the_lock_that_root_creates_for_the_backlog_belongs_to_its_owner(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "enhancements"
    create_private_folder(folder)
    os.chown(folder, NOBODY, NOBODY)
    await Backlog(folder).create("Milk", "more of it", about={}, lines=[])
    lock = tmp_path / "enhancements.lock"
    assert (lock.stat().st_uid, mode(lock)) == (NOBODY, 0o600)


@needs_root
async def test_what_root_writes_into_the_backlog_belongs_to_its_owner(tmp_path: Path) -> None:
    os.chown(tmp_path, NOBODY, NOBODY)
    await Backlog(tmp_path / "enhancements").create("Milk", "more of it", about={}, lines=[])
    owners = owners_in(tmp_path)
    assert len(owners) == 3
    assert set(owners.values()) == {NOBODY}


@needs_root
async def test_what_root_purges_leaves_the_service_its_backlog(shared: Path) -> None:
    file = shared / "data" / "irc_logs.db"
    async with open_store(file, SETTINGS) as store:
        await store.messages.append(chat("<ada> tea\n<bo> milk"))
        lines = ["1 12:00 <ada> tea", "2 12:01 <bo> milk"]
        await store.backlog.create("Sugar", "less of it", about={}, lines=lines)
    await anyio.run_process(["chown", "-R", f"{NOBODY}:{NOBODY}", str(file.parent)])
    async with open_store(file, SETTINGS) as store:
        target = PurgeTarget("bo")
        mentions = (await store.removal.purge(target, asked_by="root", at=NOON)).backlog
    assert len(mentions.quoting) == 1
    done = another_account(file)
    assert done.stdout.splitlines() == ["['tea']", "['Milk', 'Sugar']"], done.stderr


async def test_a_redaction_names_the_idea_that_it_cannot_read_and_removes_the_other_quotes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_store(tmp_path / "irc_logs.db", SETTINGS) as store:
        tea, milk = chat("<ada> tea\n<ada> milk")
        await store.messages.append([tea._replace(msgid="tea"), milk])
        lines = ["1 12:00 <ada> tea", "2 12:01 <ada> milk"]
        files = [
            tmp_path / "enhancements" / idea.filename
            for title in ("Milk", "Sugar")
            for idea, _ in [await store.backlog.create(title, "more", about={}, lines=lines)]
        ]
        opens = Path.open

        def opens_others(path: Path, *args: Any, **options: Any) -> Any:
            if path == files[0]:
                raise PermissionError(13, "Permission denied")
            return opens(path, *args, **options)

        monkeypatch.setattr(Path, "open", opens_others)
        assert await store.removal.redact(tea.network, tea.channel, "tea", asked_by="ada", at=NOON)
        target = PurgeTarget("ada")
        mentions = (await store.removal.purge(target, asked_by="ada", at=NOON)).backlog
        assert mentions.quoting == (files[1].name,)
        assert mentions.unread == (files[0].name,)
        assert "<ada>" not in files[1].read_text("utf-8")
        told = f"{files[0]} cannot be read: what was removed may still be quoted in it"
        assert [one.message for one in caplog.records].count(told) == 2


@needs_root
async def test_a_lock_of_another_account_is_named_with_the_way_out(shared: Path) -> None:
    file = shared / "data" / "irc_logs.db"
    async with open_store(file, SETTINGS) as store:
        await store.messages.append(chat("<ada> tea"))
    for one in (file.parent, file):
        os.chown(one, NOBODY, NOBODY)
    told = another_account(file).stderr.splitlines()[-1]
    assert told.startswith("terrarium_mcp.store.errors.StoreFailed: ")
    assert f"{file}.keeper cannot be used: Permission denied." in told
    _, _, way_out = told.partition("(")
    await anyio.run_process(["sh", "-c", way_out.removesuffix(").")])
    done = another_account(file)
    assert done.returncode == 0, done.stderr


def another_account(file: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        forked("-c", SEARCHING_AS_ANOTHER, file),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        cwd=ROOT,
    )


async def test_a_group_that_the_owner_lets_in_by_the_recipe_reads_and_writes_for_good(
    shared: Path,
) -> None:
    file = shared / "data" / "irc_logs.db"
    async with open_store(file, SETTINGS) as store:
        await store.messages.append(chat("<ada> tea"))
        await store.backlog.create("Sugar", "less of it", about={}, lines=[])
    if os.getuid() == 0:
        assert "This account may not write" in another_account(file).stderr
    group = NOBODY if os.getuid() == 0 else os.getgid()
    share(file.parent, group)
    async with open_store(file, SETTINGS) as store:
        await store.messages.append(chat("<ada> more tea"))
        done = await anyio.to_thread.run_sync(another_account, file)
        assert done.stdout.splitlines() == ["['more tea', 'tea']", "['Milk', 'Sugar']"], done.stderr
        assert len(await store.backlog.all()) == 2
    with closing(sqlite3.connect(file)) as db:
        assert db.execute("SELECT count(*) FROM messages").fetchone() == (3,)
