"""Tool calls that a model wrote as elements: Qwen3-Coder's, Claude's and GLM's. Pure."""

import re
from typing import Any

from terrarium_mcp.irc_bridge.model.json_calls import (
    Calls,
    all_or_none,
    json_object,
    json_or_text,
    written_call,
)

_DSML = "\uff5cDSML\uff5c"
"""What DeepSeek V3.2 writes in each of its tags."""

_XML_CALL = re.compile(
    r"\s*<(?:function=|invoke name=)\"?([\w.-]+)\"?>(.*?)</(?:function|invoke)>\s*", re.DOTALL
)
_XML_ARGUMENT = re.compile(
    r"\s*<parameter(?:=| name=)\"?([\w.-]+)\"?(?: string=\"\w+\")?>\n?(.*?)\n?</parameter>\s*",
    re.DOTALL,
)
_GLM_NAME = re.compile(r"\s*([A-Za-z_][\w.-]*)\s*(?=<arg_key>|\Z)")
_GLM_KEY = re.compile(r"\s*<arg_key>(.*?)</arg_key>", re.DOTALL)
_GLM_VALUE = re.compile(r"\s*<arg_value>(.*?)</arg_value>\s*", re.DOTALL)


def xml_calls(text: str) -> Calls:
    """Calls as `<function=name>` with parameters in tags, or with one JSON object."""
    calls = consecutive(_XML_CALL, text.replace(_DSML, ""))
    return all_or_none([_xml_call(name, body.strip()) for name, body in calls])


def _xml_call(name: str, body: str) -> Calls:
    arguments = json_object(body)
    if arguments is None:
        given = consecutive(_XML_ARGUMENT, body)
        if body and not given:
            return ()
        arguments = {key: json_or_text(value) for key, value in given}
    return (written_call(name, arguments),)


def glm_call(body: str) -> Calls:
    """A call in GLM's format: the name, then pairs of `<arg_key>` and `<arg_value>`, if any."""
    if not (name := _GLM_NAME.match(body)):
        return ()
    arguments, at = dict[str, Any](), name.end()
    while at < len(body):
        key = _GLM_KEY.match(body, at)
        value = _GLM_VALUE.match(body, key.end()) if key else None
        if not (key and value):
            return ()
        arguments[key[1].strip()] = json_or_text(value[1])
        at = value.end()
    return (written_call(name[1], arguments),)


def consecutive(pattern: re.Pattern[str], text: str) -> list[tuple[str, str]]:
    """Both groups of each match, if the text consists of matches; in one pass, however long."""
    found, at = list[tuple[str, str]](), 0
    while at < len(text):
        if not (match := pattern.match(text, at)):
            return []
        found.append((match[1], match[2]))
        at = match.end()
    return found
