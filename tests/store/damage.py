"""Damage to a database, as failing disks and other programs cause it."""

# ruff: noqa: S311, S608 -- noise is no secret, and the tables are ours

import random
import sqlite3
from contextlib import closing
from pathlib import Path


def garble_index(file: Path, index: str = "message_index") -> None:
    """Overwrite the word lists of a full-text index with noise."""
    noise = random.Random(7)
    with closing(sqlite3.connect(file)) as db, db:
        rows = db.execute(f"SELECT id, length(block) FROM {index}_data WHERE id > 10").fetchall()
        db.executemany(
            f"UPDATE {index}_data SET block = ? WHERE id = ?",
            [(noise.randbytes(length), number) for number, length in rows],
        )


def garble_structure(file: Path) -> None:
    """Delete the record that lists the segments: the index cannot even be opened."""
    with closing(sqlite3.connect(file)) as db, db:
        db.execute("DELETE FROM message_index_data WHERE id = 10")


def flip_bytes(file: Path, table: str) -> None:
    """Overwrite a page in the middle of a table in a file that no process has open."""
    with closing(sqlite3.connect(file)) as db:
        sql = "SELECT pageno, pgsize FROM dbstat WHERE name = ? AND pagetype = 'leaf'"
        pages = db.execute(sql, (table,)).fetchall()
        page, size = pages[len(pages) // 2]
    with file.open("r+b") as raw:
        raw.seek((page - 1) * size)
        raw.write(random.Random(7).randbytes(size))
