"""The schema of a new database as SQL to be read: `make schema` writes it to schema.sql.

The file is for people and their other programs; the migrations are what makes a database.
"""

import re
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from terrarium_mcp.settings import Settings
from terrarium_mcp.store.functions import FUNCTIONS
from terrarium_mcp.store.migrations import APPLICATION_ID, CURRENT, STEPS

FILE = Path(__file__).with_name("schema.sql")

_HEAD = f"""\
-- The tables of terrarium-mcp, version {CURRENT}. `make schema` makes this from the migrations.

PRAGMA application_id = {APPLICATION_ID:#x};
PRAGMA user_version = {CURRENT};
"""

_MADE = re.compile(
    r"(?P<why>(?:^--.*\n)*)^CREATE (?:VIRTUAL )?(?:TABLE|VIEW|(?:UNIQUE )?INDEX|TRIGGER)"
    r" (?:IF NOT EXISTS )?(?P<name>\w+)",
    re.MULTILINE,
)
_ADDED = re.compile(r"\n((?:, \w+ \w+)+)\)$")
"""Columns that ALTER TABLE put at the end of a table's SQL."""


def schema() -> str:
    """What a new database holds, in the order in which it is made."""
    executed: list[str] = []
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        for name, arity, function in FUNCTIONS:
            db.create_function(name, arity, function, deterministic=True)
        db.set_trace_callback(executed.append)
        for step in STEPS:
            step(db, Settings(), lambda _: None)
        db.set_trace_callback(None)
        made = db.execute(
            "SELECT name, tbl_name, sql FROM sqlite_master WHERE sql NOT NULL"
            " AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid"
        ).fetchall()
    ours = _without_shadows(made)
    comments = {found["name"]: found["why"] for sql in executed for found in _MADE.finditer(sql)}
    tables = ["", *(table for _, table, _ in ours)]
    return _HEAD + "".join(
        _written(sql, comments.get(name, ""), apart=bool(comments.get(name)) or table != before)
        for before, (name, table, sql) in zip(tables, ours, strict=False)
    )


def _without_shadows(made: Iterable[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """All but the tables in which FTS5 keeps what it holds."""
    rows = list(made)
    indexes = [name for name, _, sql in rows if sql.startswith("CREATE VIRTUAL TABLE")]
    shadows = {
        f"{index}_{part}"
        for index in indexes
        for part in ("data", "idx", "content", "docsize", "config")
    }
    return [row for row in rows if row[0] not in shadows]


def _written(sql: str, why: str, *, apart: bool) -> str:
    """One statement under its comment; what belongs to a table follows it without an empty line."""
    empty = "\n" if apart else ""
    return f"{empty}{why}{_ADDED.sub(_each_on_a_line, sql)};\n"


def _each_on_a_line(added: re.Match[str]) -> str:
    return "".join(f",\n  {column}" for column in added[1].removeprefix(", ").split(", ")) + "\n)"


if __name__ == "__main__":
    FILE.write_text(schema(), "utf-8")
