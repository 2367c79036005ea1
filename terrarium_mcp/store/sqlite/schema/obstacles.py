"""What an owner put into a file that is in our way: by name, and the way out.

Tables, views and plain indexes of one's own are no obstacle, unless a migration creates something
of their name.
"""

import sqlite3
from collections.abc import Container, Sequence
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


class Obstacle(NamedTuple):
    """An object that terrarium-mcp did not make."""

    kind: str
    name: str
    table: str
    """The table that it belongs to."""

    free_name: str = ""
    """What a table can be called instead."""

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
    """What has a name under which the versions after `version` create something."""
    pending = creations(sql for one in VERSIONS[version:] for sql in statements(one.text))
    created = {name: made.kind for name, made in pending.items() if not made.if_missing}
    indexes = [name for name, made in pending.items() if made.is_virtual]
    created |= dict.fromkeys(shadow_tables(indexes), "table")
    needed = {_key(kind, name) for name, kind in created.items()}
    ours = expected_schema(version).objects if version else {}
    found = [Obstacle(*row) for row in connection.execute(_NAMED)]
    names = {one.name.lower() for one in found}
    return [
        one._replace(free_name=_free_name(one.name, names)) if one.kind == "table" else one
        for one in found
        if one.name not in ours and _key(one.kind, one.name) in needed
    ]


def _free_name(name: str, names: Container[str]) -> str:
    """The first of my_x, my_x_2, ... that is not among the folded `names`, for a table x."""
    candidates = chain([f"my_{name}"], (f"my_{name}_{number}" for number in count(2)))
    return next(one for one in candidates if one.lower() not in names)


def _quoted(name: str) -> str:
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def _key(kind: str, name: str) -> tuple[bool, str]:
    """What may be in a file once: triggers have names of their own, and case does not count."""
    return kind == "trigger", name.lower()
