"""A piece: one kind of call to the store, what it is asked, and what is wanted of it."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bench.measure import timed
from bench.table import Goal, Rival, Row


@dataclass(frozen=True)
class Piece:
    """One kind of call. `thinks`: the store does some of the work in the event loop's thread."""

    name: str
    ask: Callable[[Any], Awaitable[object]]
    questions: Sequence[Any]
    goals: Sequence[Goal] = ()
    thinks: bool = False

    async def row(self, rivals: Sequence[Rival] = ()) -> Row:
        """Ask all, and say what it took."""
        spent = await timed(self.ask, self.questions)
        found = spent.whole if self.thinks else spent.store
        return Row(self.name, "ms", found, spent.whole, rivals, self.goals)
