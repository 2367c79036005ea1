"""What we know of FTS5 beyond its documentation still holds, with the SQLite at hand.

`store/sqlite/engine/fts5_tables.py` has what the store knows of FTS5's own tables: it empties a
full-text index by deleting from them and writing the two records that a new index has, and gives a
broken one what it needs to be dropped. A test that fails here names the SQLite
version and what has moved; see section 11 of https://sqlite.org/fts5.html, and fts5_index.c.
"""

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from terrarium_mcp.store.sqlite.engine.fts5_tables import (
    BLANK,
    CONNECTABLE,
    POSTING_LISTS,
    SEGMENT_IDS,
    shadow_tables,
)

AVERAGES, STRUCTURE = 1, 10
"""The ids of the two records that are always in `_data`."""

NO_AVERAGES, NO_SEGMENTS = b"", bytes(7)
"""What they hold in an empty index: of the structure 4 bytes of configuration cookie, no level, no
segment, no page ever written."""


def plain_index(options: str = "") -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute(f"CREATE VIRTUAL TABLE t USING fts5 (words{options})")
    return connection


def filled(connection: sqlite3.Connection) -> sqlite3.Connection:
    """With lists that take more than a page, in more than one segment."""
    for group in range(3):
        lines = (
            (f"tea with word{n} in the garden",) for n in range(group * 400, group * 400 + 400)
        )
        connection.execute("BEGIN")
        connection.executemany("INSERT INTO t (words) VALUES (?)", lines)
        connection.execute("COMMIT")
    return connection


def blank(connection: sqlite3.Connection) -> None:
    """As the store does it, over several transactions."""
    for table, rows in POSTING_LISTS:
        connection.execute("DELETE FROM " + table.format("t") + " WHERE " + rows)  # noqa: S608 -- constants
    connection.execute(BLANK.format("t"))


def records(connection: sqlite3.Connection) -> dict[int, bytes]:
    return dict(connection.execute("SELECT id, block FROM t_data ORDER BY id"))


def columns(connection: sqlite3.Connection, table: str) -> list[str]:
    return [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]


def list_tables() -> None:
    connection = plain_index()
    assert columns(connection, "t_data") == ["id", "block"]
    assert columns(connection, "t_idx") == ["segid", "term", "pgno"]


def shadow_configuration() -> None:
    connection = plain_index()
    assert columns(connection, "t_config") == ["k", "v"]
    assert connection.execute("SELECT k, v FROM t_config").fetchall() == [("version", 4)]


def what_a_drop_needs() -> None:
    for lost in CONNECTABLE:
        connection = filled(plain_index(", content=''"))
        connection.execute(f"DROP TABLE {lost.format('t')}")
        for sql in CONNECTABLE[lost]:
            connection.execute(sql.format("t"))
        connection.execute("DROP TABLE t")
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == []


def all_shadow_tables() -> None:
    names = {name for (name,) in plain_index().execute("SELECT name FROM sqlite_master")}
    assert names == {"t", *shadow_tables(["t"])}


def segment_ids() -> None:
    sql = SEGMENT_IDS.format(table="t") + " SELECT count(number) FROM segment"  # noqa: S608 -- a constant
    assert plain_index().execute(sql).fetchone() == (0,)
    assert filled(plain_index()).execute(sql).fetchone() == (3,)


def new_index() -> None:
    connection = plain_index()
    assert records(connection) == {AVERAGES: NO_AVERAGES, STRUCTURE: NO_SEGMENTS}
    assert connection.execute("SELECT count(*) FROM t_idx").fetchone() == (0,)


def delete_all() -> None:
    connection = filled(plain_index(", content=''"))
    connection.execute("INSERT INTO t (t) VALUES ('delete-all')")
    assert records(connection) == {AVERAGES: NO_AVERAGES, STRUCTURE: NO_SEGMENTS}
    assert connection.execute("SELECT count(*) FROM t_idx").fetchone() == (0,)


def segments_lie_above_the_structure() -> None:
    connection = filled(plain_index())
    [first, second, *lists] = records(connection)
    assert (first, second) == (AVERAGES, STRUCTURE)
    assert lists
    assert min(lists) > STRUCTURE
    assert connection.execute("SELECT count(DISTINCT segid) FROM t_idx").fetchone() == (3,)


def damaged_lists_are_blanked_unread() -> None:
    connection = filled(plain_index(", content=''"))
    connection.execute("UPDATE t_data SET block = x'ffffffff' WHERE id >= 10")
    blank(connection)
    connection.execute("INSERT INTO t (t) VALUES ('delete-all')")
    connection.execute("INSERT INTO t (t) VALUES ('integrity-check')")


def configuration_cookie() -> None:
    connection = plain_index()
    connection.execute("INSERT INTO t (t, rank) VALUES ('pgsz', 1000)")
    assert records(connection)[STRUCTURE] == (1).to_bytes(4, "big") + bytes(3)


def blank_index() -> None:
    connection = filled(plain_index(", content=''"))
    connection.execute("INSERT INTO t (t, rank) VALUES ('pgsz', 1000)")
    blank(connection)
    connection.execute("INSERT INTO t (t) VALUES ('delete-all')")  # forgets what it holds in memory
    assert connection.execute("SELECT rowid FROM t WHERE t MATCH 'tea'").fetchall() == []
    connection.execute("INSERT INTO t (t) VALUES ('integrity-check')")
    connection.execute("INSERT INTO t (rowid, words) VALUES (7, 'tea again')")
    assert connection.execute("SELECT rowid FROM t WHERE t MATCH 'tea'").fetchall() == [(7,)]
    kept = connection.execute("SELECT v FROM t_config WHERE k = 'pgsz'").fetchone()
    assert kept == (1_000,)


FACTS: dict[str, Callable[[], None]] = {
    "the shadow tables are _data (id, block) and _idx (segid, term, pgno)": list_tables,
    "the configuration is _config (k, v), and of a new index just version 4": shadow_configuration,
    "an index that lost a table is dropped once it is made again": what_a_drop_needs,
    "every table of an index has one of the five names": all_shadow_tables,
    "the segments are those that _idx names": segment_ids,
    "a new index holds the records 1 (empty) and 10 (seven zero bytes), and no segment": new_index,
    "delete-all writes the records of a new index": delete_all,
    "every segment lies above record 10": segments_lie_above_the_structure,
    "record 10 begins with the configuration cookie": configuration_cookie,
    "a damaged index is blanked without being read": damaged_lists_are_blanked_unread,
    "an index with the records of a new one is empty, sound, and can be written": blank_index,
}


@pytest.mark.parametrize("fact", FACTS)
def test_fts5_keeps_its_lists_as_the_store_thinks(fact: str) -> None:
    try:
        FACTS[fact]()
    except (AssertionError, sqlite3.Error, ValueError) as error:
        error.add_note(f"SQLite {sqlite3.sqlite_version}: it is no longer so that {fact}.")
        raise


def test_another_connection_sees_a_blanked_index_as_empty_and_can_write_to_it(
    tmp_path: Path,
) -> None:
    path = tmp_path / "index.db"
    ours = sqlite3.connect(path, isolation_level=None)
    ours.execute("CREATE VIRTUAL TABLE t USING fts5 (words, content='')")
    filled(ours)
    other = sqlite3.connect(path, isolation_level=None)
    find = "SELECT count(*) FROM t WHERE t MATCH 'tea'"
    assert other.execute(find).fetchone() == (1_200,)
    blank(ours)
    assert other.execute(find).fetchone() == (0,), f"SQLite {sqlite3.sqlite_version}"
    other.execute("INSERT INTO t (rowid, words) VALUES (1, 'tea')")
    assert ours.execute(find).fetchone() == (1,), f"SQLite {sqlite3.sqlite_version}"
