"""search_web: search outside the log."""

from collections.abc import Awaitable, Callable
from typing import Annotated

from mcp.types import CallToolResult
from pydantic import Field

from terrarium_mcp.chat.fence import listing
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.tools.from_request import FromRequest
from terrarium_mcp.tools.parameters import Forgiving, Text, clamped_to, clamping_notes
from terrarium_mcp.tools.results import tool_result
from terrarium_mcp.websearch.search import search_the_web
from terrarium_mcp.wording import quantity, shown

_TITLE, _URL, _SNIPPET = 200, 500, 800
"""Characters of a result that are shown: a service may send whole pages, and one would fill the
budget."""


def web_search_tool(default_results: int) -> Callable[..., Awaitable[CallToolResult]]:
    """The tool `search_web`, which returns `default_results` unless the caller gives a number."""

    async def search_web(
        query: Annotated[Text, Field(description="what to look for")],
        request: FromRequest,
        max_results: Annotated[
            int, Forgiving, clamped_to(1, 10), Field(description="results, 1 to 10")
        ] = default_results,
    ) -> CallToolResult:
        """Search the web: title, address and snippet of each result."""
        if not query:
            raise TerrariumError("search_web needs search terms in `query`.")
        results = await search_the_web(query, max_results, request.settings)
        head = [
            f"web search {shown(query)}: {quantity(len(results), 'result')}",
            *clamping_notes(max_results=max_results),
        ]
        rows = [
            f"{number}. {shown(result.title, _TITLE)} <{shown(result.url, _URL)}>"
            f" {shown(result.snippet, _SNIPPET)}"
            for number, result in enumerate(results, 1)
        ]
        return tool_result(listing(head, rows, request.budget, source="web").text)

    return search_web
