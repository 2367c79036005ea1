"""Reads in turns: a long read thinks in a thread of its own and holds no connection meanwhile.

Each of its statements waits for a reader as if it were alone, so that short reads come between
them. That costs a tenth of a millisecond a statement; a whole read (reads.py) holds its reader.
"""

from threading import Event

from anyio import from_thread, to_thread

from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.reads import (
    Params,
    Reads,
    ReadStopped,
    Result,
    Row,
    WholeRead,
    at_once,
)


async def read_in_turns(database: Database, read: WholeRead[Result]) -> Result:
    """The result of a read; each statement has the usual deadline.

    Raises:
        TookTooLong: the deadline of a statement passed.
        StoreFailed: the file cannot be read.
    """
    stopped = Event()
    try:
        return await to_thread.run_sync(
            lambda: at_once(read(_ReadsInTurns(database, stopped))), abandon_on_cancel=True
        )
    finally:
        stopped.set()


class _ReadsInTurns(Reads):
    """The statements of such a read, for its thread."""

    def __init__(self, database: Database, stopped: Event) -> None:
        self._database = database
        self._stopped = stopped

    async def rows(self, sql: str, params: Params = ()) -> list[Row]:
        """Run one statement that reads.

        Raises:
            ReadStopped: nobody waits for the read any more.
        """
        if self._stopped.is_set():
            raise ReadStopped
        return from_thread.run(self._database.rows, sql, params)
