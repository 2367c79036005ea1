"""One SQLite file: a connection that writes, a few that read, and errors people understand.

This is the only file that knows aiosqlite. Writers take turns in short `BEGIN IMMEDIATE`
transactions with synchronous=FULL, so what is committed survives a power cut; readers never wait
for them (WAL). Nothing here checkpoints on its own: that is the keeper's duty.
"""

import sqlite3
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from heapq import heappop, heappush
from pathlib import Path
from typing import Any

import aiosqlite
import anyio

from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.store.disk import bytes_of, wal_of
from terrarium_mcp.store.functions import FUNCTIONS, as_text
from terrarium_mcp.store.waiting import Waiting

READERS = (65_536, 8_192, 8_192)
"""Kilobytes of pages that each reader keeps. The first one reads whatever it can: what it has at
hand it need not ask the system for, and rare words are found in a fifth less time than if each kept
16,384 (10 M lines). The others are there for what comes meanwhile. More readers do not raise
throughput (the interpreter's lock is the ceiling)."""

DEADLINE = 2.0
"""Seconds after which a read is interrupted."""

BUSY_MS = 5_000
"""How long a writer waits for another process's transaction."""

LOOK_MS = 8
"""How long SQLite itself waits for that transaction before it is asked again. It looks after 1, 3
and 8 ms; left to itself it would sleep ever longer, up to a tenth of a second, and so miss the
pauses of a bulk append."""

CHECKPOINT_WAITS = 0.5
"""Seconds for which a checkpoint tries to find neither a writer nor a reader in its way. No writer
waits for it meanwhile longer than SQLite itself waits for the readers."""

Params = Mapping[str, Any] | Sequence[Any]
Row = sqlite3.Row


class StoreFailed(TerrariumError):
    """The database cannot do what was asked: full disk, lock, damage. Says why, and the way out."""


class IndexDamaged(StoreFailed):
    """A full-text index cannot be read. The messages can, and it is made again from them."""


class Locked(StoreFailed):
    """Others were writing all the time; nothing was done, and the same may be tried again."""


class TookTooLong(TerrariumError):
    """A read that passed its deadline."""


class Writer:
    """The writing connection inside a transaction."""

    def __init__(self, connection: aiosqlite.Connection) -> None:
        self._connection = connection

    async def run(self, sql: str, params: Params = ()) -> None:
        """Execute one statement."""
        async with self._connection.execute(sql, params):
            pass

    async def many(self, sql: str, rows: Iterable[Params]) -> None:
        """Execute one statement for each of `rows`."""
        await self._connection.executemany(sql, rows)

    async def rows(self, sql: str, params: Params = ()) -> list[Row]:
        """Read inside the transaction."""
        return list(await self._connection.execute_fetchall(sql, params))

    async def value(self, sql: str, params: Params = (), default: Any = None) -> Any:
        """The first column of the first row, or `default`."""
        rows = await self.rows(sql, params)
        return default if not rows or rows[0][0] is None else rows[0][0]


class Database:
    """The connections of one process to one file.

    `ready` is awaited before each use: it returns once the file is open.
    """

    def __init__(self, path: Path, ready: Callable[[], Awaitable[None]] | None = None) -> None:
        self.path = path
        self.index_damaged = False
        """Whether a statement came upon a damaged full-text index, and nobody saw to it yet."""
        self._wal = wal_of(path)
        self._ready = ready
        self._connections = AsyncExitStack()
        self._writer: aiosqlite.Connection | None = None
        self._writing = anyio.Lock()
        self._waiting = Waiting(path)
        self._checkpointer: aiosqlite.Connection | None = None
        self._checkpointing = anyio.Lock()
        self._idle: list[tuple[int, aiosqlite.Connection]] = []  # a heap: the first reader leads
        # First come, first served; who finds one free does not let others run first.
        self._reading = anyio.Semaphore(len(READERS), fast_acquire=True)

    async def open(self) -> None:
        """Connect. The file must be of our current version.

        Raises:
            StoreFailed: the file cannot be opened for writing.
        """
        with explained(self.path):
            self._writer = await self._connect(self.path.as_uri())
            # `_begin` does the rest of the waiting for this one.
            await self._pragmas(
                self._writer,
                journal_mode="WAL",
                synchronous="FULL",
                cache_size=-65_536,  # counters lie apart: a smaller one reads each page again
                secure_delete="ON",  # what is removed is overwritten, whatever SQLite's default is
                busy_timeout=LOOK_MS,
            )
            for number, kept in enumerate(READERS):
                reader = await self._connect(f"{self.path.as_uri()}?mode=ro")
                await self._pragmas(reader, query_only="ON", cache_size=-kept)
                reader.text_factory = str  # a third quicker; `_fetched` sees to what is no UTF-8
                heappush(self._idle, (number, reader))

    async def aclose(self) -> None:
        """Let go of the file."""
        self._writer = self._checkpointer = None
        with anyio.CancelScope(shield=True):
            await self._connections.aclose()

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[Writer]:
        """A transaction: all of it, or nothing. Once begun it is not cancelled half-way.

        Raises:
            StoreFailed: it could not be committed; nothing was written.
        """
        connection = await self._opened()
        async with self._writing:
            with anyio.CancelScope(shield=True), self._explained():
                writer = Writer(connection)
                await self._begin(writer)
                try:
                    yield writer
                    await writer.run("COMMIT")
                except BaseException:
                    with suppress(sqlite3.Error):  # a full disk may have rolled back already
                        await writer.run("ROLLBACK")
                    raise

    def is_wanted(self) -> bool:
        """Whether somebody waits for the transaction that is under way to end."""
        return self._writing.statistics().tasks_waiting > 0 or self._waiting.of_others()

    async def rows(self, sql: str, params: Params = (), *, deadline: float = DEADLINE) -> list[Row]:
        """Read.

        Args:
            sql: one statement.
            params: its parameters.
            deadline: seconds after which it is interrupted.

        Raises:
            TookTooLong: the deadline passed.
            StoreFailed: the file cannot be read.
        """
        await self._opened()
        async with self._reading:
            number, reader = heappop(self._idle)
            try:
                with self._explained(), anyio.fail_after(deadline):
                    return await _fetched(reader, sql, params)
            except TimeoutError:
                raise TookTooLong(
                    f"The history did not answer within {deadline:g} s."
                    " Name a channel or a shorter time, or try again."
                ) from None
            finally:
                heappush(self._idle, (number, reader))

    async def value(self, sql: str, params: Params = (), default: Any = None) -> Any:
        """The first column of the first row, or `default`."""
        rows = await self.rows(sql, params)
        return default if not rows or rows[0][0] is None else rows[0][0]

    async def checkpoint(self, mode: str) -> None:
        """Move committed pages from the WAL into the file. Only the keeper may ask for it.

        It has a connection of its own, so that our writer does not wait while pages are copied.
        """
        async with self._checkpointing:
            with anyio.CancelScope(shield=True), explained(self.path):
                if self._checkpointer is None:
                    self._checkpointer = await self._connect(self.path.as_uri())
                    await self._pragmas(self._checkpointer, busy_timeout=LOOK_MS)
                await _checkpointed(self._checkpointer, mode, Waiting(self.path))

    def wal_bytes(self) -> int:
        """How large the WAL is."""
        return bytes_of(self._wal)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            with explained(self.path):
                yield
        except IndexDamaged:
            self.index_damaged = True
            raise

    async def _opened(self) -> aiosqlite.Connection:
        if self._ready:
            await self._ready()
        if self._writer is None:
            raise StoreFailed(f"The database {self.path} is not open.")
        return self._writer

    async def _begin(self, writer: Writer) -> None:
        """Begin a transaction, as soon as no other process is in one."""
        until = anyio.current_time() + BUSY_MS / 1000
        try:
            while not await _begun(writer, is_last_try=anyio.current_time() > until):
                self._waiting.begin()
        finally:
            self._waiting.end()

    async def _connect(self, uri: str) -> aiosqlite.Connection:
        connection = await self._connections.enter_async_context(
            aiosqlite.connect(uri, uri=True, isolation_level=None)
        )
        connection.row_factory = sqlite3.Row
        connection.text_factory = as_text
        for name, arity, function in FUNCTIONS:
            await connection.create_function(name, arity, function, deterministic=True)
        await self._pragmas(connection, busy_timeout=BUSY_MS)
        return connection

    async def _pragmas(self, connection: aiosqlite.Connection, **pragmas: object) -> None:
        # mmap stays off: on a cold cache its read-ahead costs 88-360 ms a query against 2-14 ms.
        fixed = {"wal_autocheckpoint": 0, "mmap_size": 0, "cache_size": -16_384, "temp_store": 2}
        for name, value in (fixed | pragmas).items():
            await connection.execute_fetchall(f"PRAGMA {name}={value}")


async def _begun(writer: Writer, *, is_last_try: bool) -> bool:
    """Begin a transaction unless another process is in one, which on the last try is an error."""
    try:
        await writer.run("BEGIN IMMEDIATE")
    except sqlite3.OperationalError as why:
        if is_last_try or "locked" not in str(why):
            raise
        return False
    return True


async def _checkpointed(connection: aiosqlite.Connection, mode: str, waiting: Waiting) -> None:
    """Checkpoint, saying that we wait as long as somebody is in the way."""
    until = anyio.current_time() + CHECKPOINT_WAITS
    try:
        while anyio.current_time() < until:
            [(busy, *_)] = await connection.execute_fetchall(f"PRAGMA wal_checkpoint({mode})")
            if not busy:
                return
            waiting.begin()
    finally:
        waiting.end()


async def _fetched(reader: aiosqlite.Connection, sql: str, params: Params) -> list[Row]:
    """What a statement gives; whatever happens, the connection is free again afterwards."""
    try:
        return list(await reader.execute_fetchall(sql, params))
    except sqlite3.OperationalError as why:
        if reader.text_factory is as_text or "decode" not in str(why):
            raise
        reader.text_factory = as_text  # from here on: where one such text is there are others
        return await _fetched(reader, sql, params)
    except BaseException:
        await _come_to_rest(reader)
        raise


async def _come_to_rest(reader: aiosqlite.Connection) -> None:
    """Stop what a cancelled read left running, so that the next one finds the connection free."""
    # An interrupt that comes before the statement has begun is lost: ask until it has ended. One
    # that comes too late may hit the question itself; a connection closed meanwhile is at rest.
    with anyio.CancelScope(shield=True), suppress(ValueError):
        while True:
            with anyio.move_on_after(0.05), suppress(sqlite3.OperationalError):
                await reader.execute_fetchall("SELECT 1")
                return
            await reader.interrupt()


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Translate what SQLite says about a file into words about the file, and the way out."""
    try:
        yield
    except sqlite3.Error as error:
        if "interrupted" in str(error):
            raise
        if _is_of_an_index(error):
            raise IndexDamaged(
                f"The full-text index of {path} is damaged. It is made again from the messages,"
                " which are all there: try again in a little while."
            ) from error
        failed = Locked if "locked" in str(error) else StoreFailed
        raise failed(_sentence(path, str(error))) from error


def _is_of_an_index(error: sqlite3.Error) -> bool:
    """Whether it is FTS5 that found its lists of words damaged."""
    code = getattr(error, "sqlite_errorcode", None)  # aiosqlite raises some errors of its own
    return code == sqlite3.SQLITE_CORRUPT_VTAB or "vtable constructor failed" in str(error)


def _sentence(path: Path, said: str) -> str:
    ways = {
        "disk is full": "The disk is full. Make room; nothing recorded is lost.",
        "locked": "Another program holds it locked. Stop that program, then try again.",
        "readonly": "This account may not write it, or its folder. Give it write permission"
        " to both: SQLite keeps its -wal and -shm files there.",
        "unable to open": "It cannot be opened. Check that this account may write its folder.",
        "malformed": "It is damaged. Stop every program that uses it, copy it away, and mend the"
        " copy with: sqlite3 COPY .recover | sqlite3 NEW",
        "disk I/O error": "The disk cannot be read or written. See whether it is full, over a"
        " quota, or failing; nothing recorded is lost.",
        "not a database": "It is not an SQLite database. Name another with DB_PATH.",
    }
    way = next((way for words, way in ways.items() if words in said), f"SQLite says: {said}.")
    return f"The database {path}: {way}"
