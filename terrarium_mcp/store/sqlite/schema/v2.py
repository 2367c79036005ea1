"""Version 2: the file remembers how it was adopted. FROZEN, like v2.sql.

v2.sql makes the row of a file that version 1 adopted; this fills in what an adoption in the same
migration knows.
"""

import sqlite3
from datetime import UTC

from terrarium_mcp.store.sqlite.schema.step import ReportProgress, SourceDatabase


def convert(
    connection: sqlite3.Connection, source: SourceDatabase | None, _: ReportProgress
) -> None:
    """Record the zone, the moment and the program of the adoption under way, if there is one."""
    if source:
        connection.execute(
            "INSERT OR REPLACE INTO adoption (id, source, zone, adopted_at, adopted_by)"
            " VALUES (1, 'terrarium-irc', ?, ?, ?)",
            (
                str(source.zone),
                source.at.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S"),
                source.program,
            ),
        )
