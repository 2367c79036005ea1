"""What writing is held against: a bare executemany."""

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.measure import Stopwatch

COMMITTED = 5_000
"""Rows of a rival's transaction."""

OWNERS = ("timestamp", "channel", "nick", "user", "host", "message", "message_type")
"""The owner's columns, without the id."""

_OWNERS_SCHEMA = """
CREATE TABLE messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT, timestamp DATETIME DEFAULT CURRENT_TIMESTAMP,
  channel TEXT, nick TEXT, user TEXT, host TEXT, message TEXT, message_type TEXT DEFAULT 'PRIVMSG'
);
CREATE INDEX idx_messages_channel_timestamp ON messages (channel, timestamp DESC);
"""


class Bare:
    """A table filled by nothing but executemany, from the rows that the store has written."""

    def __init__(self, path: Path, schema: str, columns: Sequence[str]) -> None:
        self.spent = Stopwatch()
        self._columns = ", ".join(columns)
        self._insert = (
            f"INSERT INTO messages ({self._columns}) VALUES ({', '.join('?' * len(columns))})"
        )
        self._db = sqlite3.connect(path)
        self._db.executescript(f"PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; {schema}")

    @classmethod
    def owners(cls, path: Path) -> "Bare":
        """The owner's eight columns and index."""
        return cls(path, _OWNERS_SCHEMA, OWNERS)

    @classmethod
    def same(cls, path: Path, ours: sqlite3.Connection) -> "Bare":
        """Our own table with all its columns and indexes, and nothing derived from it."""
        schema = ours.execute(
            "SELECT sql FROM sqlite_master WHERE tbl_name = 'messages' AND sql NOT NULL"
            " AND type IN ('table', 'index') ORDER BY type DESC"
        )
        columns = ours.execute("SELECT name FROM pragma_table_info('messages')")
        return cls(path, ";".join(row[0] for row in schema), [row[0] for row in columns])

    def take(self, ours: sqlite3.Connection, first: int, last: int) -> None:
        """Write the rows that the store has under these ids; reading them is not measured."""
        rows = ours.execute(
            f"SELECT {self._columns} FROM messages WHERE id BETWEEN ? AND ? ORDER BY id",
            (first, last),
        ).fetchall()
        with self.spent.running():
            for group in _groups(rows):
                self.write(group)

    def write(self, rows: Sequence[tuple[object, ...]]) -> None:
        """Write these rows in one transaction."""
        self._db.executemany(self._insert, rows)
        self._db.commit()

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()


def _groups(rows: Sequence[tuple[object, ...]]) -> Iterator[Sequence[tuple[object, ...]]]:
    for start in range(0, len(rows), COMMITTED):
        yield rows[start : start + COMMITTED]
