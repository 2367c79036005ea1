"""What an endpoint refuses is recognised by its words and left out, for an hour."""

import re
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.irc_bridge.model.adaptations import (
    ADAPTATIONS,
    ALTERNATION,
    CALL_IDS,
    MAX_TOKENS,
    REASONING,
    RESULT_NAMES,
    SYSTEM_MESSAGE,
    TEMPERATURE,
    TOOL_MESSAGES,
    TOOLS,
    UNREASONED_CALLS,
    Adaptation,
    adapted,
    next_adaptation,
)
from terrarium_mcp.irc_bridge.model.chat_request import request_tool
from terrarium_mcp.irc_bridge.model.chat_types import (
    AssistantToolCalls,
    ChatMessage,
    ModelMessage,
    TalkMessage,
    ToolCall,
    ToolResult,
    ToolSchema,
)
from terrarium_mcp.irc_bridge.model.client import ModelUnavailable
from terrarium_mcp.irc_bridge.model.learned import REMEMBERED
from terrarium_mcp.settings import Settings
from tests.irc_bridge.model.endpoint_scene import Clock, llm_for
from tests.servers.endpoints.openai import OpenAI
from tests.servers.endpoints.stand_in import standing_in
from tests.servers.endpoints.vllm import Vllm

TALK = [ChatMessage("system", "You are Terra."), ChatMessage("user", "who fixed the gate?")]
SEARCH = ToolSchema("search", "Find lines.", {"type": "object", "properties": {}})


def body(*messages: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"model": "m", "messages": list(messages), **fields}


def said(role: str, content: str, **fields: Any) -> dict[str, Any]:
    return {"role": role, "content": content, **fields}


SEARCHED = {"id": "call_1", "type": "function", "function": {"name": "search"}}
CALL = said("assistant", "[called search {}]", tool_calls=[SEARCHED])
REASONED = {**CALL, "reasoning_content": "Hm."}
SIGNED = {**CALL, "tool_calls": [{**SEARCHED, "extra_content": "c2ln"}, SEARCHED]}
RESULT = said("tool", "<ada> fixed", tool_call_id="call_1", name="search")
EVERYTHING = body(
    said("system", "rules"),
    said("user", "log"),
    said("user", "who?"),
    CALL,
    RESULT,
    temperature=0.8,
    max_tokens=512,
    tools=[{"type": "function"}],
)


THOUGHT_SIGNATURE = (
    "Function call is missing a thought_signature in functionCall parts. This is required for tools"
    " to work correctly, and missing thought_signature may lead to degraded model performance."
)


@pytest.mark.parametrize(
    ("status", "words", "adaptation"),
    [
        (400, "Unsupported value: 'temperature' does not support 0.8 with it.", TEMPERATURE),
        (422, "body.temperature: Extra inputs are not permitted", TEMPERATURE),
        (400, "`temperature` is deprecated for this model.", TEMPERATURE),
        (400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens'.", MAX_TOKENS),
        (400, "Tool call IDs should be alphanumeric strings with length 9!", CALL_IDS),
        (400, "Invalid 'messages[2].tool_call_id': string too long. Expected 40.", CALL_IDS),
        (400, "Conversation roles must alternate user/assistant/user/...", ALTERNATION),
        (500, "After the optional system message, conversation roles must alternate", ALTERNATION),
        (400, "System role not supported", SYSTEM_MESSAGE),
        (400, "Only user, assistant and tool roles are supported, got system.", SYSTEM_MESSAGE),
        (500, "vLLM API error (400): Unknown role: system", SYSTEM_MESSAGE),
        (400, "'messages[0].role' does not support 'system' with this model.", SYSTEM_MESSAGE),
        (400, "Invalid value: 'system'. Supported values are: 'assistant'.", SYSTEM_MESSAGE),
        (400, "Developer instruction is not enabled for models/gemma-3-27b-it", SYSTEM_MESSAGE),
        (400, "Invalid parameter: messages with role 'tool' must be a response", TOOL_MESSAGES),
        (400, "Unexpected role 'tool' after role 'user'", TOOL_MESSAGES),
        (400, "invalid tool call arguments", TOOL_MESSAGES),
        (400, "Invalid value: 'tool'. Supported values are: 'system', 'user'.", TOOL_MESSAGES),
        (400, "Expected last role User or Tool (or Assistant with prefix True)", TOOL_MESSAGES),
        (422, "body.messages.3.tool.content: Input should be a valid list", TOOL_MESSAGES),
        (422, "body.tools: Extra inputs are not permitted", TOOLS),
        (422, "body.messages.3.tool.name: Extra inputs are not permitted", RESULT_NAMES),
        (400, "'messages.3' : property 'name' is unsupported", RESULT_NAMES),
        (400, "Only messages of role 'user' can have a name.", RESULT_NAMES),
        (400, "Additional properties are not allowed ('name' was unexpected)", RESULT_NAMES),
        (400, "Unknown name \"name\" at 'messages[3]': Cannot find field.", RESULT_NAMES),
        (400, "The `reasoning_content` in it must be passed back to the API.", UNREASONED_CALLS),
        (400, "Missing `reasoning_content` field: thinking_mode#tool-calls", UNREASONED_CALLS),
        (400, THOUGHT_SIGNATURE, UNREASONED_CALLS),
        (400, "Set --tool-call-parser to use tools", TOOLS),
        (400, "This model does not support tool calls", TOOLS),
        (400, '"auto" tool choice requires --enable-auto-tool-choice', TOOLS),
        (500, "tools param requires --jinja flag", TOOLS),
        (400, "gemma3:4b does not support tools", TOOLS),
        (400, "tools is not supported in this model. See the list of supported models.", TOOLS),
        (404, "No endpoints found that support tool use. To learn more, visit our docs", TOOLS),
        (400, "Function calling is not enabled for models/gemma-3-27b-it", TOOLS),
    ],
)  # fmt: skip
def test_a_refusal_is_recognised_by_its_words(
    status: int, words: str, adaptation: Adaptation
) -> None:
    assert next_adaptation(status, words, EVERYTHING, ()) is adaptation


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (500, "boom"),
        (401, "Incorrect API key provided"),
        (404, "The model `m` does not exist"),
        (404, "No endpoints found for m. Ask for another model, or another tool."),
        (422, "body.temperature: Input should be less than or equal to 2"),
        (400, "max_tokens is too large: 32000"),
        (503, "Loading model"),
    ],
)
def test_other_refusals_change_nothing(status: int, words: str) -> None:
    assert next_adaptation(status, words, EVERYTHING, ()) is None


@pytest.mark.parametrize(
    "words",
    [
        "for 'role:assistant' [('messages.4' : property 'reasoning_content' is unsupported)]",
        "messages[4].reasoning: reasoning is not supported with this model",
        "body.messages.4.reasoning_content: Extra inputs are not permitted",
        "Unknown name \"extra_content\" at 'messages[4].tool_calls[0]'",
    ],
)
def test_reasoning_that_is_refused_is_left_out_of_earlier_calls(words: str) -> None:
    talk = body(said("user", "who?"), REASONED, RESULT, SIGNED, RESULT)
    assert next_adaptation(400, words, talk, ()) is REASONING
    plain = {**CALL, "tool_calls": [SEARCHED, SEARCHED]}
    assert adapted(talk, [REASONING]) == body(said("user", "who?"), CALL, RESULT, plain, RESULT)


def test_calls_without_reasoning_are_words_where_it_is_missing_and_those_with_it_stay() -> None:
    talk = body(said("user", "who?"), CALL, RESULT, said("user", "and?"), REASONED, RESULT, SIGNED)
    words = "The `reasoning_content` in the thinking mode must be passed back to the API."
    assert adapted(talk, [UNREASONED_CALLS])["messages"] == [
        said("user", "who?"),
        said("assistant", "[called search {}]"),
        said("user", "[search answered]\n<ada> fixed"),
        said("user", "and?"),
        REASONED,
        RESULT,
        SIGNED,
    ]
    assert next_adaptation(400, words, talk, ()) is UNREASONED_CALLS
    assert next_adaptation(400, words, talk, [UNREASONED_CALLS]) is TOOL_MESSAGES


def test_what_is_not_in_the_request_cannot_be_its_fault() -> None:
    plain = body(said("user", "who?"))
    for adaptation in ADAPTATIONS:
        assert adapted(plain, [adaptation]) == plain
    assert next_adaptation(400, "System role not supported", plain, ()) is None


def test_a_template_that_only_says_alternate_is_tried_in_every_way_once() -> None:
    words, tried = "Conversation roles must alternate user/assistant", list[Adaptation]()
    while more := next_adaptation(400, words, EVERYTHING, tried):
        tried.append(more)
    assert tried == [ALTERNATION, SYSTEM_MESSAGE, TOOL_MESSAGES]
    assert adapted(EVERYTHING, tried)["messages"] == [
        said("user", "rules\n\nlog\n\nwho?"),
        said("assistant", "[called search {}]"),
        said("user", "[search answered]\n<ada> fixed"),
    ]


def test_each_adaptation_changes_its_own_part_alone() -> None:
    changed = {
        adaptation: {
            key: value
            for key, value in adapted(EVERYTHING, [adaptation]).items()
            if EVERYTHING.get(key) != value
        }
        for adaptation in (TEMPERATURE, MAX_TOKENS)
    }
    assert changed == {TEMPERATURE: {}, MAX_TOKENS: {"max_completion_tokens": 512}}
    assert "temperature" not in adapted(EVERYTHING, [TEMPERATURE])
    assert "max_tokens" not in adapted(EVERYTHING, [MAX_TOKENS])
    assert "tools" not in adapted(EVERYTHING, [TOOLS])
    assert "tools" in adapted(EVERYTHING, [TOOL_MESSAGES])
    nameless = adapted(EVERYTHING, [RESULT_NAMES])
    assert nameless["messages"] == [
        *EVERYTHING["messages"][:4],
        said("tool", "<ada> fixed", tool_call_id="call_1"),
    ]
    assert nameless["tools"] == EVERYTHING["tools"]
    *_, call, result = adapted(EVERYTHING, [CALL_IDS])["messages"]
    assert call["tool_calls"][0]["id"] == result["tool_call_id"]
    assert len(result["tool_call_id"]) == 9
    assert EVERYTHING["messages"][3]["tool_calls"][0]["id"] == "call_1"


def test_a_talk_that_an_assistant_begins_is_begun_by_a_user() -> None:
    talk = body(said("system", "rules"), said("assistant", "hello"), said("assistant", "again"))
    assert adapted(talk, [ALTERNATION])["messages"] == [
        said("system", "rules"),
        said("user", "(earlier)"),
        said("assistant", "hello\n\nagain"),
    ]


@given(st.lists(st.sampled_from(["system", "user", "assistant", "tool"])), st.text(max_size=5))
def test_adapted_to_everything_a_talk_alternates_and_loses_no_word(
    roles: list[str], text: str
) -> None:
    messages = [
        said(role, f"{n}:{text}", **({"tool_call_id": "x", "name": "y"} if role == "tool" else {}))
        for n, role in enumerate(roles)
    ]
    sent = adapted(body(*messages), ADAPTATIONS)["messages"]
    expected = ["user", "assistant"] * len(sent)
    assert [one["role"] for one in sent] == expected[: len(sent)]
    everything = "".join(one["content"] for one in sent)
    assert all(one["content"] in everything for one in messages)


@pytest.fixture
async def reasoning() -> AsyncIterator[OpenAI]:
    async with standing_in(OpenAI(reasons=True, listed=["glm", "other"])) as endpoint:
        yield endpoint


async def test_what_was_refused_is_left_out_for_an_hour_and_then_tried_again(
    reasoning: OpenAI, caplog: pytest.LogCaptureFixture
) -> None:
    clock = Clock()
    reasoning.will(*["Ada did."] * 4)
    async with llm_for(reasoning.url, clock=clock) as llm:
        await llm.next_message(TALK, [])
        assert len(reasoning.requests) == 3
        clock.now += REMEMBERED - 1
        await llm.next_message(TALK, [])
        assert len(reasoning.requests) == 4
        assert reasoning.requests[-1].keys() == {"model", "messages", "max_completion_tokens"}
        clock.now += 2
        await llm.next_message(TALK, [])
        assert len(reasoning.requests) == 7
        assert "temperature" in reasoning.requests[4]
        reasoning.reasons = False
        clock.now += REMEMBERED + 1
        await llm.next_message(TALK, [])
    assert {"temperature", "max_tokens"} <= reasoning.requests[-1].keys()
    assert [record.getMessage().partition(" (")[0] for record in caplog.records] == [
        f"The endpoint at {reasoning.url} refuses max_tokens",
        f"The endpoint at {reasoning.url} refuses a temperature",
    ]
    assert caplog.messages[1].endswith("), so it gets none.")


async def test_what_one_model_refuses_is_not_held_against_another(reasoning: OpenAI) -> None:
    settings = Settings.model_validate({"agent_api_url": reasoning.url, "agent_model": "other"})
    reasoning.will("one", "two", "three")
    async with llm_for(reasoning.url) as llm:
        await llm.next_message(TALK, [])
        llm.change_settings(settings)
        await llm.next_message(TALK, [])
        assert len(reasoning.requests) == 6
        llm.change_settings(settings.model_copy(update={"agent_model": "glm"}))
        await llm.next_message(TALK, [])
    assert len(reasoning.requests) == 7


async def test_refused_tools_are_offered_again_after_an_hour() -> None:
    clock = Clock()
    async with (
        standing_in(Vllm(has_parser=False, listed=["glm"])) as endpoint,
        llm_for(endpoint.url, clock=clock) as llm,
    ):
        endpoint.will("one", "two")
        await llm.next_message(TALK, [SEARCH])
        assert not llm.takes_tools
        clock.now += REMEMBERED
        assert llm.takes_tools
        endpoint.has_parser = True
        await llm.next_message(TALK, [SEARCH])
        assert "tools" in endpoint.requests[-1]


THOUGHT = AssistantToolCalls(ModelMessage("", (ToolCall("c", "search", '{"query": "gate"}'),)))


@pytest.mark.parametrize(
    "words",
    [
        "The `reasoning_content` in the thinking mode must be passed back to the API.",
        THOUGHT_SIGNATURE,
        "invalid tool call arguments",
    ],
)
async def test_who_refuses_an_earlier_call_reads_of_it_in_words_and_is_offered_tools_still(
    words: str,
) -> None:
    async with (
        standing_in(OpenAI(listed=["glm"])) as endpoint,
        llm_for(endpoint.url) as llm,
    ):
        endpoint.will(endpoint.error(400, words), "Ada did.", "Still Ada.")
        talk: list[TalkMessage] = [*TALK, THOUGHT, ToolResult("c", "search", "<ada> fixed")]
        for _ in range(2):
            await llm.next_message(talk, [SEARCH])
        assert llm.takes_tools
    (_, second, third) = endpoint.requests
    for request in (second, third):
        assert offered(request) == ["search"]
        assert [one["role"] for one in request["messages"]] == [
            "system",
            "user",
            "assistant",
            "user",
        ]
        assert "tool_calls" not in request["messages"][2]


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (400, "tool call validation failed: parameters for tool search did not match schema"),
        (400, "Parsing failed. The model generated output that could not be parsed."),
        (500, "Failed to parse input at pos 12: </tool_call>"),
        (500, "The model produced output that does not match the expected peg-native format"),
        (500, "error parsing tool call: raw='{', err=unexpected end of JSON input"),
        (400, 'unexpected tokens remaining in message header: Some("to=functions.search")'),
    ],
)
async def test_a_model_whose_call_is_of_no_use_is_asked_once_more_with_the_same_words(
    status: int, words: str
) -> None:
    async with (
        standing_in(OpenAI(listed=["glm"])) as endpoint,
        llm_for(endpoint.url) as llm,
    ):
        unusable = endpoint.error(status, words)
        endpoint.will(unusable, "Ada did.", unusable, unusable)
        assert (await llm.next_message(TALK, [SEARCH])).text == "Ada did."
        with pytest.raises(ModelUnavailable, match=re.escape(words[:30])):
            await llm.next_message(TALK, [SEARCH])
        assert llm.takes_tools
    first, *others = endpoint.requests
    assert others == [first] * 3


async def test_what_a_call_of_no_use_quotes_of_the_model_is_blamed_on_nothing() -> None:
    quoted = 'rude__list {"about": "context length, does not support tools"'
    async with (
        standing_in(OpenAI(listed=["glm"])) as endpoint,
        llm_for(endpoint.url) as llm,
    ):
        unusable = endpoint.error(500, f"Failed to parse input at pos 12: {quoted}")
        endpoint.will(unusable, unusable, "Ada did.")
        with pytest.raises(ModelUnavailable, match="Failed to parse input"):
            await llm.next_message([*TALK, THOUGHT, ToolResult("c", "search", "-")], [RUDE])
        assert llm.takes_tools
    first, second = endpoint.requests
    assert first == second


BY_PLACE = "tools.1.custom.input_schema: JSON schema is invalid. It must match draft 2020-12"
BY_NAME = "Invalid schema for function 'rude__list': In context=(), object schema is bad."
BY_NOTHING = "a schema of the tools is invalid"
RUDE = ToolSchema("rude__list", "List.", {"type": "object", "properties": {}})
KIND = ToolSchema("kind__look", "Look.", {"type": "object", "properties": {}})


def offered(request: dict[str, Any]) -> list[str]:
    return [tool["function"]["name"] for tool in request.get("tools", ())]


@pytest.mark.parametrize(
    ("status", "words", "left"),
    [
        (400, BY_PLACE, ["search", "kind__look"]),
        (400, BY_NAME, ["search", "kind__look"]),
        (500, f"vLLM API error (400): {BY_NAME}", ["search", "kind__look"]),
        (422, BY_NOTHING, ["search"]),
    ],
)
async def test_a_mounted_tool_that_is_refused_costs_its_own_channels_that_server_alone(
    caplog: pytest.LogCaptureFixture, status: int, words: str, left: list[str]
) -> None:
    clock = Clock()
    async with (
        standing_in(OpenAI(listed=["glm"])) as endpoint,
        llm_for(endpoint.url, clock=clock) as llm,
    ):
        endpoint.will(endpoint.error(status, words), *["Ada did."] * 4)
        await llm.next_message(TALK, [SEARCH, RUDE, KIND])
        await llm.next_message(TALK, [SEARCH, RUDE, KIND])
        await llm.next_message(TALK, [SEARCH])
        assert llm.takes_tools
        clock.now += REMEMBERED
        await llm.next_message(TALK, [SEARCH, RUDE])
    everything = ["search", "rude__list", "kind__look"]
    assert [offered(request) for request in endpoint.requests] == [
        everything,
        left,
        left,
        ["search"],
        ["search", "rude__list"],
    ]
    (message,) = caplog.messages
    assert "rude" in message.partition(" (")[0]
    assert "--enable-auto-tool-choice" not in message


async def test_where_no_tools_are_taken_nobody_blames_the_mounted_server(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with (
        standing_in(OpenAI(listed=["glm"])) as endpoint,
        llm_for(endpoint.url) as llm,
    ):
        refusal = endpoint.error(400, BY_NOTHING)
        endpoint.will(refusal, refusal, "Ada did.", "Still Ada.")
        await llm.next_message(TALK, [SEARCH, RUDE])
        assert not llm.takes_tools
        await llm.next_message(TALK, [SEARCH])
    names = [offered(request) for request in endpoint.requests]
    assert names == [["search", "rude__list"], ["search"], [], []]
    (message,) = caplog.messages
    assert " refuses tools (" in message


def test_a_refusal_of_all_tools_or_of_one_of_ours_is_no_fault_of_a_mounted_server() -> None:
    tools = [request_tool(tool) for tool in (SEARCH, RUDE)]
    talk = body(said("user", "who?"), tools=tools)
    litellm = "UnsupportedParamsError: ollama does not support parameters: ['tools'], for model=x"
    for words in (
        "gemma3:4b does not support tools",
        litellm,
        "tools.0.custom.input_schema: invalid",
    ):
        assert next_adaptation(400, words, talk, ()) is TOOLS
    assert next_adaptation(500, "boom", talk, ()) is None


@pytest.mark.parametrize(
    "words",
    [
        "body.messages.3.tool.name: Extra inputs are not permitted",
        "body.messages.3.tool.content: Input should be a valid list",
        "Invalid value: 'tool'. Supported values are: 'assistant', 'system', and 'user'.",
        "Expected last role User or Tool (or Assistant with prefix True) for serving but got it",
        "for 'role:tool' must be satisfied ('messages.3' : property 'text' is missing)",
        "messages.[3].content: the result of rude__list is not a list, and no tool is given",
    ],
)
async def test_a_refused_message_costs_neither_tools_nor_a_mounted_server(words: str) -> None:
    async with (
        standing_in(OpenAI(listed=["glm"])) as endpoint,
        llm_for(endpoint.url) as llm,
    ):
        endpoint.will(*[endpoint.error(status, words) for status in (422, 400)], "Ada did.")
        talk: list[TalkMessage] = [*TALK, THOUGHT, ToolResult("c", "search", "<ada> fixed")]
        with suppress(ModelUnavailable):
            await llm.next_message(talk, [SEARCH, RUDE])
        assert llm.takes_tools
    assert {tuple(offered(request)) for request in endpoint.requests} == {("search", "rude__list")}


async def test_an_endpoint_that_refuses_whatever_is_sent_teaches_nothing() -> None:
    async with (
        standing_in(Vllm(listed=["glm"])) as endpoint,
        llm_for(endpoint.url) as llm,
    ):
        refusal = endpoint.error(400, "tools and temperature are not supported, nor roles")
        endpoint.will(*[refusal] * 3)
        with pytest.raises(ModelUnavailable, match="nor roles"):
            await llm.next_message(TALK, [SEARCH])
        assert llm.takes_tools
    assert len(endpoint.requests) == 3
