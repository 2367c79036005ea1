"""The scope of a search as SQL conditions on a line `m`, for whichever look-up found it."""

from terrarium_mcp.store.search.scope import SearchScope
from terrarium_mcp.store.sqlite.engine.rooms import within
from terrarium_mcp.store.sqlite.engine.sql_expressions import BEFORE_CUTOFF


def scope_where(scope: SearchScope) -> list[str]:
    """The conditions that a line may be shown, and is of the rooms and the time of the scope."""
    return [
        # SQLite builds a table from a list of hundreds of rooms for each statement.
        "m.room NOT NULL" if scope.all_rooms else within(scope.rooms, "m.room"),
        "m.redacted_at IS NULL",
        BEFORE_CUTOFF,
        "m.timestamp >= :since",
    ]


def scope_params(scope: SearchScope) -> dict[str, object]:
    """The parameters of these conditions."""
    return {"until": scope.until.timestamp, "until_id": scope.until.id, "since": scope.since}
