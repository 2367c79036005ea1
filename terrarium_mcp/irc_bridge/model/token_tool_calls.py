r"""Finds tool calls between the special tokens of a chat template. Pure.

| form | whose |
|---|---|
| `[TOOL_CALLS]name[CALL_ID]id[ARGS]{...}`, the two in the middle or not | Mistral Small 3.2 |
| `<|tool_call_begin|>function<|tool_sep|>name`, fenced object, `<|tool_call_end|>` | DeepSeek V3 |
| `<|tool_call_begin|>name<|tool_sep|>{...}<|tool_call_end|>` | DeepSeek V3.1 |
| `<|tool_call_begin|>functions.name:0<|tool_call_argument_begin|>{}<|tool_call_end|>` | Kimi K2 |
| `<start_function_call>call:name{key:<escape>value<escape>}<end_function_call>` | FunctionGemma |

DeepSeek writes its bars in full width (U+FF5C), and U+2581 for the underscores.
"""

import json
import re

_MISTRAL = re.compile(
    r"\[TOOL_CALLS\]\s*([\w.-]+)(?:\[CALL_ID\]\w+)?(?:\[ARGS\])?\s*(\{.*?\})\s*"
    r"(?=\[TOOL_CALLS\]|\Z)",
    re.DOTALL,
)
_DEEPSEEK = re.compile(
    r"<\uff5ctool\u2581call\u2581begin\uff5c>\s*(?:function<\uff5ctool\u2581sep\uff5c>)?([\w.-]+)\s*"
    r"(?:<\uff5ctool\u2581sep\uff5c>|```json)\s*(\{.*?\})\s*(?:```\s*)?<\uff5ctool\u2581call\u2581end\uff5c>\s*",
    re.DOTALL,
)
_KIMI = re.compile(
    r"<\|tool_call_begin\|>\s*(?:functions\.)?([\w.-]+)(?::\d+)?\s*"
    r"<\|tool_call_argument_begin\|>\s*(\{.*?\})\s*<\|tool_call_end\|>\s*",
    re.DOTALL,
)
_GEMMA = re.compile(
    r"<start_function_call>call:([\w.-]+)\{(.*?)\}<end_function_call>\s*", re.DOTALL
)
_GEMMA_ARGUMENT = re.compile(
    r"([\w.-]+):(<escape>.*?<escape>|[^,<>{}\[\]]+)(?:,|\Z)", re.DOTALL
)  # no lists, no objects: no tool of ours takes any
_AROUND_ALL = re.compile(
    r"(?:<\uff5ctool\u2581calls\u2581(?:begin|end)\uff5c>|<\|tool_calls_section_(?:begin|end)\|>)\s*"
)


def token_tool_calls(text: str) -> list[tuple[str, str]]:
    """The name and the arguments of each call, if `text` consists of them."""
    inner = _AROUND_ALL.sub("", text)
    readers = (_MISTRAL, _DEEPSEEK, _KIMI)
    found = next((found for one in readers if (found := consecutive(one, inner))), [])
    return found or [(name, _gemma_json(body)) for name, body in consecutive(_GEMMA, inner)]


def _gemma_json(body: str) -> str:
    """FunctionGemma's arguments as JSON; "" if they are something else."""
    given = consecutive(_GEMMA_ARGUMENT, body)
    if body and not given:
        return ""
    return json.dumps({key: _gemma_value(value) for key, value in given}, ensure_ascii=False)


def _gemma_value(text: str) -> object:
    """A string between its delimiters, or a number or a truth value as JSON has it."""
    if text.startswith("<escape>"):
        return text.removeprefix("<escape>").removesuffix("<escape>")
    try:
        return json.loads(text)
    except ValueError:
        return text


def consecutive(pattern: re.Pattern[str], text: str) -> list[tuple[str, str]]:
    """Both groups of each match, if the text consists of matches; in one pass, however long."""
    found, at = list[tuple[str, str]](), 0
    while at < len(text):
        if not (match := pattern.match(text, at)):
            return []
        found.append((match[1], match[2]))
        at = match.end()
    return found
