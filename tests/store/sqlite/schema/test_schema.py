"""The schema that people read is the one that a database has."""

import sqlite3
from contextlib import closing
from pathlib import Path

from terrarium_mcp.store import open_store
from terrarium_mcp.store.sqlite.engine.functions import FUNCTIONS
from terrarium_mcp.store.sqlite.schema.print_schema import FILE, schema
from tests.patience import PATIENCE
from tests.store.scene import SETTINGS, rows_of

OBJECTS = (
    "SELECT type, name, tbl_name FROM sqlite_master WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
    " ORDER BY type, name"
)


def test_the_file_is_what_the_migrations_make() -> None:
    assert FILE.read_text("utf-8") == schema(), "make schema"


async def test_executing_the_file_makes_what_a_new_database_has(file: Path) -> None:
    async with open_store(file, SETTINGS) as store:
        await store.opening.wait(PATIENCE)
    with closing(sqlite3.connect(":memory:")) as db:
        for name, arity, function in FUNCTIONS:
            db.create_function(name, arity, function, deterministic=True)
        db.executescript(FILE.read_text("utf-8"))
        made = db.execute(OBJECTS).fetchall()
        marks = db.execute("PRAGMA user_version").fetchall()
        marks += db.execute("PRAGMA application_id").fetchall()
        columns = db.execute("SELECT name, type FROM pragma_table_info('messages')").fetchall()
    assert made == rows_of(file, OBJECTS)
    assert marks == rows_of(file, "PRAGMA user_version") + rows_of(file, "PRAGMA application_id")
    assert columns == rows_of(file, "SELECT name, type FROM pragma_table_info('messages')")


def test_every_column_of_messages_has_a_line_and_comments_are_kept() -> None:
    lines = schema().splitlines()
    assert "  network TEXT," in lines
    assert "  msgid TEXT,        -- IRCv3" in lines
    assert "-- The watermark of each derived structure: the last id it has taken in." in schema()
