"""What can be rebuilt is rebuilt, and nothing else is emptied or waited for."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from terrarium_mcp.chat.records import Member, MessageType
from terrarium_mcp.store import open_store
from terrarium_mcp.store.errors import Locked
from terrarium_mcp.store.sqlite.schema import CURRENT, WrongSchema, repair, runner, version_of
from terrarium_mcp.store.sqlite.schema.comparison import expected_schema
from terrarium_mcp.store.sqlite.schema.recreation import Repair
from tests.patience import PATIENCE
from tests.store.files.stored import stored
from tests.store.scene import NOON, SETTINGS, chat, check_index, line_of, rows_of, write
from tests.store.scene import differences as from_a_recount


@pytest.fixture
def whole(file: Path) -> Path:
    stored(f"v{CURRENT}", file)
    return file


@contextmanager
def writable_schema(file: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        db.execute("PRAGMA writable_schema=ON")
        yield db


def forget(file: Path, name: str) -> None:
    """Take an object out of the schema where no statement could drop it alone."""
    with writable_schema(file) as db:
        db.execute("DELETE FROM sqlite_master WHERE name = ?", (name,))


async def check_whole(file: Path) -> None:
    assert version_of(file) == CURRENT
    async with open_store(file, SETTINGS) as store:
        await store.opening.wait(PATIENCE)
        renamed = line_of("zoe", "zed", kind=MessageType.NICK)
        await store.messages.append([*chat("<zoe> see http://example.org"), renamed])
        await store.presence.replace("net", "#tea", [Member("zed")], NOON)
        assert await from_a_recount(store) == []
    check_index(file)


WITHOUT_ROWS = (
    "INDEX idx_messages_timestamp",
    "INDEX messages_without_room",
    "INDEX messages_by_room",
    "INDEX spans_by_room",
    "INDEX talkers",
    "TRIGGER word_new",
    "VIEW message_index_source",
)


@pytest.mark.parametrize("what", WITHOUT_ROWS)
async def test_an_index_trigger_or_view_is_created_without_emptying_a_table(
    whole: Path, what: str
) -> None:
    write(whole, "CREATE INDEX of_the_owner ON nick_counts (spelt)")
    marks = rows_of(whole, "SELECT * FROM derived ORDER BY name")
    write(whole, f"DROP {what}")
    with pytest.raises(WrongSchema, match="run terrarium-mcp doctor --rebuild") as refused:
        version_of(whole)
    assert "backup" not in str(refused.value)
    repaired = repair(whole)
    assert [str(one) for one in repaired.wrong] == [
        f"{what.replace(what.split(maxsplit=1)[0], what.split(maxsplit=1)[0].lower())} is missing"
    ]
    assert repaired.emptied == []
    assert rows_of(whole, "SELECT * FROM derived ORDER BY name") == marks
    assert rows_of(whole, "SELECT 1 FROM sqlite_master WHERE name = 'of_the_owner'") == [(1,)]
    await check_whole(whole)


async def test_an_index_of_another_form_is_replaced(whole: Path) -> None:
    write(whole, "DROP INDEX messages_by_room")
    write(whole, "CREATE INDEX messages_by_room ON messages (nick)")
    assert [str(one) for one in repair(whole).wrong] == ["index messages_by_room is different"]
    await check_whole(whole)


def test_a_table_of_the_owner_is_not_dropped_for_an_index(whole: Path) -> None:
    write(whole, "DROP INDEX spans_by_room")
    write(whole, "CREATE TABLE spans_by_room (mine)")
    with pytest.raises(sqlite3.OperationalError, match="already a"):
        repair(whole)
    assert rows_of(whole, "SELECT type FROM sqlite_master WHERE name = 'spans_by_room'") == [
        ("table",)
    ]


async def test_a_repair_says_which_tables_it_emptied(whole: Path) -> None:
    write(whole, "DROP TABLE topics")
    write(whole, "DROP INDEX messages_by_room")
    repaired = repair(whole)
    assert {"topics", "message_index", "runs", "derived"} <= set(repaired.emptied)
    assert not {"messages", "spans", "rooms"} & set(repaired.emptied)
    await check_whole(whole)


@pytest.mark.parametrize("part", ["data", "idx", "config"])
@pytest.mark.parametrize("index", ["message_index", "phrase_index", "word_parts"])
async def test_a_full_text_index_without_one_of_its_tables_is_rebuilt(
    whole: Path, index: str, part: str
) -> None:
    forget(whole, f"{index}_{part}")
    with pytest.raises(WrongSchema, match=f"table {index}_{part} is missing.*doctor --rebuild"):
        version_of(whole)
    repair(whole)
    await check_whole(whole)


async def test_what_a_lost_full_text_index_left_behind_is_dropped_first(whole: Path) -> None:
    forget(whole, "phrase_index")
    assert [str(one) for one in repair(whole).wrong] == ["table phrase_index is missing"]
    await check_whole(whole)


@pytest.mark.parametrize(
    ("was", "instead"),
    [
        ("VIEW message_index_source", "TABLE message_index_source (id)"),
        ("TABLE topics", "VIEW topics AS SELECT 1 AS room"),
        ("INDEX talkers", "VIEW talkers AS SELECT 1"),
    ],
)
async def test_what_stands_in_the_place_of_another_is_dropped_by_its_own_type(
    whole: Path, was: str, instead: str
) -> None:
    write(whole, f"DROP {was}")
    write(whole, f"CREATE {instead}")
    assert len(repair(whole).wrong) >= 1
    await check_whole(whole)


def test_a_repair_that_another_process_was_quicker_with_changes_nothing(
    whole: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock, done = runner._lock, list[bytes]()  # noqa: SLF001 -- the moment between look and lock

    def quicker(connection: sqlite3.Connection) -> None:
        monkeypatch.setattr(runner, "_lock", lock)
        assert repair(whole).emptied
        write(whole, "INSERT INTO topics (room, said, message) VALUES (1, 'later', 1)")
        done.append(whole.read_bytes())
        lock(connection)

    write(whole, "DROP TABLE topics")
    write(whole, "PRAGMA journal_mode=DELETE")  # else a connection keeps others from locking it
    monkeypatch.setattr(runner, "_lock", quicker)
    assert repair(whole) == Repair()
    assert rows_of(whole, "SELECT said FROM topics") == [("later",)]
    assert whole.read_bytes() == done[0]


def test_a_repair_of_a_file_in_use_says_what_to_stop(whole: Path) -> None:
    write(whole, "DROP TABLE topics")
    with closing(sqlite3.connect(whole)) as other:
        other.execute("SELECT count(*) FROM messages").fetchone()
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(Locked, match="can be repaired only while no other program has it open"):
            repair(whole)


TABLES = [
    name
    for name, (kind, sql) in expected_schema(CURRENT).objects.items()
    if kind == "table" and sql and not sql.startswith("CREATE VIRTUAL")
]


@pytest.mark.parametrize("table", TABLES)
async def test_a_column_that_the_owner_added_is_accepted(whole: Path, table: str) -> None:
    write(whole, f"ALTER TABLE {table} ADD COLUMN remark TEXT")
    write(whole, f"ALTER TABLE {table} ADD COLUMN stars INTEGER NOT NULL DEFAULT 0")
    await check_whole(whole)


@pytest.mark.parametrize(
    "columns",
    [
        "room INTEGER PRIMARY KEY REFERENCES rooms, as_of TEXT NOT NULL, more TEXT NOT NULL",
        "room INTEGER PRIMARY KEY REFERENCES rooms, as_of TEXT NOT NULL, UNIQUE (as_of)",
        "room INTEGER PRIMARY KEY REFERENCES rooms, as_of TEXT",
        "room INTEGER PRIMARY KEY REFERENCES rooms, more TEXT",
        "room INTEGER PRIMARY KEY REFERENCES rooms",
    ],
)
def test_a_changed_or_missing_column_or_one_that_must_be_filled_is_not(
    whole: Path, columns: str
) -> None:
    write(whole, "DROP TABLE presence_as_of")
    write(whole, f"CREATE TABLE presence_as_of ({columns})")
    with pytest.raises(WrongSchema, match="table presence_as_of is different"):
        version_of(whole)
