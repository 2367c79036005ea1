"""Writes dialogue state in the background: a failure delays no answer and is tried again."""

import logging
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass

import anyio

from terrarium_mcp.bell import Bell
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.store import DialoguePlace

MOST_FAILED = 100
"""Failed writes that wait to be tried again; beyond it the oldest is given up."""

AGAIN_AFTER = 60.0
"""Seconds before a failed write is tried again."""

TRIES = 3
"""Times a write is tried."""

AT_THE_END = 2.0
"""Seconds in which everything is tried once more when the program stops."""

log = logging.getLogger(__name__)

WriteKey = tuple[DialoguePlace, int]
"""What a write is about: the turn of this number, or 0 for the window and its summary."""


@dataclass(slots=True)
class PendingWrite:
    """A write that was not done yet. `value` is what it writes."""

    value: object
    write: Callable[[], Awaitable[object]]
    tries: int = 0
    due: float = 0.0


class UnwrittenState:
    """What waits to be written, in order; of two writes about the same the newer one counts.

    Attributes:
        written: how many writes were done so far. Whoever reads what is stored while this changes
            may have read too early, and finds that write no longer waiting either.
        changes: how often anything was to be written, or may be gone.
    """

    def __init__(self) -> None:
        self.written = self.changes = 0
        self._waiting: dict[WriteKey, PendingWrite] = {}
        self._bell = Bell()
        self._finished = False
        self._running = anyio.CancelScope(shield=True)

    def put(
        self,
        key: WriteKey,
        value: object,
        write: Callable[[], Awaitable[object]],
        *,
        after: float = 0.0,
    ) -> None:
        """Write this soon, or after some seconds. Never waits."""
        self.changes += 1
        self._waiting.pop(key, None)
        self._waiting[key] = PendingWrite(value, write, due=anyio.current_time() + after)
        self._bell.ring()

    def waiting(self, place: DialoguePlace) -> Iterator[tuple[int, object]]:
        """What is not written yet of a dialogue: the numbers and the values."""
        return iter([(key[1], one.value) for key, one in self._waiting.items() if key[0] == place])

    def retry_now(self) -> None:
        """Try everything again now: the history was changed, and may be written once more."""
        self.changes += 1
        for one in self._waiting.values():
            one.due = 0.0
        self._bell.ring()

    def finish(self) -> None:
        """Let `run()` return once everything was tried again, AT_THE_END seconds from now."""
        self._finished = True
        self._running.deadline = anyio.current_time() + AT_THE_END
        self.retry_now()

    async def run(self) -> None:
        """Write until `finish()`, also when cancelled: the last turn has just ended then."""
        with self._running:
            while not self._finished:
                await self._write_due()
                with anyio.move_on_after(self._pause()):
                    await self._bell.wait()
            await self._write_due()

    async def _write_due(self) -> None:
        for key, one in list(self._waiting.items()):
            if one.due <= anyio.current_time():
                await self._write(key, one)

    async def _write(self, key: WriteKey, one: PendingWrite) -> None:
        try:
            await one.write()
        except TerrariumError as error:
            is_known = any(waiting.tries for waiting in self._waiting.values())
            one.tries += 1
            one.due = anyio.current_time() + AGAIN_AFTER
            if one.tries >= TRIES and self._waiting.get(key) is one:
                self._give_up(key)
            elif one.tries == 1:
                if not is_known:  # else the log says so already
                    log.warning("could not store the turns of dialogues, will retry: %s", error)
                self._keep_the_newest_failed()
        except Exception:  # it would fail again, and must not end the bridge
            log.exception("storing a turn of a dialogue failed")
            if self._waiting.get(key) is one:
                self._give_up(key)
        else:
            self.written += 1
            if self._waiting.get(key) is one:  # else a newer one came meanwhile
                del self._waiting[key]

    def _pause(self) -> float:
        """Seconds until the next write is due."""
        due = min((one.due for one in self._waiting.values()), default=anyio.current_time() + 3600)
        return max(0.0, due - anyio.current_time())

    def _keep_the_newest_failed(self) -> None:
        failed = [key for key, one in self._waiting.items() if one.tries]
        for key in failed[:-MOST_FAILED]:
            self._give_up(key)

    def _give_up(self, key: WriteKey) -> None:
        if self._waiting.pop(key, None):
            log.warning("a turn of a dialogue could not be stored, and will be forgotten")
