"""Web search through the owner's service: GET `?q=&num=`, a Bearer key, JSON with `results`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import httpx2

from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.settings import Settings

TIMEOUT = 10.0
"""Seconds; terrarium-irc waited as long."""


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
    answer = await _asked(query, count, settings)
    rows = answer.get("results", answer.get("data")) if isinstance(answer, Mapping) else None
    if not isinstance(rows, Sequence) or isinstance(rows, str):
        raise WebSearchFailed(
            "The search service answered without a list of `results`. Is SEARCH_API_URL right?"
        )
    return [_found(row) for row in rows if isinstance(row, Mapping)][:count]


async def _asked(query: str, count: int, settings: Settings) -> Any:
    key = settings.search_api_key
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    try:
        async with httpx2.AsyncClient(timeout=TIMEOUT, follow_redirects=True) as client:
            params: dict[str, str | int] = {"q": query, "num": count}
            response = await client.get(settings.search_api_url, params=params, headers=headers)
            response.raise_for_status()
            return response.json()
    except httpx2.HTTPStatusError as why:
        raise WebSearchFailed(
            f"The search service answered {why.response.status_code}."
            " Check SEARCH_API_URL and SEARCH_API_KEY, or try again later."
        ) from why
    except (httpx2.HTTPError, httpx2.InvalidURL) as why:
        raise WebSearchFailed(
            f"The search service does not answer ({type(why).__name__})."
            " Check SEARCH_API_URL, or try again later."
        ) from why
    except ValueError as why:
        raise WebSearchFailed(
            "The search service did not answer with JSON. Is SEARCH_API_URL right?"
        ) from why


def _found(row: Mapping[str, Any]) -> Found:
    return Found(
        title=_first(row, "title", "name"),
        url=_first(row, "url", "link"),
        snippet=_first(row, "snippet", "excerpt", "summary"),
    )


def _first(row: Mapping[str, Any], *names: str) -> str:
    return next((str(row[name]) for name in names if row.get(name)), "")
