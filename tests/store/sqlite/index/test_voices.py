"""Voices follow the rules of the file, and whatever goes by them follows the voices."""

import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from terrarium_mcp.chat import commands, relays
from terrarium_mcp.chat.records import Message, MessageType, NewMessage, Origin
from terrarium_mcp.chat.relays import Relay, parse_relay
from terrarium_mcp.chat.times.timestamps import EVERY_LINE
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import PurgeTarget, Store, claimed, open_store
from terrarium_mcp.store.sqlite.schema.versions import VERSIONS
from tests.conftest import STORIES
from tests.patience import PATIENCE
from tests.samples import terrarium_irc as sample
from tests.servers.forked import forked
from tests.store.files.stored import stored
from tests.store.scene import (
    NOON,
    SETTINGS,
    chat,
    check_index,
    differences,
    find,
    line_of,
    mark_as_of_version,
    redact,
    room,
    rows_of,
    texts,
    write,
)

RELAYED = """
<relaybot> <Jane#1234> the greenhouse heater is broken
<relaybot> <\x0303B\u200bo\x03> Jane: which one?
<relaybot> reconnected to the other side
<ada> Jane: the old one
"""
ASIDES = """
<ada> the greenhouse heater is broken
<bo> !search greenhouse heater
<bo> Terra: who knows about the heater?
<Terra> bo: the greenhouse heater is broken, says ada
"""
VOICES = "SELECT id, aside, speaker, text_at FROM voices ORDER BY id"

LOOKED_AGAIN = "UPDATE derived SET upto = 0 WHERE name = 'voices' AND upto > 0;"
COMMANDS_BY_VERSION = {
    11: (
        *("terrarium", "ask", "help", "ping", "search", "recent", "context", "stats", "who"),
        *("seen", "catchup", "status", "more", "clear", "compact", "stop", "quiet", "optout"),
        *("optin", "forget"),
    ),
}
"""The names of all commands, by the version that first had every line looked at by them.

Other names come with a version of their own: add a line, and leave those that are here.
"""


def with_relays(*relays: str, **more: Any) -> Settings:
    return Settings(network="net", relays=tuple(map(parse_relay, relays)), **more)


@asynccontextmanager
async def opened(file: Path, told: Settings = SETTINGS) -> AsyncIterator[Store]:
    async with open_store(file, told) as store:
        await store.opening.wait(PATIENCE)
        yield store


async def read(store: Store) -> list[Message]:
    return list((await store.messages.newest(await store.rooms.all(), 1_000)).messages)


async def is_sound(store: Store, file: Path) -> None:
    assert await differences(store) == []
    check_index(file)


async def test_a_relayed_line_is_the_persons_and_is_stored_as_it_was_sent(file: Path) -> None:
    async with opened(file, with_relays("relaybot")) as store:
        await store.messages.append(chat(RELAYED))
        lines = [(line.nick, line.via, line.text) for line in await read(store)]
        await is_sound(store, file)
    assert lines == [
        ("Jane", "relaybot", "the greenhouse heater is broken"),
        ("Bo", "relaybot", "Jane: which one?"),
        ("relaybot", "", "reconnected to the other side"),
        ("ada", "", "Jane: the old one"),
    ]
    sent = [(line.nick, line.text) for line in chat(RELAYED)]
    assert rows_of(file, "SELECT nick, message FROM messages ORDER BY id") == sent
    assert rows_of(file, VOICES) == [(1, None, "Jane", 13), (2, None, "Bo", 11)]


async def test_the_account_of_a_relay_is_not_the_persons(file: Path) -> None:
    async with opened(file, with_relays("relaybot")) as store:
        carried = [line._replace(account="the-relay") for line in chat(RELAYED)]
        await store.messages.append(carried)
        assert [line.account for line in await read(store)] == ["", "", "the-relay", "the-relay"]
        person = await store.people.lookup("Jane", "net", await store.rooms.all())
        assert person.rooms
        assert person.evidence == []


async def test_asides_are_marked_and_stay_among_the_lines(file: Path) -> None:
    async with opened(file) as store:
        await store.messages.append(
            [line._replace(own=line.nick == "Terra") for line in chat(ASIDES)]
        )
        lines = await read(store)
        assert [(line.own, line.is_command) for line in lines] == [
            (False, False), (False, True), (False, True), (True, False),
        ]  # fmt: skip
        assert texts((await find(store, "greenhouse heater")).messages) == [lines[0].text]
        await is_sound(store, file)


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize(
    ("version", "name", "as_before", "command", "talk"),
    [
        (9, "command_meant", lambda *_: "", "!serch kettle", "the kettle is on"),
        (10, "_BLANK", re.compile(" "), "!ask\u3000kettle?", "the kettle is on"),
        (11, "command_meant", lambda *_: "", "!terra kettle?", "the kettle is on"),
        (
            *(16, "addressed_to", lambda *_, **__: None),
            *("Terra\u060c who has the kettle?", "Terra \u060c) the kettle is on"),
        ),
        (17, "INVISIBLE_MARKS", "", "\u200fTerra: the kettle?", "\u200fthe kettle is on"),
    ],
    ids=[
        *("a near miss", "a wide blank", "the nick behind the prefix", "an Arabic comma"),
        "a mark of direction",
    ],
)
async def test_what_is_a_command_since_a_version_is_one_in_older_files_too(
    file: Path,
    monkeypatch: pytest.MonkeyPatch,
    version: int,
    name: str,
    as_before: object,
    command: str,
    talk: str,
) -> None:
    with monkeypatch.context() as before:
        before.setattr(commands, name, as_before)
        async with opened(file) as store:
            await store.messages.append(chat(f"<ada> {command}\n<bo> {talk}"))
            assert (await find(store, "kettle")).total == 2
    mark_as_of_version(file, version - 1)
    async with opened(file) as store:
        assert texts((await find(store, "kettle")).messages) == [talk]
        assert [line.is_command for line in await read(store)] == [True, False]
        await is_sound(store, file)


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("older", [15, 16])
async def test_a_relayed_name_has_nothing_invisible_in_it_since_version_17_also_in_older_files(
    file: Path, monkeypatch: pytest.MonkeyPatch, older: int
) -> None:
    spoken = chat("""
        <relaybot> <j\u034fane> the kettle is on
        <relaybot> <jane> thanks
        <relaybot> \u3164<jan\ufe0fe> \U000e0100anybody for tea?
        <ada> the kettle is on
        """)
    settings = with_relays("relaybot")
    with monkeypatch.context() as before:
        before.setattr(relays, "invisible_places", lambda _: [])
        before.setattr(relays, "without_invisible", str)
        async with opened(file, settings) as store:
            await store.messages.append(spoken)
            assert texts((await find(store, "from:jane")).messages) == ["thanks"]
    mark_as_of_version(file, older)
    async with opened(file, settings) as store:
        assert len((await find(store, "from:jane")).messages) == 3
        assert [line.nick for line in await read(store)] == ["jane", "jane", "jane", "ada"]
        await is_sound(store, file)
    assert rows_of(file, VOICES) == [
        (number, None, "jane", len(line.text) - len(said) + 1)
        for number, (line, said) in enumerate(
            zip(spoken, ("the kettle is on", "thanks", "anybody for tea?"), strict=False), 1
        )
    ]


def test_older_lines_are_looked_at_again_by_the_commands_of_today() -> None:
    newest = max(COMMANDS_BY_VERSION)
    assert set(commands.COMMANDS) == set(COMMANDS_BY_VERSION[newest]), (
        "older lines with this command stay what they were: write a version of the schema that"
        " has every line looked at again, as v11.sql (the steps are in schema/__init__.py), then"
        " add its number with all names to COMMANDS_BY_VERSION"
    )
    texts_of_versions = {version.number: version.text for version in VERSIONS}
    assert all(LOOKED_AGAIN in texts_of_versions[number] for number in COMMANDS_BY_VERSION)


async def test_a_person_who_has_the_nick_of_the_bot_is_no_bot_where_the_bridge_was_listening(
    file: Path,
) -> None:
    async with opened(file) as store:
        await store.messages.append(chat("<Terra> I am called so too"))
        await store.messages.append(chat("<Terra> and so am I", origin=Origin.IMPORT))
        assert sorted((line.text, line.own) for line in await read(store)) == [
            ("I am called so too", False),
            ("and so am I", True),
        ]


async def test_what_another_program_appended_is_marked_too(file: Path) -> None:
    async with opened(file, with_relays("relaybot")) as store:
        await store.messages.append(chat("<ada> hello"))
        insert = "INSERT INTO messages (timestamp, channel, nick, message) VALUES (?, ?, ?, ?)"
        for nick, text in (("Terra", "pong"), ("bo", "!ping"), ("relaybot", "<Jane> tea")):
            write(file, insert, ("2026-05-01 14:00:00", "#tea", nick, text))
        assert texts((await find(store, "")).messages) == ["tea", "hello"]
        lines = await read(store)
        assert [line.nick for line in lines if line.is_aside] == ["Terra", "bo"]
        await is_sound(store, file)


@pytest.mark.parametrize("name", ["v1", "v1-adopted", "v2", "v2-adopted", "v3", "v3-adopted"])
async def test_rows_of_an_earlier_version_count_too(name: str, file: Path) -> None:
    stored(name, file)
    insert = (
        "INSERT INTO messages (timestamp, channel, nick, message, message_type, network, room,"
        " origin) SELECT timestamp, channel, ?, ?, 'PRIVMSG', network, room, origin"
        " FROM messages WHERE room NOT NULL ORDER BY id LIMIT 1"
    )
    for nick, text in (
        ("ada", "zebra crossing"),
        ("bo", "!search zebra crossing"),
        ("relaybot", "<Jane> zebra crossing"),
    ):
        write(file, insert, (nick, text))
    async with opened(file, with_relays("relaybot", source_timezone="America/New_York")) as store:
        found = (await find(store, "zebra crossing")).messages
        assert [line.nick for line in found] == ["Jane", "ada"]
        assert (await find(store, "zebra from:jane")).total == 1
        await is_sound(store, file)


async def test_rows_of_an_adopted_database_count_too(file: Path) -> None:
    sample.make(file, 40)
    insert = "INSERT INTO messages (timestamp, channel, nick, message) VALUES (?, '#tea', ?, ?)"
    for nick, text in (("bo", "!ask where are the zebras?"), ("relaybot", "<Jane> zebras?")):
        write(file, insert, ("2025-11-05 14:00:00", nick, text))
    told = with_relays("relaybot", source_timezone="America/New_York")
    async with open_store(file, told, adopt=True) as store:
        await store.opening.wait(PATIENCE)
        assert [line.nick for line in (await find(store, "zebras")).messages] == ["Jane"]
        assert (await find(store, "zebras is:command")).total == 1
        await is_sound(store, file)


async def test_when_the_settings_change_every_line_is_looked_at_again(
    file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    lines = [*chat(RELAYED), *chat("<ada> .search heater\n<bo> !search heater")]
    changed = with_relays("relaybot", irc_nick="Robo", command_prefix=".")
    async with opened(file.with_name("new.db"), changed):
        assert "looked at again" not in caplog.text  # there is no line yet
    async with opened(file) as store:
        await store.messages.append(lines)
        assert [line.is_command for line in await read(store)][-2:] == [False, True]
        assert (await find(store, "from:jane")).total == 0
    async with opened(file, changed) as store:
        assert "re-examining every line" in caplog.text
        assert [line.is_command for line in await read(store)][-2:] == [True, False]
        assert (await find(store, "from:jane heater")).total == 1
        assert (await find(store, "from:relaybot")).total == 1
        await is_sound(store, file)
    async with opened(file, with_relays()) as store:
        assert (await find(store, "from:jane")).total == 0
        assert (await find(store, "from:relaybot")).total == 3
        assert rows_of(file, "SELECT count(*) FROM voices WHERE speaker NOT NULL") == [(0,)]
        await is_sound(store, file)


async def test_a_process_that_is_not_told_about_the_bot_goes_by_what_the_file_remembers(
    file: Path,
) -> None:
    async with opened(file, with_relays("relaybot", irc_nick="Robo")) as store:
        await store.messages.append(chat(RELAYED))
    async with opened(file, Settings()) as store:
        await store.messages.append(chat("<relaybot> <Jane> still here\n<ada> Robo: hello"))
        assert (await find(store, "from:jane")).total == 2
        assert (await find(store, "is:command")).total == 1
        await is_sound(store, file)
    expected = [("net", "Robo", "!", '[["relaybot", ""]]')]
    assert rows_of(file, "SELECT * FROM voice_rules") == expected


async def test_settings_that_name_a_server_say_all_there_is_to_say_of_their_network(
    file: Path,
) -> None:
    async with opened(file, with_relays("relaybot", irc_nick="Robo")) as store:
        await store.messages.append(chat(RELAYED))
    async with opened(file, Settings(network="net", irc_server="irc.example")) as store:
        assert (await find(store, "from:jane")).total == 0
    assert rows_of(file, "SELECT * FROM voice_rules") == [("net", "Terra", "!", "[]")]


async def test_beside_a_recorder_only_that_process_changes_the_rules_of_its_network(
    file: Path,
) -> None:
    before = Settings(network="net", irc_server="irc.example", command_prefix="!")
    after = Settings(network="net", irc_server="irc.example", command_prefix="?")
    async with opened(file, before) as recorder:
        with claimed(file, [("net", "#tea")]):
            await recorder.service.change_settings(after)
            await in_another_process(file, before)
            assert rows_of(file, "SELECT prefix FROM voice_rules") == [("?",)]
            await recorder.service.change_settings(before)  # its own claims allow it
            assert rows_of(file, "SELECT prefix FROM voice_rules") == [("!",)]
        await in_another_process(file, after)
    assert rows_of(file, "SELECT prefix FROM voice_rules") == [("?",)]


async def in_another_process(file: Path, told: Settings) -> None:
    """Open a database with these settings, and close it."""
    opening = (
        "import anyio, pathlib, sys; from terrarium_mcp.settings import Settings;"
        "from terrarium_mcp.store import open_store\n"
        "async def main():\n"
        "    told = Settings.model_validate_json(sys.argv[2])\n"
        "    async with open_store(pathlib.Path(sys.argv[1]), told): pass\n"
        "anyio.run(main)"
    )
    values = told.model_dump_json(exclude_unset=True)
    await anyio.run_process(forked("-c", opening, file, values))


async def test_a_relay_is_one_on_its_own_network_only(file: Path) -> None:
    async with opened(file, with_relays("other/relaybot")) as store:
        await store.messages.append(chat("<relaybot> <Jane> here"))
        await store.messages.append(chat("<relaybot> <Jane> there", network="other"))
        assert texts((await find(store, "from:jane")).messages) == ["there"]


async def test_without_a_network_in_the_settings_a_relay_is_one_everywhere(file: Path) -> None:
    async with opened(file, Settings(relays=(Relay("relaybot"),))) as store:
        for network in ("net", "other"):
            await store.messages.append(chat("<relaybot> <Jane> here", network=network))
        assert (await find(store, "from:jane")).total == 2


async def test_lines_said_while_older_ones_are_looked_at_again_are_marked_at_once(
    file: Path, store: Store
) -> None:
    await store.messages.append(chat(ASIDES))
    write(file, "UPDATE derived SET upto = 1 WHERE name = 'voices'")
    await store.messages.append(chat("<ada> !search zebra\n<ada> a zebra"))
    assert rows_of(file, "SELECT id FROM voices WHERE id > 4") == [(5,)]
    assert texts((await find(store, "zebra")).messages) == ["a zebra"]
    await is_sound(store, file)


async def test_a_long_history_is_in_use_while_its_lines_are_looked_at_again(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(file) as store:
        await store.messages.append([line_of("relaybot", f"<Jane> tea {n}") for n in range(40)])
    monkeypatch.setattr("terrarium_mcp.store.sqlite.service.MANY", 10)
    monkeypatch.setattr("terrarium_mcp.store.sqlite.index.indexer.BATCH", (5, 5, 5))
    async with opened(file, with_relays("relaybot")) as store:
        with anyio.fail_after(PATIENCE):
            while (await find(store, "tea from:jane")).total < 40:
                assert (await find(store, "tea")).total == 40
        assert (await find(store, "tea from:relaybot")).total == 0
        await is_sound(store, file)


async def test_lines_of_a_network_that_gets_its_name_follow_its_rules(file: Path) -> None:
    async with opened(file) as store:
        await store.messages.append(chat(RELAYED, network="irc"))
    async with opened(file, with_relays("relaybot")) as store:
        assert (await find(store, "from:jane")).total == 0
        await store.rooms.name_network("net")
        await is_sound(store, file)
        assert (await find(store, "from:jane")).total == 1


async def test_a_flood_is_marked_before_it_is_indexed(file: Path, store: Store) -> None:
    flood = [line_of("ada", f"!search tea {n}") for n in range(600)]
    await store.messages.append(flood)
    assert all(line.is_command for line in await read(store))
    assert (await find(store, "tea")).total == 0
    await is_sound(store, file)


async def test_a_redacted_line_is_nobodys_any_more(file: Path) -> None:
    async with opened(file, with_relays("relaybot")) as store:
        [number, *_] = await store.messages.append(chat(RELAYED))
        await redact(store, number)
        first = (await read(store))[0]
        assert (first.nick, first.removed) == ("relaybot", True)
        assert rows_of(file, "SELECT count(*) FROM voices") == [(1,)]
        await is_sound(store, file)


async def test_a_purge_takes_what_a_relay_carried_of_the_person(file: Path) -> None:
    async with opened(file, with_relays("relaybot")) as store:
        await store.messages.append(chat(RELAYED))
        traces = await store.removal.traces(PurgeTarget("JANE"))
        assert traces.lines.total() == 1
        await store.removal.purge(PurgeTarget("jane"), asked_by="ada", at=datetime.now(UTC))
        assert [line.nick for line in await read(store)] == ["Bo", "relaybot", "ada"]
        await is_sound(store, file)
    assert rows_of(file, "SELECT count(*) FROM voices WHERE speaker = 'Jane'") == [(0,)]


@pytest.mark.usefixtures("at_once")
async def test_a_voice_that_another_program_changed_is_found_and_mended(
    file: Path, store: Store
) -> None:
    await store.messages.append(chat(ASIDES))
    write(file, "DELETE FROM voices WHERE id = 2")
    write(file, "INSERT INTO voices (id, aside) VALUES (1, 1), (99, 2)")
    [told, *_] = await store.differences(["voices"])
    assert told.startswith("voices: 3 rows differ from a recount")
    await store.rebuild(["voices"])
    await is_sound(store, file)


async def test_figures_name_people_and_not_the_relay(file: Path) -> None:
    async with opened(file, with_relays("relaybot")) as store:
        await store.messages.append([*chat(RELAYED), *chat("<ada> !search heater\n<ada> tea?")])
        await store.messages.append([line._replace(own=True) for line in chat("<Terra> no tea")])
        last = (await read(store))[-1].position
        for until in (EVERY_LINE, last):
            stats = await store.stats.for_room(await room(store), until=until, now=NOON)
            assert dict(stats.talkers) == {"ada": 2, "Jane": 1, "Bo": 1, "relaybot": 1}
            assert stats.people == 4
        person = await store.people.lookup("ada", "net", await store.rooms.all())
        assert [one.lines for one in person.rooms] == [2]


NICKS = st.sampled_from(["ada", "Terra", "relaybot", "Robo", "bo"])
TEXTS = st.sampled_from(
    [
        "green tea", "!search green tea", ".search green tea", "Terra: tea?", "Robo: tea?",
        "<Jane> green tea", "<ada> https://example.org/tea", "[m] <ada> !search tea", "Jane: tea",
    ]
)  # fmt: skip
KINDS = st.sampled_from(
    [MessageType.PRIVMSG, MessageType.NOTICE, MessageType.ACTION, MessageType.QUIT]
)
ORIGINS = st.sampled_from([Origin.LIVE, Origin.PLAYBACK, Origin.IMPORT])
LINES = st.lists(st.tuples(NICKS, TEXTS, KINDS, ORIGINS), min_size=1, max_size=12)
RULES = st.sampled_from(
    [
        with_relays("relaybot"),
        with_relays("relaybot", "ada"),
        with_relays("bo=NAME:", command_prefix="."),
        with_relays(irc_nick="Robo"),
        with_relays(irc_nick="Terra", command_prefix="!"),
    ]
)


def history(lines: Sequence[tuple[str, str, MessageType, Origin]]) -> list[NewMessage]:
    return [
        line_of(nick, text, kind=kind, origin=origin)._replace(msgid=f"m{n}")
        for n, (nick, text, kind, origin) in enumerate(lines)
    ]


@settings(max_examples=STORIES)
@given(LINES, st.lists(RULES, min_size=1, max_size=3), LINES)
async def test_whatever_the_rules_were_all_that_is_derived_equals_a_recount(
    tmp_path_factory: pytest.TempPathFactory,
    before: list[tuple[str, str, MessageType, Origin]],
    told: list[Settings],
    after: list[tuple[str, str, MessageType, Origin]],
) -> None:
    file = tmp_path_factory.mktemp("voices") / "irc_logs.db"
    async with opened(file, told[0]) as store:
        await store.messages.append(history(before))
    for rules in told[1:]:
        async with opened(file, rules) as store:
            await is_sound(store, file)
    async with opened(file, Settings()) as store:
        await store.messages.append(
            [line._replace(msgid=f"later{line.msgid}") for line in history(after)]
        )
        await is_sound(store, file)


async def test_asides_follow_the_casemapping_of_their_network(file: Path) -> None:
    told = Settings(network="net", irc_nick="Terra[]")
    lines = "<ada> terra{}: who has tea?\n<ada> TERRA[]: who has tea?\n<ada> Terra: tea?"
    async with opened(file, told) as store:
        await store.messages.append(chat(lines))
        assert await differences(store) == []
        assert rows_of(file, "SELECT id FROM voices") == [(1,), (2,)]
        await store.rooms.set_casemapping("net", "ascii")
        assert await differences(store) == []
        assert rows_of(file, "SELECT id FROM voices") == [(2,)]
    async with opened(file, told) as store:
        assert await store.indexed_up_to() == 3  # the rules are no others than before
