"""Size: what a message takes on disk, and what of it."""

import sqlite3
from collections import Counter
from collections.abc import Sequence
from contextlib import closing

from bench.bed import Bed
from bench.measure import Measured
from bench.table import Rival, Row, Within
from terrarium_mcp.store.sqlite.index.all_structures import DERIVED

WORDS = "words"
"""The derived structure that has a goal of its own: it grows with the vocabulary."""

_PAGES = """
SELECT b.name, s.tbl_name, ifnull(s.type = 'index', false), b.pgsize
FROM dbstat b LEFT JOIN sqlite_master s ON s.name = b.name WHERE b.aggregate = TRUE
"""


async def rows(bed: Bed) -> list[Row]:
    """Bytes a message."""
    with closing(sqlite3.connect(bed.ours)) as db:
        (count,) = db.execute("SELECT count(*) FROM messages").fetchone()
        sizes: Counter[str] = Counter()
        for name, table, is_index, size in db.execute(_PAGES):
            sizes[_part(table or name, is_index=is_index)] += size / count

    def row(name: str, size: float, *goals: Within, rivals: Sequence[Rival] = ()) -> Row:
        return Row(name, "bytes/msg", Measured(size), rivals=rivals, goals=goals)

    structures = {one.name: sizes[one.name] for one in DERIVED}
    owners = Rival("owner's schema", bed.owners.stat().st_size / bed.lines)
    return [
        row("derived, without the words", sum(structures.values()) - structures[WORDS], Within(70)),
        *(row(f"derived: {name}", size, *_goal(name)) for name, size in structures.items()),
        row("messages without indexes", sizes["messages"]),
        row("indexes on messages", sizes["indexes on messages"]),
        row("the whole file", sizes.total(), Within(300), rivals=[owners]),
    ]


def _part(table: str, *, is_index: bool) -> str:
    """What a table or an index belongs to: a derived structure, or itself."""
    for one in DERIVED:
        # FTS5 keeps what it knows in tables whose names go on behind that of its own.
        if any(table == known or table.startswith(f"{known}_") for known in one.tables):
            return one.name
    return f"indexes on {table}" if is_index else table


def _goal(name: str) -> list[Within]:
    return [Within(10)] if name == WORDS else []
