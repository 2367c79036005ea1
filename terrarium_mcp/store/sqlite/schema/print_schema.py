"""Writes what follows from the frozen texts of the versions: `make schema`.

schema.sql is the current schema as a whole, for people and their other programs; nothing opens it.
`vN.json` beside it is what a file of version N must have.
"""

import json
import re
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from terrarium_mcp.store.sqlite.engine.fts5_tables import shadow_tables
from terrarium_mcp.store.sqlite.schema import APPLICATION_ID
from terrarium_mcp.store.sqlite.schema.comparison import Schema, schema_file, schema_of
from terrarium_mcp.store.sqlite.schema.versions import CURRENT, VERSIONS

FILE = Path(__file__).with_name("schema.sql")

_HEAD = f"""\
-- The tables of terrarium-mcp, version {CURRENT}, as a whole. `make schema` derives this from the
-- frozen texts vN.sql beside it, which are what creates a database.

PRAGMA application_id = {APPLICATION_ID:#x};
PRAGMA user_version = {CURRENT};
"""

_MADE = re.compile(
    r"(?P<why>(?:^--.*\n)*)^CREATE (?:VIRTUAL )?(?:TABLE|VIEW|(?:UNIQUE )?INDEX|TRIGGER)"
    r" (?P<any_form>IF NOT EXISTS )?(?P<name>\w+)",
    re.MULTILINE,
)
_ADDED = re.compile(r"\n((?:, \w+ \w+)+)\)$")
"""Columns that ALTER TABLE put at the end of a table's SQL."""
_WHY_ADDED = re.compile(r"^ALTER TABLE \w+ ADD COLUMN (\w+ \w+);( +--.*)", re.MULTILINE)


def new_database(version: int) -> sqlite3.Connection:
    """An empty database of a version, in memory."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    for one in VERSIONS[:version]:
        one.apply(connection, None, lambda _: None)
    return connection


def minimal_schema(version: int) -> Schema:
    """What a database of a version must have: what the texts make, unless it exists already."""
    texts = "".join(one.text for one in VERSIONS[:version])
    in_any_form = {found["name"] for found in _MADE.finditer(texts) if found["any_form"]}
    with closing(new_database(version)) as connection:
        made = schema_of(connection)
    objects = {
        name: (kind, None if name in in_any_form else sql)
        for name, (kind, sql) in made.objects.items()
    }
    return Schema(objects, made.columns)


def as_json(schema: Schema) -> str:
    """An expected schema as its file has it."""
    return json.dumps(schema._asdict(), indent=1) + "\n"


def schema() -> str:
    """What a new database holds, in the order in which it is made."""
    with closing(new_database(CURRENT)) as connection:
        made = connection.execute(
            "SELECT name, tbl_name, sql FROM sqlite_master WHERE sql NOT NULL"
            " AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid"
        ).fetchall()
    shown = _without_shadows(made)
    text = "".join(one.text for one in VERSIONS)
    comments = {found["name"]: found["why"] for found in _MADE.finditer(text)}
    tables = ["", *(table for _, table, _ in shown)]
    return _HEAD + "".join(
        _written(sql, comments.get(name, ""), apart=bool(comments.get(name)) or table != before)
        for before, (name, table, sql) in zip(tables, shown, strict=False)
    )


def _without_shadows(made: Iterable[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """All but the tables in which FTS5 stores its indexes."""
    rows = list(made)
    hidden = shadow_tables(name for name, _, sql in rows if sql.startswith("CREATE VIRTUAL TABLE"))
    return [row for row in rows if row[0] not in hidden]


def _written(sql: str, why: str, *, apart: bool) -> str:
    """One statement under its comment; what belongs to a table follows it without an empty line."""
    empty = "\n" if apart else ""
    return f"{empty}{why}{_ADDED.sub(_each_on_a_line, sql)};\n"


def _each_on_a_line(added: re.Match[str]) -> str:
    """Added columns, each with the comment beside its ALTER TABLE."""
    why = {column: told for one in VERSIONS for column, told in _WHY_ADDED.findall(one.text)}
    *columns, last = added[1].removeprefix(", ").split(", ")
    lines = [f"{column},{why.get(column, '')}" for column in columns]
    # Where the others have a comma, the last column has a blank.
    lines.append(f"{last} {why[last]}" if last in why else last)
    return ",\n  " + "\n  ".join(lines) + "\n)"


if __name__ == "__main__":
    FILE.write_text(schema(), "utf-8")
    for one in VERSIONS:
        schema_file(one.number).write_text(as_json(minimal_schema(one.number)), "utf-8")
