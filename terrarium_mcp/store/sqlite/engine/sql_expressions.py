"""SQL expressions shared by the topics and the derived tables."""

from terrarium_mcp.chat.records import SPEECH, MessageType
from terrarium_mcp.chat.times.timestamps import Position

_EVENT_TYPES = ", ".join(f"'{kind}'" for kind in MessageType if kind not in SPEECH)


def is_speech_sql(column: str) -> str:
    """The SQL condition that a message type is speech. An unknown type counts as `PRIVMSG`."""
    return f"ifnull(upper({column}), 'PRIVMSG') NOT IN ({_EVENT_TYPES})"


def folded_sql(column: str) -> str:
    r"""`fold(nick)` in SQL, whose `lower` knows ASCII only: a quarter of the cost of Python.

    It folds by rfc1459 on every network. Counters, evidence and purges thereby take two nicks for
    one person if they differ in `[]\~` and `{}|^` alone, which ascii tells apart: a count may be
    too high, and a purge removes too much. Where a network folds as Unicode does, counters and
    evidence tell `Élan` and `élan` apart, and a purge compares by that too: it never removes
    too little. Whose lines a search shows, who is present, and every channel go by the network's
    own CASEMAPPING. To go by it here, each count would have to look up the network of its line, and
    be made again whenever that changes.
    """
    return (
        "lower(replace(replace(replace(replace("
        f"CAST({column} AS TEXT), '[', '{{'), ']', '}}'), '\\', '|'), '~', '^'))"
    )


def position_params(name: str, position: Position) -> dict[str, object]:
    """The parameters `:name` and `:name_id` of a statement, for a position."""
    return {name: position.timestamp, f"{name}_id": position.id}


BEFORE_CUTOFF = "(m.timestamp, m.id) < (:until, :until_id)"
"""The SQL condition that a message `m` is before a position, the cutoff, which hides the rest."""
