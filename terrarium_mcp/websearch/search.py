"""Web search through the operator's service: GET `?q=&num=`, a Bearer key, JSON `results`."""

import logging
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

import anyio
import httpx2

from terrarium_mcp.bounded_body import ACCEPT_ENCODING, BodyTooLarge, bound_body
from terrarium_mcp.errors import TerrariumError, plainly
from terrarium_mcp.http_clients import public_reason, reason, tls_context, usable_environment
from terrarium_mcp.settings import Settings

log = logging.getLogger(__name__)

TIMEOUT = 10.0
"""Seconds for the whole answer, as in terrarium-irc."""

MOST_BYTES = 4_000_000
"""Bytes of an answer: ten results with a whole page of text each have fewer."""

_ADDRESS = ("url", "link")
"""Names under which services give the address of a page."""


class WebSearchFailed(TerrariumError):
    """The search service is not configured, does not answer, or sends an unusable answer."""


class WebResult(NamedTuple):
    """One result of a web search."""

    title: str
    url: str
    snippet: str


async def search_the_web(query: str, count: int, settings: Settings) -> list[WebResult]:
    """Ask the search service for at most `count` results.

    Raises:
        WebSearchFailed: no usable answer; its text says what to do.
        UnusableEnvironment: the environment names a proxy or certificates that cannot be used.
    """
    if not settings.search_api_url:
        raise WebSearchFailed(
            "Web search is not configured here: the operator must set SEARCH_API_URL."
        )
    body = _json(await _response(query, count, settings))
    rows = _rows(body) if isinstance(body, Mapping) else None
    if rows is None:
        raise WebSearchFailed(
            "The search service answered without a list of `results`. Check SEARCH_API_URL."
        )
    # What has no address is no page, such as an answer in place of one. A million of either may fit
    # into MOST_BYTES.
    usable = (row for row in rows if isinstance(row, dict) and any(map(row.get, _ADDRESS)))
    return [_result(row) for row in islice(usable, count)]


async def _response(query: str, count: int, settings: Settings) -> httpx2.Response:
    """The service's answer, if it is a good one. SEARCH_API_URL keeps its own parameters."""
    key = settings.search_api_key
    headers = {b"Accept-Encoding": ACCEPT_ENCODING.encode()}
    if key:
        headers[b"Authorization"] = f"Bearer {key}".encode()
    try:
        url = httpx2.URL(settings.search_api_url).copy_merge_params({"q": query, "num": count})
        async with _client() as client:
            # httpx2's own timeout restarts with every byte. A redirect to a port that there cannot
            # be ends in an OverflowError, in a group.
            with anyio.fail_after(TIMEOUT), plainly():
                response = await client.get(url, headers=headers)
            return response.raise_for_status()
    except httpx2.HTTPStatusError as error:
        status = error.response.status_code
        raise WebSearchFailed(f"The search service answered {status}{_meaning(status)}") from error
    except (httpx2.TimeoutException, TimeoutError) as error:
        raise WebSearchFailed(
            f"The search service did not answer within {TIMEOUT:g} s. Try again later."
        ) from error
    except BodyTooLarge as error:
        raise WebSearchFailed(
            f"The search service's answer has more than {MOST_BYTES:,} bytes. Ask for fewer"
            " results, or check SEARCH_API_URL."
        ) from error
    except (httpx2.HTTPError, httpx2.InvalidURL, OverflowError) as error:
        # Of others the text may quote the key, or what the service sent.
        is_plain = isinstance(error, (httpx2.ConnectError, OverflowError))
        why = public_reason(error) if is_plain else type(error).__name__
        if is_plain:
            log.warning("the search service does not answer: %s", reason(error))
        raise WebSearchFailed(
            f"The search service does not answer ({why})."
            " Check SEARCH_API_URL and SEARCH_API_KEY, or try again later."
        ) from error


def _client() -> httpx2.AsyncClient:
    with usable_environment():
        return httpx2.AsyncClient(
            verify=tls_context(),
            timeout=TIMEOUT,
            follow_redirects=True,
            event_hooks={"response": [_bound]},
        )


def _meaning(status: int) -> str:
    """What a refusal most likely means, with the way out (RFC 9110 section 15, RFC 6585)."""
    match status:
        case 401 | 403:
            return ": it does not accept the key. Check SEARCH_API_KEY."
        case 404 | 405:
            return ": there is no search at that address. Check SEARCH_API_URL."
        case 429:
            return ": it was asked too often. Try again later."
        case _ if status >= 500:
            return ": it has a fault. Try again later."
    return ". Check SEARCH_API_URL, or ask in other words."


async def _bound(response: httpx2.Response) -> None:
    """Have no more than MOST_BYTES read of an answer; a response hook of httpx2."""
    bound_body(response, MOST_BYTES)


def _json(response: httpx2.Response) -> Any:
    try:
        return response.json()
    except (ValueError, RecursionError) as error:
        raise WebSearchFailed(
            "The search service did not answer with JSON. Check SEARCH_API_URL."
        ) from error


def _rows(body: Mapping[str, Any]) -> Sequence[Any] | None:
    """The first list under one of the keys that such services use."""
    lists = (body.get(name) for name in ("results", "data"))
    return next((rows for rows in lists if isinstance(rows, list)), None)


def _result(row: Mapping[str, Any]) -> WebResult:
    return WebResult(
        title=_first(row, "title", "name"),
        url=_first(row, *_ADDRESS),
        snippet=_first(row, "snippet", "excerpt", "summary", "content"),
    )


def _first(row: Mapping[str, Any], *names: str) -> str:
    return next((str(row[name]) for name in names if row.get(name)), "")
