"""A search from the command line: the answer of the tool, and an explanation."""

from pathlib import Path

from terrarium_mcp.cli.starting.empty_history import require_database, require_rooms
from terrarium_mcp.cli.starting.explaining import explained
from terrarium_mcp.cli.starting.opening import opened_history
from terrarium_mcp.policy import View
from terrarium_mcp.request import AppContext, Request, request_for
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import Hits
from terrarium_mcp.tools.search_arguments import LARGEST_PAGE, SearchArguments, requested_search
from terrarium_mcp.tools.search_page import SearchPage, search_page


async def found(
    settings: Settings,
    query: str,
    channel: str,
    limit: int,
    sort: str,
    explain: bool,
    adopt: bool,
) -> str:
    """The transcript of a search, with `explain` after an explanation of how it came about."""
    require_database(Path.cwd() / settings.db_path)
    async with opened_history(settings.db_path, settings, adopt=adopt) as store:
        await require_rooms(store)
        request = await request_for(AppContext(store, settings), View())
        arguments = SearchArguments(query, channel, limit=limit, sort=sort)
        page = await search_page(arguments, request)
        text = _for_a_shell(page, limit)
        return f"{await _why(arguments, request)}\n\n{text}" if explain else text


def _for_a_shell(page: SearchPage, limit: int) -> str:
    """The text of a page, which ends with an option of the command.

    The tool's own ends with a cursor and a call, which only a model can use.
    """
    if not page.transcript.shown:
        return page.text
    return "\n".join([page.transcript.text, *_way_on(page.hits, limit)])


def _way_on(hits: Hits, limit: int) -> list[str]:
    """How to see more hits in an answer, if there are more; fewer than `limit` are all that fit."""
    if not hits.next:
        return []
    if len(hits.messages) == limit < LARGEST_PAGE:
        return [f"more: --limit {LARGEST_PAGE}"]
    return ["more hits than one answer shows: narrow the query"]


async def _why(arguments: SearchArguments, request: Request) -> str:
    search = await requested_search(arguments, request)
    return explained(search, await request.store.search.explained(search))
