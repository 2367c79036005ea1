"""A network gets its name, of none or of another spelling: in every table, and in the backlog."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from terrarium_mcp.chat.identity import Identity
from terrarium_mcp.chat.records import NewMessage, Origin
from terrarium_mcp.store import Enhancement, PurgeTarget, Store
from terrarium_mcp.store.sqlite.engine.rooms import UNNAMED_NETWORK
from tests.store.dialogues import IN_PRIVATE, put, talk, turn
from tests.store.scene import NOON, chat, differences, find, rows_of, write
from tests.store.sqlite.backup.test_consent import backed_up, restored
from tests.store.sqlite.imports.logs import bring, log_of, logged, words_in
from tests.store.sqlite.index.test_room_moves import one_of_everything, said_in
from tests.store.sqlite.removal.test_purge import LATER

SAID = "<ada> tea at four\n<bo> milk\n<eve> never say that"
ADA = Identity("net", "ada", "~ada", "host.example")


def with_a_network(file: Path) -> dict[str, list[tuple[Any, ...]]]:
    """The columns of every table that says for each row which network it is of."""
    with closing(sqlite3.connect(file)) as db:
        tables = db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
        columns = {
            table: db.execute("SELECT * FROM pragma_table_info(?)", (table,)).fetchall()
            for (table,) in tables
        }
    return {
        table: rows for table, rows in columns.items() if any(row[1] == "network" for row in rows)
    }


def one_row_each(file: Path, network: str) -> Iterator[str]:
    """Give every such table a row of this network; returns the names of the tables."""
    for table, columns in with_a_network(file).items():
        filled = [row for row in columns if row[3] or row[1] == "network" or row[5]]
        names = ", ".join(row[1] for row in filled)
        marks = ", ".join("?" for _ in filled)
        values = [
            network if name == "network" else 900 if kind == "INTEGER" else "x"
            for _, name, kind, *_ in filled
        ]
        write(file, f"INSERT INTO {table} ({names}) VALUES ({marks})", values)  # noqa: S608 -- ours
        yield table


def networks_in(file: Path, table: str) -> list[Any]:
    return [row[0] for row in rows_of(file, f"SELECT network FROM {table}")]  # noqa: S608 -- ours


async def test_no_table_knows_the_network_without_a_name_any_more(store: Store, file: Path) -> None:
    write(file, "INSERT INTO networks (name) VALUES ('irc')")
    tables = list(one_row_each(file, UNNAMED_NETWORK))
    assert {"messages", "removals", "quiet_channels"} <= set(tables)
    await store.name_network("net")
    assert {table: networks_in(file, table) for table in tables} == {
        table: ["net"] for table in tables
    }
    assert rows_of(file, "SELECT name FROM networks") == [("net",)]


async def test_what_is_known_of_the_network_by_its_name_stays(store: Store) -> None:
    await store.messages.append(chat(SAID, network="irc"))
    await store.quiet_channels.begin("irc", "#tea", LATER, "bo")
    await store.quiet_channels.begin("irc", "#mate", LATER, "bo")
    until = LATER + timedelta(hours=1)
    await store.quiet_channels.begin("net", "#tea", until, "ada")
    await store.name_network("net")
    quiet = await store.quiet_channels.current("net", NOON)
    assert quiet == {"#tea": until, "#mate": LATER}


async def test_beside_another_network_the_unnamed_one_keeps_its_name(store: Store) -> None:
    for network in ("irc", "net"):
        await store.messages.append(chat(SAID, network=network))
    idea = await suggest(store)
    await store.name_network("net")
    assert sorted(room.network for room in await store.rooms.all()) == ["irc", "net"]
    assert await store.backlog.all() == [idea]


@pytest.mark.parametrize("named_by", ["this version", "version 0.1.0"])
async def test_what_was_purged_before_the_network_had_its_name_does_not_come_back(
    store: Store, file: Path, named_by: str
) -> None:
    said = [line._replace(network="irc") for line in logged(chat(SAID))]
    await bring(store, said, replace(log_of(), network="irc"))
    await store.removal.purge(PurgeTarget("eve", "irc"), asked_by="op", at=LATER)
    await store.name_network("net")
    if named_by == "version 0.1.0":
        write(file, "UPDATE removals SET network = 'irc'")
        await store.name_network("net")
    assert [entry.network for entry in await store.removal.audit()] == ["net"]
    again = [line._replace(network="net") for line in said]
    totals = await bring(store, again, log_of("other.log"))
    assert (totals.added, totals.left_out) == (0, 1)
    assert words_in(file) == [("ada", "tea at four"), ("bo", "milk")]


@pytest.mark.parametrize("account", ["", "countess"])
async def test_who_was_forgotten_before_the_network_had_its_name_stays_so(
    store: Store, account: str
) -> None:
    said = [line._replace(account=account) for line in chat("<ada> tea\n<bo> milk", network="irc")]
    await store.messages.append(said)
    who = ADA._replace(network="irc", account=account)
    await store.removal.purge(PurgeTarget.asking(who), asked_by="!forget", at=LATER)
    await store.name_network("net")
    again = [line._replace(network="net", origin=Origin.PLAYBACK) for line in said]
    elsewhere = again[0]._replace(network="other")
    since = again[0]._replace(said_at=LATER + timedelta(seconds=1))
    namesake = again[0]._replace(account="", user="~eve", text="tea?")
    ids = await store.messages.append([again[0], elsewhere, since, namesake])
    assert [bool(number) for number in ids] == [False, True, True, True]


async def test_an_idea_follows_the_network_and_can_be_purged_by_its_name(
    store: Store, file: Path
) -> None:
    await store.messages.append(chat(SAID, network="irc"))
    idea = await suggest(store)
    written = file.parent / "enhancements" / idea.filename
    before = written.read_text()
    await store.name_network("net")
    assert await store.backlog.all() == [idea._replace(network="net")]
    assert written.read_text() == before.replace("network: irc", 'network: "net"', 1)
    target = PurgeTarget("ada", "net")
    assert (await store.removal.traces(target)).backlog.quoting == (idea.filename,)
    mentions = (await store.removal.purge(target, asked_by="op", at=LATER)).backlog
    assert mentions.quoting == (idea.filename,)
    assert "tea at four" not in written.read_text()


async def test_a_backlog_that_could_not_be_written_follows_the_next_time(
    store: Store, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await store.messages.append(chat(SAID, network="irc"))
    idea = await suggest(store)
    in_the_way = file.parent / "enhancements" / f".{idea.filename}.new"
    in_the_way.mkdir()
    await store.name_network("net")
    assert "ideas of net still name no network" in caplog.text
    in_the_way.rmdir()
    await store.name_network("net")
    assert await store.backlog.all() == [idea._replace(network="net")]


async def test_no_table_knows_another_spelling_of_the_network_any_more(
    store: Store, file: Path
) -> None:
    write(file, "INSERT INTO networks (name) VALUES ('Net'), ('other')")
    tables = list(one_row_each(file, "Net"))
    await store.name_network("net")
    assert {table: networks_in(file, table) for table in tables} == {
        table: ["net"] for table in tables
    }
    assert rows_of(file, "SELECT name FROM networks") == [("net",), ("other",)]


@pytest.mark.parametrize("most", ["Net", "net"])
async def test_a_network_recorded_under_two_spellings_is_one_by_its_name(
    store: Store, file: Path, most: str
) -> None:
    for network in ("Net", "net"):
        await store.messages.append(in_network(network, one_of_everything("#tea")))
    await store.messages.append(in_network(most, one_of_everything("#Tea", 2)))
    await store.messages.append(in_network("Net", one_of_everything("#mate")))
    await store.name_network("net")
    assert networks_in(file, "rooms") == ["net"] * len(networks_in(file, "rooms"))
    assert len(await said_in(store, "#tea")) == 27
    assert [(one.network, one.channel) for one in await store.rooms.all()] == [
        ("net", "#mate"),
        ("net", "#tea"),
    ]
    assert (await find(store, "played")).total == 4
    assert await differences(store) == []


async def test_rooms_of_two_spellings_are_compared_as_the_network_compares_them(
    store: Store,
) -> None:
    await store.messages.append(chat("<ada> round", channel="#a{", network="Net"))
    await store.rooms.set_casemapping("net", "ascii")
    await store.messages.append(chat("<ada> square", channel="#a[", network="net"))
    await store.name_network("net")
    assert await said_in(store, "#a{") == ["round"]
    assert await said_in(store, "#a[") == ["square"]


async def test_who_opted_out_is_so_under_every_spelling_once_they_are_one(store: Store) -> None:
    await store.messages.append(chat("<bo> milk", network="Net"))
    await store.opt_outs.add(ADA, NOON)
    await store.messages.append(chat("<bo> milk?"))  # the opt-out is known to who writes
    await store.name_network("NET")
    assert await store.messages.append(chat("<ada> tea", network="NET")) == [0]


@pytest.mark.parametrize("names", [["net"], ["NET", "net"], ["irc", "NET", "net"]])
async def test_who_was_forgotten_under_another_spelling_stays_so(
    store: Store, names: list[str]
) -> None:
    first, *later = names if names[0] == "irc" else ["Net", *names]
    await store.messages.append(in_network(first, chat("<ada> tea\n<bo> milk")))
    who = ADA._replace(network=first)
    await store.removal.purge(PurgeTarget.asking(who), asked_by="!forget", at=LATER)
    for name in later:
        await store.name_network(name)
    again = [line._replace(origin=Origin.PLAYBACK) for line in chat("<ada> tea\n<eve> tea")]
    elsewhere = in_network("other", again)
    ids = await store.messages.append([*again, *elsewhere])
    assert [bool(number) for number in ids] == [False, True, True, True]


async def test_what_was_forgotten_under_another_spelling_is_removed_from_a_backup_too(
    store: Store, file: Path, tmp_path: Path
) -> None:
    await store.messages.append(in_network("Net", chat("<ada> tea\n<bo> milk")))
    place = await backed_up(store)
    who = ADA._replace(network="Net")
    await store.removal.purge(PurgeTarget.asking(who), asked_by="!forget", at=LATER)
    await store.name_network("net")
    new = tmp_path / "new" / "irc_logs.db"
    assert (await restored(place, file, new)).messages == 1
    assert rows_of(new, "SELECT network, nick FROM messages") == [("net", "bo")]


@pytest.mark.parametrize("target", [PurgeTarget("ada", "net"), PurgeTarget.asking(ADA)], ids=str)
async def test_private_dialogues_of_two_spellings_can_be_purged(
    store: Store, file: Path, target: PurgeTarget
) -> None:
    for network in ("Net", "net"):
        asked = turn(asker=ADA._replace(network=network))
        await put(store, asked, place=replace(IN_PRIVATE, network=network))
    await store.messages.append(in_network("Net", chat(SAID)))
    await store.name_network("net")
    assert await talk(store, IN_PRIVATE) == [1]
    assert networks_in(file, "dialogues") == ["net", "net"]
    await store.removal.purge(target, asked_by="op", at=LATER)
    assert rows_of(file, "SELECT * FROM dialogue_turns") == []


async def test_what_has_no_network_is_not_that_of_a_network_called_so(store: Store) -> None:
    for network in ("irc", "other"):
        await store.messages.append(chat(SAID, network=network))
    await store.name_network("IRC")
    assert [room.network for room in await store.rooms.all()] == ["irc", "other"]


async def test_a_backlog_that_could_not_be_respelt_follows_the_next_time(
    store: Store, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await store.messages.append(chat(SAID, network="irc"))
    idea = await suggest(store)
    await store.name_network("Net")
    in_the_way = file.parent / "enhancements" / f".{idea.filename}.new"
    in_the_way.mkdir()
    await store.name_network("net")
    assert "ideas of net still name another spelling" in caplog.text
    in_the_way.rmdir()
    await store.name_network("net")
    assert await store.backlog.all() == [idea._replace(network="net")]


async def test_an_idea_follows_another_spelling_of_its_network(store: Store) -> None:
    await store.messages.append(chat(SAID, network="irc"))
    idea = await suggest(store)
    await store.name_network("Net")
    await store.name_network("net")
    assert await store.backlog.all() == [idea._replace(network="net")]


def in_network(network: str, lines: list[NewMessage]) -> list[NewMessage]:
    return [line._replace(network=network) for line in lines]


async def suggest(store: Store) -> Enhancement:
    about = {"author": "bo", "network": "irc", "channel": "#tea"}
    lines = ["1 12:00 <ada> tea at four", "2 12:01 <bo> milk", "network: irc"]
    idea, _ = await store.backlog.create("Milk", "more of it", about=about, lines=lines)
    return idea
