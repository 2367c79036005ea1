"""Opening: the time between starting and being ready, which a migration may make long.

A server answers at once while it goes on; whoever needs the history waits for it a little.
"""

import anyio

from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.store.errors import StillOpening

PATIENCE = 5.0
"""Seconds that a call waits for the history to be opened."""


class Opening:
    """How far the opening is, how it ended, and a place to wait for it."""

    def __init__(self) -> None:
        self._done = anyio.Event()
        self._foreseen = anyio.Event()
        self._failure: TerrariumError | None = None
        self._part = 0.0
        self._opener: int | None = None

    def begin(self) -> None:
        """The task that calls this opens the history: it need not wait for itself."""
        self._opener = anyio.get_current_task().id

    @property
    def is_done(self) -> bool:
        """Whether the history is open."""
        return self._done.is_set() and self._failure is None

    def takes_long(self) -> None:
        """It is clear already that the history will not be open at once."""
        self._foreseen.set()

    def report(self, part: float) -> None:
        """Note how much is done, 0 to 1."""
        self._part = part

    def succeed(self) -> None:
        """The history is open."""
        self._done.set()
        self._foreseen.set()

    def fail(self, why: TerrariumError) -> None:
        """The history cannot be opened."""
        self._failure = why
        self._done.set()
        self._foreseen.set()

    async def wait(self, patience: float | None = None) -> None:
        """Return once the history is open.

        Raises:
            StillOpening: it takes longer than `patience` seconds, PATIENCE by default.
            TerrariumError: why it cannot be opened.
        """
        if not self._done.is_set() and anyio.get_current_task().id != self._opener:
            with anyio.move_on_after(PATIENCE if patience is None else patience):
                await self._done.wait()
            if not self._done.is_set():
                raise StillOpening("opening the history", self._part)
        if self._failure:
            raise self._failure

    async def wait_a_moment(self, patience: float) -> None:
        """As `wait`, but not even that long once it is clear that it takes longer."""
        with anyio.move_on_after(patience):
            await self._foreseen.wait()
        await self.wait(0)
