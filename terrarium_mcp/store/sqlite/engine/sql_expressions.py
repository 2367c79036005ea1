"""SQL expressions over a column of text, shared by the topics and the derived tables."""

from terrarium_mcp.chat.records import SPEECH, MessageType

_EVENT_TYPES = ", ".join(f"'{kind}'" for kind in MessageType if kind not in SPEECH)


def is_speech_sql(column: str) -> str:
    """The SQL condition that a message type is speech. An unknown type counts as `PRIVMSG`."""
    return f"ifnull(upper({column}), 'PRIVMSG') NOT IN ({_EVENT_TYPES})"


def folded_sql(column: str) -> str:
    """`fold(nick)` in SQL, whose `lower` knows ASCII only: a quarter of the cost of Python."""
    return (
        "lower(replace(replace(replace(replace("
        f"CAST({column} AS TEXT), '[', '{{'), ']', '}}'), '\\', '|'), '~', '^'))"
    )
