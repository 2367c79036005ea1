"""Says in the channels that nothing can be recorded, once, and once that it is over."""

from collections.abc import Awaitable, Callable

import anyio

from terrarium_mcp.bell import Bell
from terrarium_mcp.irc_bridge.record.recorder import Recorder

SAID_AFTER = 30.0
"""Seconds of an outage after which it is said: a lock that is soon released is nobody's concern."""

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
        """Say it whenever it is so, until cancelled."""
        lost = 0
        while True:
            await self._bell.wait()
            outage = self._recorder.outage
            if outage is None:
                lost = self._recorder.lost
                continue
            await anyio.sleep(SAID_AFTER)
            if self._recorder.outage is not outage:
                continue
            await self._say(BEGUN)
            while self._recorder.outage:
                await self._bell.wait()
            await self._say(OVER if self._recorder.lost == lost else OVER_WITH_LOSS)
            lost = self._recorder.lost
