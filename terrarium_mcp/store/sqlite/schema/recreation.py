"""Recreates what can be rebuilt from the messages, where it is missing or different."""

import sqlite3
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from terrarium_mcp.store.sqlite.engine.fts5_tables import CONNECTABLE, shadow_tables
from terrarium_mcp.store.sqlite.schema.comparison import Difference
from terrarium_mcp.store.sqlite.schema.versions import (
    VERSIONS,
    Creation,
    creations,
    statements,
)

_TYPES = "SELECT name, type FROM sqlite_master"
_NORMALISED = "messages"
"""The watermark of the messages themselves, which are not derived."""


class Repair(NamedTuple):
    """What was wrong with a schema, and what its repair emptied."""

    wrong: Sequence[Difference] = ()
    emptied: Sequence[str] = ()
    is_current: bool = True
    """Whether the file is of the current version, so that opening it fills what is empty."""


def can_be_rebuilt(version: int, wrong: Sequence[Difference]) -> bool:
    """Whether all that is wrong is derived from the messages, or an index or a trigger."""
    derived = _derived(version)
    names = {*derived, *shadow_tables(derived)}
    return all(one.name in names or one.kind in ("index", "trigger") for one in wrong)


def recreate(
    connection: sqlite3.Connection, version: int, wrong: Sequence[Difference]
) -> Sequence[str]:
    """Create what is wrong, inside the caller's transaction; returns the tables that it emptied.

    An index, trigger or view is created by itself. If a table is wrong, every derived structure is
    created again, with its watermark gone: the indexer fills them from the first id on.
    """
    derived = _derived(version)
    emptied = list[str]()
    if any(one.kind == "table" for one in wrong):
        _recreate_derived(connection, version, derived)
        emptied = [name for name, made in derived.items() if made.kind == "table"]
    made = creations(sql for one in VERSIONS[:version] for sql in statements(one.text))
    found = dict(connection.execute(_TYPES).fetchall())
    for one in wrong:
        if one.kind != "table" and not (emptied and one.name in derived):
            if one.name in derived or found.get(one.name) != "table":  # never a table of others
                _drop(connection, one.name, found)
            connection.execute(made[one.name].sql)
    return emptied


def _recreate_derived(
    connection: sqlite3.Connection, version: int, derived: Mapping[str, Creation]
) -> None:
    watermark = _watermark(connection)
    indexes = [name for name, made in derived.items() if made.is_virtual]
    found = dict(connection.execute(_TYPES).fetchall())
    for name in indexes:
        if name in found:
            _make_connectable(connection, name, found)
    for name in reversed(list(derived)):
        _drop(connection, name, found)
    for name in shadow_tables(indexes):  # of an index whose own row was gone
        _drop(connection, name, found)
    for one in VERSIONS[:version]:
        for sql in one.derived:
            connection.execute(sql)
    if watermark:
        connection.execute(
            "INSERT INTO derived (name, upto) VALUES (?, ?)", (_NORMALISED, watermark)
        )


def _drop(connection: sqlite3.Connection, name: str, found: Mapping[str, str]) -> None:
    """Drop an object by the type it has, which need not be the type it should have."""
    if name in found:
        connection.execute(f"DROP {found[name]} IF EXISTS {name}")


def _make_connectable(connection: sqlite3.Connection, name: str, found: Mapping[str, str]) -> None:
    for table, making in CONNECTABLE.items():
        if table.format(name) not in found:
            for sql in making:
                connection.execute(sql.format(name))


def _derived(version: int) -> dict[str, Creation]:
    """Every derived object in the frozen texts, in order of creation."""
    return creations(sql for one in VERSIONS[:version] for sql in one.derived)


def _watermark(connection: sqlite3.Connection) -> int:
    """Up to which id the messages have network and room; 0 if that is lost."""
    try:
        sql = "SELECT upto FROM derived WHERE name = ?"
        found = connection.execute(sql, (_NORMALISED,)).fetchone()
    except sqlite3.OperationalError:  # the table of watermarks is what is missing
        return 0
    return int(found[0]) if found else 0
