"""One SQLite file: a connection that writes, a few that read, and errors people understand.

The only module that knows aiosqlite. Writers take turns in short `BEGIN IMMEDIATE` transactions
(writes.py says which of them survive a power cut); readers never wait for them (WAL). Nothing here
checkpoints on its own: that is the keeper's duty.
"""

import sqlite3
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Iterable,
    Iterator,
    Mapping,
)
from contextlib import (
    AbstractAsyncContextManager,
    AsyncExitStack,
    asynccontextmanager,
    closing,
    contextmanager,
    nullcontext,
    suppress,
)
from functools import partial
from heapq import heappop, heappush
from pathlib import Path
from threading import Event
from typing import cast

import aiosqlite
import anyio

from terrarium_mcp.store.errors import IndexDamaged, StoreFailed, TookTooLong
from terrarium_mcp.store.sqlite.engine.brief_reads import BriefReads, NotBrief
from terrarium_mcp.store.sqlite.engine.checkpointer import Checkpointer
from terrarium_mcp.store.sqlite.engine.failures import translate_errors
from terrarium_mcp.store.sqlite.engine.files import FileState, bytes_of, state_of, wal_of
from terrarium_mcp.store.sqlite.engine.functions import FUNCTIONS, as_text
from terrarium_mcp.store.sqlite.engine.location import FileLocation
from terrarium_mcp.store.sqlite.engine.reading_connection import ReadingConnection
from terrarium_mcp.store.sqlite.engine.reads import (
    Params,
    Reads,
    Result,
    Row,
    WholeRead,
    run_read,
)
from terrarium_mcp.store.sqlite.engine.write_lock import LockWaiters
from terrarium_mcp.store.sqlite.engine.writes import (
    OthersWrite,
    UsedIds,
    WholeTransaction,
    Writer,
    begin,
    run_and_commit,
)

READERS = (40_960, 4_096, 4_096)
"""Page cache of each reader, in kilobytes. The first serves every read it can, and finds rare words
in a fifth less time than with 16,384 (10 M lines); with 65,536 nothing is quicker, and the process
takes 178 MB instead of 146. The others serve what arrives meanwhile. More readers do not raise
throughput: the interpreter's lock is the ceiling."""

DEADLINE = 2.0
"""Seconds after which a read is interrupted."""

BUSY_MS = 5_000
"""Milliseconds for which a writer waits for another process's transaction."""

RETRY_MS = 8
"""Milliseconds for which SQLite itself waits before we call it again. It retries after 1, 3 and
8 ms; left alone it would sleep ever longer, up to a tenth of a second, and miss the pauses of a
bulk append."""


class StatementWriter(Writer):
    """The statements of a transaction that are handed to the connection's thread one by one."""

    def __init__(self, connection: aiosqlite.Connection, ids: UsedIds) -> None:
        self.ids = ids
        self._connection = connection

    async def run(self, sql: str, params: Params = ()) -> None:
        """Execute one statement."""
        await self._connection.execute_fetchall(sql, params)  # one call to its thread, not two

    async def many(self, sql: str, rows: Iterable[Params]) -> None:
        """Execute one statement once for each of `rows`."""
        await self._connection.executemany(sql, rows)

    async def rows(self, sql: str, params: Params = ()) -> list[Row]:
        """Read inside the transaction."""
        return list(await self._connection.execute_fetchall(sql, params))


class Database(Reads):
    """The connections of one process to one file.

    `ready` is awaited before each use: it returns once the file is open.
    """

    def __init__(self, path: Path, ready: Callable[[], Awaitable[None]] | None = None) -> None:
        self.path = path
        self.index_damaged = False
        """Whether a statement met a damaged full-text index whose rebuild is not scheduled yet."""
        self.location: FileLocation | None = None
        """Where the open file is now; None where the system cannot say that."""
        self._generation = 0
        """How often the file was opened."""
        self._wal = wal_of(path)
        self._ready = ready
        self._connections = AsyncExitStack()
        self._writer: aiosqlite.Connection | None = None
        self._ids = UsedIds()
        self._writing = anyio.Lock()
        self._patient_waiters = 0
        self._waiters = LockWaiters(path)
        self._brief: BriefReads | None = None
        self._checkpointer = Checkpointer(path, self._connect_checkpointer, self._patient_permit)
        self._idle: list[tuple[int, aiosqlite.Connection]] = []  # a heap: the first leads
        # First come, first served; a reader that is free is taken without yielding to other tasks.
        self._reading = anyio.Semaphore(len(READERS), fast_acquire=True)
        # The last reader is left to brief reads: beside 16 scans one waits 20 ms, else a second.
        self._reading_long = anyio.Semaphore(len(READERS) - 1, fast_acquire=True)

    async def open(self) -> None:
        """Connect. The file must be at the current schema version.

        Raises:
            StoreFailed: the file cannot be opened for writing.
        """
        self._generation += 1
        self._ids.largest = 0
        # Where the file is: a link may lead elsewhere than before.
        self._wal, self._waiters = wal_of(self.path), LockWaiters(self.path)
        with translate_errors(self.path):
            self._writer = await self._connect(
                self.path.as_uri(),
                journal_mode="WAL",
                cache_size=-65_536,  # counters lie apart: a smaller cache rereads pages
                secure_delete="ON",  # overwrite what is deleted, whatever SQLite's default
                busy_timeout=RETRY_MS,  # beyond it is `_once_unlocked` that waits
            )
            self._writer.text_factory = as_text
            for number, kilobytes in enumerate(READERS):
                reader = await self._connect(
                    f"{self.path.as_uri()}?mode=ro",
                    ReadingConnection,
                    query_only="ON",
                    cache_size=-kilobytes,
                )
                heappush(self._idle, (number, reader))
            self._brief = BriefReads(
                self._connections.enter_context(closing(_connect_to_read(self.path)))
            )
        self.location = FileLocation.found(self.path)

    async def leave(self) -> None:
        """Close every connection once it is idle, so that another file can be opened at the path.

        What is in the WAL goes into the file first: SQLite finds a WAL by its name, and would apply
        it to the other file.
        """
        async with self._checkpointer.lock, self._writing:
            for _ in READERS:
                await self._reading.acquire()
            try:
                with suppress(sqlite3.Error):  # the disk may be full
                    if self._writer:
                        await self._writer.execute_fetchall("PRAGMA wal_checkpoint(TRUNCATE)")
                self._idle.clear()
                await self.aclose()
            finally:
                for _ in READERS:
                    self._reading.release()

    async def aclose(self) -> None:
        """Close every connection."""
        self.location = None
        self._writer = self._brief = None
        self._checkpointer.forget_connection()
        with anyio.CancelScope(shield=True):
            await self._connections.aclose()

    @asynccontextmanager
    async def writing(self, *, patiently: bool = False) -> AsyncIterator[Writer]:
        """A transaction, committed as a whole or not at all. Once begun it cannot be cancelled.

        Args:
            patiently: whether bulk writers of this process may finish their transaction first.

        Raises:
            Locked: other processes kept the lock for `BUSY_MS`.
            StoreFailed: it could not be committed; nothing was written.
        """
        async with self._permitted(patiently=patiently) as connection:
            await self._once_unlocked(connection, partial(begin, lasting=True))
            writer = StatementWriter(connection, self._ids)
            with self._ids.restored_on_failure():
                try:
                    yield writer
                    await writer.run("COMMIT")
                except BaseException:
                    with suppress(sqlite3.Error):  # a full disk may have rolled back already
                        await writer.run("ROLLBACK")
                    raise

    async def write_whole(
        self, write: WholeTransaction[Result], *, patiently: bool = False, lasting: bool = True
    ) -> Result:
        """Run a whole transaction, and the thinking between its statements, in the writer's thread.

        Args:
            write: what it reads and writes.
            patiently: as in `writing`.
            lasting: whether it must survive a power cut, as `begin` says.

        Raises:
            Locked: other processes kept the lock for `BUSY_MS`.
            StoreFailed: it could not be committed; nothing was written.
        """

        def run(inner: sqlite3.Connection) -> Result:
            begin(inner, lasting=lasting)
            self._waiters.withdraw()  # others that wait can announce it to this transaction
            return run_and_commit(inner, write, self._ids)

        async with self._permitted(patiently=patiently) as connection:
            return await self._once_unlocked(connection, run)

    @asynccontextmanager
    async def _permitted(self, *, patiently: bool) -> AsyncIterator[aiosqlite.Connection]:
        """The writer, for one transaction. Once it is there the block cannot be cancelled."""
        connection = await self._opened()
        async with self._write_permit(patiently=patiently):
            self._check_usable(connection)
            with anyio.CancelScope(shield=True), self._noting_damage():
                yield connection

    async def _once_unlocked(
        self, connection: aiosqlite.Connection, run: Callable[[sqlite3.Connection], Result]
    ) -> Result:
        """What `run`, which begins with `begin`, returns once no other process writes any more."""
        until = anyio.current_time() + BUSY_MS / 1000
        try:
            while True:
                is_last_try = anyio.current_time() > until
                try:
                    return await _in_its_thread(connection, run)
                except OthersWrite:
                    if is_last_try:
                        raise
                self._waiters.announce()
        finally:
            self._waiters.withdraw()

    @property
    def _threads_rest(self) -> bool:
        """Whether no thread of ours is at work.

        Else the event loop, which gives way to others between two rows, would wait for the
        interpreter's lock up to 5 ms at each.
        """
        return len(self._idle) == len(READERS) and not self._writing.locked()

    def has_waiters(self) -> bool:
        """Whether another process waits to write, or a task of this one that is not patient."""
        waiting = self._writing.statistics().tasks_waiting - self._patient_waiters
        return waiting > 0 or self._waiters.has_others()

    def _patient_permit(self) -> AbstractAsyncContextManager[None]:
        return self._write_permit(patiently=True)

    @asynccontextmanager
    async def _write_permit(self, *, patiently: bool) -> AsyncIterator[None]:
        """What one task of this process holds at a time, to write: first come, first served."""
        self._patient_waiters += int(patiently)
        try:
            await self._writing.acquire()
        finally:
            self._patient_waiters -= int(patiently)
        try:
            yield
        finally:
            self._writing.release()

    async def rows(
        self, sql: str, params: Params = (), *, deadline: float | None = None
    ) -> list[Row]:
        """Run one statement that reads, outside of any transaction.

        Args:
            sql: the statement.
            params: its parameters.
            deadline: as in `read_whole`.

        Raises:
            TookTooLong: the deadline passed.
            StoreFailed: the file cannot be read.
        """
        return await self.read_whole(
            lambda reads: reads.rows(sql, params), deadline=deadline, briefly=True
        )

    async def read_whole(
        self,
        read: WholeRead[Result],
        *,
        deadline: float | None = None,
        briefly: bool = False,
    ) -> Result:
        """Run a read of several statements, and the thinking between them, in a reader's thread.

        Args:
            read: the read.
            deadline: seconds after which it is interrupted; DEADLINE if None.
            briefly: whether to try it on the event loop first, as brief_reads.py says: a read
                without thinking, of which nothing may happen twice. Others may take long, and never
                have all readers.

        Raises:
            TookTooLong: the deadline passed.
            StoreFailed: the file cannot be read.
        """
        seconds = DEADLINE if deadline is None else deadline
        connection = await self._opened()
        if briefly and self._brief:
            await self._brief.let_others_run()
            if self._brief and self._threads_rest:
                with suppress(NotBrief):
                    return self._brief.read(read)
        async with nullcontext() if briefly else self._reading_long, self._reading:
            self._check_usable(connection, to_write=False)
            number, reader = heappop(self._idle)
            try:
                with self._noting_damage(), anyio.move_on_after(seconds):
                    return await _run_in_reader(reader, read)
            finally:
                heappush(self._idle, (number, reader))
        raise TookTooLong(
            f"The history did not answer within {seconds:g} s."
            " Name a channel or a shorter time, or try again."
        )

    async def version(self) -> int | None:
        """A number that changes whenever another connection commits, or another file is opened.

        None if that cannot be said now.

        Raises:
            StoreFailed: the file is not open.
        """
        await self._opened()
        version = self._brief.version() if self._brief else None
        # data_version has 32 bits: a file that is opened again never repeats a number.
        return None if version is None else self._generation << 40 | version

    async def checkpoint(self, mode: str) -> None:
        """Copy committed pages from the WAL into the file. Only the keeper may call it.

        The writer does it where the file was moved away: by its path another one may be opened.
        """
        async with self._checkpointer.lock:
            with anyio.CancelScope(shield=True), translate_errors(self.path):
                if self.location and self._writer and not self.location.is_at_path:
                    await self._checkpointer.checkpoint_over(self._writer, mode)
                else:
                    await self._checkpointer.checkpoint(mode)

    def wal_bytes(self) -> int:
        """The size of the WAL; 0 where there is none."""
        return bytes_of(self._wal)

    def wal_state(self) -> FileState:
        """The state of the WAL, which changes with every commit."""
        return state_of(self._wal)

    @contextmanager
    def _noting_damage(self) -> Iterator[None]:
        try:
            with translate_errors(self.path):
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

    def _check_usable(self, connection: aiosqlite.Connection, *, to_write: bool = True) -> None:
        """Check that the file was not left while the caller waited, and can keep what is written.

        Raises:
            StoreFailed: it was, or it cannot.
        """
        if connection is not self._writer:
            raise StoreFailed(f"The database {self.path} is being opened again. Try again.")
        if to_write and self.location and self.location.is_deleted:
            raise StoreFailed(
                f"The database {self.path} was deleted while in use. Put one there, or wait until"
                " a new one is begun."
            )

    async def _connect_checkpointer(self) -> aiosqlite.Connection:
        return await self._connect(f"{self.path.as_uri()}?mode=rw", busy_timeout=RETRY_MS)

    async def _connect(
        self,
        uri: str,
        factory: type[sqlite3.Connection] = sqlite3.Connection,
        **pragmas: object,
    ) -> aiosqlite.Connection:
        # Cancelled while it opens, aiosqlite would leave its thread alone, which fails loudly if
        # the event loop has ended before it answers.
        with anyio.CancelScope(shield=True):
            connection = await self._connections.enter_async_context(
                aiosqlite.connect(uri, uri=True, isolation_level=None, factory=factory)
            )
        connection.row_factory = sqlite3.Row
        await _in_its_thread(connection, lambda inner: _prepare(inner, pragmas))
        return connection


# mmap stays off: on a cold cache its read-ahead costs 88-360 ms a query against 2-14 ms.
_PRAGMAS: Mapping[str, object] = {
    "wal_autocheckpoint": 0,
    "mmap_size": 0,
    "cache_size": -16_384,
    "temp_store": 2,
    "busy_timeout": BUSY_MS,
}
"""Those of every connection; its own follow them."""


def _connect_to_read(path: Path) -> ReadingConnection:
    """A connection like that of a reader, for the event loop: it waits for nothing."""
    connection = sqlite3.connect(
        f"{path.as_uri()}?mode=ro", uri=True, isolation_level=None, factory=ReadingConnection
    )
    connection.row_factory = sqlite3.Row
    _prepare(connection, {"query_only": "ON", "cache_size": -4_096, "busy_timeout": 0})
    return connection


def _prepare(connection: sqlite3.Connection, pragmas: Mapping[str, object]) -> None:
    """Give a connection our functions and settings. By single calls opening takes 6 ms longer."""
    for name, arity, function in FUNCTIONS:
        connection.create_function(name, arity, function, deterministic=True)
    for pragma, value in (*_PRAGMAS.items(), *pragmas.items()):
        connection.execute(f"PRAGMA {pragma}={value}").fetchall()


async def _run_in_reader(reader: aiosqlite.Connection, read: WholeRead[Result]) -> Result:
    """Run a read; returns its result. Whatever happens, its connection is idle again afterwards."""
    stopped = Event()

    def run(inner: sqlite3.Connection) -> Result:
        return run_read(cast("ReadingConnection", inner).rows, read, stopped)

    try:
        return await _in_its_thread(reader, run)
    except BaseException:
        stopped.set()
        await _make_idle(reader)
        raise


async def _in_its_thread(
    connection: aiosqlite.Connection,
    run: Callable[[sqlite3.Connection], Result],
) -> Result:
    """What `run` returns for a connection, in the thread of that connection.

    aiosqlite offers single statements only. tests/test_aiosqlite.py watches what it does them with.
    """
    execute, inner = connection._execute, connection._conn  # noqa: SLF001 -- as said
    result: Result = await execute(run, inner)  # type: ignore[no-untyped-call]  # as said
    return result


async def _make_idle(reader: aiosqlite.Connection) -> None:
    """Stop the statement that a cancelled read left running on its connection."""
    # An interrupt before the statement has begun is lost: repeat it until the connection answers.
    # One that comes too late hits the probe itself; a closed connection (ValueError) is idle.
    with anyio.CancelScope(shield=True), suppress(ValueError):
        while True:
            with anyio.move_on_after(0.05), suppress(sqlite3.OperationalError):
                await reader.execute_fetchall("SELECT 1")
                return
            await reader.interrupt()
