"""What a request cost is known, by the endpoint's count or by ours."""

import json

import pytest

from terrarium_mcp.irc_bridge.model.chat_types import ChatMessage, TokenUsage, ToolSchema
from tests.irc_bridge.model.endpoint_scene import llm_for
from tests.servers.endpoints.http import Answer
from tests.servers.endpoints.openai import OpenAI
from tests.servers.endpoints.stand_in import Said, called, sent_json, standing_in
from tests.servers.endpoints.terrarium_agent import TerrariumAgent

TALK = [ChatMessage("user", "who fixed the garden gate?")]  # 26 characters: 7 tokens, and 4
SEARCH = ToolSchema("search", "Find lines.", {"type": "object", "properties": {}})


async def usage_of(
    answer: Answer | Said | str, endpoint: OpenAI | TerrariumAgent, *tools: ToolSchema
) -> TokenUsage:
    endpoint.listed = ["glm"]
    async with standing_in(endpoint), llm_for(endpoint.url) as llm:
        endpoint.will(answer)
        return (await llm.next_message(TALK, tools)).usage


async def test_the_endpoints_own_count_is_taken() -> None:
    assert await usage_of("Ada did.", OpenAI()) == TokenUsage(11, 7, estimated=False)


async def test_where_it_counts_nothing_we_estimate_words_calls_and_tools() -> None:
    assert await usage_of("Ada did.", TerrariumAgent()) == TokenUsage(11, 2, estimated=True)
    with_tool = await usage_of(called("search", query="x"), TerrariumAgent(), SEARCH)
    offered = {"name": "search", "description": "Find lines.", "parameters": SEARCH.parameters}
    schema = -(-len(json.dumps([{"type": "function", "function": offered}])) // 4)
    assert with_tool == TokenUsage(11 + schema, 4 + 5, estimated=True)


@pytest.mark.parametrize(
    "usage",
    [
        None,
        {},
        [],
        {"prompt_tokens": "many", "completion_tokens": 7},
        {"prompt_tokens": -1, "completion_tokens": -1},
        {"prompt_tokens": 9},
    ],
)
async def test_a_count_that_makes_no_sense_is_none(usage: object) -> None:
    answer = sent_json({"choices": [{"message": {"content": "Ada did."}}], "usage": usage})
    assert await usage_of(answer, OpenAI()) == TokenUsage(11, 2, estimated=True)


async def test_half_a_count_is_completed() -> None:
    usage = {"prompt_tokens": 9, "completion_tokens": 0}
    answer = sent_json({"choices": [{"message": {"content": "Ada did."}}], "usage": usage})
    assert await usage_of(answer, OpenAI()) == TokenUsage(9, 2, estimated=True)
