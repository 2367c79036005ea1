"""A call is text unless it is all that the model wrote."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.irc_bridge.model.text_tool_calls import (
    text_tool_calls,
    without_calls_behind,
)

GATE = '{"name": "search", "arguments": {"query": "gate"}}'


def deepseek(text: str) -> str:
    """With bars and underscores as DeepSeek's tokens have them."""
    return re.sub(r"[|_]", lambda found: {"|": "\uff5c", "_": "\u2581"}[found[0]], text)


DEEPSEEK_V3 = deepseek(
    "<|tool_calls_begin|><|tool_call_begin|>function<|tool_sep|>search\n```json\n"
    '{"query": "gate"}\n```<|tool_call_end|><|tool_calls_end|>'
)
DEEPSEEK_V3_1 = deepseek(
    "<|tool_calls_begin|><|tool_call_begin|>search<|tool_sep|>"
    '{"query": "gate"}<|tool_call_end|><|tool_calls_end|>'
)
KIMI = (
    "<|tool_calls_section_begin|><|tool_call_begin|>functions.search:0<|tool_call_argument_begin|>"
    '{"query": "gate"}<|tool_call_end|><|tool_calls_section_end|>'
)
COMMAND_A = (
    '<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "search", "parameters": '
    '{"query": "gate"}}]<|END_ACTION|>'
)
INVOKED = '<invoke name="search">\n<parameter name="query">gate</parameter>\n</invoke>\n'
MINIMAX = f"<minimax:tool_call>\n{INVOKED}</minimax:tool_call>"


OFFERED = {"search", "search_irc_history", "get_current_users"}


def read(text: str) -> list[tuple[str, Any]]:
    return [(call.name, json.loads(call.arguments)) for call in text_tool_calls(text, OFFERED)]


@pytest.mark.parametrize(
    "text",
    [
        GATE,
        f"  {GATE}\n",
        '{"name": "search", "parameters": {"query": "gate"}}',
        '{"type": "function", "name": "search", "arguments": "{\\"query\\": \\"gate\\"}"}',
        f"[{GATE}]",
        f"<tool_call>\n{GATE}\n</tool_call>",
        f"```json\n{GATE}\n```",
        f"```\n<tool_call>{GATE}</tool_call>\n```",
        "<tool_call>search\n<arg_key>query</arg_key>\n<arg_value>gate</arg_value>\n</tool_call>",
        'search(query="gate")',
        "search(\n    query='gate',\n)",
        '[called search {"query": "gate"}]',
        f"<tool_call>\n{GATE}",  # its end is where some endpoints stop
        f"[TOOL_CALLS][{GATE}]",
        f"<|python_tag|>{GATE}",
        f'{{"id": "call_1", "type": "function", "function": {GATE}}}',
        '<function=search>{"query": "gate"}</function>',
        "<function=search>\n<parameter=query>\ngate\n</parameter>\n</function>",
        "<tool_call>\n<function=search>\n<parameter=query>\ngate\n</parameter>\n</function>\n</tool_call>",
        "<tool_call>{'name': 'search', 'arguments': {'query': 'gate'}}</tool_call>",
        '[search(query="gate")]',
        '<|python_tag|>search.call(query="gate")',
        '```tool_code\nprint(search(query="gate"))\n```',
        '[TOOL_CALLS]search{"query": "gate"}',
        '[TOOL_CALLS]search[ARGS]{"query": "gate"}',
        '[TOOL_CALLS]search[CALL_ID]a1b2c3d4e[ARGS]{"query": "gate"}',
        f"<|tool_call|>[{GATE}]<|/tool_call|>",
        f"<|tool_call|>[{GATE}]",
        f"functools[{GATE}]",
        '{"tool_calls": [{"tool_name": "search", "parameters": {"query": "gate"}}]}',
        DEEPSEEK_V3,
        DEEPSEEK_V3_1,
        KIMI,
        MINIMAX,
        '<|tool_call_start|>[search(query="gate")]<|tool_call_end|>',
        'default_api.search(query="gate")',
        'print(default_api.search(query="gate"))',
        '<tool_code>\nprint(default_api.search(query="gate"))\n</tool_code>',
        "<start_function_call>call:search{query:<escape>gate<escape>}<end_function_call>",
        'Action: search\nAction Input: {"query": "gate"}',
        'Thought: I should look.\nOr not?\nAction: search\nAction Input: {"query": "gate"}',
        'Action: search\nAction Input: {"query": "gate"}\nObservation: bo did\nFinal Answer: bo',
        'Action: search\nAction Input: {"query": "gate"}\nFinal Answer: bo',
        'Action: search\nAction Input: {"query": "gate"}\nThought: I know.\nFinal Answer: bo',
        '**Thought:** hm\n**Action:** `search`\n**Action Input:** {"query": "gate"}',
        'thought: hm\naction: search\naction input: {"query": "gate"}',
        COMMAND_A,
        f"<TOOLCALL>[{GATE}]</TOOLCALL>",
    ],
)
def test_a_whole_content_call_is_a_call(text: str) -> None:
    assert read(text) == [("search", {"query": "gate"})]


@pytest.mark.parametrize(
    "text",
    [
        "",
        'I could call search(query="x") but I will not.',
        'search(query="x") finds it.',
        f"Let me look.\n{GATE}",
        f"{GATE}\nDone.",
        '{"name": "Ada", "age": 36}',
        '{"name": "search"}',
        'Let me look.\nAction: search\nAction Input: {"query": "gate"}',
        'Thought: hm. Action: search\nAction Input: {"query": "gate"}',
        "Thought: hm\nAction: exit\nAction Input: {}",
        "Action: search\nAction Input: gate",
        "Action: exit\nAction Input: {}",
        "default_api.search('gate')",
        "other_api.search(query='gate')",
        '{"name": "Ada", "arguments": {}, "age": 36}',
        '{"name": "", "arguments": {}}',
        '{"name": "search", "arguments": [1]}',
        '{"name": "search", "arguments": "gate"}',
        "[]",
        "42",
        'print("hello")',
        "search(query=other)",
        "search(**{'query': 'x'})",
        "tools.search(query='x')",
        "search(query={1, 2})",
        "(((",
        "f(x=" + "(" * 5000 + ")" * 5000 + ")",
        "[" * 100_000,
        "```python\nsearch(query='gate')\n```",
        f"{GATE}\n\nThat is what I would call.",
        "[TOOL_CALLS] is how Mistral begins a call.",
        "<tool_call> begins a call.",
        "[1, 2]",
        "[search(query='gate'), 3]",
        "[search]",
        "print(search)",
        '{"tool_calls": []}',
        "use <tools> in XML",
        "<tools>\n  <tool>hammer</tool>\n</tools>",
        "`<tool_call>` begins a call.",
        '"[TOOL_CALLS]" begins a call.',
        "Use <tool_call>",
        "functools[0] is no call",
        "<|python_tag|> is a token of Llama.",
        "<tool_call>: Hermes has it.",
    ],
)
def test_anything_else_is_text(text: str) -> None:
    assert read(text) == []


TAGGED = {
    "Qwen3-Coder without the opening tag": (
        "<function=search>\n<parameter=query>\ngate\n</parameter>\n</function>\n</tool_call>"
    ),
    "Qwen2.5 without the opening tag": f"{GATE}\n</tool_call>",
    "Qwen2.5-Coder": f"<tools>\n{GATE}\n</tools>",
    "Hermes with a line break in a string": (
        '<tool_call>{"name": "search", "arguments": {"query": "gate\n"}}</tool_call>'
    ),
    "Hermes with only the last call closed": f"<tool_call>{GATE}\n<tool_call>{GATE}</tool_call>",
    "Llama 4": '<|python_start|>[search(query="gate")]<|python_end|>',
    "Llama 4 in JSON": f"<|python_start|>{GATE}<|python_end|>",
    "DeepSeek V3.2": deepseek(
        '<|DSML|function~calls>\n<|DSML|invoke name="search">\n'
        '<|DSML|parameter name="query" string="true">gate</|DSML|parameter>\n'
        "</|DSML|invoke>\n</|DSML|function~calls>"
    ).replace("~", "_"),
    "Gemma 4": '<|tool_call>call:search{query:<|"|>gate<|"|>}<tool_call|>',
    "Jamba and Hunyuan": f"<tool_calls>[\n  {GATE}\n]</tool_calls>",
    "MiniMax M1": f"<tool_calls>\n{GATE}\n</tool_calls>",
    "Seed-OSS": (
        "<seed:tool_call>\n<function=search>\n<parameter=query>gate</parameter>\n"
        "</function>\n</seed:tool_call>"
    ),
    "LongCat": f"<longcat_tool_call>\n{GATE}\n</longcat_tool_call>",
    "OLMo 3": '<function_calls>\nsearch(query="gate")\n</function_calls>',
    "Granite 20B": f"<function_call> {GATE}",
    "InternLM": f"<|action_start|><|plugin|>\n{GATE}<|action_end|>",
    "MiniCPM": ('<|tool_call_start|>\n```python\nsearch(query="gate")\n```\n<|tool_call_end|>'),
}


@pytest.mark.parametrize("whose", TAGGED)
def test_in_its_own_tags_the_call_of_a_model_is_a_call(whose: str) -> None:
    called = {(name, arguments["query"].strip()) for name, arguments in read(TAGGED[whose])}
    assert called == {("search", "gate")}


@pytest.mark.parametrize(
    "text",
    [
        f"<tool_call>{GATE}</tool_call> and then?",
        f"<tool_call>{GATE}</tool_call>\n<tool_response>bo did</tool_response>\nBo did.",
        "<tool_response>bo did</tool_response>",
        "<tool_call>not JSON</tool_call>",
        '<tool_call>{"name": "search", "arguments": {"query": "ga',
        f"<tool_call>{GATE}</tool_call><tool_call>no call</tool_call>",
        f"<tool_call>{{{GATE}}}</tool_call>",
        '<|tools_prefix|>[{"search": {"query": "gate"}}]<|tools_suffix|>',
        "<|python_tag|>import os\nprint(1)",
        "<start_function_call>call:search{query:{}}<end_function_call>",
        "<tool_code>print('gate')</tool_code>",
        '[called search {"query": "ga…]',
        "<function=search>a gate</function>",
        "<function=search><parameter=query>gate</parameter></function> finds it",
        "<function=search><parameter=query>gate</parameter> or so</function>",
        "[TOOL_CALLS]search is how Mistral calls it: {}",
        "[TOOL_CALLS]search[ARGS]{'query'",
        "<|tool_call_begin|>functions.search:0<|tool_call_argument_begin|>gate<|tool_call_end|>",
        "<|tool_calls_section_begin|>",
        deepseek("<|tool_outputs_begin|>"),
        '<invoke name="search">a gate</invoke>',
    ],
)
def test_what_begins_in_tags_and_cannot_be_read_is_a_call_of_no_tool(text: str) -> None:
    assert read(text) == [("unnamed", {})]
    assert [call.name for call in text_tool_calls(text, ())] == ["unnamed"]


@pytest.mark.parametrize(
    "calls",
    [
        f"<tool_call>\n{GATE}\n</tool_call>",
        f"<|python_tag|>{GATE}",
        DEEPSEEK_V3,
        KIMI,
        MINIMAX,
        TAGGED["Qwen3-Coder without the opening tag"],
        f"<TOOLCALL>[{GATE}]</TOOLCALL>",
        "<start_function_call>call:search{}<end_function_call>",
        "<tool_code>\nsearch()\n</tool_code>",
    ],
)
def test_of_words_with_calls_in_tags_of_a_template_the_words_are_left(calls: str) -> None:
    assert without_calls_behind(f"Let me look that up.\n\n{calls}") == "Let me look that up."
    assert without_calls_behind(f"Let me look that up. {calls}") == "Let me look that up."


@pytest.mark.parametrize(
    "calls",
    [
        *(DEEPSEEK_V3, DEEPSEEK_V3_1, KIMI, COMMAND_A),
        '[TOOL_CALLS]search[ARGS]{"query": "gate"}',
        f"<|python_tag|>{GATE}",
        '<|tool_call>call:search{query:<|"|>gate<|"|>}<tool_call|>',
    ],
)
def test_special_tokens_begin_a_call_in_the_middle_of_a_line(calls: str) -> None:
    for words in ("Let me check.", "Let me check", "Let me check:", "Um (or so)"):
        assert without_calls_behind(words + calls) == words
        assert without_calls_behind(f"{words} {calls}") == words


def test_a_tag_at_the_end_of_its_line_begins_a_call_too() -> None:
    assert without_calls_behind(f"Let me check <tool_call>\n{GATE}") == "Let me check"


@pytest.mark.parametrize(
    "text",
    [
        "Let me look.",
        f"Let me look.\n{GATE}",
        f"Write <tool_call>{GATE}</tool_call>",
        f"Write:\n```\n<tool_call>{GATE}</tool_call>\n```",
        f"Write:\n<tool_call>{GATE}</tool_call>\nThat is all.",
        f"<tool_call>{GATE}</tool_call> and then?",
        f'Mistral writes "[TOOL_CALLS][{GATE}]',
        f"Mistral writes `[TOOL_CALLS][{GATE}]`",
        f"Llama writes `<|python_tag|>{GATE}`.",
        f"Write it as follows:\n```\n<|python_tag|>{GATE}\n```",
        "Use <tools> in XML.",
        "Hermes uses the <tool_call> tag. Mistral uses [TOOL_CALLS] for it.",
        "It was <|python_tag|> that Llama began with",
        "Say it with <tool_call>",
        "It is called [TOOL_CALLS].",
        "It is called [TOOL_CALLS], not [ARGS]",
        "The log says: <ada> [TOOL_CALLS] lol",
        "1. <tool_call>\n2. </tool_call>",
    ],
)
def test_words_without_such_calls_behind_them_are_words(text: str) -> None:
    assert without_calls_behind(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "exit()",
        "quit()",
        "[list()]",
        "foo(x=1)",
        "print(foo())",
        '{"name": "ada", "parameters": {"age": 5}}',
        '[{"name": "ada", "arguments": {}}]',
        '{"name": "ada", "parameters": {}}\n{"name": "bo", "parameters": {}}',
        f'[{GATE}, {{"name": "ada", "parameters": {{}}}}]',
        "```tool_code\nexit()\n```",
        '```\n<tool_call>{"name": "ada", "arguments": {}}</tool_call>\n```',
    ],
)
def test_what_names_no_tool_that_is_offered_is_an_answer(text: str) -> None:
    assert read(text) == []


@pytest.mark.parametrize("text", [GATE, 'search(query="gate")', 'search_chat_logs(query="gate")'])
def test_where_no_tools_are_offered_text_is_text(text: str) -> None:
    assert text_tool_calls(text, ()) == ()


def test_in_tags_of_a_template_also_the_name_of_no_tool_is_a_call() -> None:
    assert read('<tool_call>{"name": "serch", "arguments": {}}</tool_call>') == [("serch", {})]
    assert read("<|python_tag|>serch.call()") == [("serch", {})]
    assert read("<function=serch>{}</function>") == [("serch", {})]


def test_a_comma_inside_a_string_separates_nothing() -> None:
    assert read('search_chat_logs(query="a, b", user="x")') == [
        ("search_chat_logs", {"query": "a, b", "user": "x"})
    ]


def test_several_calls_are_read_together() -> None:
    both = [("search", {"query": "gate"}), ("search", {"query": "gate"})]
    assert read(f"[{GATE}, {GATE}]") == both
    assert read(f"<tool_call>{GATE}</tool_call>\n<tool_call>{GATE}</tool_call>") == both
    assert read('[called search {"query": "gate"}]\n[called search {"query": "gate"}]') == both
    assert read(f"{GATE}\n{GATE}\n") == both
    assert read('<function=search>{"query": "gate"}</function>\n' * 2) == both
    assert read(f"<|python_tag|>{GATE}; {GATE}") == both
    assert read("<function_calls>\nsearch(query='gate')\nsearch(query='gate')\n") == both
    assert read(DEEPSEEK_V3 * 2) == both
    assert read('<|tool_call>call:search{query:<|"|>gate<|"|>}<tool_call|>' * 2) == both
    assert read("[search(query='gate'), search(query='gate')]") == both
    assert read('[TOOL_CALLS]search[ARGS]{"query": "gate"}' * 2) == both
    assert (
        read('<invoke name="search"><parameter name="query">gate</parameter></invoke>' * 2) == both
    )


def test_a_call_without_arguments_has_none() -> None:
    assert read("get_current_users()") == [("get_current_users", {})]
    assert read("<tool_call>get_current_users\n</tool_call>") == [("get_current_users", {})]
    assert read("<function=get_current_users>\n</function>") == [("get_current_users", {})]


@pytest.mark.parametrize("rest", ["", ', "arguments": null', ', "parameters": null'])
def test_nor_has_one_whose_arguments_are_absent_or_null(rest: str) -> None:
    text = f'<tool_call>\n{{"name": "get_current_users"{rest}}}\n</tool_call>'
    assert read(text) == [("get_current_users", {})]


def test_a_tag_in_a_string_separates_nothing() -> None:
    for tag in ("</tool_call>", "<tool_call>", "[TOOL_CALLS]"):
        arguments = f'{{"query": "{tag}"}}'
        calls = (
            f'<tool_call>{{"name": "search", "arguments": {arguments}}}</tool_call>',
            f"[TOOL_CALLS]search[ARGS]{arguments}",
        )
        for call in calls:
            assert read(call) == [("search", {"query": tag})]


def test_glm_values_are_json_where_they_are_json() -> None:
    text = (
        "<tool_call>search"
        "<arg_key>hours</arg_key><arg_value>24</arg_value>"
        "<arg_key>query</arg_key><arg_value>the gate</arg_value></tool_call>"
    )
    assert read(text) == [("search", {"hours": 24, "query": "the gate"})]


@given(st.text() | st.text(alphabet="<tool_call>/{}[]()=\"' \n:,ax1funipr"))
def test_no_text_is_an_error(text: str) -> None:
    text_tool_calls(text, OFFERED)
    without_calls_behind(text)


def test_functiongemma_separates_arguments_with_commas_that_strings_may_hold() -> None:
    two = "<start_function_call>call:{}{{{}}}<end_function_call>"
    first = two.format("search", "query:<escape>a, {b}<escape>,limit:3,newest:true")
    assert read(first + two.format("who", "")) == [
        ("search", {"query": "a, {b}", "limit": 3, "newest": True}),
        ("who", {}),
    ]
