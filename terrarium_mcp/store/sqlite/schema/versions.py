"""The versions of the schema: the frozen text of each, and the conversion of rows it needs."""

import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from terrarium_mcp.store.sqlite.schema import v1, v2, v3
from terrarium_mcp.store.sqlite.schema.step import Convert, ReportProgress, SourceDatabase, within

_DERIVED = re.compile(r"^-- ---- Derived from .*?(?=^-- ---- |\Z)", re.MULTILINE | re.DOTALL)
"""The part of a text that makes what can be rebuilt from the messages."""
_CONVERTED_HERE = re.compile(r"^-- ---- Rows are converted here -+\n", re.MULTILINE)
_CREATES = re.compile(
    r"^CREATE (VIRTUAL )?(TABLE|VIEW|INDEX|TRIGGER) (IF NOT EXISTS )?(\w+)", re.MULTILINE
)
_CONVERTING = 0.75
"""The part of a version's time that its conversion takes; its indexes take the rest."""


@dataclass(frozen=True)
class Version:
    """One version: `vN.sql`, and where rows must change too, the function that changes them."""

    number: int
    convert: Convert | None = None
    effort: int = 1
    """How long it takes on a large database, relative to the other versions."""

    @cached_property
    def text(self) -> str:
        """The frozen SQL."""
        return Path(__file__).with_name(f"v{self.number}.sql").read_text("utf-8")

    @property
    def derived(self) -> Iterator[str]:
        """The statements that make, and prepare, what can be rebuilt from the messages."""
        for part in _DERIVED.findall(self.text):
            yield from statements(part)

    def apply(
        self, connection: sqlite3.Connection, source: SourceDatabase | None, report: ReportProgress
    ) -> None:
        """Take a database from the version before to this one, inside the caller's transaction."""
        before, *after = _CONVERTED_HERE.split(self.text)
        for sql in statements(before):
            connection.execute(sql)
        if self.convert:
            self.convert(connection, source, within(report, 0, _CONVERTING))
        rest = [sql for text in after for sql in statements(text)]
        for number, sql in enumerate(rest, 1):
            connection.execute(sql)
            report(_CONVERTING + (1 - _CONVERTING) * number / len(rest))


VERSIONS: Sequence[Version] = (
    Version(1, v1.convert, effort=100),
    Version(2, v2.convert),
    Version(3, v3.convert),
    Version(4),
    Version(5),
    Version(6),
    Version(7),
    Version(8),
    Version(9),
    Version(10),
    Version(11),
    Version(12),
    Version(13),
    Version(14),
    Version(15),
    Version(16),
    Version(17),
)
CURRENT = len(VERSIONS)


class Creation(NamedTuple):
    """What a statement creates, and how."""

    kind: str
    sql: str
    is_virtual: bool
    if_missing: bool
    """Whether one that exists already is left as it is."""


def creations(texts: Iterable[str]) -> dict[str, Creation]:
    """What the statements create, by name."""
    return {
        name: Creation(kind.lower(), sql, bool(virtual), bool(if_missing))
        for sql in texts
        for virtual, kind, if_missing, name in _CREATES.findall(sql)
    }


def statements(script: str) -> Iterator[str]:
    """The statements of a script one by one, each with the comments above it.

    `executescript` would commit the transaction that they belong to.
    """
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if ";" in line and sqlite3.complete_statement(statement):
            yield statement
            statement = ""
