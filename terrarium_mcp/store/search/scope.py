"""The scope of a search: a query, and the lines among which it is answered."""

from collections.abc import Sequence
from dataclasses import dataclass

from terrarium_mcp.chat.query.parsed_query import Query
from terrarium_mcp.chat.records import Room
from terrarium_mcp.chat.terms import Term
from terrarium_mcp.chat.times.timestamps import BEGINNING, EVERY_LINE, Position

MOST_ROOMS = 16
"""Beyond this many rooms a look-up covers all rooms, and the lines found are filtered."""

Clause = tuple[Term, ...]
"""A line must contain one of these terms."""

Clauses = tuple[Clause, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchScope:
    """A query, the rooms and the time in which it is answered.

    `all_rooms` says that `rooms` are all rooms of the history, so that no line has to be compared
    with them. `since` is the first timestamp, `until` the exclusive end. `visible_only` is that of
    the `Search`.
    """

    query: Query
    rooms: Sequence[Room]
    all_rooms: bool = False
    since: str = BEGINNING.timestamp
    until: Position = EVERY_LINE
    visible_only: bool = False

    @property
    def is_timed(self) -> bool:
        """Whether it covers only a part of the time."""
        return self.since != BEGINNING.timestamp or self.until != EVERY_LINE

    @property
    def casemappings(self) -> set[str]:
        """How the networks searched compare nicks; none if the query does not name who said it."""
        return {room.casemapping for room in self.rooms} if self.query.people else set()

    @property
    def narrowed_rooms(self) -> Sequence[Room]:
        """The rooms to compare with; none where all rooms are searched."""
        return () if self.all_rooms else self.rooms
