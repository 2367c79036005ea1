r"""Parses tool calls that a model wrote as text, if they are all that it wrote.

An endpoint without a parser for its model passes them on in the model's own form:

| form | whose |
|---|---|
| `<tool_call>{"name": ..., "arguments": ...}`, with `</tool_call>` or without | Hermes, Qwen |
| `<tool_call>name<arg_key>...</arg_key><arg_value>...</arg_value></tool_call>` | GLM |
| `<function=name><parameter=key>value</parameter></function>` | Qwen3-Coder |
| `<function=name>{"key": "value"}</function>` | Llama 3.1 |
| `<\|python_tag\|>{"name": ..., "parameters": ...}` | Llama 3.1 |
| `[TOOL_CALLS][{"name": ..., "arguments": ...}]` | Mistral |
| JSON, also as OpenAI writes a call, in a list, or one object in each line | small ones |
| `name(key="value")` | Llama 3.2, Gemma |

A call inside a sentence is not a call: `I could call search(query="x") but I will not.`
"""

import ast
import json
import re
import warnings
from typing import Any

from terrarium_mcp.chat.irctext import encodable
from terrarium_mcp.irc_bridge.model.chat_types import ToolCall

Calls = tuple[ToolCall, ...]

_FENCED = re.compile(r"```[\w-]*\s*\n(.*?)\n?\s*```", re.DOTALL)
_BETWEEN_TAGS = re.compile(r"</tool_call>\s*<tool_call>")
_GLM_ARGUMENT = re.compile(
    r"\s*<arg_key>(.*?)</arg_key>\s*<arg_value>(.*?)</arg_value>\s*", re.DOTALL
)
_MARKER = re.compile(r"<\|python_tag\|>|\[TOOL_CALLS\]")
_XML_CALL = re.compile(r"\s*<function=([\w.-]+)>(.*?)</function>\s*", re.DOTALL)
_XML_ARGUMENT = re.compile(r"\s*<parameter=([\w.-]+)>\n?(.*?)\n?</parameter>\s*", re.DOTALL)
_PYTHON_CALL = re.compile(r"[A-Za-z_]\w*\(.*\)", re.DOTALL)
_OUR_MENTION = re.compile(r"\[called (\S+) (\{.*\})\]")
_CALL_KEYS = {"name", "arguments", "parameters", "type", "id"}


def text_tool_calls(text: str) -> Calls:
    """The calls that `text` consists of; none if it holds anything else."""
    text = text.strip()
    if marker := _MARKER.match(text):
        text = text[marker.end() :].strip()
    if fenced := _FENCED.fullmatch(text):
        return _tagged(fenced[1].strip()) or _json(fenced[1])
    readers = (_tagged, _json, _json_lines, _xml, _python, _mentioned)
    return next((calls for read in readers if (calls := read(text))), ())


def _tagged(text: str) -> Calls:
    """Calls in `<tool_call>` tags, in any of the forms; the last tag may be missing."""
    if not text.startswith("<tool_call>"):
        return ()
    bodies = _BETWEEN_TAGS.split(text.removeprefix("<tool_call>").removesuffix("</tool_call>"))
    return _all_or_none([_json(body) or _glm(body) or _xml(body) for body in bodies])


def _json(text: str) -> Calls:
    """Calls as a JSON object with name and arguments, or a list of such objects."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return ()
    return _all_or_none(
        [_described(one) for one in (found if isinstance(found, list) else [found])]
    )


def _json_lines(text: str) -> Calls:
    """Calls as JSON objects, one in each line."""
    calls: Calls = ()
    for line in filter(str.strip, text.splitlines()):
        if not (found := _json(line)):
            return ()
        calls += found
    return calls


def _described(call: Any) -> Calls:
    """The call that a JSON value describes, if it describes exactly one."""
    match call:
        case {"type": "function", "function": dict(inner), **rest} if rest.keys() <= {"id"}:
            call = inner
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


def _xml(text: str) -> Calls:
    """Calls as `<function=name>` with parameters in tags, or with one JSON object."""
    calls = _consecutive(_XML_CALL, text)
    return _all_or_none([_xml_call(name, body.strip()) for name, body in calls])


def _xml_call(name: str, body: str) -> Calls:
    arguments = _object(body)
    if arguments is None:
        given = _consecutive(_XML_ARGUMENT, body)
        if body and not given:
            return ()
        arguments = {key: _value(value) for key, value in given}
    return (_call(name, arguments),)


def _consecutive(pattern: re.Pattern[str], text: str) -> list[tuple[str, str]]:
    """Both groups of each match, if the text consists of matches; in one pass, however long."""
    found, at = list[tuple[str, str]](), 0
    while at < len(text):
        if not (match := pattern.match(text, at)):
            return []
        found.append((match[1], match[2]))
        at = match.end()
    return found


def _value(text: str) -> Any:
    """A value between tags: parsed if it is JSON, else a string."""
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
    """A call, with `?` for each lone surrogate: the JSON inside an answer can have some as well."""
    written = json.dumps(arguments, ensure_ascii=False)
    return ToolCall(id="", name=encodable(name), arguments=encodable(written))


def _all_or_none(parts: list[Calls]) -> Calls:
    """All calls; none if any part is not a call, since the whole is then text."""
    return tuple(call for part in parts for call in part) if all(parts) else ()
