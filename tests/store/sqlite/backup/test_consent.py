"""What people decided after a backup survives the way back to it."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import anyio
import pytest

from terrarium_mcp.chat.identity import Identity
from terrarium_mcp.chat.records import Origin
from terrarium_mcp.store import (
    CarriedConsent,
    PurgeTarget,
    Store,
    StoreFailed,
    make_backup,
    open_store,
    read_consent,
    restore_backup,
)
from terrarium_mcp.store.sqlite.removal import batched_delete
from tests.store.scene import NOON, SETTINGS, chat, differences, mark_as_of_version, rows_of

ADA = Identity("net", "ada", "~ada", "host.example")
BEA = Identity("net", "bea", "~bea", "host.example")
LATER = NOON + timedelta(hours=3)


def quietly(_: str) -> None:
    """No step is shown."""


async def backed_up(store: Store) -> Path:
    place = store.path.with_name("backup.tar")
    await anyio.Path(place).touch()
    make_backup(store.path, place, quietly, compress=False)
    return place


def carrying(old: Path, carried: list[CarriedConsent]) -> Callable[[Path], None]:
    """What a restoration does to the database before it gets its name."""
    consent = read_consent(old)

    async def carry(database: Path) -> None:
        async with open_store(database, SETTINGS) as store:
            await store.opening.wait_to_the_end()
            carried.append(await store.carry_consent(consent))

    return lambda database: anyio.run(carry, database)


async def restored(place: Path, old: Path, new: Path) -> CarriedConsent:
    carried = list[CarriedConsent]()
    amend = carrying(old, carried)
    await anyio.to_thread.run_sync(restore_backup, place, new, quietly, amend)
    return carried[0]


async def test_who_opted_out_after_the_backup_is_not_recorded_by_the_restored_database(
    file: Path, tmp_path: Path
) -> None:
    async with open_store(file, SETTINGS) as store:
        await store.messages.append(chat("<bea> tea at four"))
        place = await backed_up(store)
        await store.opt_outs.add(BEA, LATER)
    new = tmp_path / "new" / "irc_logs.db"
    assert await restored(place, file, new) == CarriedConsent(people=1, removals=0, messages=0)
    async with open_store(new, SETTINGS) as store:
        await store.messages.append(chat("<bea> more tea\n<cy> milk", at=LATER))
        assert await differences(store) == []
    said = rows_of(new, "SELECT message FROM messages ORDER BY id")
    assert said == [("tea at four",), ("milk",)]


async def test_who_opted_in_again_after_the_backup_is_recorded(file: Path, tmp_path: Path) -> None:
    async with open_store(file, SETTINGS) as store:
        await store.messages.append(chat("<ada> hello"))
        await store.opt_outs.add(BEA, NOON)
        place = await backed_up(store)
        await store.opt_outs.remove(BEA, LATER)
    new = tmp_path / "new" / "irc_logs.db"
    assert (await restored(place, file, new)).people == 1
    async with open_store(new, SETTINGS) as store:
        between = chat("<bea> between", at=NOON + timedelta(hours=1), origin=Origin.PLAYBACK)
        await store.messages.append([*between, *chat("<bea> here again", at=LATER)])
    said = rows_of(new, "SELECT message FROM messages ORDER BY id")
    assert said == [("hello",), ("here again",)]


async def test_a_nick_that_was_purged_after_the_backup_is_purged_again(
    file: Path, tmp_path: Path
) -> None:
    async with open_store(file, SETTINGS) as store:
        await store.messages.append(chat("<bea> tea at four\n<cy> milk"))
        await store.backlog.create("Bea's tea", "because", about={"author": "bea"}, lines=[])
        place = await backed_up(store)
        await store.removal.purge(PurgeTarget("bea"), asked_by="owner", at=LATER)
    new = tmp_path / "new" / "irc_logs.db"
    assert await restored(place, file, new) == CarriedConsent(people=0, removals=1, messages=1)
    assert rows_of(new, "SELECT message FROM messages") == [("milk",)]
    assert [*(new.parent / "enhancements").iterdir()] == []
    async with open_store(new, SETTINGS) as store:
        await store.messages.append(chat("<bea> tea at four", origin=Origin.PLAYBACK))
        assert await differences(store) == []
    assert rows_of(new, "SELECT message FROM messages") == [("milk",)]


async def test_ideas_of_a_nick_of_which_no_line_was_left_are_purged_again(
    file: Path, tmp_path: Path
) -> None:
    async with open_store(file, SETTINGS) as store:
        await store.messages.append(chat("<cy> milk"))
        await store.backlog.create("Bea's tea", "because", about={"author": "bea"}, lines=[])
        place = await backed_up(store)
        await store.removal.purge(PurgeTarget("bea"), asked_by="owner", at=LATER)
        assert [(entry.nick, entry.messages) for entry in await store.removal.audit()] == [
            ("bea", 0)
        ]
    new = tmp_path / "new" / "irc_logs.db"
    assert await restored(place, file, new) == CarriedConsent(people=0, removals=1, messages=0)
    assert [*(new.parent / "enhancements").iterdir()] == []
    async with open_store(new, SETTINGS) as store:
        await store.messages.append(chat("<bea> tea at four", origin=Origin.IMPORT))
    assert rows_of(new, "SELECT message FROM messages") == [("milk",)]


@pytest.mark.parametrize("account", ["", "countess"])
async def test_what_somebody_had_forgotten_after_the_backup_is_removed_again_and_nobody_elses(
    file: Path, tmp_path: Path, account: str
) -> None:
    ada = ADA._replace(account=account)
    theirs = [line._replace(account=account) for line in chat("<ada> tea at four")]
    namesake = [line._replace(host="elsewhere.example") for line in chat("<ada> my tea")]
    async with open_store(file, SETTINGS) as store:
        await store.messages.append([*theirs, *namesake, *chat("<cy> milk")])
        place = await backed_up(store)
        await store.removal.purge(PurgeTarget.asking(ada), asked_by="!forget", at=LATER)
    new = tmp_path / "new" / "irc_logs.db"
    assert await restored(place, file, new) == CarriedConsent(people=0, removals=1, messages=1)
    said = rows_of(new, "SELECT message FROM messages ORDER BY id")
    assert said == [("my tea",), ("milk",)]
    assert not rows_of(new, "SELECT nick FROM removals WHERE nick LIKE '%ada%'")
    async with open_store(new, SETTINGS) as store:
        await store.messages.append([line._replace(origin=Origin.PLAYBACK) for line in theirs])
    assert rows_of(new, "SELECT message FROM messages ORDER BY id") == said


async def test_whoever_had_something_forgotten_is_known_wherever_in_the_tables_they_are(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batched_delete, "ROWS_PER_READ", 2)
    async with open_store(file, SETTINGS) as store:
        others = chat("\n".join(f"<cy> milk {n}" for n in range(5)))
        await store.messages.append([*chat("<ada> tea"), *others, *chat("<ada> in", channel="bo")])
        await store.messages.append([*chat("<bea> in private", channel="bo"), *chat("<bea> tea")])
        place = await backed_up(store)
        for who in (ADA, BEA):
            await store.removal.purge(PurgeTarget.asking(who), asked_by="!forget", at=LATER)
    new = tmp_path / "new" / "irc_logs.db"
    assert await restored(place, file, new) == CarriedConsent(people=0, removals=2, messages=4)
    assert rows_of(new, "SELECT DISTINCT nick FROM messages") == [("cy",)]
    assert rows_of(new, "SELECT nick FROM private_messages") == []


@pytest.mark.parametrize("target", [PurgeTarget("ada"), PurgeTarget.asking(ADA)], ids=str)
async def test_a_removal_during_which_the_backup_was_made_is_completed(
    file: Path, tmp_path: Path, target: PurgeTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batched_delete, "ROWS_PER_TRANSACTION", (2, 2, 2))
    place = file.with_name("backup.tar")

    def back_up_once(removed: int) -> None:
        if removed and not place.exists():
            place.touch()
            make_backup(file, place, quietly, compress=False)

    async with open_store(file, SETTINGS) as store:
        await store.messages.append(chat("<ada> one\n<ada> two\n<ada> three\n<cy> milk"))
        await store.removal.purge(target, asked_by="owner", at=LATER, on_progress=back_up_once)
        removal = rows_of(file, "SELECT at, kind, network, nick, messages FROM removals")
    new = tmp_path / "new" / "irc_logs.db"
    assert await restored(place, file, new) == CarriedConsent(people=0, removals=1, messages=1)
    assert rows_of(new, "SELECT message FROM messages") == [("milk",)]
    audit = rows_of(new, "SELECT at, kind, network, nick, messages FROM removals ORDER BY id")
    assert audit[:1] == removal


async def test_decisions_reach_a_backup_from_before_the_network_had_its_name(
    file: Path, tmp_path: Path
) -> None:
    unnamed = [who._replace(network="irc") for who in (ADA, BEA)]
    async with open_store(file) as store:
        await store.messages.append(chat("<ada> tea\n<bea> tea\n<cy> milk", network="irc"))
        await store.opt_outs.add(unnamed[1], NOON)
        place = await backed_up(store)
        await store.name_network("net")
        await store.messages.append(chat("<cy> elsewhere", network="other"))
        await store.removal.purge(PurgeTarget.asking(ADA), asked_by="!forget", at=LATER)
        await store.removal.purge(PurgeTarget("bea", "net"), asked_by="owner", at=LATER)
        await store.opt_outs.remove(BEA, LATER)
    new = tmp_path / "new" / "irc_logs.db"
    assert await restored(place, file, new) == CarriedConsent(people=1, removals=2, messages=2)
    assert rows_of(new, "SELECT network, message FROM messages") == [("net", "milk")]
    assert rows_of(new, "SELECT * FROM opt_outs") == []


async def test_what_the_backup_knows_already_is_not_brought_again(
    file: Path, tmp_path: Path
) -> None:
    async with open_store(file, SETTINGS) as store:
        await store.messages.append(chat("<bea> tea\n<cy> milk"))
        await store.opt_outs.add(ADA, NOON)
        await store.removal.purge(PurgeTarget("bea"), asked_by="owner", at=LATER)
        place = await backed_up(store)
    new = tmp_path / "new" / "irc_logs.db"
    assert await restored(place, file, new) == CarriedConsent(people=0, removals=0, messages=0)
    for table in ("opt_outs", "removals", "messages"):
        every = f"SELECT * FROM {table}"  # noqa: S608 -- ours
        assert rows_of(new, every) == rows_of(file, every)


async def test_the_replaced_database_is_only_read_also_what_is_in_its_log_yet(
    file: Path, tmp_path: Path
) -> None:
    async with open_store(file, SETTINGS) as store:
        await store.messages.append(chat("<bea> tea"))
        place = await backed_up(store)
    with closing(sqlite3.connect(file)) as crashed:
        crashed.execute("INSERT INTO opt_outs VALUES ('net', '', 'bea', '', 'bea', '2026')")
        crashed.commit()
        files = {one: one.read_bytes() for one in (file, file.with_name(f"{file.name}-wal"))}
        new = tmp_path / "new" / "irc_logs.db"
        assert (await restored(place, file, new)).people == 1
        assert {one: one.read_bytes() for one in files} == files


async def test_an_earlier_version_of_the_replaced_database_is_to_be_migrated_first(
    file: Path,
) -> None:
    async with open_store(file, SETTINGS) as store:
        await store.messages.append(chat("<bea> tea"))
    mark_as_of_version(file, 11)
    with pytest.raises(StoreFailed, match=f"terrarium-mcp search tea --db {file}"):
        read_consent(file)


async def test_a_backup_of_an_earlier_version_is_migrated_on_the_way(
    file: Path, tmp_path: Path
) -> None:
    earlier = tmp_path / "earlier" / "irc_logs.db"
    for database in (earlier, file):
        async with open_store(database, SETTINGS) as store:
            await store.messages.append(chat("<bea> tea at four\n<cy> milk"))
    mark_as_of_version(earlier, 11)
    place = earlier.with_name("backup.tar")
    place.touch()
    make_backup(earlier, place, quietly, compress=False)
    async with open_store(file, SETTINGS) as store:
        await store.removal.purge(PurgeTarget("bea"), asked_by="owner", at=LATER)
    new = tmp_path / "new" / "irc_logs.db"
    assert await restored(place, file, new) == CarriedConsent(people=0, removals=1, messages=1)
    assert rows_of(new, "SELECT message FROM messages") == [("milk",)]


async def test_a_restoration_whose_decisions_cannot_be_brought_over_leaves_nothing(
    file: Path, tmp_path: Path
) -> None:
    async with open_store(file, SETTINGS) as store:
        await store.messages.append(chat("<bea> tea"))
        place = await backed_up(store)

    def fail(_: Path) -> None:
        raise StoreFailed("no room")

    with pytest.raises(StoreFailed):
        restore_backup(place, tmp_path / "new" / "irc_logs.db", quietly, fail)
    assert not (tmp_path / "new").exists()
