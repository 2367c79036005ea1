"""Version 3: the index by time rises in every file. FROZEN, like v3.sql.

terrarium-irc's falls, so that new lines go to its first page, which is split again and again: its
pages stay half empty (65 bytes a line, and 33 in a rising one).
"""

import sqlite3

from terrarium_mcp.store.sqlite.schema.step import ReportProgress, SourceDatabase

_IS_FALLING = """
SELECT 1 FROM pragma_index_xinfo('idx_messages_timestamp') WHERE "desc" AND "key" = 1
"""


def convert(
    connection: sqlite3.Connection, _source: SourceDatabase | None, _report: ReportProgress
) -> None:
    """Make terrarium-irc's index by time a rising one."""
    if connection.execute(_IS_FALLING).fetchone():
        connection.execute("DROP INDEX idx_messages_timestamp")
        connection.execute("CREATE INDEX idx_messages_timestamp ON messages (timestamp)")
