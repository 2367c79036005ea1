"""Queries as they were typed: a word with a minus is text where lines hold it just so."""

from collections.abc import Sequence
from functools import partial

from terrarium_mcp.chat.query.parsed_query import PossibleOption, Query
from terrarium_mcp.chat.query.parser import parse_query
from terrarium_mcp.chat.query.typed_times import may_name_times
from terrarium_mcp.offload import offload
from terrarium_mcp.request import Request
from terrarium_mcp.tools.exact_hits import finds_exactly


async def typed_query(text: str, request: Request) -> Query:
    """The query that `text` is.

    In `rm -rf` the second word is text if any line that the request may read has `rm -rf`; else it
    excludes the lines that hold `rf`, as in `tea -milk`.
    """
    query = await _parsed(text, request)
    options = [one.typed for one in query.possible_options if await _is_said(one, request)]
    return await _parsed(text, request, options) if options else query


async def _parsed(text: str, request: Request, options: Sequence[str] = ()) -> Query:
    """The query, parsed beside the event loop if it may name times: each takes milliseconds."""
    zone = request.settings.zone
    parse = partial(parse_query, text, now=request.now, zone=zone, options=options)
    return await offload(parse) if may_name_times(text) else parse()


async def _is_said(option: PossibleOption, request: Request) -> bool:
    said = Query(clauses=((option.said,),))
    return await finds_exactly(said, request.search(said, request.rooms, limit=1), request)
