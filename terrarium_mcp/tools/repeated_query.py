"""The query that repeats what an answer is about, as an argument that can be copied."""

import json
from collections.abc import Sequence
from dataclasses import replace

from terrarium_mcp.chat.query.parsed_query import Query
from terrarium_mcp.chat.records import Room
from terrarium_mcp.request import Request
from terrarium_mcp.wording import shown

_ALL_TIME = "after:1970-01-01"
"""A query for every line: one that is empty may mean something else to a tool."""

_LONGEST = 200
"""Characters of a query that an answer repeats."""


def query_argument(request: Request, rooms: Sequence[Room], query: Query) -> str:
    """`query="tea in:#tea"`: the query with the rooms and times it is about, by any clock.

    Empty if it is too long, or has characters that no answer may hold: cut short it would select
    something else.
    """
    if set(rooms) != set(request.rooms):
        names = tuple(request.room_name(room) for room in rooms)
        query = replace(query, channels=names, excluded_channels=())
    printed = query.printed(request.settings.zone) or _ALL_TIME
    is_whole = shown(printed, _LONGEST) == printed
    return f"query={json.dumps(printed, ensure_ascii=False)}" if is_whole else ""
