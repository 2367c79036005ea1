"""Reads of next to no time, which run where they are asked for: on the event loop.

A thread that is handed a read, and then wakes the event loop with its rows, costs 0.3 ms if its
processor slept: more than to read the newest 20 lines of a channel, or a channel's figures. So
these are begun here, and whatever is not over after `BRIEF` is begun again in a thread. The next
times its statement goes there at once: else the figures of 400 channels would always be read one
and a half times.
"""

import asyncio
import sqlite3
from collections import OrderedDict
from math import inf
from threading import Event
from time import perf_counter

from anyio.lowlevel import checkpoint_if_cancelled

from terrarium_mcp.store.sqlite.engine.reads import (
    Params,
    Result,
    Row,
    ThreadReads,
    WholeRead,
    at_once,
    fetched,
)

BRIEF = 0.001
"""Seconds of reading in one turn of the event loop: what is read then is stopped, and what would be
read after it is not begun. A page that the disk is slow to bring may make them longer."""

_STEPS = 100
"""Steps of SQLite's virtual machine between two looks at the clock: those of two lines."""

NOT_TRIED = 64
"""Times that a statement which was not brief goes to a thread before it is tried again: it may have
waited for the disk, or have less to read by now."""

_REMEMBERED = 256
"""Statements of which this is remembered."""

_NEVER = Event()
"""Set once nobody waits for a read any more, which cannot happen while it keeps the event loop."""


class NotBrief(Exception):
    """A read belongs into a thread: it takes long, or failed, which is told there."""


class BriefReads:
    """Reads over one connection, which only the event loop uses."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._until = inf
        """Until when the statement that runs may go on."""
        self._spent = 0.0
        """Seconds of reading in this turn of the event loop."""
        self._not_brief = OrderedDict[str, int]()
        """How many times each statement that was not brief is not to be tried; the latest last."""
        connection.set_progress_handler(self._is_over_time, _STEPS)

    async def read(self, read: WholeRead[Result]) -> Result:
        """The result of a read.

        Raises:
            NotBrief: `BRIEF` is over, or the file cannot be read.
        """
        await checkpoint_if_cancelled()
        if self._spent >= BRIEF:
            raise NotBrief
        began = perf_counter()
        self._until = began + BRIEF - self._spent
        try:
            return at_once(read(ThreadReads(self._fetched, _NEVER)))
        except sqlite3.Error as error:
            raise NotBrief from error
        finally:
            self._until = inf
            if not self._spent:
                asyncio.get_running_loop().call_soon(self._end_turn)
            self._spent += perf_counter() - began

    def version(self) -> int | None:
        """A number that changes whenever another connection commits; None if it cannot be said now.

        It is read from shared memory.
        """
        try:
            [(version,)] = self._connection.execute("PRAGMA data_version").fetchall()
        except sqlite3.Error:  # another process recovers the WAL
            return None
        return int(version)

    def _fetched(self, sql: str, params: Params) -> list[Row]:
        """The rows of a statement that may be brief."""
        if times := self._not_brief.get(sql):
            self._not_brief[sql] = times - 1
            raise NotBrief
        began = perf_counter()
        try:
            return fetched(self._connection, sql, params)
        except sqlite3.OperationalError:
            if perf_counter() - began > BRIEF / 2:  # not only what others had left of the time
                self._remember(sql)
            raise

    def _remember(self, sql: str) -> None:
        self._not_brief[sql] = NOT_TRIED
        self._not_brief.move_to_end(sql)
        if len(self._not_brief) > _REMEMBERED:
            self._not_brief.popitem(last=False)

    def _end_turn(self) -> None:
        self._spent = 0.0

    def _is_over_time(self) -> bool:
        """Whether the statement is to stop. SQLite asks now and then."""
        return perf_counter() > self._until
