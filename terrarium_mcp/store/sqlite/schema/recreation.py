"""Recreates derived structures whose tables, views or triggers are missing or different."""

import re
import sqlite3
from collections.abc import Sequence

from terrarium_mcp.store.sqlite.schema.comparison import Difference
from terrarium_mcp.store.sqlite.schema.versions import VERSIONS

_CREATES = re.compile(r"^CREATE (?:VIRTUAL )?(TABLE|VIEW|INDEX|TRIGGER) (\w+)", re.MULTILINE)
_NORMALISED = "messages"
"""The watermark of the messages themselves, which are not derived."""


def can_be_rebuilt(version: int, wrong: Sequence[Difference]) -> bool:
    """Whether everything that is wrong is derived from the messages."""
    derived = {name for _, name in _derived(version)}
    return all(one.name in derived for one in wrong)


def recreate_derived(connection: sqlite3.Connection, version: int) -> None:
    """Drop and create every derived structure of a version, inside the caller's transaction.

    They are empty then, with their watermarks gone: the indexer fills them from the first id on.
    """
    watermark = _watermark(connection)
    for kind, name in reversed(_derived(version)):
        connection.execute(f"DROP {kind} IF EXISTS {name}")
    for one in VERSIONS[:version]:
        for sql in one.derived:
            connection.execute(sql)
    if watermark:
        connection.execute("INSERT INTO derived VALUES (?, ?)", (_NORMALISED, watermark))


def _derived(version: int) -> list[tuple[str, str]]:
    """Kind and name of every derived object in the frozen texts, in order of creation."""
    return [
        (kind, name)
        for one in VERSIONS[:version]
        for sql in one.derived
        for kind, name in _CREATES.findall(sql)
    ]


def _watermark(connection: sqlite3.Connection) -> int:
    """Up to which id the messages have network and room; 0 if that is lost."""
    try:
        sql = "SELECT upto FROM derived WHERE name = ?"
        found = connection.execute(sql, (_NORMALISED,)).fetchone()
    except sqlite3.OperationalError:  # the table of watermarks is what is missing
        return 0
    return int(found[0]) if found else 0
