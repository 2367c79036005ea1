"""One checkpoint: what is committed goes from the WAL into the file, however others use both."""

from collections.abc import Awaitable, Callable, Iterable
from contextlib import AbstractAsyncContextManager, nullcontext
from pathlib import Path
from typing import Any, Protocol

import anyio

from terrarium_mcp.store.sqlite.engine.write_lock import LockWaiters

PATIENCE = 0.5
"""Seconds for which a checkpoint retries while a writer or reader is in its way. Each attempt keeps
writers out no longer than SQLite itself waits for readers (`RETRY_MS` of the database)."""

WritePermit = Callable[[], AbstractAsyncContextManager[None]]
"""The permit of this process to write: while it is held, none of its transactions ends early for
another process."""


class CheckpointConnection(Protocol):
    """A connection that can checkpoint."""

    async def execute_fetchall(self, sql: str) -> Iterable[Any]:
        """The rows of a statement."""
        ...


class Checkpointer:
    """Checkpoints over a connection of its own, so that the writer does not wait meanwhile.

    `lock` is held during a checkpoint.
    """

    def __init__(
        self,
        path: Path,
        connect: Callable[[], Awaitable[CheckpointConnection]],
        permit: WritePermit,
    ) -> None:
        self.lock = anyio.Lock()
        self._path = path
        self._connect = connect
        self._permit = permit
        self._own: CheckpointConnection | None = None

    def forget_connection(self) -> None:
        """Connect again the next time: the connection is being closed."""
        self._own = None

    async def checkpoint(self, mode: str) -> None:
        """Copy the pages that are committed."""
        if self._own is None:
            self._own = await self._connect()
        await self._attempt(self._own, mode, nullcontext if mode == "PASSIVE" else self._permit)

    async def checkpoint_over(self, writer: CheckpointConnection, mode: str) -> None:
        """Copy the pages that are committed, over the writer: it alone still has a moved file."""
        await self._attempt(writer, mode, self._permit)

    async def _attempt(
        self, connection: CheckpointConnection, mode: str, permit: WritePermit
    ) -> None:
        """Checkpoint, announced as a waiter while another process is in the way."""
        waiters = LockWaiters(self._path)
        until = anyio.current_time() + PATIENCE
        try:
            while anyio.current_time() < until:
                async with permit():
                    [(busy, *_)] = await connection.execute_fetchall(
                        f"PRAGMA wal_checkpoint({mode})"
                    )
                if not busy:
                    return
                waiters.announce()
        finally:
            waiters.withdraw()
