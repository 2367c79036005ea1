"""Opening: the time between start and readiness, which a migration may make long.

A server accepts clients meanwhile; a call that needs the history waits a few seconds for it.
"""

import anyio

from terrarium_mcp.bell import Bell
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.store.errors import StillOpening

PATIENCE = 5.0
"""Seconds that a call waits for the history to open."""


class Opening:
    """The progress of the opening, how it ended, and a way to wait for it.

    Attributes:
        times: how often the history was opened: after the first, it may be another file.
    """

    def __init__(self) -> None:
        self.times = 0
        self._done = anyio.Event()
        self._foreseen = anyio.Event()
        self._settled = Bell()
        """Rings once it is done, and when it turns out that the operator has to act first."""
        self._failure: TerrariumError | None = None
        self._part = 0.0
        self._obstacle = ""
        self._opener: int | None = None

    def begin(self) -> None:
        """Name the calling task as the one that opens the history: it never waits for itself.

        A history that was open is so no longer.
        """
        if self._done.is_set():
            self._done, self._failure, self._part = anyio.Event(), None, 0.0
        self._opener = anyio.get_current_task().id

    @property
    def is_done(self) -> bool:
        """Whether the history is open."""
        return self._done.is_set() and self._failure is None

    def takes_long(self) -> None:
        """Note that the history will not be open at once."""
        self._foreseen.set()

    def report(self, part: float) -> None:
        """Note the part that is done, 0 to 1."""
        self._part = part

    def note_obstacle(self, obstacle: str) -> None:
        """Note what the operator has to do before the history can open; "" for nothing."""
        self._obstacle = obstacle
        if obstacle:
            self._settled.ring()

    def succeed(self) -> None:
        """Note that the history is open."""
        self.times += 1
        self._end()

    def fail(self, error: TerrariumError) -> None:
        """Note that the history cannot be opened, and why."""
        self._failure = error
        self._end()

    async def wait(self, patience: float | None = None) -> None:
        """Return once the history is open.

        Raises:
            StillOpening: it takes longer than `patience` seconds, by default PATIENCE, or none
                once it is known that the operator has to act first.
            TerrariumError: the reason why it cannot be opened.
        """
        if not self._done.is_set() and anyio.get_current_task().id != self._opener:
            usual = 0 if self._obstacle else PATIENCE
            with anyio.move_on_after(usual if patience is None else patience):
                await self._done.wait()
            if not self._done.is_set():
                raise StillOpening("opening the history", self._part, self._obstacle)
        if self._failure:
            raise self._failure

    async def wait_to_the_end(self) -> None:
        """Return once the history is open, however long that takes.

        Raises:
            StillOpening: it cannot open before the operator acts.
            TerrariumError: the reason why it cannot be opened.
        """
        while not self._done.is_set() and not self._obstacle:
            await self._settled.wait()
        await self.wait(0)

    def _end(self) -> None:
        self._done.set()
        self._foreseen.set()
        self._settled.ring()

    async def wait_a_moment(self, patience: float) -> None:
        """Like `wait`, but raise `StillOpening` at once if a longer opening is foreseen."""
        with anyio.move_on_after(patience):
            await self._foreseen.wait()
        await self.wait(0)
