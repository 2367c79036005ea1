"""The web as a model sees it, through a search service on loopback."""

import gzip
import json
from collections.abc import AsyncIterator
from time import thread_time
from typing import Any

import anyio
import pytest

from terrarium_mcp.http_clients import UnusableEnvironment
from terrarium_mcp.settings import Settings
from terrarium_mcp.websearch import search
from terrarium_mcp.websearch.search import WebResult, WebSearchFailed, search_the_web
from tests.patience import PATIENCE
from tests.servers.search_service import SearchService, search_service

TEA = WebResult("Tea", "https://tea.example/", "How to brew it")
ROW = {"title": "Tea", "url": "https://tea.example/", "snippet": "How to brew it"}
REFUSED = "http://127.0.0.1:9/search"  # the discard port: nobody listens there


@pytest.fixture
async def service() -> AsyncIterator[SearchService]:
    with anyio.fail_after(PATIENCE):
        async with search_service() as service:
            yield service


async def look(service: SearchService, query: str = "tea", count: int = 5) -> list[WebResult]:
    return await search_the_web(query, count, Settings(search_api_url=service.url))


async def failure(settings: Settings) -> str:
    with pytest.raises(WebSearchFailed) as failed:
        await search_the_web("tea", 5, settings)
    return str(failed.value)


async def complaint(service: SearchService) -> str:
    return await failure(Settings(search_api_url=service.url, search_api_key="hush"))


async def test_the_service_is_asked_as_terrarium_irc_asked_it(service: SearchService) -> None:
    service.finds({"results": []})
    settings = Settings(search_api_url=service.url, search_api_key="hush")
    await search_the_web("green tea & more", 3, settings)
    (asked,) = service.requests
    assert asked.path == "/search"
    assert asked.params == {"q": ["green tea & more"], "num": ["3"]}
    assert asked.headers["authorization"] == "Bearer hush"


async def test_without_a_key_none_is_sent(service: SearchService) -> None:
    service.finds({"results": []})
    await look(service)
    assert "authorization" not in service.requests[0].headers


async def test_parameters_in_the_setting_are_kept(service: SearchService) -> None:
    service.finds({"results": []})
    settings = Settings(search_api_url=f"{service.url}?format=json&lang=en")
    await search_the_web("tea", 5, settings)
    assert service.requests[0].params == {
        "format": ["json"],
        "lang": ["en"],
        "q": ["tea"],
        "num": ["5"],
    }


@pytest.mark.parametrize(
    "answer",
    [
        {"results": [ROW]},
        {"data": [ROW]},
        {"results": None, "data": [ROW]},
        {"results": [{"name": "Tea", "link": ROW["url"], "excerpt": ROW["snippet"]}]},
        {"results": [{"title": "Tea", "url": ROW["url"], "content": ROW["snippet"]}]},  # SearXNG
        {"results": [{**ROW, "snippet": None, "summary": ROW["snippet"]}]},
        {"results": [{**ROW, "title": "", "name": "Tea"}, "no row", None, 7]},
    ],
)
async def test_results_are_read_under_the_names_such_services_use(
    service: SearchService, answer: Any
) -> None:
    service.finds(answer)
    assert await look(service) == [TEA]


async def test_missing_parts_are_empty_and_odd_ones_text(service: SearchService) -> None:
    service.finds({"results": [{"url": 7}]})
    assert await look(service) == [WebResult("", "7", "")]


async def test_what_has_no_address_is_no_result(service: SearchService) -> None:
    answer_box = {"title": "Tea", "snippet": "How to brew it"}
    service.finds({"results": [{}, answer_box, {**answer_box, "url": ""}, ROW, ROW]})
    assert await look(service, count=1) == [TEA]
    service.finds({"results": [{}, answer_box]})
    assert await look(service) == []


async def test_no_more_come_than_asked_for(service: SearchService) -> None:
    service.finds({"results": [ROW] * 50})
    assert len(await look(service, count=4)) == 4


@pytest.mark.parametrize(("row", "count", "found"), [('{"url":7}', 350_000, 5), ("{}", 500_000, 0)])
async def test_results_beyond_those_asked_for_cost_nothing(
    service: SearchService, row: str, count: int, found: int
) -> None:
    service.sends(f'{{"results": [{",".join([row] * count)}]}}')
    began = thread_time()
    assert len(await look(service)) == found
    assert thread_time() - began < 1  # 5 s, if each of them is read


async def test_no_results_are_no_error(service: SearchService) -> None:
    service.finds({"results": []})
    assert await look(service) == []


@pytest.mark.parametrize(
    ("status", "told"),
    [
        ("400 Bad", "400. Check SEARCH_API_URL, or ask in other words."),
        ("401 Unauthorized", "401: it does not accept the key. Check SEARCH_API_KEY."),
        ("403 Forbidden", "403: it does not accept the key. Check SEARCH_API_KEY."),
        ("404 Not Found", "404: there is no search at that address. Check SEARCH_API_URL."),
        ("429 Slow", "429: it was asked too often. Try again later."),
        ("500 Oh", "500: it has a fault. Try again later."),
    ],
)
async def test_a_bad_status_is_named_with_what_it_means(
    service: SearchService, status: str, told: str
) -> None:
    service.sends("{}", status=status)
    assert await complaint(service) == f"The search service answered {told}"


@pytest.mark.parametrize("body", ["<!doctype html><title>nginx</title>", "", "{", "[" * 50_000])
async def test_what_is_no_json_is_said_to_be_none(service: SearchService, body: str) -> None:
    service.sends(body)
    said = await complaint(service)
    assert said == "The search service did not answer with JSON. Check SEARCH_API_URL."


@pytest.mark.parametrize("answer", [{}, {"results": {}}, {"results": "many"}, 7, None, ["a"], "x"])
async def test_json_without_results_is_said_to_have_none(
    service: SearchService, answer: Any
) -> None:
    service.finds(answer)
    assert "without a list of `results`" in await complaint(service)


async def test_a_redirect_is_followed(service: SearchService) -> None:
    service.sends("", status="302 Found", location="/elsewhere")
    assert "The search service does not answer (TooManyRedirects)" in await complaint(service)
    assert service.requests[1].path == "/elsewhere"


@pytest.mark.parametrize("port", ["99999", "-1"])
async def test_a_redirect_to_a_port_that_cannot_be_is_an_error_that_says_so(
    service: SearchService, port: str
) -> None:
    service.sends("", status="302 Found", location=f"http://127.0.0.1:{port}/")
    assert (
        "The search service does not answer (connect(): port must be 0-65535.)"
        in await complaint(service)
    )


async def test_a_service_that_does_not_run_is_an_error_that_says_so() -> None:
    assert await failure(Settings(search_api_url=REFUSED)) == (
        "The search service does not answer (connection refused). Check SEARCH_API_URL and"
        " SEARCH_API_KEY, or try again later."
    )


async def test_a_connection_that_breaks_is_an_answer_that_did_not_come(
    service: SearchService,
) -> None:
    service.hangs_up()
    assert "The search service does not answer (" in await complaint(service)


async def test_an_answer_that_is_too_long_is_not_told_as_no_answer(service: SearchService) -> None:
    service.finds({"results": [{**ROW, "snippet": "tea " * 1_000_000}] * 2})
    assert await complaint(service) == (
        "The search service's answer has more than 4,000,000 bytes. Ask for fewer results, or check"
        " SEARCH_API_URL."
    )


async def test_an_answer_that_never_ends_is_given_up(
    service: SearchService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "TIMEOUT", 0.3)
    service.drips()
    said = await complaint(service)
    assert said == "The search service did not answer within 0.3 s. Try again later."


@pytest.mark.parametrize("url", [REFUSED, "http://h\u2603..b/"])
async def test_an_address_that_leads_nowhere_is_an_error_that_says_so(url: str) -> None:
    said = await failure(Settings(search_api_url=url))
    assert said.startswith("The search service does not answer (")
    assert "Check SEARCH_API_URL" in said


async def test_a_proxy_that_cannot_be_used_is_an_error(
    service: SearchService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALL_PROXY", "gopher://proxy.example:70")
    with pytest.raises(UnusableEnvironment):
        await search_the_web("tea", 5, Settings(search_api_url=service.url))
    assert service.requests == []


@pytest.mark.parametrize("key", ["line\nbreak", "\0"])
async def test_a_key_that_no_header_can_hold_is_an_error_that_does_not_repeat_it(
    service: SearchService, key: str
) -> None:
    said = await failure(Settings(search_api_url=service.url, search_api_key=key))
    assert "SEARCH_API_KEY" in said
    assert key not in said


async def test_a_key_may_hold_any_letters(service: SearchService) -> None:
    service.finds({"results": []})
    await search_the_web("tea", 5, Settings(search_api_url=service.url, search_api_key="ключ"))
    assert service.requests[0].headers["authorization"] == "Bearer ключ"


async def test_without_a_service_the_missing_setting_is_named() -> None:
    assert await failure(Settings()) == (
        "Web search is not configured here: the operator must set SEARCH_API_URL."
    )


@pytest.mark.parametrize(
    ("layers", "why"), [(1, "'s answer has more than 4,000,000 bytes."), (2, " does not answer (")]
)
async def test_an_answer_that_unpacks_to_a_huge_one_is_given_up(
    service: SearchService, layers: int, why: str
) -> None:
    packed = b" " * 20_000_000
    for _ in range(layers):
        packed = gzip.compress(packed)
    service.sends(packed, **{"content-encoding": ", ".join(["gzip"] * layers)})
    assert f"The search service{why}" in await complaint(service)


async def test_a_compressed_answer_is_read(service: SearchService) -> None:
    packed = gzip.compress(json.dumps({"results": [ROW]}).encode())
    service.sends(packed, **{"content-encoding": "gzip"})
    assert await look(service) == [TEA]
