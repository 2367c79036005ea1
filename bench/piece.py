"""A piece: one kind of call to the store, what it is asked, and what is wanted of it."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bench.measure import timed
from bench.table import Goal, Rival, Row


@dataclass(frozen=True)
class Piece:
    """One kind of call."""

    name: str
    ask: Callable[[Any], Awaitable[object]]
    questions: Sequence[Any]
    goals: Sequence[Goal] = ()

    async def row(self, rival: Rival | None = None) -> Row:
        """Ask all, and say what it took."""
        return Row.of(self.name, await timed(self.ask, self.questions), *self.goals, rival=rival)
