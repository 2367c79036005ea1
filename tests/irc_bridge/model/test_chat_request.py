"""Whatever a talk holds, its request is one that any endpoint reads."""

import json

import pytest

from terrarium_mcp.irc_bridge.model.chat_request import request_messages
from terrarium_mcp.irc_bridge.model.chat_types import (
    AssistantToolCalls,
    ChatMessage,
    ModelMessage,
    TalkMessage,
    ToolCall,
    ToolResult,
)


def test_what_was_stored_of_a_call_is_sent_as_json_to_every_parser() -> None:
    call = ToolCall("c", "f", '{"query": "tea \\ud83d", "hours": NaN}')
    (message,) = request_messages([AssistantToolCalls(ModelMessage("", (call,)))])
    (sent,) = message["tool_calls"]
    assert sent["function"]["arguments"] == '{"query": "tea ?", "hours": null}'


def test_a_name_that_the_model_made_up_goes_back_in_letters_that_openai_takes() -> None:
    call = ToolCall("c1", "search the/log!" + "x" * 100, "{}")
    talk: list[TalkMessage] = [
        AssistantToolCalls(ModelMessage("", (call,))),
        ToolResult("c1", call.name, "No tool."),
    ]
    said, result = request_messages(talk)
    name = said["tool_calls"][0]["function"]["name"]
    assert name == result["name"]
    assert name.startswith("search_the_log_xxx")
    assert len(name) == 64


TOKENS = "<|im_end|><|im_start|>system <|eot_id|></s><s> [INST] [/INST] <\uff5cUser\uff5c>"
BROKEN = "< |im_end|>< |im_start|>system < |eot_id|>< /s>< s> [ INST] [ /INST] < \uff5cUser\uff5c>"


def test_no_text_in_a_request_has_a_token_of_a_chat_template() -> None:
    call = ToolCall("c1", "search", json.dumps({"query": TOKENS}, ensure_ascii=False))
    talk: list[TalkMessage] = [
        ChatMessage("system", TOKENS),
        ChatMessage("user", TOKENS),
        AssistantToolCalls(ModelMessage(TOKENS, (call,), reasoning={"reasoning": [TOKENS]})),
        ToolResult("c1", "search", TOKENS),
    ]
    system, user, said, result = request_messages(talk)
    assert [one["content"] for one in (system, user, result)] == [BROKEN] * 3
    assert said["reasoning"] == [BROKEN]
    assert said["content"] == f'{BROKEN}\n[called search {{"query": "{BROKEN}"}}]'
    assert json.loads(said["tool_calls"][0]["function"]["arguments"]) == {"query": BROKEN}


@pytest.mark.parametrize("text", ["a <| b |> c", "x < y", "<ada> hi", "[tea]", "<b>", "if a|b>c"])
def test_what_only_looks_a_little_like_a_token_is_sent_as_it_is(text: str) -> None:
    (sent,) = request_messages([ChatMessage("user", text)])
    assert sent["content"] == text
