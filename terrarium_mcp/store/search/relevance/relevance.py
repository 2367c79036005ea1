"""Relevance: the lines that answer a plain question best."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from terrarium_mcp.store.database import Database
from terrarium_mcp.store.search.relevance.asked import Asked, Understood
from terrarium_mcp.store.search.relevance.candidates import Candidates, Lookup, TimedLookup
from terrarium_mcp.store.search.relevance.ranking import Ranked, Ranking
from terrarium_mcp.store.search.relevance.surroundings import Surroundings
from terrarium_mcp.store.search.relevance.understanding import Understanding

IN_ONE_ROOM, IN_MANY = 40, 100
"""Candidates around which is read. On the development questions 60 find no more in a room, and one
answer of a thousand more where the room is one of many; among many rooms with a million lines 60
lose five of a thousand."""


@dataclass(frozen=True, slots=True)
class Answering:
    """The lines that answer best, the best first, and what led to them."""

    about: Understood
    found: Mapping[Lookup, Sequence[int]]
    ranked: Sequence[Ranked]


class Relevance:
    """Answers plain questions with lines."""

    def __init__(self, database: Database) -> None:
        self._understanding = Understanding(database)
        self._candidates = Candidates(database)
        self._surroundings = Surroundings(database)

    async def answering(self, asked: Asked) -> Answering:
        """The lines that answer `asked`, and those around them.

        Raises:
            TookTooLong: the deadline passed.
        """
        about = await self._understanding.of(asked)
        looks = await self._candidates.lookups(asked, about)
        found = await self._candidates.find(looks)
        ids = {number for numbers in found.values() for number in numbers}
        return Answering(about, found, await self._ranked(asked, about, ids))

    async def timed(self, answering: Answering) -> list[TimedLookup]:
        """The look-ups that led to an answer, each made once more by itself."""
        return await self._candidates.timed([*answering.found])

    async def among(self, ids: Collection[int], asked: Asked) -> Answering:
        """These lines alone, the best first.

        Raises:
            TookTooLong: the deadline passed.
        """
        about = await self._understanding.of(asked)
        ranked = await self._ranked(asked, about, ids)
        known = set(ids)
        return Answering(about, {}, [one for one in ranked if one.line.id in known])

    async def _ranked(self, asked: Asked, about: Understood, ids: Collection[int]) -> list[Ranked]:
        lines = await self._surroundings.lines(ids, asked)
        ranking = Ranking(about)
        most = IN_ONE_ROOM if len(asked.rooms) == 1 else IN_MANY
        promising = ranking.promising(lines, most)
        talks = await self._surroundings.around(promising, asked)
        return ranking.rank(talks, lines)
