"""What a migration is made of: progress, the adoption it performs, and conversions of rows."""

import sqlite3
from collections.abc import Callable
from datetime import datetime, tzinfo
from typing import NamedTuple

ReportProgress = Callable[[float], None]
"""Receives the part of the work that is done, 0 to 1. May raise to stop it."""


class SourceDatabase(NamedTuple):
    """How to read the database of another program that this migration adopts."""

    zone: tzinfo
    """The zone of its local times; `str(zone)` is the name that the file remembers."""

    network: str
    """The network of its messages."""

    at: datetime
    """When it is adopted (aware)."""

    program: str
    """The version of terrarium-mcp that adopts it."""


Convert = Callable[[sqlite3.Connection, SourceDatabase | None, ReportProgress], None]
"""Converts rows for one version, inside the runner's transaction. The source is None unless the
same migration adopts the file."""


def within(report: ReportProgress, first: float, last: float) -> ReportProgress:
    """The report of a part of the work, which goes from `first` to `last` of the whole."""
    return lambda part: report(first + part * (last - first))
