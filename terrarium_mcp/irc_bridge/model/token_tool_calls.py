r"""Finds tool calls between the special tokens of a chat template. Pure.

| form | whose |
|---|---|
| `[TOOL_CALLS]name[CALL_ID]id[ARGS]{...}`, the two in the middle or not | Mistral Small 3.2 |
| `<|tool_call_begin|>function<|tool_sep|>name`, fenced object, `<|tool_call_end|>` | DeepSeek V3 |
| `<|tool_call_begin|>name<|tool_sep|>{...}<|tool_call_end|>` | DeepSeek V3.1 |
| `<|tool_call_begin|>functions.name:0<|tool_call_argument_begin|>{}<|tool_call_end|>` | Kimi K2 |

DeepSeek writes its bars in full width (U+FF5C), and U+2581 for the underscores.
"""

import re

_MISTRAL = re.compile(
    r"\[TOOL_CALLS\]\s*([\w.-]+)(?:\[CALL_ID\]\w+)?(?:\[ARGS\])?\s*(\{.*?\})\s*"
    r"(?=\[TOOL_CALLS\]|\Z)",
    re.DOTALL,
)
_DEEPSEEK = re.compile(
    r"<\uff5ctool\u2581call\u2581begin\uff5c>\s*(?:function<\uff5ctool\u2581sep\uff5c>)?([\w.-]+)\s*"
    r"(?:<\uff5ctool\u2581sep\uff5c>|```json)\s*(\{.*?\})\s*(?:```)?\s*<\uff5ctool\u2581call\u2581end\uff5c>\s*",
    re.DOTALL,
)
_KIMI = re.compile(
    r"<\|tool_call_begin\|>\s*(?:functions\.)?([\w.-]+)(?::\d+)?\s*"
    r"<\|tool_call_argument_begin\|>\s*(\{.*?\})\s*<\|tool_call_end\|>\s*",
    re.DOTALL,
)
_AROUND_ALL = re.compile(
    r"\s*(?:<\uff5ctool\u2581calls\u2581(?:begin|end)\uff5c>|<\|tool_calls_section_(?:begin|end)\|>)\s*"
)


def token_tool_calls(text: str) -> list[tuple[str, str]]:
    """The name and the arguments of each call, if `text` consists of them."""
    inner = _AROUND_ALL.sub("", text)
    readers = (_MISTRAL, _DEEPSEEK, _KIMI)
    return next((found for one in readers if (found := consecutive(one, inner))), [])


def consecutive(pattern: re.Pattern[str], text: str) -> list[tuple[str, str]]:
    """Both groups of each match, if the text consists of matches; in one pass, however long."""
    found, at = list[tuple[str, str]](), 0
    while at < len(text):
        if not (match := pattern.match(text, at)):
            return []
        found.append((match[1], match[2]))
        at = match.end()
    return found
