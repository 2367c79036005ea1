r"""Parses tool calls that a model wrote as text, if they are all that it wrote.

An endpoint without a parser for its model passes them on in the model's own form:

| form | whose |
|---|---|
| `<tool_call>{"name": ..., "arguments": ...}`, with `</tool_call>` or without | Hermes, Qwen |
| `<tool_call>name<arg_key>...</arg_key><arg_value>...</arg_value></tool_call>` | GLM |
| `<function=name><parameter=key>value</parameter></function>` | Qwen3-Coder |
| `<invoke name="name"><parameter name="key">value</parameter></invoke>` | MiniMax M2 |
| `<function=name>{"key": "value"}</function>` | Llama 3.1 |
| `<\|python_tag\|>{"name": ..., "parameters": ...}`, several with `;` between | Llama 3.1 |
| `[TOOL_CALLS][{"name": ..., "arguments": ...}]` | Mistral |
| the same behind `<\|tool_call\|>`, or `functools` | Granite, Phi 4 |
| the same between `<\|START_ACTION\|>` and `<\|END_ACTION\|>` | Command A |
| the same in `<TOOLCALL>` | Nemotron |
| JSON, also as OpenAI writes a call, in a list, or one object in each line | small ones |
| `name(key="value")`, also in a list, or printed in a block of `tool_code` | Llama 3.2, Gemma |
| the same as `default_api.name(...)`, also in `<tool_code>` | Gemini |
| the same between `<\|tool_call_start\|>` and `<\|tool_call_end\|>` | LFM2 |
| `Action: name`, then `Action Input: {"key": "value"}`; `Thought: ...` may precede it | ReAct |
| with special tokens around each part | see `token_tool_calls.py` |

A call inside a sentence is not a call: `I could call search(query="x") but I will not.` Neither is
one behind words; in tags of a template it is no part of the answer either (`without_calls_behind`).

JSON, Python and code may be the answer itself: `exit()` to somebody who asks how to leave a prompt.
So they are calls only of tools that the model was offered. Tags of a template are calls of any
tool: nobody wants to read them, and of a name that it made up the model is told.
"""

import ast
import json
import re
import warnings
from collections.abc import Collection
from typing import Any

from terrarium_mcp.chat.irctext import encodable
from terrarium_mcp.irc_bridge.model.chat_types import ToolCall
from terrarium_mcp.irc_bridge.model.code_spans import CodeSpans
from terrarium_mcp.irc_bridge.model.endpoint_json import portable_arguments
from terrarium_mcp.irc_bridge.model.legacy_tools import current_call
from terrarium_mcp.irc_bridge.model.react import action
from terrarium_mcp.irc_bridge.model.token_tool_calls import consecutive, token_tool_calls

Calls = tuple[ToolCall, ...]

# A regex holds the GIL, so each of these takes time in proportion to the text (test_answers.py): no
# two parts that fit a blank are neighbours, and no search may begin at each blank of many. A fence
# of 5,000 line breaks once took two minutes, in which no PING was answered.
_FENCE = "```"
_LANGUAGE = re.compile(r"[\w-]*")
_WRAPPED = re.compile(
    r"<(?P<tag>(?:\w+:)?(?:tool|function)_calls?)>(?P<calls>\s*<invoke .*?)(?:</(?P=tag)>)?",
    re.DOTALL,
)
_BETWEEN_TAGS = re.compile(r"</tool_call>\s*<tool_call>")
_GLM_NAME = re.compile(r"\s*([\w.-]+)\s*(?=<arg_key>|\Z)")
_GLM_KEY = re.compile(r"\s*<arg_key>(.*?)</arg_key>", re.DOTALL)
_GLM_VALUE = re.compile(r"\s*<arg_value>(.*?)</arg_value>\s*", re.DOTALL)
_BETWEEN_OBJECTS = re.compile(r"\n|;\s*(?=\{)")
_MARKER = re.compile(
    r"<\|python_tag\|>|\[TOOL_CALLS\]|<\|tool_call(?:_start)?\|>|functools(?=\[)"
    r"|<\|START_ACTION\|>|<TOOLCALL>|<tool_code>"
)
_MARKER_ENDS = (
    *("<|/tool_call|>", "<|tool_call_end|>", "<|END_ACTION|>", "</TOOLCALL>", "</tool_code>"),
)
_XML_CALL = re.compile(
    r"\s*<(?:function=|invoke name=)\"?([\w.-]+)\"?>(.*?)</(?:function|invoke)>\s*", re.DOTALL
)
_XML_ARGUMENT = re.compile(
    r"\s*<parameter(?:=| name=)\"?([\w.-]+)\"?>\n?(.*?)\n?</parameter>\s*", re.DOTALL
)
_PYTHON_CALL = re.compile(r"\[?[A-Za-z_][\w.]*\(.*\)\]?", re.DOTALL)
_TEMPLATE_TAG = re.compile(
    r"^(?=<tool_call>|<function=|<invoke name=|<(?:\w+:tool|function)_calls?>|<\|tool_call"
    r"|<\|python_tag\|>|\[TOOL_CALLS\]|<\|START_ACTION\|>|<TOOLCALL>|<tool_code>"
    r"|<start_function_call>|<\uff5ctool\u2581calls?\u2581begin\uff5c>)",
    re.MULTILINE,
)
_OUR_MENTION = re.compile(r"\[called (\S+) (\{.*\})\]")
_CALL_KEYS = {"name", "arguments", "parameters", "type", "id", "tool_call_id"}


def text_tool_calls(text: str, offered: Collection[str]) -> Calls:
    """The calls that `text` consists of; none if it holds anything else.

    `offered` are the names of the tools that the model may call; older names of them count too.
    """
    text = text.strip()
    if calls := _in_template_tags(text):
        return calls
    calls = _bare(text)
    return calls if all(current_call(one.name, {})[0] in offered for one in calls) else ()


def without_calls_behind(text: str) -> str:
    """The words of a text that ends with calls in tags of a template; any other text as it is.

    Calls stay if anything follows them, if they do not begin a line, or if they are code: they may
    be the example that was asked for.
    """
    code = CodeSpans(text)
    places = (found.start() for found in _TEMPLATE_TAG.finditer(text))
    begin = next((place for place in places if not code.holds(place)), 0)
    return text[:begin].rstrip() if begin and _in_template_tags(text[begin:].strip()) else text


def _in_template_tags(text: str) -> Calls:
    """Calls in a form that means nothing but a call; `[called ...]` is our own."""
    if named := token_tool_calls(text):
        return _all_or_none([_with_json(name, arguments) for name, arguments in named])
    if marker := _MARKER.match(text):
        end = next(filter(text.endswith, _MARKER_ENDS), "")
        text = text[marker.end() :].removesuffix(end).strip()
        return _tagged(text) or _bare(text) or _xml(text)
    if wrapped := _WRAPPED.fullmatch(text):
        return _xml(wrapped["calls"])
    return _tagged(text) or _xml(text) or _mentioned(text)


def _bare(text: str) -> Calls:
    """Calls as JSON or Python, or as code, which other answers consist of too."""
    if fenced := _fenced(text):
        language, code = fenced
        is_call = language == "tool_code"
        return _tagged(code) or _json(code) or (_python(code) if is_call else ())
    if asked := action(text):
        return _with_json(asked.tool, asked.input)
    return _json(text) or _json_objects(text) or _python(text)


def _fenced(text: str) -> tuple[str, str] | None:
    """The language and the code of a text that is one block of code; None of any other."""
    if not (text.startswith(_FENCE) and text.endswith(_FENCE)):
        return None
    first, line_break, code = text[len(_FENCE) : -len(_FENCE)].partition("\n")
    language = first.rstrip()
    return (language, code.strip()) if line_break and _LANGUAGE.fullmatch(language) else None


def _tagged(text: str) -> Calls:
    """Calls in `<tool_call>` tags, in any of the forms; the last tag may be missing."""
    if not text.startswith("<tool_call>"):
        return ()
    bodies = _BETWEEN_TAGS.split(text.removeprefix("<tool_call>").removesuffix("</tool_call>"))
    readers = (_json, _glm, _xml, _python_object)
    return _all_or_none(
        [next((calls for read in readers if (calls := read(body))), ()) for body in bodies]
    )


def _json(text: str) -> Calls:
    """Calls as a JSON object with name and arguments, or a list of such objects."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return ()
    match found:
        case {"tool_calls": [*calls], **rest} if not rest:
            found = calls
    return _all_or_none(
        [_described(one) for one in (found if isinstance(found, list) else [found])]
    )


def _json_objects(text: str) -> Calls:
    """Calls as JSON objects, one in each line, or with `;` between."""
    calls: Calls = ()
    for line in filter(str.strip, _BETWEEN_OBJECTS.split(text)):
        if not (found := _json(line)):
            return ()
        calls += found
    return calls


def _python_object(text: str) -> Calls:
    """A call as an object in the quotes of Python."""
    try:
        return _described(ast.literal_eval(text.strip()))
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return ()


def _with_json(name: str, text: str) -> Calls:
    """The call of a tool with a JSON object."""
    arguments = _object(text)
    return () if arguments is None else (_call(name, arguments),)


def _described(call: Any) -> Calls:
    """The call that a JSON value describes, if it describes exactly one."""
    match call:
        case {"type": "function", "function": dict(inner), **rest} if rest.keys() <= {"id"}:
            call = inner
    match call:
        case {"tool_name": name, **rest} if "name" not in rest:
            call = {"name": name, **rest}
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
    if not (name := _GLM_NAME.match(body)):
        return ()
    arguments, at = dict[str, Any](), name.end()
    while at < len(body):
        key = _GLM_KEY.match(body, at)
        value = _GLM_VALUE.match(body, key.end()) if key else None
        if not (key and value):
            return ()
        arguments[key[1].strip()] = _value(value[1])
        at = value.end()
    return (_call(name[1], arguments),)


def _xml(text: str) -> Calls:
    """Calls as `<function=name>` with parameters in tags, or with one JSON object."""
    calls = consecutive(_XML_CALL, text)
    return _all_or_none([_xml_call(name, body.strip()) for name, body in calls])


def _xml_call(name: str, body: str) -> Calls:
    arguments = _object(body)
    if arguments is None:
        given = consecutive(_XML_ARGUMENT, body)
        if body and not given:
            return ()
        arguments = {key: _value(value) for key, value in given}
    return (_call(name, arguments),)


def _value(text: str) -> Any:
    """A value between tags: parsed if it is JSON, else a string."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _python(text: str) -> Calls:
    """Calls in Python syntax, with literal keyword arguments only."""
    if not _PYTHON_CALL.fullmatch(text):
        return ()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", SyntaxWarning
            )  # about escapes such as "\d" in a pattern
            found = ast.parse(text, mode="eval").body
        calls = found.elts if isinstance(found, ast.List) else [found]
        return _all_or_none([_python_call(call) for call in calls])
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return ()


def _python_call(call: ast.expr) -> Calls:
    """`name(key="value")`, also in `print(...)`, as `default_api.name(...)` or `name.call(...)`.

    Raises:
        ValueError: an argument is no literal.
    """
    match call:
        case ast.Call(func=ast.Name(id="print"), args=[ast.Call() as call], keywords=[]):
            pass
    match call:
        case (
            ast.Call(func=ast.Name(id=name), args=[])
            | ast.Call(func=ast.Attribute(value=ast.Name(id="default_api"), attr=name), args=[])
            | ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="call"), args=[])
        ):
            arguments = {key.arg: ast.literal_eval(key.value) for key in call.keywords if key.arg}
            # A keyword without a name is `**rest`, whose value is unknown.
            is_whole = len(arguments) == len(call.keywords)
            return (_call(name, arguments),) if is_whole else ()
    return ()


def _mentioned(text: str) -> Calls:
    """Calls in the form in which requests mention earlier calls: models imitate it."""
    lines = [_OUR_MENTION.fullmatch(line.strip()) for line in text.splitlines() if line.strip()]
    return _all_or_none(
        [_described({"name": line[1], "arguments": line[2]}) if line else () for line in lines]
    )


def _call(name: str, arguments: dict[str, Any]) -> ToolCall:
    """A call: the JSON inside an answer may hold what no other JSON may."""
    written = json.dumps(arguments, ensure_ascii=False)
    return ToolCall(id="", name=encodable(name), arguments=portable_arguments(written))


def _all_or_none(parts: list[Calls]) -> Calls:
    """All calls; none if any part is not a call, since the whole is then text."""
    return tuple(call for part in parts for call in part) if all(parts) else ()
