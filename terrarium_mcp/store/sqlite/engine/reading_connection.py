"""A connection that reads, whatever other programs stored and however its statements ended."""

import sqlite3
from typing import Any

from terrarium_mcp.bounded_dict import BoundedDict
from terrarium_mcp.store.sqlite.engine.functions import as_text

_STOPPED = 32
"""Statements of which it is remembered that they were stopped. sqlite3 keeps 128 compiled ones."""


class ReadingConnection(sqlite3.Connection):
    """A connection for reads, some of which are stopped before their end.

    Python 3.11 compiles a statement that was stopped between two rows at each later use: its reset
    tells how it ended, which is taken for a failure to reset. For the figures of 400 channels that
    takes longer than to read them. By another text it is another statement, so each that was
    stopped gets one more space.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.text_factory = str  # a third quicker than `as_text`
        self._texts = BoundedDict[str, str](_STOPPED)

    def rows(self, sql: str, params: Any = ()) -> list[sqlite3.Row]:
        """The rows of a statement, also where text is not UTF-8.

        Raises:
            sqlite3.Error: the file cannot be read, or the statement was stopped.
        """
        text = self._texts.get(sql, sql) if self._texts else sql
        try:
            return self.execute(text, params).fetchall()
        except sqlite3.OperationalError as error:
            if "decode" in str(error) and self.text_factory is str:
                self.text_factory = as_text  # from now on: such text rarely comes alone
                return self.rows(sql, params)
            self._texts[sql] = f"{text} "
            raise
