"""Tool calls that a model wrote as JSON, in any of the shapes that describe one. Pure."""

import json
import re
from collections.abc import Sequence
from typing import Any

from terrarium_mcp.chat.irctext import encodable
from terrarium_mcp.irc_bridge.model.chat_types import ToolCall
from terrarium_mcp.irc_bridge.model.endpoint_json import portable_arguments

Calls = tuple[ToolCall, ...]

_BETWEEN_OBJECTS = re.compile(r"\n|;\s*(?=\{)")
_CALL_KEYS = {"name", "arguments", "parameters", "type", "id", "tool_call_id"}


def written_call(name: str, arguments: dict[str, Any]) -> ToolCall:
    """A call: the JSON inside an answer may hold what no other JSON may."""
    written = json.dumps(arguments, ensure_ascii=False)
    return ToolCall(id="", name=encodable(name), arguments=portable_arguments(written))


def all_or_none(parts: Sequence[Calls]) -> Calls:
    """All calls; none if any part is not a call, since the whole is then text."""
    return tuple(call for part in parts for call in part) if all(parts) else ()


def json_value(text: str) -> Any:
    """The value of a JSON text, in whose strings models leave line breaks as they are.

    Raises:
        ValueError: it is no JSON, or nested too deeply.
    """
    try:
        return json.loads(text, strict=False)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def json_or_text(text: str) -> Any:
    """The value of a JSON text; any other text itself."""
    try:
        return json_value(text)
    except ValueError:
        return text


def json_object(given: Any) -> dict[str, Any] | None:
    """Arguments as an object: some models send them as a JSON string, or null for none."""
    value = json_or_text(given) if isinstance(given, str) else given
    return {} if given is None else value if isinstance(value, dict) else None


def json_calls(text: str) -> Calls:
    """Calls as a JSON object with name and arguments, or a list of such objects."""
    match json_or_text(text):
        case {"tool_calls": [*calls], **rest} if not rest:
            return all_or_none([described_call(one) for one in calls])
        case [*calls]:
            return all_or_none([described_call(one) for one in calls])
        case call:
            return described_call(call)


def json_lines_of_calls(text: str) -> Calls:
    """Calls as JSON objects, one in each line, or with `;` between."""
    calls: Calls = ()
    for line in filter(str.strip, _BETWEEN_OBJECTS.split(text)):
        if not (found := json_calls(line)):
            return ()
        calls += found
    return calls


def json_name_alone(text: str) -> Calls:
    """The call of a JSON object without arguments, which outside tags may be a list's entry."""
    match json_or_text(text):
        case {"name": str(name), **rest} if name and rest.keys() <= {"type", "id"}:
            return (written_call(name, {}),)
    return ()


def call_with_json(name: str, text: str) -> Calls:
    """The call of a tool with a JSON object."""
    arguments = json_object(text)
    return () if arguments is None else (written_call(name, arguments),)


def described_call(call: Any) -> Calls:
    """The call that a JSON value describes, if it describes exactly one."""
    match call:
        case {"type": "function", "function": dict(inner), **rest} if rest.keys() <= {"id"}:
            call = inner
    match call:
        case {"tool_name": name, **rest} if "name" not in rest:
            call = {"name": name, **rest}
    match call:
        case {"name": str(name), "arguments": given} | {"name": str(name), "parameters": given}:
            arguments = json_object(given)
        case _:
            return ()
    if not name or arguments is None or not call.keys() <= _CALL_KEYS:
        return ()
    return (written_call(name, arguments),)
