"""Parses tool calls that a model wrote as text, if they are all that it wrote.

A call inside a sentence is not a call: `I could call search(query="x") but I will not.`
"""

import ast
import json
import re
import warnings
from typing import Any

from terrarium_mcp.irc_bridge.model.chat_types import ToolCall

Calls = tuple[ToolCall, ...]

_FENCED = re.compile(r"```[\w-]*\s*\n(.*?)\n?\s*```", re.DOTALL)
_BETWEEN_TAGS = re.compile(r"</tool_call>\s*<tool_call>")
_GLM_ARGUMENT = re.compile(
    r"\s*<arg_key>(.*?)</arg_key>\s*<arg_value>(.*?)</arg_value>\s*", re.DOTALL
)
_PYTHON_CALL = re.compile(r"[A-Za-z_]\w*\(.*\)", re.DOTALL)
_OUR_MENTION = re.compile(r"\[called (\S+) (\{.*\})\]")
_CALL_KEYS = {"name", "arguments", "parameters", "type", "id"}


def text_tool_calls(text: str) -> Calls:
    """The calls that `text` consists of; none if it holds anything else."""
    text = text.strip()
    if fenced := _FENCED.fullmatch(text):
        return _tagged(fenced[1].strip()) or _json(fenced[1])
    return _tagged(text) or _json(text) or _python(text) or _mentioned(text)


def _tagged(text: str) -> Calls:
    """Calls in `<tool_call>` tags, as JSON (Hermes, Qwen) or as keys and values (GLM)."""
    if not (text.startswith("<tool_call>") and text.endswith("</tool_call>")):
        return ()
    bodies = _BETWEEN_TAGS.split(text.removeprefix("<tool_call>").removesuffix("</tool_call>"))
    return _all_or_none([_json(body) or _glm(body) for body in bodies])


def _json(text: str) -> Calls:
    """Calls as a JSON object with name and arguments, or a list of such objects."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return ()
    return _all_or_none(
        [_described(one) for one in (found if isinstance(found, list) else [found])]
    )


def _described(call: Any) -> Calls:
    """The call that a JSON value describes, if it describes exactly one."""
    match call:
        case {"name": str(name), "arguments": given} | {"name": str(name), "parameters": given}:
            arguments = _object(given)
        case _:
            return ()
    if not name or arguments is None or not call.keys() <= _CALL_KEYS:
        return ()
    return (_call(name, arguments),)


def _object(given: Any) -> dict[str, Any] | None:
    """Arguments as an object; some models send them as a JSON string."""
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError):
            return None
    return given if isinstance(given, dict) else None


def _glm(body: str) -> Calls:
    """A call in GLM's format: the name, then pairs of `<arg_key>` and `<arg_value>`."""
    name, tag, rest = body.partition("<arg_key>")
    if not re.fullmatch(r"\s*[\w.-]+\s*", name) or _GLM_ARGUMENT.sub("", tag + rest):
        return ()
    arguments = {key.strip(): _value(value) for key, value in _GLM_ARGUMENT.findall(tag + rest)}
    return (_call(name.strip(), arguments),)


def _value(text: str) -> Any:
    """A GLM value: parsed if it is JSON, else a string."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _python(text: str) -> Calls:
    """A call in Python syntax, with literal keyword arguments only."""
    if not _PYTHON_CALL.fullmatch(text):
        return ()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", SyntaxWarning
            )  # about escapes such as "\d" in a pattern
            call = ast.parse(text, mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
            return ()
        arguments = {key.arg: ast.literal_eval(key.value) for key in call.keywords if key.arg}
        # A keyword without a name is `**rest`, whose value is unknown.
        return (_call(call.func.id, arguments),) if len(arguments) == len(call.keywords) else ()
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return ()


def _mentioned(text: str) -> Calls:
    """Calls in the form in which requests mention earlier calls: models imitate it."""
    lines = [_OUR_MENTION.fullmatch(line.strip()) for line in text.splitlines() if line.strip()]
    return _all_or_none(
        [_described({"name": line[1], "arguments": line[2]}) if line else () for line in lines]
    )


def _call(name: str, arguments: dict[str, Any]) -> ToolCall:
    return ToolCall(id="", name=name, arguments=json.dumps(arguments, ensure_ascii=False))


def _all_or_none(parts: list[Calls]) -> Calls:
    """All calls; none if any part is not a call, since the whole is then text."""
    return tuple(call for part in parts for call in part) if all(parts) else ()
