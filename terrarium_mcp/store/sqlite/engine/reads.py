"""Reads: statements one by one, or as a whole read in the thread of one connection.

To hand each statement to that thread, and its rows back, costs more than most of them. A plain
question has 16: as a whole read it takes 12 to 15 % less CPU, and 3 instead of 8 ms of the event
loop (100,000 lines).
"""

import sqlite3
from collections.abc import Callable, Coroutine, Mapping, Sequence
from threading import Event
from typing import Any, Protocol, TypeVar

Params = Mapping[str, Any] | Sequence[Any]
Row = sqlite3.Row
Fetch = Callable[[str, Params], list[Row]]
Result = TypeVar("Result")


class Reads(Protocol):
    """What runs statements that read: the database, a transaction, or a whole read."""

    async def rows(self, sql: str, params: Params = ()) -> list[Row]:
        """Run one statement that reads.

        Raises:
            TookTooLong: the deadline passed.
            StoreFailed: the file cannot be read.
        """
        ...

    async def value(self, sql: str, params: Params = (), default: Any = None) -> Any:
        """The first column of the first row, or `default`."""
        rows = await self.rows(sql, params)
        return default if not rows or rows[0][0] is None else rows[0][0]


async def united_rows(reads: Reads, selects: Sequence[tuple[str, Mapping[str, Any]]]) -> list[Row]:
    """The rows of several selects with their parameters, in one statement.

    A select numbers its rows, if they are to be told apart, and the names of its parameters.
    """
    if not selects:
        return []
    params = {name: value for _, its in selects for name, value in its.items()}
    return await reads.rows(" UNION ALL ".join(sql for sql, _ in selects), params)


WholeRead = Callable[[Reads], Coroutine[Any, Any, Result]]
"""A read of several statements, which waits for nothing else."""


class ReadStopped(Exception):
    """A whole read goes on although nobody waits for it any more."""


class ThreadReads(Reads):
    """The statements of a read in a thread, which waits there for each: `fetch` returns its rows.

    Once `stopped` is set, nobody waits for the read any more.
    """

    def __init__(self, fetch: Fetch, stopped: Event) -> None:
        self._fetch = fetch
        self._stopped = stopped

    async def rows(self, sql: str, params: Params = ()) -> list[Row]:
        """Run one statement that reads.

        Raises:
            ReadStopped: nobody waits for the read any more.
        """
        if self._stopped.is_set():
            raise ReadStopped
        return self._fetch(sql, params)


def run_read(fetch: Fetch, read: WholeRead[Result], stopped: Event) -> Result:
    """Run a read whose statements run at once, so that it never waits; returns its result.

    Args:
        fetch: returns the rows of a statement.
        read: the read.
        stopped: is set once nobody waits for the read any more; it then ends.

    Raises:
        RuntimeError: it awaited something other than its own statements.
    """
    return at_once(read(ThreadReads(fetch, stopped)))


def at_once(whole: Coroutine[Any, Any, Result]) -> Result:
    """The result of a coroutine whose statements run at once.

    Raises:
        RuntimeError: it awaited something other than its own statements.
    """
    try:
        whole.send(None)
    except StopIteration as end:
        result: Result = end.value
        return result
    whole.close()
    raise RuntimeError("A read or transaction awaited something other than its own statements.")
