"""Says in the channels that nothing can be recorded, and that it is over: once an hour at most."""

from collections.abc import Awaitable, Callable
from math import inf

import anyio

from terrarium_mcp.bell import Bell
from terrarium_mcp.irc_bridge.record.recorder import Recorder

SAID_AFTER = 30.0
"""Seconds of an outage after which it is said: a lock that is soon released is nobody's concern."""

OVER_AFTER = 180.0
"""Seconds for which nothing failed after which it is said to be over: a lock that another program
takes again and again is one trouble."""

EVERY = 3600.0
"""Seconds from one trouble that is said to the next: a channel is no log."""

BEGUN = "I cannot record at the moment. What is said here is kept in memory until I can again."
OVER = "I am recording again, and what was said meanwhile is kept."
OVER_WITH_LOSS = "I am recording again. Some lines that were said meanwhile are lost."


class TroubleNotice:
    """The notice of one network's recorder, said by `say` in every channel that is recorded."""

    def __init__(self, recorder: Recorder, say: Callable[[str], Awaitable[None]]) -> None:
        self._recorder = recorder
        self._say = say
        self._bell = Bell()
        recorder.on_outage = self._bell.ring

    async def run(self) -> None:
        """Say it when it is so, until cancelled."""
        lost, said_at = 0, -inf
        while True:
            await self._bell.wait()
            outage = self._recorder.outage
            if outage is None:
                lost = self._recorder.lost
                continue
            await anyio.sleep_until(max(anyio.current_time() + SAID_AFTER, said_at + EVERY))
            if self._recorder.outage is not outage:
                continue
            said_at = anyio.current_time()
            await self._say(BEGUN)
            await self._until_over()
            await self._say(OVER if self._recorder.lost == lost else OVER_WITH_LOSS)
            lost = self._recorder.lost

    async def _until_over(self) -> None:
        """Wait until no outage has begun or ended for OVER_AFTER seconds, and none goes on."""
        while True:
            with anyio.move_on_after(OVER_AFTER if self._recorder.outage is None else inf) as calm:
                await self._bell.wait()
            if calm.cancelled_caught:
                return
