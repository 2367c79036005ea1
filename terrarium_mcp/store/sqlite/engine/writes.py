"""Writes: a transaction, one statement after another, or as a whole in its connection's thread.

To hand each statement to that thread costs more than most of them. Of two new lines that a read
indexes, the 25 statements take 0.9 ms as a whole transaction, and 3.9 ms one by one.
"""

import sqlite3
from collections.abc import Callable, Coroutine, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from terrarium_mcp.store.sqlite.engine.reads import Params, Reads, Row, at_once

Done = TypeVar("Done")


@dataclass(slots=True)
class GivenIds:
    """The largest id that this process has given to a message of the file."""

    largest: int = 0


class Writer(Reads, Protocol):
    """The writing connection inside a transaction. `given` outlives the transaction."""

    given: GivenIds

    async def run(self, sql: str, params: Params = ()) -> None:
        """Execute one statement."""
        ...

    async def many(self, sql: str, rows: Iterable[Params]) -> None:
        """Execute one statement once for each of `rows`."""
        ...


WholeTransaction = Callable[[Writer], Coroutine[Any, Any, Done]]
"""What one transaction reads and writes. It waits for nothing else."""


class ThreadWriter(Writer):
    """The statements of a whole transaction: each runs at once, in the thread that asks for it."""

    def __init__(self, connection: sqlite3.Connection, given: GivenIds) -> None:
        self.given = given
        self._connection = connection

    async def run(self, sql: str, params: Params = ()) -> None:
        """Execute one statement."""
        self._connection.execute(sql, params).fetchall()

    async def many(self, sql: str, rows: Iterable[Params]) -> None:
        """Execute one statement once for each of `rows`."""
        self._connection.executemany(sql, rows)

    async def rows(self, sql: str, params: Params = ()) -> list[Row]:
        """Read inside the transaction."""
        return self._connection.execute(sql, params).fetchall()


def committed(
    connection: sqlite3.Connection, write: WholeTransaction[Done], given: GivenIds
) -> Done:
    """The result of a transaction that has begun, once it is committed; else it is rolled back.

    Raises:
        RuntimeError: it waits for something else than its statements.
    """
    largest = given.largest
    try:
        done = at_once(write(ThreadWriter(connection, given)))
        connection.execute("COMMIT")
    except BaseException:
        given.largest = largest
        with suppress(sqlite3.Error):  # a full disk may have rolled back already
            connection.execute("ROLLBACK")
        raise
    return done
