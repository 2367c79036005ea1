"""A wake-up call between tasks: something has changed, look at the state again."""

import anyio


class Bell:
    """Wakes every task that waits; with none waiting, the next `wait()` returns at once.

    Rings are not counted: several of them before a task looks are one. A task may also wake with
    nothing new for it, so it checks its own condition: `while not queue: await bell.wait()`.
    """

    def __init__(self) -> None:
        self._rung = anyio.Event()

    def ring(self) -> None:
        """Wake the waiting tasks, or the next one to wait. Never blocks."""
        self._rung.set()

    async def wait(self) -> None:
        """Return at the next ring, or at once if it rang since the last wait ended.

        A cancelled wait leaves a ring for the next one.
        """
        rung = self._rung
        await rung.wait()
        if rung is self._rung:  # the first task to wake silences the bell
            self._rung = anyio.Event()
