"""A piece: one kind of call to the store, what it is asked, and what is wanted of it."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bench.measure import Passes, Timed, timed
from bench.table import Goal, Rival, Row


@dataclass(frozen=True)
class Piece:
    """One kind of call. `thinks`: all that the process does for it is the store's."""

    name: str
    ask: Callable[[Any], Awaitable[object]]
    questions: Sequence[Any]
    goals: Sequence[Goal] = ()
    thinks: bool = False

    def row(self, spent: Timed, rivals: Sequence[Rival]) -> Row:
        """What it took."""
        found = spent.whole if self.thinks else spent.store
        return Row(self.name, "ms", found, spent.whole, rivals, self.goals)


async def rows(
    pieces: Sequence[Piece], beside: Callable[[Piece], Sequence[Rival]] = lambda _: ()
) -> list[Row]:
    """Ask everything of all pieces, pass by pass, and then what stands `beside` each."""
    spent = await timed(*(Passes(piece.ask, piece.questions) for piece in pieces))
    return [piece.row(one, beside(piece)) for piece, one in zip(pieces, spent, strict=True)]
