"""What an owner put into a file that is in our way: by name, and the way out.

Tables, views and plain indexes of one's own are no obstacle, unless a migration creates something
of their name.
"""

import sqlite3
from collections.abc import Sequence
from itertools import chain, count
from typing import NamedTuple

from terrarium_mcp.store.sqlite.engine.fts5_tables import shadow_tables
from terrarium_mcp.store.sqlite.schema.comparison import expected_schema
from terrarium_mcp.store.sqlite.schema.versions import VERSIONS, creations, statements

_REFUSING = """
SELECT type, name, tbl_name FROM sqlite_master
WHERE type = 'trigger' OR (type = 'index' AND sql LIKE 'CREATE UNIQUE %')"""
"""What may refuse a row: not what a table's own constraints make, which has no SQL."""

_NAMED = "SELECT type, name, tbl_name FROM sqlite_master"

_VIRTUAL = "SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL %'"

_ORDER = ("trigger", "index", "table", "view")
"""In which the kinds leave. A dropped view takes its triggers with it, and SQLite renames no table
while another view, or a trigger, reads a view that was dropped."""


class Obstacle(NamedTuple):
    """An object that terrarium-mcp did not make."""

    kind: str
    name: str
    table: str
    """The table that it belongs to."""

    free_name: str = ""
    """What it can be called instead, if it is a table in the way."""

    def __str__(self) -> str:
        """For people."""
        where = f" on {self.table}" if self.kind in ("index", "trigger") else ""
        return f"{self.kind} {self.name}{where}"

    @property
    def remedy(self) -> str:
        """The statement that gets it out of the way; a table keeps its rows."""
        if self.kind == "table":
            return f"ALTER TABLE {_quoted(self.name)} RENAME TO {_quoted(self.free_name)}"
        return f"DROP {self.kind.upper()} {_quoted(self.name)}"


def additions(connection: sqlite3.Connection, version: int) -> Sequence[Obstacle]:
    """The UNIQUE indexes and triggers on tables of a `version` that the version does not have.

    Of version 0, which is terrarium-irc's, the messages are kept.
    """
    ours = expected_schema(version).objects if version else {"messages": ()}
    tables = {name.lower() for name in ours}
    found = [Obstacle(*row) for row in connection.execute(_REFUSING)]
    return [one for one in found if one.table.lower() in tables and one.name not in ours]


def taken_names(connection: sqlite3.Connection, version: int) -> Sequence[Obstacle]:
    """What has a name under which the versions after `version` create something.

    The remedies work in this order. The tables in which a listed virtual table stores its rows are
    left out: SQLite renames them with it.
    """
    needed = _needed(version)
    ours = expected_schema(version).objects if version else {}
    found = [Obstacle(*row) for row in connection.execute(_NAMED)]
    names = [one.name for one in found]
    taken = [one for one in found if one.name not in ours and _key(one.kind, one.name) in needed]
    virtual = {row[0] for row in connection.execute(_VIRTUAL)} & {one.name for one in taken}
    implied = shadow_tables(virtual)
    listed = [
        one._replace(free_name=_free_name(one.name, names, is_virtual=one.name in virtual))
        for one in taken
        if one.name not in implied
    ]
    return sorted(listed, key=lambda one: _ORDER.index(one.kind))


def _needed(version: int) -> set[tuple[bool, str]]:
    """The keys of what the versions after `version` create."""
    pending = creations(sql for one in VERSIONS[version:] for sql in statements(one.text))
    created = {name: made.kind for name, made in pending.items() if not made.if_missing}
    indexes = [name for name, made in pending.items() if made.is_virtual]
    created |= dict.fromkeys(shadow_tables(indexes), "table")
    return {_key(kind, name) for name, kind in created.items()}


def _free_name(name: str, names: Sequence[str], *, is_virtual: bool) -> str:
    """The first of my_x, my_x_2, ... that is not among `names`, for a table x.

    Of a virtual one, SQLite renames x_data and the like too: my_x_data must be free as well.
    """
    folded = {one.lower() for one in names}
    stored = [one.removeprefix(name) for one in names if one.startswith(f"{name}_")]
    endings = ["", *stored] if is_virtual else [""]
    candidates = chain([f"my_{name}"], (f"my_{name}_{number}" for number in count(2)))
    return next(
        one for one in candidates if folded.isdisjoint(f"{one}{end}".lower() for end in endings)
    )


def _quoted(name: str) -> str:
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def _key(kind: str, name: str) -> tuple[bool, str]:
    """What may be in a file once: triggers have names of their own, and case does not count."""
    return kind == "trigger", name.lower()
