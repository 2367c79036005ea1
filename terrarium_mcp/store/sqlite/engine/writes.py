"""Writes: a transaction, one statement after another, or as a whole in its connection's thread.

To hand each statement to that thread costs more than most of them. Indexing two new lines takes 25
statements: 0.9 ms as a whole transaction, 3.9 ms one by one.

A transaction that must last is on the disk before it ends: its commit survives a power cut. One
that only derives something from what is stored need not wait for that. SQLite syncs the WAL as a
whole: at the next commit that lasts, and before a checkpoint copies any of it. So a power cut may
take back the latest of such transactions, each with its watermark, and none that was followed by
one that lasts; what they held is derived again. (https://sqlite.org/pragma.html#pragma_synchronous)
"""

import sqlite3
from collections.abc import Callable, Coroutine, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Protocol

from terrarium_mcp.store.sqlite.engine.reads import Params, Reads, Result, Row, at_once


@dataclass(slots=True)
class UsedIds:
    """The ids that this process has given to messages of the file: none is above `largest`."""

    largest: int = 0

    @contextmanager
    def restored_on_failure(self) -> Iterator[None]:
        """Take back what the block gave if it fails, as its transaction does."""
        largest = self.largest
        try:
            yield
        except BaseException:
            self.largest = largest
            raise


class Writer(Reads, Protocol):
    """The writing connection inside a transaction. `ids` outlive the transaction."""

    ids: UsedIds

    async def run(self, sql: str, params: Params = ()) -> None:
        """Execute one statement."""
        ...

    async def many(self, sql: str, rows: Iterable[Params]) -> None:
        """Execute one statement once for each of `rows`."""
        ...


WholeTransaction = Callable[[Writer], Coroutine[Any, Any, Result]]
"""What one transaction reads and writes. It waits for nothing else."""


class ThreadWriter(Writer):
    """The statements of a whole transaction: each runs at once, in the thread that asks for it."""

    def __init__(self, connection: sqlite3.Connection, ids: UsedIds) -> None:
        self.ids = ids
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


class OthersWrite(sqlite3.OperationalError):
    """Another process is in a transaction."""


def begin(connection: sqlite3.Connection, *, lasting: bool) -> None:
    """Begin a transaction.

    Args:
        connection: the writer.
        lasting: whether it must survive a power cut; False if it holds only what can be derived
            again, and says itself how much it derived.

    Raises:
        OthersWrite: another process is in a transaction.
    """
    try:
        connection.execute(f"PRAGMA synchronous={'FULL' if lasting else 'NORMAL'}")
        connection.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError as error:
        if "locked" in str(error):
            raise OthersWrite(*error.args) from error
        raise


def run_and_commit(
    connection: sqlite3.Connection, write: WholeTransaction[Result], ids: UsedIds
) -> Result:
    """Run a transaction that has begun, and commit it; returns its result. Else roll it back.

    Raises:
        RuntimeError: it awaited something other than its own statements.
    """
    with ids.restored_on_failure():
        try:
            result = at_once(write(ThreadWriter(connection, ids)))
            connection.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):  # a full disk may have rolled back already
                connection.execute("ROLLBACK")
            raise
    return result
