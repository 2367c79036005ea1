"""search_web: look beyond the log."""

from collections.abc import Awaitable, Callable
from typing import Annotated

from mcp.types import CallToolResult
from pydantic import Field

from terrarium_mcp.chat.transcript import listing
from terrarium_mcp.errors import TerrariumError, shown
from terrarium_mcp.tools.answer import answer, counted
from terrarium_mcp.tools.parameters import Forgiving, Text, notes, within
from terrarium_mcp.tools.request import FromRequest
from terrarium_mcp.websearch.search import search_the_web


def web_search(usual: int) -> Callable[..., Awaitable[CallToolResult]]:
    """The tool, giving `usual` results where the caller names no number."""

    async def search_web(
        query: Annotated[Text, Field(description="what to look for")],
        asked: FromRequest,
        max_results: Annotated[
            int, Forgiving, within(1, 10), Field(description="results, 1 to 10")
        ] = usual,
    ) -> CallToolResult:
        """Search the web: title, address and snippet of each result."""
        if not query:
            raise TerrariumError("search_web needs words to look for in `query`.")
        found = await search_the_web(query, max_results, asked.settings)
        head = [
            f"web search {shown(query)}: {counted(len(found), 'result')}",
            *notes(max_results=max_results),
        ]
        rows = [f"{n}. {one.title} <{one.url}> {one.snippet}" for n, one in enumerate(found, 1)]
        return answer(listing(head, rows, asked.budget, source="web"))

    return search_web
