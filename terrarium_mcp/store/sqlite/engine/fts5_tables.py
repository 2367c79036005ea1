"""The tables in which FTS5 stores an index: a private format, known in this module alone.

What it relies on goes beyond https://sqlite.org/fts5.html (section 11 describes the tables).
tests/test_sqlite.py proves each fact, and fails by its name when SQLite changes.
"""

from collections.abc import Iterable

_PARTS = ("data", "idx", "content", "docsize", "config")


def shadow_tables(indexes: Iterable[str]) -> set[str]:
    """The names of the tables in which FTS5 stores these indexes."""
    return {f"{name}_{part}" for name in indexes for part in _PARTS}


POSTING_LISTS = (("{}_data", "id > 10"), ("{}_idx", "true"))
"""Which rows of which tables hold the lists of the index `{}`. The rows 1 (averages) and 10
(structure) of `_data` must always exist: without them no connection can use the index."""

BLANK = "REPLACE INTO {}_data (id, block) VALUES (1, x''), (10, x'00000000000000')"
"""Gives the index `{}`, whose lists are gone, the two rows that a new one has."""

CONNECTABLE = {
    "{}_data": ("CREATE TABLE {}_data (id INTEGER PRIMARY KEY, block BLOB)", BLANK),
    "{}_config": (
        "CREATE TABLE {}_config (k PRIMARY KEY, v) WITHOUT ROWID",
        "REPLACE INTO {}_config (k, v) VALUES ('version', 4)",
    ),
}
"""What the index `{}` must have for SQLite to drop it, which opens it first; and how it is made."""

SEGMENT_IDS = """WITH RECURSIVE segment (number) AS (
  SELECT min(segid) FROM {table}_idx
  UNION ALL
  SELECT (SELECT min(segid) FROM {table}_idx WHERE segid > number) FROM segment
  WHERE number IS NOT NULL
)"""
"""The table `segment` of the segments of the index `{table}`, and a last NULL. It reads the first
row of each segment."""
