"""Grouped indexing: lines that are recorded one by one are indexed together.

A line that is indexed alone writes 25 pages: its words lie apart in the vocabulary, its nick in the
counters, and each commit adds a segment to the full-text indexes. The lines of a group share most
of these pages. Nobody notices the delay, since every read first indexes what it would miss.
"""

from collections.abc import Callable, Mapping

import anyio

from terrarium_mcp.store.sqlite.engine.refolding import ROOM_MOVES
from terrarium_mcp.store.sqlite.index.all_structures import EVERYTHING
from terrarium_mcp.store.sqlite.index.indexer import Indexer
from terrarium_mcp.store.sqlite.index.structure import NORMALISED
from terrarium_mcp.store.sqlite.index.vocabulary import WordsIndex
from terrarium_mcp.store.sqlite.index.watermarks import IndexState

TOGETHER: Mapping[str, int] = dict.fromkeys(EVERYTHING, 700) | {WordsIndex.name: 2_000}
"""How many messages of each structure are indexed together.

In ten million lines of 400 channels, a line in half a second then writes 31.6 kB, checkpoints
included; with groups of 500, 32.3 (`python -m bench.alone lines`). The first read that comes when a
group is nearly full takes 60 ms of CPU for it instead of 50, and 20 for the words."""

AT_LATEST = 3_600.0
"""Seconds after which a smaller group is indexed, so that a quiet file is complete at last."""


class GroupedIndexing:
    """The keeper's duty to index what was appended."""

    def __init__(self, indexer: Indexer, clock: Callable[[], float] = anyio.current_time) -> None:
        self._indexer = indexer
        self._clock = clock
        self._complete_at = clock()

    async def index(self) -> None:
        """Index the structures whose group is full; everything once another program appended.

        Raises:
            StoreFailed: the file cannot be written.
        """
        state, now = await self._indexer.state(), self._clock()
        if state.lag([ROOM_MOVES]):
            await self._indexer.catch_up(names={ROOM_MOVES, NORMALISED}, patiently=True)
        elif not state.lag(EVERYTHING):
            self._complete_at = now
        elif state.has_foreign_rows or now - self._complete_at >= AT_LATEST:
            await self._indexer.catch_up(patiently=True)
        elif full := [name for name in EVERYTHING if _is_full(state, name)]:
            await self._indexer.catch_up(names={NORMALISED, *full}, patiently=True)


def _is_full(state: IndexState, name: str) -> bool:
    """Whether a group of a structure is full, or the structure is to be rebuilt."""
    return state.lag([name]) >= TOGETHER[name] or state.marks[name] <= 0
