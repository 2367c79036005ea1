"""Web search through the owner's service: GET `?q=&num=`, a Bearer key, JSON with `results`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import anyio
import httpx2

from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.settings import Settings

TIMEOUT = 10.0
"""Seconds for the whole answer; terrarium-irc waited as long."""


class WebSearchFailed(TerrariumError):
    """The search service is not set, does not answer, or answers nonsense."""


@dataclass(frozen=True, slots=True)
class Found:
    """One result of a web search."""

    title: str
    url: str
    snippet: str


async def search_the_web(query: str, count: int, settings: Settings) -> list[Found]:
    """Ask the search service for at most `count` results.

    Raises:
        WebSearchFailed: with what to do about it.
    """
    if not settings.search_api_url:
        raise WebSearchFailed(
            "Web search is not set up here. The operator has to set SEARCH_API_URL."
        )
    answer = _parsed(await _asked(query, count, settings))
    rows = _rows(answer) if isinstance(answer, Mapping) else None
    if rows is None:
        raise WebSearchFailed(
            "The search service answered without a list of `results`. Is SEARCH_API_URL right?"
        )
    return [_found(row) for row in rows if isinstance(row, Mapping)][:count]


async def _asked(query: str, count: int, settings: Settings) -> httpx2.Response:
    """The service's answer, if it is a good one. The URL keeps the parameters it was set with."""
    key = settings.search_api_key
    headers = {b"Authorization": f"Bearer {key}".encode()} if key else {}
    try:
        url = httpx2.URL(settings.search_api_url).copy_merge_params({"q": query, "num": count})
        async with httpx2.AsyncClient(timeout=TIMEOUT, follow_redirects=True) as client:
            with anyio.fail_after(TIMEOUT):  # httpx2's own counts anew with every byte
                response = await client.get(url, headers=headers)
            return response.raise_for_status()
    except httpx2.HTTPStatusError as why:
        raise WebSearchFailed(
            f"The search service answered {why.response.status_code}."
            " Check SEARCH_API_URL and SEARCH_API_KEY, or try again later."
        ) from why
    except (httpx2.TimeoutException, TimeoutError) as why:
        raise WebSearchFailed(
            f"The search service did not answer within {TIMEOUT:g} s. Try again later."
        ) from why
    except (httpx2.HTTPError, httpx2.InvalidURL) as why:
        raise WebSearchFailed(
            f"The search service does not answer ({type(why).__name__})."
            " Check SEARCH_API_URL and SEARCH_API_KEY, or try again later."
        ) from why


def _parsed(response: httpx2.Response) -> Any:
    try:
        return response.json()
    except (ValueError, RecursionError) as why:
        raise WebSearchFailed(
            "The search service did not answer with JSON. Is SEARCH_API_URL right?"
        ) from why


def _rows(answer: Mapping[str, Any]) -> Sequence[Any] | None:
    """The first list under a name that such services give it."""
    lists = (answer.get(name) for name in ("results", "data"))
    return next((rows for rows in lists if isinstance(rows, list)), None)


def _found(row: Mapping[str, Any]) -> Found:
    return Found(
        title=_first(row, "title", "name"),
        url=_first(row, "url", "link"),
        snippet=_first(row, "snippet", "excerpt", "summary"),
    )


def _first(row: Mapping[str, Any], *names: str) -> str:
    return next((str(row[name]) for name in names if row.get(name)), "")
