"""Reads of next to no time, which run where they are asked for: on the event loop.

A thread that is handed a read, and then wakes the event loop with its rows, costs 0.3 ms if its
processor slept: more than to read the newest 20 lines of a channel, or a channel's figures. So
these are begun here, and whatever is not over after `BRIEF` is begun again in a thread. Afterwards
its statement goes there at once, `NOT_TRIED` times: else the figures of 400 channels would always
be read one and a half times.
"""

import asyncio
import sqlite3
from math import inf
from threading import Event
from time import perf_counter

from anyio.lowlevel import checkpoint, checkpoint_if_cancelled

from terrarium_mcp.bounded_dict import BoundedDict
from terrarium_mcp.store.sqlite.engine.reading_connection import ReadingConnection, was_stopped
from terrarium_mcp.store.sqlite.engine.reads import Params, Result, Row, WholeRead, run_read

BRIEF = 0.001
"""Seconds after which a read is stopped. A page that the disk is slow to bring may make it longer.
After half of that in one turn of the event loop, the next read waits for the next turn."""

_STEPS = 100
"""Steps of SQLite's virtual machine between two looks at the clock: those of two lines."""

NOT_TRIED = 64
"""Times that a statement which was not brief goes to a thread before it is tried again: it may have
waited for the disk, or have less to read by now."""

_REMEMBERED = 256
"""Statements of which it is remembered that they were not brief."""

_NEVER = Event()
"""Set once nobody waits for a read any more, which cannot happen while it keeps the event loop."""


class NotBrief(Exception):
    """A read belongs into a thread: it takes long, or failed, which is told there."""


class BriefReads:
    """Reads over one connection, which only the event loop uses."""

    def __init__(self, connection: ReadingConnection) -> None:
        self._connection = connection
        self._until = inf
        """Until when the statement that runs may go on."""
        self._spent = 0.0
        """Seconds of reading in this turn of the event loop."""
        self._not_tried = BoundedDict[str, int](_REMEMBERED)
        """How many times more each statement that was not brief goes to a thread at once."""
        connection.set_progress_handler(self._is_over_time, _STEPS)

    async def let_others_run(self) -> None:
        """Return at once, or in the next turn of the event loop if enough was read in this one."""
        await (checkpoint() if self._has_read_enough else checkpoint_if_cancelled())

    def read(self, read: WholeRead[Result]) -> Result:
        """The result of a read.

        Raises:
            NotBrief: it takes long, enough was read in this turn, or the file cannot be read.
        """
        if self._has_read_enough:
            raise NotBrief
        began = perf_counter()
        self._until = began + BRIEF
        try:
            return run_read(self._rows, read, _NEVER)
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

    def _rows(self, sql: str, params: Params) -> list[Row]:
        """The rows of a statement that may be brief."""
        if times := self._not_tried.get(sql):
            self._not_tried[sql] = times - 1
            raise NotBrief
        try:
            return self._connection.rows(sql, params)
        except sqlite3.OperationalError as error:
            if was_stopped(error):
                self._not_tried[sql] = NOT_TRIED
            raise

    @property
    def _has_read_enough(self) -> bool:
        return self._spent > BRIEF / 2

    def _end_turn(self) -> None:
        self._spent = 0.0

    def _is_over_time(self) -> bool:
        """Whether the statement is to stop. SQLite asks now and then."""
        return perf_counter() > self._until
