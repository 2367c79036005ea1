"""However a model's text repeats itself, reading it takes time in proportion to its length."""

import time
from collections.abc import Callable, Iterator, Sequence

import pytest

from terrarium_mcp.irc_bridge.answer.echoes import EchoedPrefixes, without_echoed_tags
from terrarium_mcp.irc_bridge.answer.markdown import markdown_lines
from terrarium_mcp.irc_bridge.answer.past_turns import short_result
from terrarium_mcp.irc_bridge.model.reasoning_tags import without_reasoning
from terrarium_mcp.irc_bridge.model.template_tokens import broken_template_tokens
from terrarium_mcp.irc_bridge.model.text_tool_calls import text_tool_calls, without_calls_behind

LENGTHS = (3_125, 12_500, 50_000)
"""Characters of a text, each four times as many as before: of quadratic time the last takes 256
times that of the first, of cubic time 4,096 times, so it is given up at the first that grows."""

SAID = (1_000, 4_000, 16_000)
"""Characters of an answer: no more of one is turned into lines."""

MOST_GROWTH = 10
"""Times the CPU time of a quarter of a text; linear is 4, quadratic 16."""

NO_MATTER = 0.01
"""Seconds of CPU that any text may take, the shortest ten times as many: of shorter times the
growth says nothing. A reader of quadratic time that takes no longer takes 0.16 s for a text of
200,000 characters."""

AGAIN = 4
"""How often a text that took longer is read again: the quickest reading counts."""

BEGINNINGS = {
    "nothing": "",
    "words": "x",
    "a fence": "```",
    "a fenced line": "```\nx",
    "a call in tags": "<tool_call>",
    "two calls in tags": "<tool_call>{}</tool_call>",
    "a call of GLM": "<tool_call>search<arg_key>",
    "an argument of GLM": "<tool_call>search<arg_key>a</arg_key><arg_value>b</arg_value>",
    "a wrapped call": "<function_calls>",
    "a call in XML": "<function=search>",
    "an argument in XML": "<function=search><parameter=a>",
    "a marker": "[TOOL_CALLS]",
    "a call of Mistral": "[TOOL_CALLS]search{}",
    "a call of Kimi": "<|tool_call_begin|>search<|tool_call_argument_begin|>{}",
    "a call of DeepSeek": "<\uff5ctool\u2581call\u2581begin\uff5c>a<\uff5ctool\u2581sep\uff5c>{}",
    "calls of DeepSeek": "<\uff5ctool\u2581calls\u2581begin\uff5c>",
    "a call of Gemma": "<|tool_call>call:search{",
    "an argument of Gemma": '<|tool_call>call:search{a:<|"|>',
    "words and a token": "Let me look. [TOOL_CALLS]",
    "a harmony call": "<|channel|>commentary to=functions.search <|constrain|>json<|message|>",
    "a wrapped answer": "<answer>",
    "Python": "search(",
    "JSON": '{"name": "search", "arguments": ',
    "our mention": "[called search {",
    "an echo": "[off]",
    "an echoed tag": "<question from=",
    "reasoning": "<think",
    "a mentioned tag": "the <think>, tag",
    "harmony": "<|channel|>final",
    "a thought": "Thought:",
    "an action": "Action: search\nAction Input:",
    "a thought in bold": "**Thought:**",
    "a note": "x (3 more: ",
    "a table": "| a | b |\n|---|---|\n",
}
RUNS = {
    "tabs": "\t",
    "blank lines": " \n",
    "letters": "a",
    "digits": "1",
    "backticks": "`",
    "fences": "```\n",
    "opening brackets": "[",
    "round brackets": "(",
    "braces": "{",
    "closing braces": "} ",
    "ends of lists": "}]",
    "semicolons": "; ",
    "angle brackets": "<",
    "backslashes": "\\",
    "stars": "*",
    "bars": "| ",
    "minuses": "-",
    "sums": "1+",
    "quotes": '"',
    "line break tags": " <br>",
    "reasoning tags": "<think> ",
    "ends of reasoning": "</think>,",
    "template tokens": "<|im_end|>",
    "ends of Llama": "</s> ",
    "calls in tags": "<tool_call>",
    "calls between tags": "</tool_call> <tool_call>",
    "keys of GLM": "<arg_key>a</arg_key>",
    "open arguments of GLM": "<arg_key>a</arg_key><arg_value>",
    "arguments of GLM": "<arg_key>a</arg_key><arg_value>b</arg_value>",
    "calls in XML": "<function=a>",
    "whole calls in XML": "<function=a></function>",
    "arguments in XML": "<parameter=a>",
    "wrapped calls": "<function_calls>",
    "markers": "[TOOL_CALLS]",
    "calls of Mistral": "[TOOL_CALLS]a{} ",
    "calls of DeepSeek": "<\uff5ctool\u2581call\u2581begin\uff5c>a<\uff5ctool\u2581sep\uff5c>{}",
    "ends of DeepSeek": "<\uff5ctool\u2581calls\u2581end\uff5c> ",
    "calls of Kimi": "<|tool_call_begin|>a<|tool_call_argument_begin|>{}",
    "our mentions": "[called a {}]\n",
    "echoes": "[off] ",
    "echoed tags": "<question from=a>",
    "calls of Gemma": "<|tool_call>call:a{}<tool_call|>",
    "ends of calls": "</tool_call>",
    "ends of calls in lines": "</tool_call>\n",
    "calls of Python": "<|python_start|>[a(b=1)]",
    "our cut mentions": "[called a {",
    "ends of answers": "</answer> ",
    "harmony": "<|start|><|channel|>final<|message|>",
    "harmony calls": "<|start|>assistant to=functions.a<|channel|>commentary<|message|>{}<|call|>",
    "thoughts": "Thought:\nAction: a\n",
    "results": "\nObservation:",
    "actions in bold": "\n**Action:** `a`\n**Action Input:**",
    "final answers": "\nFinal Answer: a",
    "notes": " (3 more: !more)",
    "addresses": "https://a.example/*",
}
WHITE = (" ", "\n")
"""Runs that are tried behind every beginning."""

MENTIONED = "the <think>, then a <think>, b c d e"
"""A mention of a tag, far before what follows."""

echoed = EchoedPrefixes("Terra", "ada", "[LLM]")
unmarked = EchoedPrefixes("Terra", "ada", "")


READERS: dict[str, Callable[[str], object]] = {
    "reasoning": without_reasoning,
    "calls": lambda text: text_tool_calls(text, {"search"}),
    "words before calls": without_calls_behind,
    "sent again": broken_template_tokens,
    "echoed tags": without_echoed_tags,
    "echoed prefixes": lambda text: echoed.removed([text], "who?"),
    "echoed prefixes without a mark": lambda text: unmarked.removed([text], "who?"),
    "short results": short_result,
}


def shapes() -> Iterator[tuple[str, str, str]]:
    """The beginning, the run and the end of each text."""
    for beginning in BEGINNINGS.values():
        yield from ((beginning, run, "x") for run in WHITE)
    yield from (("", run, "x") for run in RUNS.values())
    yield MENTIONED, "</think>" + 100 * " a", "x"
    yield from (("```\n", run, "x\n```") for run in WHITE)


def seconds(reader: Callable[[str], object], text: str) -> float:
    began = time.thread_time()
    reader(text)
    return time.thread_time() - began


def assert_in_proportion(
    reader: Callable[[str], object], shape: tuple[str, str, str], lengths: Sequence[int]
) -> None:
    beginning, run, end = shape
    before = NO_MATTER
    for length in lengths:
        text = beginning + run * (length // len(run)) + end
        most = max(NO_MATTER, MOST_GROWTH * before)
        now = seconds(reader, text)
        for _ in range(AGAIN):
            if now > most:  # perhaps another process slowed it: what grows, grows each time
                now = min(now, seconds(reader, text))
        assert now <= most, (shape, length, now)
        before = now


@pytest.mark.parametrize("name", READERS)
def test_a_text_four_times_as_long_takes_not_ten_times_as_long(name: str) -> None:
    for shape in shapes():
        assert_in_proportion(READERS[name], shape, LENGTHS)


@pytest.mark.parametrize("run", [*WHITE, "<br> ", " <br>", "` ", "`|", "`` ` "])
def test_nor_does_markdown_whose_lines_may_be_broken_by_tags(run: str) -> None:
    assert_in_proportion(lambda text: markdown_lines(text, str), ("x", run, "x"), SAID)
