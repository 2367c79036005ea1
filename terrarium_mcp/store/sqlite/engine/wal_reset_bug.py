"""The WAL-reset bug of SQLite, which a second program that writes the file can trigger."""

FIRST, FIXED = (3, 7, 0), (3, 51, 3)
"""The first version with the bug, and the first without (https://sqlite.org/wal.html#walresetbug)."""


def has_wal_reset_bug(version: tuple[int, ...]) -> bool:
    """Whether this SQLite may damage a file that two programs checkpoint at the same moment."""
    return FIRST <= version < FIXED


def other_writers_advice(version: tuple[int, ...]) -> str:
    """What the bug means for a file that another program writes too, in a sentence or two."""
    name = ".".join(map(str, version))
    if not has_wal_reset_bug(version):
        return f"SQLite {name} is free of the WAL-reset bug; check that the other program's is too."
    return (
        f"SQLite {name} has the WAL-reset bug (3.7.0 to 3.51.2): two programs that checkpoint at"
        " the same moment can damage the file. terrarium-mcp's own processes never do; let the"
        " other program only read."
    )
