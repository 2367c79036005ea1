r"""Tool calls as models write them between the special tokens of a chat template. Pure.

| form | whose |
|---|---|
| `name[CALL_ID]id[ARGS]{...}`, the two in the middle or not | Mistral Small 3.2 |
| `function<|tool_sep|>name`, then the object in a fence | DeepSeek V3 |
| `name<|tool_sep|>{...}` | DeepSeek V3.1 |
| `functions.name:0<|tool_call_argument_begin|>{...}` | Kimi K2 |
| `call:name{key:<escape>value<escape>}` | FunctionGemma |
| `call:name{key:<|"|>value<|"|>}` | Gemma 4 |

DeepSeek writes its bars in full width (U+FF5C), and U+2581 for the underscore.
"""

import re

from terrarium_mcp.irc_bridge.model.json_calls import (
    Calls,
    call_with_json,
    json_or_text,
    written_call,
)
from terrarium_mcp.irc_bridge.model.xml_calls import consecutive

_NAME_AND_OBJECT = re.compile(
    r"(?:function<\uff5ctool\u2581sep\uff5c>|functions\.)?([\w.-]+)(?::\d+)?\s*+"
    r"(?:\[CALL_ID\]\w+)?"
    r"(?:\[ARGS\]|<\uff5ctool\u2581sep\uff5c>|<\|tool_call_argument_begin\|>|```json)?"
    r"\s*(\{.*\})(?:\s*```)?",
    re.DOTALL,
)
_GEMMA = re.compile(r"call:([\w.-]+)\{(.*)\}", re.DOTALL)
_GEMMA_ARGUMENT = re.compile(
    r"([\w.-]+):((?P<quote><escape>|<\|\"\|>).*?(?P=quote)|[^,<>{}\[\]]+)(?:,|\Z)", re.DOTALL
)  # no lists, no objects: no tool of ours takes any
_GEMMA_STRING = re.compile(r"(<escape>|<\|\"\|>)(.*)\1", re.DOTALL)


def name_and_object(body: str) -> Calls:
    """A call as its name and a JSON object, with a token or a fence between them, or nothing."""
    found = _NAME_AND_OBJECT.fullmatch(body)
    return call_with_json(found[1], found[2]) if found else ()


def gemma_call(body: str) -> Calls:
    """A call in the format of Gemma 4 and FunctionGemma."""
    if not (found := _GEMMA.fullmatch(body)):
        return ()
    given = consecutive(_GEMMA_ARGUMENT, found[2])
    if found[2] and not given:
        return ()
    return (written_call(found[1], {key: _gemma_value(value) for key, value in given}),)


def _gemma_value(text: str) -> object:
    """A string between its delimiters, or a number or a truth value as JSON has it."""
    quoted = _GEMMA_STRING.fullmatch(text)
    return quoted[2] if quoted else json_or_text(text)
