"""A search from the command line: the answer of the tool, and an explanation."""

from typing import Literal, cast

from mcp.types import TextContent

from terrarium_mcp.chat.query import parse_query
from terrarium_mcp.cli.explaining import explained
from terrarium_mcp.policy import View
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import open_store
from terrarium_mcp.store.search import Search, Sort
from terrarium_mcp.tools.request import Asked, Served, asked_of
from terrarium_mcp.tools.search import rooms_of, search_irc_history

SortName = Literal["relevance", "newest", "oldest"]


async def found(
    settings: Settings, query: str, channel: str, limit: int, sort: str, explain: bool
) -> str:
    """The transcript of a search, with `explain` after an explanation of how it came about."""
    async with open_store(settings.db_path, settings) as store:
        await store.opening.wait()
        asked = await asked_of(Served(store, settings), View())
        result = await search_irc_history(
            query, asked, channel=channel, limit=limit, sort=cast("SortName", sort)
        )
        answer = "\n".join(part.text for part in result.content if isinstance(part, TextContent))
        return (
            f"{await _why(asked, query, channel, limit, sort)}\n\n{answer}" if explain else answer
        )


async def _why(asked: Asked, query: str, channel: str, limit: int, sort: str) -> str:
    zone = asked.settings.zone
    parsed = parse_query(query, now=asked.now, zone=zone)
    search = Search(
        query=parsed,
        rooms=rooms_of(asked, channel, parsed),
        limit=limit,
        sort=Sort(sort),
        until=asked.until,
        now=asked.now,
        zone=zone,
    )
    return explained(search, await asked.store.search.explained(search))
