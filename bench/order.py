"""Which order of the index serves newest-first when an import lies before the recording?

Two ways are built over the same lines, a year recorded and then as many lines imported before it:

- places: the index's rowid is a dense place in time, renumbered when an import comes; a table maps
  places to ids
- runs: the index's rowid is the id; a look-up asks each run of ids within which time rises

    python -m bench.order [LINES]
"""

import json
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.corpus import Vocabulary, lasting, talk
from bench.vocabulary import spoken

ROUNDS = 60
NEWEST = 50
ENDED = datetime(2026, 9, 1, tzinfo=UTC)


def build(path: Path, half: int, vocabulary: Vocabulary) -> sqlite3.Connection:
    """A table of `half` recorded lines and `half` imported ones from before, and both indexes."""
    db = sqlite3.connect(path, isolation_level=None)
    db.executescript(
        """
        PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-65536;
        CREATE TABLE messages (id INTEGER PRIMARY KEY, timestamp TEXT, channel TEXT, message TEXT);
        CREATE TABLE places (place INTEGER PRIMARY KEY, id INTEGER NOT NULL);
        """
    )
    recorded = talk(half, ended=ENDED, vocabulary=vocabulary)
    imported = talk(half, ended=ENDED - lasting(half), vocabulary=vocabulary, seed=1)
    for lines in (recorded, imported):
        db.execute("BEGIN")
        db.executemany(
            "INSERT INTO messages (timestamp, channel, message) VALUES (?, ?, ?)",
            ((f"{one.said_at:%Y-%m-%d %H:%M:%S.%f}", one.channel, one.text) for one in lines),
        )
        db.execute("COMMIT")
    return db


def index(db: sqlite3.Connection, name: str, source: str) -> tuple[float, float]:
    """Build one index; returns CPU microseconds and bytes a line."""
    count = db.execute("SELECT count(*) FROM messages").fetchone()[0]
    before = _size(db)
    began = time.thread_time()
    db.executescript(
        f"""
        CREATE VIRTUAL TABLE {name} USING fts5 (message, scope, content='', columnsize=0,
          tokenize='unicode61 remove_diacritics 2');
        INSERT INTO {name}({name}, rank) VALUES ('pgsz', 1000);
        BEGIN; {source}; COMMIT;
        """
    )
    return (time.thread_time() - began) / count * 1e6, (_size(db) - before) / count


def newest_by_place(db: sqlite3.Connection, match: str) -> list[int]:
    """The newest hits through the table of places."""
    sql = """
        SELECT m.id FROM by_place JOIN places p ON p.place = -by_place.rowid
        JOIN messages m ON m.id = p.id WHERE by_place MATCH ? ORDER BY by_place.rowid LIMIT ?"""
    return [row[0] for row in db.execute(sql, (match, NEWEST))]


def newest_by_run(
    db: sqlite3.Connection, match: str, runs: Sequence[tuple[int, int, str]]
) -> list[int]:
    """The newest hits of each run in turn, until the next run is older than all of them."""
    sql = """
        SELECT m.timestamp, m.id FROM by_id JOIN messages m ON m.id = -by_id.rowid
        WHERE by_id MATCH ? AND by_id.rowid BETWEEN ? AND ? ORDER BY by_id.rowid LIMIT ?"""
    found: list[tuple[str, int]] = []
    for first, last, ended in runs:
        if len(found) >= NEWEST and found[NEWEST - 1][0] > ended:
            break
        found += db.execute(sql, (match, -last, -first, NEWEST))
        found.sort(reverse=True)
    return [number for _, number in found[:NEWEST]]


def timed(look: Callable[[str], list[int]], asked: Sequence[str]) -> dict[str, float]:
    """Thread CPU of a look-up in milliseconds."""
    spent = []
    for match in asked:
        look(match)
        began = time.thread_time()
        look(match)
        spent.append((time.thread_time() - began) * 1e3)
    return {"p50": statistics.median(spent), "p99": statistics.quantiles(spent, n=100)[98]}


def questions(db: sqlite3.Connection) -> dict[str, list[str]]:
    """Words taken from lines, by kind of question."""
    rng = random.Random(1)  # noqa: S311 -- made-up questions
    count = db.execute("SELECT count(*) FROM messages").fetchone()[0]
    texts = [
        db.execute(
            "SELECT message, channel FROM messages WHERE id = ?", (rng.randint(1, count),)
        ).fetchone()
        for _ in range(ROUNDS * 4)
    ]
    texts = [(text.split(), channel) for text, channel in texts if len(text.split()) > 3][:ROUNDS]
    quoted = [[f'"{word}"' for word in words] for words, _ in texts]
    return {
        "one word": [f"message : {words[1]}" for words in quoted],
        "two words": [f"message : ({words[0]} AND {words[2]})" for words in quoted],
        "a word in a channel": [
            f'message : {words[1]} AND scope : "{channel[1:]}"'
            for words, (_, channel) in zip(quoted, texts, strict=True)
        ],
    }


def main() -> None:
    """Measure, print a table and JSON."""
    half = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    vocabulary = spoken()
    with tempfile.TemporaryDirectory() as folder:
        db = build(Path(folder) / "order.db", half, vocabulary)
        began = time.thread_time()
        db.executescript("INSERT INTO places (id) SELECT id FROM messages ORDER BY timestamp, id;")
        placing = (time.thread_time() - began) / (2 * half) * 1e6
        before = _size(db)
        by_place = index(
            db,
            "by_place",
            "INSERT INTO by_place (rowid, message, scope)"
            " SELECT -p.place, m.message, substr(m.channel, 2)"
            " FROM places p JOIN messages m ON m.id = p.id ORDER BY p.place DESC",
        )
        by_id = index(
            db,
            "by_id",
            "INSERT INTO by_id (rowid, message, scope) SELECT -id, message, substr(channel, 2)"
            " FROM messages ORDER BY id DESC",
        )
        places = db.execute("SELECT sum(pgsize) FROM dbstat WHERE name = 'places'").fetchone()[0]
        runs = [
            (
                first,
                last,
                db.execute("SELECT timestamp FROM messages WHERE id = ?", (last,)).fetchone()[0],
            )
            for first, last in ((1, half), (half + 1, 2 * half))
        ]
        result: dict[str, Any] = {
            "lines": 2 * half,
            "places": {
                "us a line": by_place[0] + placing,
                "bytes a line": by_place[1] + places / (2 * half),
            },
            "runs": {"us a line": by_id[0], "bytes a line": by_id[1]},
            "before": before,
        }
        for kind, asked in questions(db).items():
            result["places"][kind] = timed(lambda match: newest_by_place(db, match), asked)
            result["runs"][kind] = timed(lambda match: newest_by_run(db, match, runs), asked)
            same = [
                set(newest_by_place(db, match)) == set(newest_by_run(db, match, runs))
                for match in asked
            ]
            result["runs"][kind]["the same lines"] = all(same)
    print(json.dumps(result, indent=2))


def _size(db: sqlite3.Connection) -> int:
    pages = (
        db.execute("PRAGMA page_count").fetchone()[0]
        - db.execute("PRAGMA freelist_count").fetchone()[0]
    )
    return int(pages) * 4096


if __name__ == "__main__":
    main()
