"""A database of terrarium-irc opens in place, and nothing in it is lost."""
# ruff: noqa: ASYNC221, ASYNC240  # small files, and nobody else waits for this loop

import shutil
import sqlite3
import subprocess
from collections.abc import Iterable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import anyio
import pytest

from terrarium_mcp.chat.records import Message, MessageType
from terrarium_mcp.chat.times.timestamps import EVERY_LINE
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import Store, open_store
from terrarium_mcp.store.sqlite.schema import (
    MigrationBlocked,
    NotAdopted,
    check_adopted,
    migrate,
    v1,
    version_of,
)
from terrarium_mcp.store.sqlite.schema.backup import copies_of
from tests.patience import PATIENCE
from tests.samples import terrarium_irc as sample
from tests.servers.forked import forked
from tests.store.scene import SETTINGS, check_index, dump_of, find, rows_of, texts, write

BEFORE = datetime(2025, 11, 2, 4, tzinfo=UTC)  # midnight in New York, before its clock goes back


async def ready(store: Store) -> None:
    with anyio.fail_after(PATIENCE):
        await store.opening.wait(PATIENCE)


async def everything(store: Store) -> list[Message]:
    page = await store.messages.newest(await store.rooms.all(), 200_000, events=True)
    return list(page.messages)


def said(*lines: tuple[str | None, str | None]) -> list[sample.Row]:
    """Rows by time and text, all by ada in #terrarium."""
    return [(at, "#terrarium", "ada", "~ada", "host", text, "PRIVMSG") for at, text in lines]


async def adopted(file: Path, rows: Iterable[sample.Row]) -> list[Message]:
    sample.make(file, rows)
    async with open_store(file, SETTINGS, adopt=True) as store:
        await ready(store)
        return await everything(store)


async def test_lines_of_many_chunks_are_all_there_in_their_order(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(v1, "CHUNK", 1_000)
    sample.make(file, 3_001)
    before = rows_of(file, "SELECT id, timestamp, channel, message FROM messages ORDER BY id")
    private = {row[0] for row in before if row[2] == sample.BOT}
    async with open_store(file, SETTINGS, adopt=True) as store:
        await ready(store)
    after = rows_of(file, "SELECT id, timestamp FROM messages ORDER BY timestamp, id")
    assert [number for number, _ in after] == [row[0] for row in before if row[0] not in private]
    assert [row[0] for row in rows_of(file, "SELECT id FROM private_messages ORDER BY id")] == (
        sorted(private)
    )
    check_index(file)


async def test_the_hour_that_the_clock_repeats_is_read_twice(file: Path) -> None:
    moments = [BEFORE + timedelta(minutes=10 * n, microseconds=7) for n in range(24)]
    rows = said(*((sample.local(moment), f"line {n}") for n, moment in enumerate(moments)))
    assert len({row[0] for row in rows}) < len(rows)  # the clock did show the same times twice
    lines = await adopted(file, rows)
    assert texts(lines) == [f"line {n}" for n in range(24)]
    assert [line.said_at for line in lines] == [at.replace(microsecond=0) for at in moments]


async def test_rows_with_the_default_time_are_utc_and_rows_without_take_their_neighbours(
    file: Path,
) -> None:
    first, second = BEFORE + timedelta(microseconds=1), BEFORE + timedelta(minutes=2)
    lines = await adopted(
        file,
        said(
            (None, "no time"),
            ("soon", "unreadable"),
            (sample.local(first), "local"),
            (None, "no time either"),
            (sample.utc(second), "default"),
        ),
    )
    assert [(line.text, line.said_at) for line in lines] == [
        ("no time", BEFORE),
        ("unreadable", BEFORE),
        ("local", BEFORE),
        ("no time either", BEFORE),
        ("default", second),
    ]


async def test_an_action_is_one_and_any_other_ctcp_is_kept(file: Path) -> None:
    at = sample.local(BEFORE + timedelta(microseconds=1))
    lines = await adopted(
        file, said((at, "\x01ACTION waves\x01"), (at, "\x01VERSION\x01"), (at, "\x02bold\x02"))
    )
    assert [(line.kind, line.text) for line in lines] == [
        (MessageType.ACTION, "waves"),
        (MessageType.PRIVMSG, "\x01VERSION\x01"),
        (MessageType.PRIVMSG, "\x02bold\x02"),
    ]


async def test_private_rows_are_in_no_room_and_no_search(file: Path) -> None:
    sample.make(file, 400)
    sql = "SELECT id, {}, message FROM {} WHERE {} NOT LIKE '#%' ORDER BY id"
    secret = rows_of(file, sql.format("channel", "messages", "channel"))
    async with open_store(file, SETTINGS, adopt=True) as store:
        await ready(store)
        assert {room.channel for room in await store.rooms.all()} == {"#terrarium", "#Dev"}
        assert not {line.id for line in await everything(store)} & {row[0] for row in secret}
        assert (await find(store, '"between the two of us"')).messages == []
        assert await store.messages.get(secret[0][0], await store.rooms.all()) is None
    kept = rows_of(file, sql.format("target", "private_messages", "target"))
    assert kept == secret
    assert secret


async def test_channels_compare_as_irc_does_and_keep_their_latest_spelling(file: Path) -> None:
    at = sample.local(BEFORE + timedelta(microseconds=1))
    rows: list[sample.Row] = [
        (at, channel, "ada", "", "", "hi", "PRIVMSG")
        for channel in ("#Tea[1]", "#tea{1}", "&local", "+plain", "!12345x", "@#ops")
    ]
    sample.make(file, rows)
    async with open_store(file, SETTINGS, adopt=True) as store:
        await ready(store)
        rooms = await store.rooms.all()
        assert sorted(room.channel for room in rooms) == ["!12345x", "#tea{1}", "&local", "+plain"]
        assert len(await everything(store)) == 5


async def test_null_in_every_column_is_borne(file: Path) -> None:
    columns = sample.said(1).__next__()
    rows = [
        tuple(None if n == missing else value for n, value in enumerate(columns))
        for missing in range(len(columns))
    ]
    sample.make(file, [*rows, (None,) * 7])
    async with open_store(file, SETTINGS, adopt=True) as store:
        await ready(store)
        assert len(await everything(store)) == len(columns) - 1  # all but those without a channel
        assert (await find(store, str(columns[5]))).total == len(columns) - 2  # one has no text
    assert len(rows_of(file, "SELECT * FROM messages WHERE timestamp NOT NULL")) == len(rows) + 1


async def test_the_copy_tells_the_same_as_the_original(file: Path) -> None:
    sample.make(file, 300)
    before = dump_of(file)
    async with open_store(file, SETTINGS, adopt=True) as store:
        await ready(store)
    assert dump_of(file.with_name("irc_logs.before-v1.db")) == before
    assert sorted(found.name for found in file.parent.iterdir()) == [
        "irc_logs.before-v1.db",
        "irc_logs.db",
        "irc_logs.db.keeper",
    ]


@pytest.mark.parametrize("ending", [".db", ""])
async def test_a_copy_that_is_there_already_is_not_overwritten(file: Path, ending: str) -> None:
    named = file.with_suffix(ending)
    mine, copy = (file.with_name(f"irc_logs.before-v1{one}{ending}") for one in ("", ".2"))
    mine.write_text("mine")
    sample.make(named, 5)
    async with open_store(named, SETTINGS, adopt=True) as store:
        await ready(store)
    assert mine.read_text() == "mine"
    assert {*copies_of(named)} == {mine, copy}
    assert version_of(copy) == 0


async def test_the_five_other_tables_are_untouched(file: Path) -> None:
    sample.make(file, 300)
    schema = "SELECT name, sql FROM sqlite_master WHERE tbl_name = ? ORDER BY name"

    def dumps() -> list[object]:
        return [
            (rows_of(file, schema, [table]), rows_of(file, f"SELECT rowid, * FROM {table}"))  # noqa: S608
            for table in sample.FOREIGN_TABLES
        ]

    before = dumps()
    async with open_store(file, SETTINGS, adopt=True) as store:
        await ready(store)
    assert dumps() == before


async def test_of_the_owners_indexes_of_messages_only_that_by_time_is_left_and_it_rises(
    file: Path,
) -> None:
    sample.make(file, 20)
    sql = "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND name LIKE 'idx_%'"
    assert {name for name, _ in rows_of(file, sql)} > set(sample.OWN_INDEXES)
    async with open_store(file, SETTINGS, adopt=True) as store:
        await ready(store)
    left = dict(rows_of(file, sql))
    assert left.keys() == {"idx_messages_timestamp", "idx_conversation_channel_timestamp"}
    assert left["idx_messages_timestamp"].endswith("ON messages (timestamp)")
    newest = "SELECT * FROM messages WHERE channel = ? AND timestamp > ? ORDER BY timestamp DESC"
    plan = rows_of(file, f"EXPLAIN QUERY PLAN {newest} LIMIT 20", ["#tea", ""])
    assert ["idx_messages_timestamp (timestamp>?)" in row[3] for row in plan] == [True]


async def test_the_old_program_can_still_ask_what_it_asked(file: Path) -> None:
    sample.make(file, 300)
    async with open_store(file, SETTINGS, adopt=True) as store:
        await ready(store)
        newest = (
            "SELECT * FROM messages WHERE channel = ? AND timestamp > ?"
            " AND message_type IN ('PRIVMSG', 'ACTION'){} ORDER BY timestamp DESC LIMIT 20"
        )
        since = str(datetime(2025, 11, 1, 12))  # noqa: DTZ001 -- a naive one, as it has them
        recent = rows_of(file, newest.format(""), ["#terrarium", since])
        assert len(recent) == 20
        number, timestamp, channel, nick, user, host, message, kind, *_ours = recent[0]
        assert (channel, user, host) == ("#terrarium", "~" + nick[:3], "host.example")
        assert timestamp == max(row[1] for row in recent)
        assert isinstance(number, int)
        assert message
        assert kind in ("PRIVMSG", "ACTION")
        one = rows_of(file, newest.format(" AND message LIKE ?"), ["#terrarium", since, "%milk%"])
        assert one
        several = newest.format(" AND (message LIKE ? OR message LIKE ?)")
        assert len(rows_of(file, several, ["#terrarium", since, "%milk%", "%cup%"])) >= len(one)
        counts = (
            "SELECT count(*), count(DISTINCT nick) FROM messages WHERE channel = ?",
            "SELECT nick, count(*) AS n FROM messages WHERE channel = ? GROUP BY nick ORDER BY n",
        )
        assert all(rows_of(file, sql, ["#terrarium"]) for sql in counts)


async def test_what_was_taken_over_is_covered_with_gaps_unknown(file: Path) -> None:
    sample.make(file, 300)
    async with open_store(file, SETTINGS, adopt=True) as store:
        await ready(store)
        coverage = await store.spans.coverage(await store.rooms.all())
        assert coverage.sentence(UTC).startswith("from terrarium-irc 2025-11-01 to 2025-11-0")
        assert coverage.gaps() == []


@pytest.mark.parametrize("doing", ["BEGIN IMMEDIATE", "BEGIN EXCLUSIVE", "BEGIN; SELECT 1"])
async def test_a_database_in_use_is_refused_and_unchanged(file: Path, doing: str) -> None:
    sample.make(file, 20)
    before = file.read_bytes()
    with closing(sqlite3.connect(file, isolation_level=None)) as old_bot:
        for statement in doing.split(";"):
            old_bot.execute(statement.replace("SELECT 1", "SELECT * FROM messages")).fetchone()
        with pytest.raises(MigrationBlocked, match=r"Stop that program \(the old bot"):
            async with open_store(file, SETTINGS, adopt=True) as store:
                await ready(store)
        old_bot.execute("ROLLBACK")
    assert file.read_bytes() == before
    assert not list(file.parent.glob("*before*"))
    async with open_store(file, SETTINGS, adopt=True) as store:
        await ready(store)
        assert await everything(store)


def test_a_migration_that_is_stopped_has_changed_nothing(file: Path) -> None:
    sample.make(file, 20)
    before = dump_of(file)

    def report(_: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        migrate(file, SETTINGS, report, adopt=True)
    assert version_of(file) == 0
    assert dump_of(file) == before
    assert [found.name for found in file.parent.iterdir()] == ["irc_logs.db"]


async def test_a_process_killed_in_mid_migration_has_changed_nothing(file: Path) -> None:
    sample.make(file, 20_000)
    before = dump_of(file)
    program = (
        "import os, signal, sys\n"
        "from pathlib import Path\n"
        "from terrarium_mcp.settings import Settings\n"
        "from terrarium_mcp.store.sqlite.schema import migrate\n"
        "def report(part):\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "settings = Settings(source_timezone='America/New_York')\n"
        "migrate(Path(sys.argv[1]), settings, report, adopt=True)\n"
    )
    killed = subprocess.run(forked("-c", program, file), check=False, timeout=PATIENCE)
    assert killed.returncode == -9
    shutil.copytree(file.parent, other := file.parent.with_name(file.parent.name + "-other"))
    assert version_of(other / file.name) == 0
    assert dump_of(other / file.name) == before
    async with open_store(file, SETTINGS, adopt=True) as store:
        await ready(store)
        assert (await store.messages.newest(await store.rooms.all(), 1)).messages
    assert dump_of(file.with_name("irc_logs.before-v1.db")) == before
    assert not list(file.parent.glob("*partial*"))


async def test_the_network_is_the_settings_and_is_named_later_where_they_named_none(
    file: Path,
) -> None:
    sample.make(file, 50)
    unnamed = Settings(source_timezone="America/New_York")
    async with open_store(file, unnamed, adopt=True) as store:
        await ready(store)
        assert {room.network for room in await store.rooms.all()} == {"irc"}
        await store.rooms.name_network("libera")
        assert {room.network for room in await store.rooms.all()} == {"libera"}
        await store.rooms.name_network("oftc")
        assert {room.network for room in await store.rooms.all()} == {"libera"}
    both = "SELECT network FROM messages UNION SELECT network FROM private_messages"
    assert rows_of(file, both) == [("libera",)]


async def test_text_that_is_no_utf8_stops_nothing(file: Path) -> None:
    sample.make(file, said((sample.local(BEFORE), "before")))
    write(
        file,
        "INSERT INTO messages (channel, nick, message)"
        " VALUES ('#terrarium', CAST(x'ff' AS TEXT), CAST(x'67ff67' AS TEXT))",
    )
    async with open_store(file, SETTINGS, adopt=True) as store:
        await ready(store)
        assert texts(await everything(store))[-1] == "g\ufffdg"
        assert (await find(store, "before")).total == 1
        figures = await store.stats.for_room(
            (await store.rooms.all())[0], until=EVERY_LINE, now=datetime.now(UTC)
        )
        assert figures.people == 2
    assert rows_of(file, "SELECT hex(message) FROM messages WHERE id = 2") == [("67FF67",)]


@pytest.mark.parametrize("journal", [b"", b"x" * 600], ids=["whole", "with a journal left over"])
async def test_unless_asked_to_nobody_adopts_it(file: Path, journal: bytes) -> None:
    sample.make(file, 20)
    if journal:
        Path(f"{file}-journal").write_bytes(journal)
    before = {one.name: one.read_bytes() for one in file.parent.iterdir()}
    with pytest.raises(NotAdopted, match=r"terrarium-mcp serve, bridge or up .* --adopt"):
        async with open_store(file, SETTINGS) as store:
            await ready(store)
    with pytest.raises(NotAdopted):
        check_adopted(file)
    assert {one.name: one.read_bytes() for one in file.parent.iterdir()} == before


def test_a_migration_looks_again_once_it_has_the_lock(file: Path) -> None:
    sample.make(file, 20)
    before = file.read_bytes()
    with pytest.raises(NotAdopted):
        migrate(file, SETTINGS, lambda _: None, adopt=False)
    assert file.read_bytes() == before
