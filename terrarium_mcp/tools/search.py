"""search_irc_history: find what was said."""

from typing import Annotated, Literal

from mcp.types import CallToolResult
from pydantic import Field

from terrarium_mcp.tools.from_request import FromRequest
from terrarium_mcp.tools.parameters import (
    Channel,
    Forgiving,
    ForgivingChoice,
    Form,
    Hours,
    Text,
    clamped_to,
)
from terrarium_mcp.tools.results import lines_result
from terrarium_mcp.tools.search_arguments import LARGEST_PAGE, USUAL_PAGE, SearchArguments
from terrarium_mcp.tools.search_page import search_page

SortOrder = Annotated[
    Literal["relevance", "newest", "oldest"],
    ForgivingChoice,
    Field(description="which hits come first"),
]


async def search_irc_history(
    query: Annotated[
        Text,
        Field(
            description='words, "exact phrase", a OR b, -not, prefix*, from:nick, in:#chan,'
            " mentions:nick, has:link, is:command, events only by type:kick (join, mode, topic"
            " ...), before: after: on: with 2026-05-01, 2026-05-01T14:00, 2026-05, yesterday,"
            ' 2h. Example: from:ada "green tea" -sugar. Empty: the newest lines'
        ),
    ],
    request: FromRequest,
    channel: Channel = "",
    hours: Hours = 0,
    limit: Annotated[
        int,
        Forgiving,
        clamped_to(1, LARGEST_PAGE),
        Field(description=f"hits per page, 1 to {LARGEST_PAGE}"),
    ] = USUAL_PAGE,
    sort: SortOrder = "relevance",
    context: Annotated[
        int,
        Forgiving,
        clamped_to(0, 5),
        Field(description="lines of its conversation around a hit, 0 to 5"),
    ] = 0,
    cursor: Annotated[Text, Field(description="from the previous page")] = "",
    format: Form = "text",  # noqa: A002 -- the contract's name
) -> CallToolResult:
    """Find what was said: ranked lines with their ids, and what the record covers.

    Two or three distinctive words in one sense per call find more than a long question: if the hits
    do not answer, call again with words the answer would use. Name the channel or person if you
    know them. For a day: on:2026-05-01 with sort=oldest. Weak hits, or none, do not mean it was
    never said: check what is covered.
    """
    arguments = SearchArguments(
        query, channel, hours, limit, sort=sort, context=context, cursor=cursor, form=format
    )
    page = await search_page(arguments, request)
    return lines_result(page.text, format, page.transcript, page.facts)
