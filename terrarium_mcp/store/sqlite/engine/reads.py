"""Reads: statements one by one, or as a whole read in the thread of one connection.

To hand a statement to that thread, and its rows back, takes 0.3 ms of CPU. Where one read has many
statements, that is more than SQLite needs for them: 5 of 17 ms for a plain question, whose 16
statements take 3.5 ms (100,000 lines).
"""

import sqlite3
from collections.abc import Callable, Coroutine, Mapping, Sequence
from threading import Event
from typing import Any, Protocol, TypeVar

from terrarium_mcp.store.sqlite.engine.functions import as_text

Params = Mapping[str, Any] | Sequence[Any]
Row = sqlite3.Row
Found = TypeVar("Found")


class Reads(Protocol):
    """What runs statements that read: the database, or in a whole read one of its connections."""

    async def rows(self, sql: str, params: Params = ()) -> list[Row]:
        """Run one statement that reads, outside of any transaction.

        Raises:
            TookTooLong: the deadline passed.
            StoreFailed: the file cannot be read.
        """
        ...

    async def value(self, sql: str, params: Params = (), default: Any = None) -> Any:
        """The first column of the first row, or `default`."""
        ...


class ReadStopped(Exception):
    """A whole read goes on although nobody waits for it any more."""


class ThreadReads:
    """The statements of a whole read: each runs at once, in the thread that asks for it."""

    def __init__(self, connection: sqlite3.Connection, stopped: Event) -> None:
        self._connection = connection
        self._stopped = stopped

    async def rows(self, sql: str, params: Params = ()) -> list[Row]:
        """Run one statement that reads.

        Raises:
            ReadStopped: nobody waits for the read any more.
        """
        if self._stopped.is_set():
            raise ReadStopped
        return _fetched(self._connection, sql, params)

    async def value(self, sql: str, params: Params = (), default: Any = None) -> Any:
        """The first column of the first row, or `default`."""
        rows = await self.rows(sql, params)
        return default if not rows or rows[0][0] is None else rows[0][0]


def completed(
    connection: sqlite3.Connection,
    read: Callable[[Reads], Coroutine[Any, Any, Found]],
    stopped: Event,
) -> Found:
    """The result of a read whose statements run at once, so that it never waits.

    Args:
        connection: where they run.
        read: the read.
        stopped: is set once nobody waits for the read any more; it then ends.

    Raises:
        RuntimeError: it waits for something else.
    """
    reading = read(ThreadReads(connection, stopped))
    try:
        reading.send(None)
    except StopIteration as end:
        result: Found = end.value
        return result
    reading.close()
    raise RuntimeError("A read waits for something else than its statements.")


def _fetched(connection: sqlite3.Connection, sql: str, params: Params) -> list[Row]:
    """The rows of a statement, also where text is not UTF-8."""
    try:
        return connection.execute(sql, params).fetchall()
    except sqlite3.OperationalError as error:
        if connection.text_factory is as_text or "decode" not in str(error):
            raise
        connection.text_factory = as_text  # from now on: such text rarely comes alone
        return _fetched(connection, sql, params)
