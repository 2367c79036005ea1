"""What an owner put into a file that would keep lines from being written: by name, and the way out.

Tables, views and plain indexes of one's own are no obstacle.
"""

import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

from terrarium_mcp.store.sqlite.schema.comparison import expected_schema

_REFUSING = """
SELECT type, name, tbl_name FROM sqlite_master
WHERE type = 'trigger' OR (type = 'index' AND sql LIKE 'CREATE UNIQUE %')"""
"""What may refuse a row: not what a table's own constraints make, which has no SQL."""


class Obstacle(NamedTuple):
    """An object that terrarium-mcp did not make."""

    kind: str
    name: str
    table: str
    """The table that it belongs to."""

    def __str__(self) -> str:
        """For people."""
        return f"{self.kind} {self.name} on {self.table}"

    @property
    def remedy(self) -> str:
        """The statement that removes it."""
        return f'DROP {self.kind.upper()} "{self.name}"'


def additions(connection: sqlite3.Connection, version: int) -> Sequence[Obstacle]:
    """The UNIQUE indexes and triggers on tables of a `version` that the version does not have."""
    ours = expected_schema(version).objects
    tables = {name.lower() for name in ours}
    found = [Obstacle(*row) for row in connection.execute(_REFUSING)]
    return [one for one in found if one.table.lower() in tables and one.name not in ours]
