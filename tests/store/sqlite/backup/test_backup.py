"""A backup is the history of one moment, and comes back as it was or not at all."""

import io
import json
import shutil
import sqlite3
import sys
import tarfile
from contextlib import closing
from pathlib import Path
from random import Random

import anyio
import pytest
from filelock import FileLock

from terrarium_mcp.errors import HostFailure
from terrarium_mcp.store import (
    BackupFailed,
    Manifest,
    NotABackup,
    NotAdopted,
    NotOurs,
    RestoreRefused,
    Store,
    examine,
    make_backup,
    open_store,
    restore_backup,
)
from terrarium_mcp.store.sqlite.backup import bundle, making
from terrarium_mcp.store.sqlite.schema import CURRENT
from tests.patience import PATIENCE
from tests.samples.terrarium_irc import make
from tests.store.children import child
from tests.store.dialogues import TEA, put, summary, turn
from tests.store.files.stored import stored
from tests.store.scene import (
    NOON,
    SETTINGS,
    chat,
    differences,
    dump_of,
    find,
    past,
    rows_of,
    texts,
    write,
)

TABLES = (
    *("messages", "private_messages", "spans", "rooms", "day_counts", "derived"),
    *("dialogues", "dialogue_turns", "dialogue_sources", "dialogue_summaries"),
)


def quietly(_: str) -> None:
    """No step is shown."""


def backed_up(file: Path, *, compress: bool = False) -> Path:
    place = file.with_name("backup.tar")
    place.touch()
    make_backup(file, place, quietly, compress=compress)
    return place


def rows(file: Path) -> list[object]:
    return [rows_of(file, f"SELECT * FROM {table}") for table in TABLES]  # noqa: S608 -- ours


async def remember(store: Store) -> None:
    await store.spans.begin("net", "#tea", next(past(1)).said_at, "joined")
    await store.messages.append(chat("<ada> tea at four\n<bo> no"))
    await store.messages.append([*past(300)])
    await put(store, turn(1, sources=frozenset((1, 2))), turn(2))
    await store.dialogues.put_window(TEA, 1, summary(1, 1))
    for title in ("More tea", "Less coffee"):
        await store.backlog.create(title, "because", about={"author": "ada"}, lines=[])


@pytest.fixture(scope="module")
async def remembered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a history, to be copied by each test."""
    folder = tmp_path_factory.mktemp("remembered")
    async with open_store(folder / "irc_logs.db", SETTINGS) as store:
        await remember(store)
    return folder


@pytest.fixture
def history(anyio_backend: object, remembered: Path, file: Path) -> Path:  # noqa: ARG001 -- makes it, also for a test that is not async
    shutil.copytree(remembered, file.parent, dirs_exist_ok=True)
    return file


@pytest.mark.parametrize("compress", [False, True], ids=["tar", "zstd"])
async def test_what_was_backed_up_is_restored(
    history: Path, tmp_path: Path, compress: bool
) -> None:
    place = backed_up(history, compress=compress)
    new = tmp_path / "elsewhere" / "deep" / "new.db"
    manifest = restore_backup(place, new, quietly)
    assert (manifest.messages, manifest.rooms, manifest.schema) == (302, 3, CURRENT)
    assert rows(new) == rows(history)
    ideas = {one.name: one.read_bytes() for one in (tmp_path / "enhancements").iterdir()}
    assert {one.name: one.read_bytes() for one in (new.parent / "enhancements").iterdir()} == ideas
    assert len(ideas) == 2
    for made in (new, new.parent / "enhancements", *(new.parent / "enhancements").iterdir()):
        assert not made.stat().st_mode & 0o077
    async with open_store(new, SETTINGS) as store:
        assert await differences(store) == []
        assert texts((await find(store, "four")).messages) == ["tea at four"]


def test_a_restored_database_is_well_before_its_first_start(history: Path, tmp_path: Path) -> None:
    new = tmp_path / "elsewhere" / "new.db"
    restore_backup(backed_up(history), new, quietly)
    facts = [fact for section in examine(new, NOON) for fact in section.facts]
    assert {fact.name: fact.text for fact in facts}["journal"] == "WAL"
    assert [fact for fact in facts if fact.wrong] == []


def test_ideas_keep_the_names_that_people_gave_them(history: Path, tmp_path: Path) -> None:
    folder = history.parent / "enhancements"
    for name in ("caf\xe9 & tea.md", "a" * 200 + ".md"):
        (folder / name).write_text("an idea")
    (folder / "a folder.md").mkdir()
    (folder / ".hidden.md").write_text("an editor's")
    new = tmp_path / "named" / "new.db"
    restore_backup(backed_up(history), new, quietly)
    names = {one.name for one in folder.iterdir()} - {"a folder.md", ".hidden.md"}
    assert {one.name for one in (new.parent / "enhancements").iterdir()} == names


def test_tar_unpacks_it_too(history: Path, tmp_path: Path) -> None:
    place = backed_up(history)
    with tarfile.open(place) as tar:
        names = tar.getnames()
        content = tar.extractfile("history.db")
        assert content is not None
        (tmp_path / "by_hand.db").write_bytes(content.read())
    assert names[:2] == ["manifest.json", "history.db"]
    assert sorted(name.partition("/")[0] for name in names[2:]) == ["enhancements"] * 2
    assert rows(tmp_path / "by_hand.db") == rows(history)


async def test_a_backup_beside_a_recorder_has_all_that_was_said_before_it(file: Path) -> None:
    async with open_store(file, SETTINGS) as store:
        await store.messages.append([*past(20_000)])
    async with child("say", file, 1) as recorder:
        await recorder.go()
        before = int(await recorder.says())
        place = file.with_name("backup.tar")
        place.touch()
        done = anyio.Event()

        async def make() -> None:
            await anyio.to_thread.run_sync(
                lambda: make_backup(file, place, quietly, compress=False)
            )
            done.set()

        said = before
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(make)
            while not done.is_set():
                said = int(await recorder.says(within=10))
    assert said > before
    new = file.with_name("new") / "new.db"
    manifest = restore_backup(place, new, quietly)
    heard = [int(row[0]) for row in rows_of(new, "SELECT message FROM messages WHERE nick='ada'")]
    assert heard == list(range(1, len(heard) + 1))  # one moment: none is missing in between
    assert len(heard) >= before
    assert manifest.messages == 20_000 + len(heard)


async def test_a_plain_copy_of_the_file_lacks_lines_while_a_program_writes(file: Path) -> None:
    async with open_store(file, SETTINGS) as store:
        await store.messages.append(chat("<ada> on disk"))
        await store.messages.append(chat("<ada> and durable"))
        copy = file.with_name("copy.db")
        shutil.copyfile(file, copy)
        place = backed_up(file)
    assert rows_of(copy, "SELECT * FROM messages") == []  # both are in the WAL
    restore_backup(place, file.with_name("new") / "new.db", quietly)
    new = file.with_name("new") / "new.db"
    assert len(rows_of(new, "SELECT * FROM messages")) == 2


def test_the_backup_holds_no_text_that_was_removed(history: Path) -> None:
    write(history, "PRAGMA secure_delete = OFF")
    with closing(sqlite3.connect(history)) as db:
        db.executescript(
            "PRAGMA secure_delete=OFF; CREATE TABLE mine (a);"
            "INSERT INTO mine VALUES ('a-secret-of-long-ago' || hex(randomblob(3000)));"
            "DROP TABLE mine; PRAGMA wal_checkpoint(TRUNCATE);"
        )
    assert b"a-secret-of-long-ago" in history.read_bytes()
    assert b"a-secret-of-long-ago" not in backed_up(history).read_bytes()


def refused(place: Path, to: Path) -> str:
    with pytest.raises(NotABackup) as error:
        restore_backup(place, to, quietly)
    assert not to.exists()
    left = {one.name for one in to.parent.iterdir()} if to.parent.exists() else set()
    assert left <= {f"{to.name}.keeper"}
    return str(error.value)


def test_a_backup_that_was_cut_is_refused(history: Path, tmp_path: Path) -> None:
    whole = backed_up(history).read_bytes()
    needed = len(whole.rstrip(b"\0"))  # what follows pads the archive
    chance, cut = Random(7), tmp_path / "cut.tar"  # noqa: S311 -- places in a file
    for end in [0, 1, 511, 512, 513, needed - 1, *(chance.randrange(needed) for _ in range(25))]:
        cut.write_bytes(whole[:end])
        assert f"{cut} cannot be restored" in refused(cut, tmp_path / "cut" / "new.db")


@pytest.mark.parametrize("compress", [False, True], ids=["tar", "zstd"])
def test_a_flipped_bit_never_comes_back_as_another_history(
    history: Path, tmp_path: Path, compress: bool
) -> None:
    whole = backed_up(history, compress=compress).read_bytes()
    flipped, new = tmp_path / "flipped.tar", tmp_path / "flipped" / "new.db"
    chance, noticed = Random(7), 0  # noqa: S311 -- places in a file
    for _ in range(40):
        content = bytearray(whole)
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
        flipped.write_bytes(content)
        shutil.rmtree(new.parent, ignore_errors=True)
        try:
            restore_backup(flipped, new, quietly)
        except NotABackup:
            noticed += 1
            assert not new.exists()
        else:  # a bit that nothing depends on: padding, the time of a file
            assert rows(new) == rows(history)
    assert noticed > 30


def packed(path: Path, *files: tuple[str, bytes], kind: bytes = tarfile.REGTYPE) -> Path:
    """An archive by somebody else."""
    with tarfile.open(path, "w") as tar:
        for name, content in files:
            entry = tarfile.TarInfo(name)
            entry.size, entry.type = len(content), kind
            tar.addfile(entry, io.BytesIO(content))
    return path


def manifest_of(place: Path) -> Manifest:
    return bundle.manifest_in(place)


def test_other_files_are_refused_with_their_cause(history: Path, tmp_path: Path) -> None:
    new = tmp_path / "other" / "new.db"
    text = tmp_path / "notes.txt"
    text.write_text("tea at four\n" * 100)
    assert "no backup" in refused(text, new)
    assert "no backup" in refused(history, new)  # a database is no backup
    empty = tmp_path / "empty"
    empty.touch()
    assert "no backup" in refused(empty, new)
    foreign = packed(tmp_path / "foreign.tar", ("a.txt", b"a"), ("history.db", b"x"))
    assert "does not begin with the manifest" in refused(foreign, new)
    later = packed(tmp_path / "later.tar", ("manifest.json", b'{"terrarium_backup": 99}'))
    listed = packed(tmp_path / "list.tar", ("manifest.json", b"[1]"))
    assert "not a backup of terrarium-mcp" in refused(listed, new)
    deep = packed(tmp_path / "deep.tar", ("manifest.json", b"[" * 200_000))
    assert "not a backup of terrarium-mcp" in refused(deep, new)
    assert "version 99" in refused(later, new)
    assert "install a newer one" in refused(later, new)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("../escaped.md", "names no database, or files that are not a backup's"),
        ("/tmp/escaped.md", "names no database, or files that are not a backup's"),  # noqa: S108 -- an attack
        ("enhancements/../../escaped.md", "files that are not a backup's"),
        ("enhancements/x.sh", "files that are not a backup's"),
    ],
)
def test_a_backup_cannot_write_elsewhere(
    history: Path, tmp_path: Path, name: str, told: str
) -> None:
    manifest = json.loads(manifest_of(backed_up(history)).as_json())
    manifest["files"][name] = {"bytes": 1, "sha256": "0"}
    attack = packed(
        tmp_path / "attack.tar", ("manifest.json", json.dumps(manifest).encode()), (name, b"x")
    )
    assert told in refused(attack, tmp_path / "attack" / "new.db")
    assert not [*tmp_path.rglob("escaped.md")]


def test_what_the_manifest_does_not_name_is_refused(history: Path, tmp_path: Path) -> None:
    text = manifest_of(backed_up(history)).as_json()
    more = packed(tmp_path / "more.tar", ("manifest.json", text), ("evil.md", b"x"))
    assert "'evil.md', which its manifest does not name" in refused(more, tmp_path / "a" / "x.db")
    link = packed(tmp_path / "link.tar", ("manifest.json", b""), kind=tarfile.SYMTYPE)
    assert "which is not a file" in refused(link, tmp_path / "a" / "x.db")


def test_a_database_other_than_its_manifest_says_is_refused(history: Path, tmp_path: Path) -> None:
    place = backed_up(history)
    manifest = json.loads(manifest_of(place).as_json()) | {"messages": 1}
    with tarfile.open(place) as tar:
        files = [(one.name, tar.extractfile(one).read()) for one in tar.getmembers()]  # type: ignore[union-attr]  # all are files
    forged = packed(
        tmp_path / "forged.tar", ("manifest.json", json.dumps(manifest).encode()), *files[1:]
    )
    assert "does not hold what its manifest says" in refused(forged, tmp_path / "a" / "x.db")


def test_a_database_of_a_later_version_is_refused(history: Path, tmp_path: Path) -> None:
    manifest, _ = bundle_with(history, tmp_path, "PRAGMA user_version = 999")
    told = refused(manifest, tmp_path / "a" / "x.db")
    assert "its database is of version 999; this terrarium-mcp knows versions up to" in told


def bundle_with(history: Path, tmp_path: Path, sql: str) -> tuple[Path, Path]:
    """A backup whose database was changed, with the right sums."""
    copy = tmp_path / "changed.db"
    shutil.copyfile(history, copy)
    manifest = manifest_of(backed_up(history))
    with closing(sqlite3.connect(copy)) as db:
        db.execute(sql)
    place = tmp_path / "changed.tar"
    files = {"history.db": bundle.describe(copy)}
    facts = (manifest.schema, manifest.messages, manifest.private_messages, manifest.rooms)
    changed = Manifest(manifest.made_at, manifest.program, *facts, files)
    bundle.pack(place, changed, {"history.db": copy}, compress=False)
    return place, copy


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("new.db", "exists, and is not overwritten"),
        ("new.db-wal", "new.db-wal is left from another database"),
        ("new.db-shm", "new.db-shm is left from another database"),
        ("new.db-journal", "new.db-journal is left from another database"),
        ("enhancements/idea.md", "holds files of a backlog"),
    ],
)
def test_nothing_in_the_way_is_overwritten(
    history: Path, tmp_path: Path, name: str, told: str
) -> None:
    place, new = backed_up(history), tmp_path / "busy" / "new.db"
    (new.parent / name).parent.mkdir(parents=True)
    (new.parent / name).write_text("precious")
    with pytest.raises(RestoreRefused) as error:
        restore_backup(place, new, quietly)
    assert told in str(error.value)
    left = [one for one in new.parent.rglob("*") if one.is_file()]
    assert [one.read_text() for one in left] == ["precious"]


def test_what_is_left_where_a_link_leads_is_in_the_way_too(history: Path, tmp_path: Path) -> None:
    link, place = tmp_path / "there" / "link.db", tmp_path / "disk.db"
    link.parent.mkdir()
    link.symlink_to(place)
    backup = backed_up(history)
    (tmp_path / "disk.db-wal").write_bytes(b"left over")
    with pytest.raises(RestoreRefused, match=r"disk\.db-wal is left from another database"):
        restore_backup(backup, link, quietly)
    assert not place.exists()


def test_a_link_to_where_nothing_is_any_more_is_not_replaced(history: Path, tmp_path: Path) -> None:
    link, place = tmp_path / "there" / "link.db", tmp_path / "disk" / "logs.db"
    link.parent.mkdir()
    link.symlink_to(place)
    backup = backed_up(history)
    with pytest.raises(RestoreRefused, match=rf"is a link to {place}, where nothing is"):
        restore_backup(backup, link, quietly)
    assert link.is_symlink()
    restore_backup(backup, place, quietly)
    assert rows_of(link, "SELECT count(*) FROM messages") != [(0,)]


async def test_a_process_that_still_uses_a_deleted_database_is_noticed(
    history: Path, tmp_path: Path
) -> None:
    place, used = backed_up(history), tmp_path / "used" / "irc_logs.db"
    async with open_store(used, SETTINGS) as store:
        await store.messages.append(chat("<ada> hi"))
        for one in [*used.parent.glob("irc_logs.db*")]:
            if not one.name.endswith(".keeper"):
                one.unlink()
        with pytest.raises(RestoreRefused, match=r"\(process \d+\) uses .*Stop it"):
            restore_backup(place, used, quietly)
        assert not used.exists()


def test_the_lock_is_free_again_after_a_restoration(history: Path, tmp_path: Path) -> None:
    new = tmp_path / "free" / "new.db"
    restore_backup(backed_up(history), new, quietly)
    with FileLock(f"{new}.keeper", blocking=False) as lock:
        assert lock.is_locked


def failing(file: Path, kind: type[Exception]) -> str:
    place = file.with_name("failed.tar")
    place.touch()
    with pytest.raises(kind) as error:
        make_backup(file, place, quietly, compress=False)
    assert [one.name for one in file.parent.iterdir() if one.name.startswith("failed.tar.")] == []
    return str(error.value)


def test_an_idea_of_which_no_backup_can_hold_the_name_is_named(history: Path) -> None:
    ideas = history.parent / "enhancements"
    ideas.mkdir(exist_ok=True)
    (ideas / "my\tidea.md").write_text("tea")
    assert "'my\\tidea.md' in" in failing(history, BackupFailed)
    (ideas / "my\tidea.md").rename(ideas / "my idea.md")
    backed_up(history)


def test_what_is_no_history_is_not_backed_up(tmp_path: Path) -> None:
    assert "There is no database" in failing(tmp_path / "no.db", BackupFailed)
    text = tmp_path / "text.db"
    text.write_text("tea at four" * 100)
    assert "not an SQLite database" in failing(text, NotOurs)
    old = make(tmp_path / "old.db", [("2025-11-05 14:23:00.123456", "#tea", "a", "", "", "b", "")])
    before = dump_of(old)
    assert "terrarium-irc" in failing(old, NotAdopted)
    assert dump_of(old) == before


def test_a_damaged_database_is_not_passed_off_as_a_backup(history: Path) -> None:
    content = bytearray(history.read_bytes())
    middle = len(content) // 2 // 4096 * 4096
    content[middle : middle + 40 * 4096] = b"\xff" * 40 * 4096
    history.write_bytes(content)
    assert "damaged" in failing(history, HostFailure)


def test_a_full_disk_is_named_before_anything_is_copied(
    history: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(making, "free_bytes", lambda _: 1_000)
    assert "Name another folder" in failing(history, BackupFailed)


@pytest.mark.parametrize("version", [1, 3, 5])
async def test_a_backup_of_an_earlier_version_is_migrated_when_it_is_opened(
    tmp_path: Path, version: int
) -> None:
    old = stored(f"v{version}", tmp_path / "old.db")
    new = tmp_path / "new" / "irc_logs.db"
    assert restore_backup(backed_up(old), new, quietly).schema == version
    async with open_store(new, SETTINGS) as store:
        await store.opening.wait(PATIENCE)
        assert await differences(store) == []


def test_ctrl_c_ends_a_long_copy(history: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = 0

    def interrupted() -> int:
        nonlocal looks
        looks += 1
        raise KeyboardInterrupt

    monkeypatch.setattr(making, "_OPCODES", 1)
    monkeypatch.setattr(making, "_go_on", interrupted)
    monkeypatch.setattr(sys, "unraisablehook", lambda _: None)
    place = history.with_name("stopped.tar")
    place.touch()
    with pytest.raises(KeyboardInterrupt):
        make_backup(history, place, quietly, compress=False)
    assert looks == 1
    assert place.stat().st_size == 0
