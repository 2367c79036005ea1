"""Words of people as FTS5 expressions. The only place where they are quoted for it."""

from collections.abc import Sequence

from terrarium_mcp.chat.query import Query, is_indexed
from terrarium_mcp.chat.records import SPEECH, Room
from terrarium_mcp.store.functions import kind_word, nick_word, room_word, storable

_MOST_ROOMS = 16
"""Beyond this many rooms the index is asked for all, and the rows are filtered."""


def quoted(term: str) -> str:
    """`term` as one FTS5 string: whatever it holds, it is words and never syntax."""
    doubled = storable(term).replace('"', '""').replace("\0", " ")
    return f'"{doubled}"'


def expression(terms: Sequence[str], query: Query, rooms: Sequence[Room]) -> str:
    """The FTS5 expression for lines that hold all `terms`, within the query's restrictions."""
    parts = [f"message : ({' AND '.join(map(quoted, terms))})"] if terms else []
    return " AND ".join([*parts, *_scopes(query, rooms)])


def indexed(terms: Sequence[str]) -> list[str]:
    """The terms that the index can hold."""
    return [term for term in terms if is_indexed(term)]


def _scopes(query: Query, rooms: Sequence[Room]) -> list[str]:
    words = [[kind_word(kind) for kind in SPEECH]]
    if len(rooms) <= _MOST_ROOMS:
        words.append([room_word(room.id) for room in rooms])
    if query.nick:
        words.append([nick_word(query.nick)])
    return [f"scope : ({' OR '.join(map(quoted, alternatives))})" for alternatives in words]
