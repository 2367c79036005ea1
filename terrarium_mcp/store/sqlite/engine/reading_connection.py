"""A connection that reads, whatever other programs stored and however its statements ended."""

import sqlite3
from typing import Any

from terrarium_mcp.bounded_dict import BoundedDict
from terrarium_mcp.store.sqlite.engine.functions import as_text

_COMPILED = 128
"""Statements that sqlite3 keeps compiled: those used last."""

_STOPPED = 32
"""Statements of which it is remembered how often they were stopped."""


class ReadingConnection(sqlite3.Connection):
    """A connection for reads, some of which are stopped before their end.

    Python 3.11 compiles a statement that was stopped between two rows at each later use: its reset
    tells how it ended, which is taken for a failure to reset. For the figures of 400 channels that
    takes longer than to read them. By another text it is another statement, so each that was
    stopped gets one more space.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._stops = BoundedDict[str, int](_STOPPED)

    def rows(self, sql: str, params: Any = ()) -> list[sqlite3.Row]:
        """The rows of a statement, also where text is not UTF-8.

        Raises:
            sqlite3.Error: the file cannot be read, or the statement was stopped.
        """
        stops = self._stops.get(sql, 0) if self._stops else 0
        try:
            return self.execute(sql + " " * stops, params).fetchall()
        except sqlite3.OperationalError as error:
            if "decode" in str(error) and self.text_factory is str:
                # From now on, as such text rarely comes alone; `str` is a third quicker.
                self.text_factory = as_text
                return self.rows(sql, params)
            if was_stopped(error):
                self._stops[sql] = (stops + 1) % _COMPILED
            raise


def was_stopped(error: sqlite3.OperationalError) -> bool:
    """Whether a statement was stopped, which is no failure."""
    code = getattr(error, "sqlite_errorcode", None)  # what sqlite3 itself raises has none
    return code == sqlite3.SQLITE_INTERRUPT
