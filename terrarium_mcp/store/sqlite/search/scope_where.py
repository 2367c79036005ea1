"""The scope of a search as SQL conditions on a line `m`, for whichever look-up found it."""

from terrarium_mcp.store.search.scope import SearchScope
from terrarium_mcp.store.sqlite.engine.rooms import within
from terrarium_mcp.store.sqlite.engine.sql_expressions import BEFORE_CUTOFF, position_params


def scope_where(scope: SearchScope) -> list[str]:
    """The conditions that a line may be shown, and is of the rooms and the time of the scope."""
    return [
        _in_rooms(scope),
        "m.redacted_at IS NULL",
        BEFORE_CUTOFF,
        "m.timestamp >= :since",
    ]


def scope_params(scope: SearchScope) -> dict[str, object]:
    """The parameters of these conditions."""
    params = {**position_params("until", scope.until), "since": scope.since}
    return params | {"room": scope.rooms[0].id} if _is_of_one_room(scope) else params


def _in_rooms(scope: SearchScope) -> str:
    if scope.all_rooms:  # SQLite builds a table from a list of hundreds for each statement
        return "m.room NOT NULL"
    # A statement for each of many channels would have to be prepared again and again: 0.1 ms.
    return "m.room = :room" if _is_of_one_room(scope) else within(scope.rooms, "m.room")


def _is_of_one_room(scope: SearchScope) -> bool:
    return len(scope.rooms) == 1
