"""The stand-ins are as strict as the endpoints they stand for."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest

from tests.patience import PATIENCE
from tests.servers.endpoints.http import Answer
from tests.servers.endpoints.kinds import KINDS
from tests.servers.endpoints.llama_cpp import LlamaCpp
from tests.servers.endpoints.lm_studio import LmStudio
from tests.servers.endpoints.ollama import Ollama
from tests.servers.endpoints.openai import OpenAI
from tests.servers.endpoints.stand_in import StandIn, called, standing_in
from tests.servers.endpoints.terrarium_agent import TerrariumAgent
from tests.servers.endpoints.vllm import Vllm

TOOLS = [{"type": "function", "function": {"name": "search", "parameters": {}}}]


@asynccontextmanager
async def client_of(endpoint: StandIn) -> AsyncIterator[httpx2.AsyncClient]:
    async with (
        standing_in(endpoint),
        httpx2.AsyncClient(base_url=endpoint.url, timeout=PATIENCE) as client,
    ):
        yield client


async def asked(client: httpx2.AsyncClient, endpoint: StandIn, **more: Any) -> httpx2.Response:
    body = {"model": endpoint.model, "messages": [{"role": "user", "content": "hi"}], **more}
    return await client.post("/v1/chat/completions", json=body)


@pytest.mark.parametrize("kind", KINDS)
async def test_each_kind_says_what_it_was_told_and_lists_its_model(kind: type[StandIn]) -> None:
    endpoint = kind()
    async with client_of(endpoint) as client:
        endpoint.will("hello")
        answer = (await asked(client, endpoint)).json()
        listed = (await client.get("/v1/models")).json()
    assert answer["choices"][0]["message"]["content"] == "hello"
    assert [one["id"] for one in listed["data"]] == [endpoint.model]


@pytest.mark.parametrize(
    ("endpoint", "status", "health"),
    [
        (TerrariumAgent(degraded=True), 200, "degraded"),
        (Vllm(), 200, ""),
        (LlamaCpp(), 200, '"ok"'),
        (LlamaCpp(loading=True), 503, "Loading model"),
        (Ollama(), 404, "404 page not found"),
        (LmStudio(), 200, "Unexpected endpoint"),
        (OpenAI(), 404, "Invalid URL"),
    ],
)
async def test_each_kind_has_its_own_idea_of_health(
    endpoint: StandIn, status: int, health: str
) -> None:
    async with client_of(endpoint) as client:
        answer = await client.get("/health")
    assert answer.status_code == status
    assert health in answer.text


@pytest.mark.parametrize(
    ("endpoint", "status", "words"),
    [
        (TerrariumAgent(has_parser=False), 500, "vLLM API error (400)"),
        (Vllm(has_parser=False), 400, "--enable-auto-tool-choice"),
        (LlamaCpp(jinja=False), 500, "tools param requires --jinja flag"),
        (Ollama(takes_tools=False), 400, "does not support tools"),
    ],
)
async def test_tools_are_refused_in_its_own_words(
    endpoint: StandIn, status: int, words: str
) -> None:
    async with client_of(endpoint) as client:
        answer = await asked(client, endpoint, tools=TOOLS)
    assert answer.status_code == status
    assert words in answer.text


async def test_the_forms_of_a_call_differ() -> None:
    forms = {}
    for endpoint in (Vllm(), Ollama(), LmStudio(knows_format=False)):
        async with client_of(endpoint) as client:
            endpoint.will(called("search", query="gate"))
            answer = (await asked(client, endpoint, tools=TOOLS)).json()
        forms[endpoint.name] = answer["choices"][0]["message"]
    assert forms["vLLM"]["content"] is None
    assert forms["Ollama"]["content"] == ""
    assert forms["Ollama"]["tool_calls"][0]["id"] == ""
    assert forms["Ollama"]["tool_calls"][0]["index"] == 0
    assert "tool_calls" not in forms["LM Studio"]
    assert forms["LM Studio"]["content"].startswith("<tool_call>")


@pytest.mark.parametrize(
    ("messages", "complaint"),
    [
        ([{"role": "assistant", "content": None}], "content of assistant is no string"),
        (
            [{"role": "tool", "tool_call_id": "c1", "name": "search", "content": "found"}],
            "a result without its call: c1",
        ),
        (
            [
                {
                    "role": "assistant",
                    "content": "",
                    "tool_calls": [{"id": "c1", "function": {"name": "f", "arguments": "{}"}}],
                },
                {"role": "user", "content": "hi"},
            ],
            "a call without its result: c1",
        ),
    ],
)
async def test_a_talk_that_no_endpoint_takes_fails_the_test(
    messages: list[dict[str, Any]], complaint: str
) -> None:
    endpoint = Vllm()

    async def scene() -> None:
        async with client_of(endpoint) as client:
            endpoint.will("ok")
            last = {"role": "user", "content": "hi"}
            await asked(client, endpoint, messages=[*messages, last])

    with pytest.raises(AssertionError, match=complaint):
        await scene()


async def test_a_request_beyond_the_script_fails_the_test() -> None:
    endpoint = Vllm()

    async def scene() -> None:
        async with client_of(endpoint) as client:
            assert (await asked(client, endpoint)).status_code == 500

    with pytest.raises(AssertionError, match="request 1 is beyond the script"):
        await scene()


async def test_openai_takes_no_name_with_a_slash() -> None:
    endpoint = OpenAI()
    call = {"id": "c1", "type": "function", "function": {"name": "a/b", "arguments": "{}"}}
    talk = [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "found"},
    ]
    async with client_of(endpoint) as client:
        answer = await asked(client, endpoint, messages=talk)
    assert answer.status_code == 400
    assert "does not match" in answer.json()["error"]["message"]


async def test_raw_bytes_are_sent_as_they_are() -> None:
    endpoint = Vllm()
    async with client_of(endpoint) as client:
        endpoint.will(Answer(wire=b""))
        with pytest.raises(httpx2.RemoteProtocolError):
            await asked(client, endpoint)
