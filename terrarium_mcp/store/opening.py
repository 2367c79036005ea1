"""Opening: the time between starting and being ready, which a migration may make long.

A server answers at once while it goes on; whoever needs the history waits for it a little.
"""

import anyio

from terrarium_mcp.errors import TerrariumError

PATIENCE = 5.0
"""Seconds that a call waits for the history to be opened."""


class StillOpening(TerrariumError):
    """The history is being migrated or indexed."""

    def __init__(self, doing: str, part: float) -> None:
        super().__init__(f"{doing}, {part:.0%}. Try again in a little while.".replace("%", " %"))


class Opening:
    """How far the opening is, how it ended, and a place to wait for it."""

    def __init__(self) -> None:
        self._done = anyio.Event()
        self._failure: TerrariumError | None = None
        self._part = 0.0

    def report(self, part: float) -> None:
        """Note how much is done, 0 to 1."""
        self._part = part

    def succeed(self) -> None:
        """The history is open."""
        self._done.set()

    def fail(self, why: TerrariumError) -> None:
        """The history cannot be opened."""
        self._failure = why
        self._done.set()

    async def wait(self, patience: float | None = None) -> None:
        """Return once the history is open.

        Raises:
            StillOpening: it takes longer than `patience` seconds, PATIENCE by default.
            TerrariumError: why it cannot be opened.
        """
        with anyio.move_on_after(PATIENCE if patience is None else patience):
            await self._done.wait()
        if not self._done.is_set():
            raise StillOpening("opening the history", self._part)
        if self._failure:
            raise self._failure
