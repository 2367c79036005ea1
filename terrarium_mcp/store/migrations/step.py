"""What a migration step is."""

import sqlite3
from collections.abc import Callable

from terrarium_mcp.settings import Settings

Report = Callable[[float], None]
"""Hears the part of the work that is done, 0 to 1. May raise to stop it."""

Step = Callable[[sqlite3.Connection, Settings, Report], None]
"""Takes the database one version further, inside a transaction that the runner owns."""


def within(report: Report, first: float, last: float) -> Report:
    """The report of a part of the work, which goes from `first` to `last` of the whole."""
    return lambda part: report(first + part * (last - first))
