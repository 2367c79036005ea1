"""Reads in turns: a long read thinks in a thread of its own and holds no connection meanwhile.

Each of its statements waits for a reader as if it were alone, so that other reads come between
them, and as a long read, so that brief ones need not wait. That costs a tenth of a millisecond a
statement; a whole read (reads.py) holds its reader.
"""

from functools import partial
from threading import Event

from anyio import from_thread, to_thread

from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.reads import Params, Result, Row, WholeRead, run_read


async def read_in_turns(database: Database, read: WholeRead[Result]) -> Result:
    """The result of a read; each statement has the usual deadline.

    Raises:
        TookTooLong: the deadline of a statement passed.
        StoreFailed: the file cannot be read.
    """

    def fetch(sql: str, params: Params) -> list[Row]:
        return from_thread.run(database.read_whole, lambda reads: reads.rows(sql, params))

    stopped = Event()
    try:
        return await to_thread.run_sync(
            partial(run_read, fetch, read, stopped), abandon_on_cancel=True
        )
    finally:
        stopped.set()
