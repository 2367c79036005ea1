"""Size: what a database takes on disk, and how much it grows."""

import sqlite3
from datetime import datetime, timedelta
from pathlib import Path

from terrarium_mcp.chat.times.timestamps import from_text, to_text
from terrarium_mcp.store.records.health import DatabaseSize, Growth
from terrarium_mcp.store.sqlite.engine.files import bytes_of, wal_of

_GROWTH_PERIOD = timedelta(days=30)
"""Growth is projected from the messages of this long, or of the whole record if it is shorter."""

_TOO_SHORT = timedelta(days=1)
"""No growth is projected from a shorter record."""

_SIZE = """
SELECT total(lines + events) AS messages, (
    SELECT total(lines + events) FROM day_counts
    WHERE room IN (SELECT room FROM room_counts) AND day >= substr(:since, 1, 10)
  ) AS recent,
  (SELECT page_count * page_size FROM pragma_page_count, pragma_page_size) AS file,
  min(first) AS first
FROM room_counts"""
"""Messages in all, messages since `:since`, the bytes of the file, and when the record begins."""


def database_size(connection: sqlite3.Connection, path: Path, now: datetime) -> DatabaseSize:
    """How large the database at `path` is, and how much it grows in a year at its present rate."""
    since = to_text(now - _GROWTH_PERIOD)
    messages, recent, file, first = connection.execute(_SIZE, {"since": since}).fetchone()
    recorded = now - from_text(first) if first else timedelta()
    period = min(recorded, _GROWTH_PERIOD)
    growth = None if period < _TOO_SHORT else _growth(recent, period, file / messages)
    return DatabaseSize(file, bytes_of(wal_of(path)), int(messages), growth)


def _growth(messages: float, period: timedelta, bytes_each: float) -> Growth:
    a_day = messages * timedelta(days=1) / period
    return Growth(a_day, round(a_day * 365 * bytes_each))
