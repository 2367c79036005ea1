"""A completion is understood in every form in which endpoints send it."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.irc_bridge.model.chat_completion import (
    MAX_CALLS,
    MAX_REASONING,
    MAX_TEXT,
    MAX_TOOL_NAME,
    NotACompletion,
    read_message,
)
from terrarium_mcp.irc_bridge.model.chat_request import request_messages
from terrarium_mcp.irc_bridge.model.chat_types import (
    MAX_ARGUMENTS,
    AssistantToolCalls,
    ModelMessage,
    ToolCall,
)


def completion(*messages: dict[str, Any] | None) -> bytes:
    return json.dumps({"choices": [{"message": message} for message in messages]}).encode()


def called(*calls: Any) -> bytes:
    return completion({"content": None, "tool_calls": list(calls)})


@pytest.mark.parametrize(
    ("call", "understood"),
    [
        ({"id": "c", "function": {"name": "f", "arguments": '{"a": 1}'}}, ("f", '{"a": 1}')),
        ({"id": "c", "function": {"name": "f", "arguments": {"a": 1}}}, ("f", '{"a": 1}')),
        ({"id": "c", "function": {"name": "f", "arguments": ""}}, ("f", "")),
        ({"id": "c", "function": {"name": "f", "arguments": None}}, ("f", "{}")),
        ({"id": "c", "function": {"name": "f", "arguments": []}}, ("f", "{}")),
        ({"id": "c", "function": {"name": "f"}}, ("f", "{}")),
        ({"id": "c", "function": {"arguments": "{}"}}, ("unnamed", "{}")),
        ({"id": "c", "function": None}, ("unnamed", "{}")),
        ({"id": "c"}, ("unnamed", "{}")),
    ],
)
def test_a_call_is_understood_whatever_is_missing(
    call: dict[str, Any], understood: tuple[str, str]
) -> None:
    (found,) = read_message(called(call)).calls
    assert (found.name, found.arguments) == understood


@pytest.mark.parametrize(
    ("sent", "understood"),
    [(0, "0"), (7, "7"), (7.5, "7.5"), ("c", "c"), (None, ""), ([1], "")],
)
def test_the_id_of_a_call_may_be_a_number(sent: object, understood: str) -> None:
    (found,) = read_message(called({"id": sent, "function": {"name": "f"}})).calls
    assert found.id == understood


def test_of_two_choices_the_first_is_the_answer() -> None:
    assert read_message(completion({"content": "one"}, {"content": "two"})).text == "one"


@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b"{", b'{"choices": []}', completion(None), b"data: [DONE]\n\n", b"data: {\n\n"],
)
def test_what_holds_no_message_is_no_completion(body: bytes) -> None:
    with pytest.raises(NotACompletion):
        read_message(body)


HALF = "\ud800"
"""Half of a surrogate pair, which no encoder takes."""


@pytest.mark.parametrize(
    "message",
    [
        {"content": f"tea {HALF} at four"},
        {"content": [{"type": "text", "text": f"tea {HALF} at four"}]},
        {"refusal": f"tea {HALF} at four"},
    ],
)
def test_half_of_a_surrogate_pair_in_an_answer_becomes_a_question_mark(
    message: dict[str, Any],
) -> None:
    assert read_message(completion(message)) == ModelMessage("tea ? at four")


def test_half_of_a_surrogate_pair_in_a_stream_becomes_one_too() -> None:
    body = events({"delta": {"content": f"tea {HALF}"}}, {"delta": {"content": " at four"}})
    assert read_message(body) == ModelMessage("tea ? at four")


@pytest.mark.parametrize(
    "body",
    [
        called({"id": f"c{HALF}", "function": {"name": f"f{HALF}", "arguments": f"{{{HALF}}}"}}),
        called({"id": f"c{HALF}", "function": {"name": f"f{HALF}", "arguments": {HALF: HALF}}}),
        completion({"content": json.dumps({"name": f"f{HALF}", "arguments": {"query": HALF}})}),
        completion({"content": "f(query='\\ud800')"}),
        completion({"content": f"<function=f><parameter=query>{HALF}</parameter></function>"}),
    ],
)
def test_every_field_of_a_call_can_be_encoded(body: bytes) -> None:
    (call,) = read_message(body, {"f", "f?"}).calls
    written = f"{call.id} {call.name} {call.arguments}"
    assert written.encode().decode() == written
    assert "?" in written


@pytest.mark.parametrize(
    ("written", "portable"),
    [
        ('{"query": "gate", "hours": NaN}', '{"query": "gate", "hours": null}'),
        ('{"hours": [-Infinity, 1e999, 1.5]}', '{"hours": [null, null, 1.5]}'),
        ('{"query": "tea \\ud83d"}', '{"query": "tea ?"}'),
        ('{ "query":"\\ud83d\\ude00" }', '{ "query":"\\ud83d\\ude00" }'),
        ('{"query": "gate"', '{"query": "gate"'),
    ],
)
def test_the_arguments_of_a_call_are_json_to_every_parser(written: str, portable: str) -> None:
    (call,) = read_message(
        called({"id": "c", "function": {"name": "f", "arguments": written}})
    ).calls
    assert call.arguments == portable


def test_so_are_those_of_a_call_that_is_written_as_text() -> None:
    text = '<tool_call>{"name": "f", "arguments": {"query": "\\ud83d", "hours": NaN}}</tool_call>'
    (call,) = read_message(completion({"content": text})).calls
    assert call.arguments == '{"query": "?", "hours": null}'


def test_of_a_huge_answer_the_beginning_is_kept_and_its_reasoning_is_not_counted() -> None:
    said = read_message(
        completion({"content": f"<think>{'hm ' * 50_000}</think>{'tea ' * 50_000}"})
    )
    assert said.text == ("tea " * 50_000)[:MAX_TEXT]


def test_a_call_behind_words_is_neither_made_nor_said() -> None:
    text = 'Let me see.\n<tool_call>{"name": "search", "arguments": {}}</tool_call>'
    assert read_message(completion({"content": text})) == ModelMessage("Let me see.")


GPT_OSS_CALL = (
    "<|channel|>commentary to=functions.search <|constrain|>json<|message|>"
    '{"query": "gate"}<|call|>'
)


@pytest.mark.parametrize(
    "text",
    [
        GPT_OSS_CALL,
        f"<|channel|>analysis<|message|>need search<|end|><|start|>assistant{GPT_OSS_CALL}",
        f"<|channel|>commentary<|message|>Let me look.<|end|><|start|>assistant{GPT_OSS_CALL}",
        f"{GPT_OSS_CALL}<|start|>assistant<|channel|>final<|message|>Bo did, I made up.",
        f"<|start|>assistant to=functions.search{GPT_OSS_CALL.replace(' to=functions.search', '')}",
        ' to=functions.search<|channel|>commentary json<|message|>{"query": "gate"}<|call|>',
        '<|channel|>commentary to=search<|message|>{"query":\n"gate"}',
    ],
)
def test_a_message_of_gpt_oss_to_a_tool_is_a_call(text: str) -> None:
    said = read_message(completion({"content": text}), {"search"})
    assert said == ModelMessage("", (ToolCall("", "search", '{"query": "gate"}'),))


def test_its_calls_may_be_several_or_without_arguments() -> None:
    text = f"{GPT_OSS_CALL}<|start|>assistant<|channel|>commentary to=functions.who<|message|>"
    calls = read_message(completion({"content": text})).calls
    assert [(call.name, call.arguments) for call in calls] == [
        ("search", '{"query": "gate"}'),
        ("who", "{}"),
    ]


def test_its_code_for_a_tool_of_its_own_is_a_call_of_no_tool() -> None:
    text = "<|channel|>analysis to=python code<|message|>print('gate')<|call|>"
    (call,) = read_message(completion({"content": text})).calls
    assert call.name == "unnamed"


def test_a_call_behind_its_answer_is_made_up() -> None:
    text = f"<|channel|>final<|message|>Bo did.<|return|><|start|>assistant{GPT_OSS_CALL}"
    assert read_message(completion({"content": text})) == ModelMessage("Bo did.")


def test_a_fence_that_a_special_token_closes_is_closed() -> None:
    text = (
        "<|tool_calls_begin|><|tool_call_begin|>function<|tool_sep|>search\n```json\n"
        '{"query": "gate"}\n```<|tool_call_end|><|tool_calls_end|><|end_of_sentence|>'
    ).translate({ord("|"): "\uff5c", ord("_"): "\u2581"})
    said = read_message(completion({"content": text}))
    assert said.calls == (ToolCall("", "search", '{"query": "gate"}'),)


@pytest.mark.parametrize(
    ("finish", "ending"),
    [
        ("length", " …"),
        ("max_tokens", " …"),
        ("MAX_TOKENS", " …"),
        ("content_filter", " …"),
        ("stop", ""),
        (None, ""),
    ],
)
def test_an_answer_that_was_cut_by_its_limit_or_a_filter_ends_with_an_ellipsis(
    finish: str | None, ending: str
) -> None:
    choice = {"message": {"content": "The gate is"}, "finish_reason": finish}
    body = json.dumps({"choices": [choice]}).encode()
    assert read_message(body).text == f"The gate is{ending}"


@pytest.mark.parametrize("finish", ["content_filter", "stop"])
def test_nothing_that_a_filter_left_is_no_reasoning(finish: str) -> None:
    choice = {"message": {"content": ""}, "finish_reason": finish}
    assert not read_message(json.dumps({"choices": [choice]}).encode()).only_reasoned


@pytest.mark.parametrize(
    "broken",
    [
        {"finish_reason": "error", "error": {"code": 502, "message": "provider disconnected"}},
        {"finish_reason": None, "error": {"message": "provider disconnected"}},
        {"finish_reason": "error", "native_finish_reason": "provider disconnected"},
    ],
)
def test_of_an_answer_that_the_endpoint_broke_off_nothing_is_said(broken: dict[str, Any]) -> None:
    choice = {"message": {"content": "The gate is not"}, **broken}
    with pytest.raises(NotACompletion, match="provider disconnected") as told:
        read_message(json.dumps({"choices": [choice]}).encode())
    assert "gate" not in str(told.value)


@pytest.mark.parametrize("finish", ["stop", None])
def test_nor_where_the_error_is_beside_the_choices(finish: str | None) -> None:
    choice = {"message": {"content": "The gate is not"}, "finish_reason": finish}
    error = {"code": 502, "message": "Upstream idle timeout"}
    with pytest.raises(NotACompletion, match="Upstream idle timeout") as told:
        read_message(json.dumps({"choices": [choice], "error": error}).encode())
    assert "gate" not in str(told.value)
    assert not told.value.is_foreign
    whole = {"choices": [choice], "error": None}
    assert read_message(json.dumps(whole).encode()).text == "The gate is not"


def test_nor_of_a_stream_that_it_broke_off() -> None:
    body = events({"delta": {"content": "It is not"}}, {"delta": {}, "finish_reason": "error"})
    with pytest.raises(NotACompletion):
        read_message(body)


def test_a_call_is_a_call_also_where_the_limit_was_reached() -> None:
    choice = {"message": {"content": "f(x=1)"}, "finish_reason": "length"}
    (call,) = read_message(json.dumps({"choices": [choice]}).encode(), {"f"}).calls
    assert call.name == "f"


def test_of_very_many_calls_the_first_are_kept() -> None:
    calls = [{"id": f"c{n}", "function": {"name": "f", "arguments": "{}"}} for n in range(1_000)]
    found = read_message(called(*calls)).calls
    assert [call.id for call in found] == [f"c{n}" for n in range(MAX_CALLS)]
    written = read_message(completion({"content": "[called f {}]\n" * 1_000})).calls
    assert [call.name for call in written] == ["f"] * MAX_CALLS


LONG_NAME = "f" * 1_000
LONG = json.dumps({"query": "x" * MAX_ARGUMENTS})


@pytest.mark.parametrize(
    "body",
    [
        called({"id": "c", "function": {"name": LONG_NAME, "arguments": LONG}}),
        called({"id": "c", "function": {"name": LONG_NAME, "arguments": json.loads(LONG)}}),
        completion({"function_call": {"name": LONG_NAME, "arguments": LONG}}),
        completion({"content": f'<tool_call>{{"name": "{LONG_NAME}", "arguments": {LONG}}}'}),
    ],
)
def test_of_a_huge_call_the_arguments_are_left_out_and_the_name_is_cut(body: bytes) -> None:
    (call,) = read_message(body).calls
    assert (call.name, call.arguments, call.is_too_long) == ("f" * MAX_TOOL_NAME, "", True)


def test_a_call_with_the_longest_arguments_is_kept_whole() -> None:
    arguments = json.dumps({"query": "x" * (MAX_ARGUMENTS - len('{"query": ""}'))})
    body = called({"id": "c", "function": {"name": "f", "arguments": arguments}})
    assert read_message(body).calls == (ToolCall("c", "f", arguments),)


def events(*chunks: dict[str, Any]) -> bytes:
    lines = [f"data: {json.dumps({'choices': [chunk]})}\r\n\r\n" for chunk in chunks]
    return "".join([": ping\r\n\r\n", *lines, "data: [DONE]\r\n\r\n"]).encode()


@pytest.mark.parametrize(
    "parts",
    [
        [{"type": "text", "text": "The gate"}, {"type": "text", "text": " is green."}],
        [{"type": "thinking", "text": "Hm."}, {"type": "text", "text": "The gate is green."}],
        [
            {"type": "reasoning", "text": "Hm."},
            {"type": "output_text", "text": "The gate is green."},
        ],
        [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}, "The gate is green."],
        [{"type": "image_url", "text": None}, {"text": "The gate is green."}],
        ["The gate ", "is green.", {"type": "text"}],
    ],
)
def test_of_content_in_parts_only_the_words_are_the_answer(parts: list[Any]) -> None:
    assert read_message(completion({"content": parts})).text == "The gate is green."
    assert read_message(events({"delta": {"content": parts}})).text == "The gate is green."


def test_nothing_but_parts_of_reasoning_is_no_answer() -> None:
    said = read_message(completion({"content": [{"type": "thinking", "text": "Hm."}]}))
    assert (said.text, said.only_reasoned) == ("", True)


@pytest.mark.parametrize(
    "thought",
    [
        {"reasoning_content": "Hm."},
        {"reasoning": "Hm."},
        {"reasoning_details": [{"type": "reasoning.text", "text": "Hm."}]},
        {"thinking": "Hm."},
        {"thinking_blocks": [{"type": "thinking", "thinking": "Hm."}]},
    ],
)
def test_nothing_but_reasoning_beside_the_content_is_no_answer(thought: dict[str, Any]) -> None:
    said = read_message(completion({"content": "", **thought}))
    assert (said.text, said.only_reasoned) == ("", True)


def test_a_call_in_the_form_before_tools_is_a_call() -> None:
    function = {"name": "f", "arguments": '{"a": 1}'}
    said = read_message(completion({"content": None, "function_call": function}))
    assert said.calls == (ToolCall("", "f", '{"a": 1}'),)


def test_a_refusal_may_be_a_part() -> None:
    parts = [{"type": "refusal", "refusal": "I must decline."}]
    assert read_message(completion({"content": parts})).text == "I must decline."


@pytest.mark.parametrize("index", [{}, {"index": 0}])
def test_in_a_stream_another_id_begins_another_call(index: dict[str, int]) -> None:
    def piece(arguments: str, **more: str) -> dict[str, Any]:
        name, call_id = more.get("name"), more.get("id")
        function = {"arguments": arguments, **({"name": name} if name else {})}
        call = {**index, "function": function, **({"id": call_id} if call_id else {})}
        return {"delta": {"tool_calls": [call]}}

    said = read_message(
        events(
            piece('{"a":', name="f", id="one"),
            piece(" 1}", id="one"),
            piece('{"b":', name="g", id="two"),
            piece(" 2}"),
        )
    )
    assert said.calls == (ToolCall("one", "f", '{"a": 1}'), ToolCall("two", "g", '{"b": 2}'))


@pytest.mark.parametrize("index", [{}, {"index": 0}])
def test_in_a_stream_without_ids_another_name_begins_another_call(index: dict[str, int]) -> None:
    def piece(**function: str) -> dict[str, Any]:
        return {"delta": {"tool_calls": [{**index, "function": function}]}}

    whole = [
        piece(name="f", arguments='{"a": 1}'),
        piece(name="g", arguments=""),
        piece(name="f", arguments='{"a":'),
        piece(name="f", arguments=" 2}"),
        piece(name="f", arguments='{"a": 3}'),
    ]
    assert [(call.name, call.arguments) for call in read_message(events(*whole)).calls] == [
        ("f", '{"a": 1}'),
        ("g", ""),
        ("f", '{"a": 2}'),
        ("f", '{"a": 3}'),
    ]


def test_in_a_stream_a_name_that_is_repeated_with_its_id_is_read_once() -> None:
    def piece(arguments: Any) -> dict[str, Any]:
        call = {"index": 0, "id": "c", "function": {"name": "f", "arguments": arguments}}
        return {"delta": {"tool_calls": [call]}}

    expected = (ToolCall("c", "f", '{"a": 1}'),)
    assert read_message(events(piece('{"a":'), piece(" 1}"))).calls == expected
    assert read_message(events(piece({"a": 1}))).calls == expected


def test_in_a_stream_too_a_call_may_have_the_form_before_tools() -> None:
    pieces = [{"name": "f", "arguments": ""}, {"arguments": '{"a":'}, {"arguments": " 1}"}]
    said = read_message(events(*({"delta": {"function_call": piece}} for piece in pieces)))
    assert said.calls == (ToolCall("", "f", '{"a": 1}'),)


def test_a_stream_is_joined_with_its_calls() -> None:
    pieces: list[dict[str, Any]] = [
        {"delta": {"role": "assistant", "content": "Let "}},
        {"delta": {"content": "me see."}},
        {"delta": {"tool_calls": [
            {"index": 0, "id": "c1", "function": {"name": "f", "arguments": ""}}]}},
        {"delta": {"tool_calls": [{"index": 0, "function": {"arguments": '{"a"'}}]}},
        {"delta": {"tool_calls": [{"index": 0, "function": {"arguments": ": 1}"}}]}},
        {"delta": {"tool_calls": [
            {"index": 1, "id": "c2", "function": {"name": "g", "arguments": "{}"}}]}},
        {"delta": {}, "finish_reason": "tool_calls"},
    ]  # fmt: skip
    assert read_message(events(*pieces)) == ModelMessage(
        "Let me see.", (ToolCall("c1", "f", '{"a": 1}'), ToolCall("c2", "g", "{}"))
    )


@pytest.mark.parametrize("begin", [b"retry: 3000\n\n", b"\xef\xbb\xbf", b"id: 1\n"])
def test_a_stream_may_begin_with_any_of_its_fields_and_a_byte_order_mark(begin: bytes) -> None:
    assert read_message(begin + events({"delta": {"content": "tea"}})[10:]) == ModelMessage("tea")


def test_a_stream_may_hold_a_whole_message() -> None:
    whole = {"message": {"role": "assistant", "content": "tea"}, "finish_reason": "stop"}
    assert read_message(events(whole)) == ModelMessage("tea")


def test_of_a_stream_with_two_choices_the_first_is_the_answer() -> None:
    pieces = [
        {"index": 1, "delta": {"content": "mate"}},
        {"index": 0, "delta": {"content": "tea"}},
        {"index": 1, "delta": {"content": " now"}, "finish_reason": "length"},
        {"index": 0, "delta": {}, "finish_reason": "stop"},
    ]
    assert read_message(events(*pieces)) == ModelMessage("tea")


@pytest.mark.parametrize(
    "message",
    [
        {"content": "tea", "tool_calls": ""},
        {"content": "tea", "tool_calls": [None]},
        {"content": "tea", "tool_calls": {}},
        {"content": [None, {"type": "text", "text": "tea"}, 7]},
    ],
)
def test_an_answer_is_not_lost_for_a_field_that_says_nothing(message: dict[str, Any]) -> None:
    choice = {"message": message, "finish_reason": 0}
    assert read_message(json.dumps({"choices": [choice]}).encode()) == ModelMessage("tea")


def test_a_stream_that_breaks_off_is_no_completion() -> None:
    said = events({"delta": {"content": "The gate is not"}}, {"delta": {"content": " open."}})
    assert read_message(said) == ModelMessage("The gate is not open.")
    broken_off, _ = said.split(b"data: [DONE]")
    error = b'data: {"error": {"message": "the engine died"}}'
    for body in (broken_off, broken_off[:-20], broken_off + error):
        with pytest.raises(NotACompletion):
            read_message(body)


@pytest.mark.parametrize(
    "error",
    [{"error": {"message": "engine died"}}, {"object": "error", "message": "engine died"}],
)
@pytest.mark.parametrize("end", [b"data: [DONE]\n\n", b""])
def test_an_error_in_a_stream_leaves_nothing_of_its_answer(
    error: dict[str, Any], end: bytes
) -> None:
    whole = events({"delta": {"content": "Yes, delete it"}, "finish_reason": "stop"})
    body = whole.partition(b"data: [DONE]")[0] + f"data: {json.dumps(error)}\n\n".encode() + end
    with pytest.raises(NotACompletion, match="engine died") as told:
        read_message(body)
    assert "delete" not in str(told.value)


def test_an_event_without_an_error_may_say_so() -> None:
    piece = {"choices": [{"delta": {"content": "tea"}}], "error": None}
    body = f"data: {json.dumps(piece)}\n\ndata: [DONE]\n\n".encode()
    assert read_message(body) == ModelMessage("tea")


def test_a_stream_of_reasoning_alone_is_told_apart() -> None:
    body = events({"delta": {"reasoning_content": "Hm."}}, {"delta": {}, "finish_reason": "length"})
    assert read_message(body) == ModelMessage("", only_reasoned=True)


CALL = {"id": "c1", "function": {"name": "f", "arguments": "{}"}}


@pytest.mark.parametrize(
    "reasoning",
    [
        {"reasoning_content": "Hm."},
        {"reasoning": "Hm.", "reasoning_details": [{"type": "reasoning.text", "text": "Hm."}]},
        {"thinking_blocks": [{"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}]},
    ],
)
@pytest.mark.parametrize(
    "calls", [{"content": None, "tool_calls": [CALL]}, {"content": "[called f {}]"}]
)
def test_the_reasoning_that_came_with_calls_goes_back_with_them_as_it_came(
    reasoning: dict[str, Any], calls: dict[str, Any]
) -> None:
    said = read_message(completion({**calls, **reasoning}), {"f"})
    (message,) = request_messages([AssistantToolCalls(said)])
    fields = message.keys() - {"role", "content", "tool_calls"}
    assert {name: message[name] for name in fields} == reasoning


@pytest.mark.parametrize("is_streamed", [False, True])
def test_so_does_the_signature_of_a_call(is_streamed: bool) -> None:
    signed = {**CALL, "extra_content": {"google": {"thought_signature": "c2ln"}}}
    body = events({"delta": {"tool_calls": [signed]}}) if is_streamed else called(signed, CALL)
    (message,) = request_messages([AssistantToolCalls(read_message(body))])
    first, *others = message["tool_calls"]
    assert first["extra_content"] == {"google": {"thought_signature": "c2ln"}}
    assert not any("extra_content" in call for call in others)


@pytest.mark.parametrize("empty", [None, "", []])
def test_what_came_without_reasoning_goes_back_without_it(empty: object) -> None:
    body = completion({"tool_calls": [CALL], "reasoning_content": empty, "reasoning": empty})
    (message,) = request_messages([AssistantToolCalls(read_message(body))])
    assert message.keys() == {"role", "content", "tool_calls"}


def test_of_reasoning_no_request_has_room_for_nothing_is_kept() -> None:
    signed = {**CALL, "extra_content": "x" * MAX_REASONING}
    body = completion({"tool_calls": [signed], "reasoning": "x" * MAX_REASONING})
    said = read_message(body)
    assert said == said.without_reasoning
    assert request_messages([AssistantToolCalls(said)]) == request_messages(
        [AssistantToolCalls(said.without_reasoning)]
    )


@given(st.binary() | st.text(alphabet='data:{}[]"choices,delta \n', max_size=80).map(str.encode))
def test_no_body_is_an_error_of_ours(body: bytes) -> None:
    for sent in (body, b"data: " + body):
        with suppress(NotACompletion):
            read_message(sent)
