r"""Parses tool calls that a model wrote as text, if they are all that it wrote.

An endpoint without a parser for its model passes them on in the model's own form. In the tags of a
template (`call_tags.py`) a call is one of these:

| form | whose |
|---|---|
| `{"name": ..., "arguments": ...}`, also in a list | Hermes, Qwen, Mistral, Granite, many others |
| `name<arg_key>...</arg_key><arg_value>...</arg_value>` | GLM |
| `<function=name><parameter=key>value</parameter></function>` | Qwen3-Coder, Seed-OSS |
| `<invoke name="name"><parameter name="key">value</parameter></invoke>` | MiniMax M2, DeepSeek |
| `<function=name>{"key": "value"}</function>` | Llama 3.1 |
| `name(key="value")`, also in a list, or several | Llama 4, LFM2, OLMo 3 |
| the same as `default_api.name(...)` | Gemini |
| with special tokens inside it | see `token_calls.py` |

Without tags it is one of these:

| form | whose |
|---|---|
| JSON, also as OpenAI writes a call, in a list, or one object in each line | small ones |
| `name(key="value")`, also in a list, or printed in a block of `tool_code` | Llama 3.2, Gemma |
| `Action: name`, then `Action Input: {"key": "value"}`; `Thought: ...` may precede it | ReAct |

A call inside a sentence is not a call: `I could call search(query="x") but I will not.` Neither is
one behind words; in tags of a template it is no part of the answer either (`without_calls_behind`).

JSON, Python and code may be the answer itself: `exit()` to somebody who asks how to leave a prompt.
So they are calls only of tools that the model was offered. Tags of a template are calls of any
tool: nobody wants to read them, and of a name that it made up the model is told. So it is of a call
in them that cannot be read: that one is of no tool.
"""

import re
from collections.abc import Callable, Collection, Sequence

from terrarium_mcp.irc_bridge.model.call_tags import (
    begins_with_call,
    bodies_between_tags,
    place_of_call,
    speaks_to_template,
    without_last_tag,
)
from terrarium_mcp.irc_bridge.model.chat_types import UNNAMED
from terrarium_mcp.irc_bridge.model.json_calls import (
    Calls,
    all_or_none,
    call_with_json,
    json_calls,
    json_lines_of_calls,
    json_name_alone,
    written_call,
)
from terrarium_mcp.irc_bridge.model.legacy_tools import current_call
from terrarium_mcp.irc_bridge.model.python_calls import call_in_python_object, python_calls
from terrarium_mcp.irc_bridge.model.react import action
from terrarium_mcp.irc_bridge.model.token_calls import gemma_call, name_and_object
from terrarium_mcp.irc_bridge.model.xml_calls import glm_call, xml_calls

_Readers = Sequence[Callable[[str], Calls]]

_TAG_OF_GLM = "<tool_call>"
"""In it a name alone is a call; behind another tag it may be the next word of a sentence."""

# A regex holds the GIL, so each of these and of the readers takes time in proportion to the text
# (test_answers.py): no two parts that fit a blank are neighbours, and no search may begin at each
# blank of many. A fence of 5,000 line breaks once took two minutes, in which no PING was answered.
_FENCE = "```"
_LANGUAGE = re.compile(r"[\w-]*")
_OUR_MENTION = re.compile(r"\[called (\S+) (\{.*\})\]")


def text_tool_calls(text: str, offered: Collection[str]) -> Calls:
    """The calls that `text` consists of; none if it holds anything else.

    `offered` are the names of the tools that the model may call; older names of them count too. A
    text for a template that cannot be read is one call of no tool (UNNAMED).
    """
    text = text.strip()
    if calls := _in_template_tags(text):
        return calls
    if speaks_to_template(text):
        return (written_call(UNNAMED, {}),)
    calls = _bare(without_last_tag(text))
    return calls if all(current_call(one.name, {})[0] in offered for one in calls) else ()


def without_calls_behind(text: str) -> str:
    """The words of a text that ends with `calls_behind`; any other text as it is."""
    return text[: place_of_call(text)].rstrip() if calls_behind(text) else text


def calls_behind(text: str) -> Calls:
    """The calls in tags of a template with which a text ends that begins with words.

    None if anything follows them, or if they are code or part of a sentence: they may be the
    example that was asked for.
    """
    begin = place_of_call(text)
    return _in_template_tags(text[begin:].strip()) if begin else ()


def _in_template_tags(text: str) -> Calls:
    """Calls in a form that means nothing but a call; `[called ...]` is our own."""
    if not begins_with_call(text):
        return ()
    readers = (*_IN_TAGS, glm_call) if text.startswith(_TAG_OF_GLM) else _IN_TAGS
    readings = (_calls_of_bodies(readers, bodies) for bodies in bodies_between_tags(text))
    return next(filter(None, readings), ()) or _mentioned(text)


def _calls_of_bodies(readers: _Readers, bodies: Sequence[str]) -> Calls:
    """The calls that are between tags; none if anything else is there too."""
    calls: Calls = ()
    for body in bodies:
        if not (found := _first_reading(readers, _unfenced(body))):
            return ()
        calls += found
    return calls


def _first_reading(readers: _Readers, text: str) -> Calls:
    return next((calls for read in readers if (calls := read(text))), ())


_IN_TAGS: _Readers = (
    *(json_calls, json_lines_of_calls, json_name_alone, call_in_python_object),
    *(xml_calls, python_calls, name_and_object, gemma_call),
)
_BARE: _Readers = json_calls, json_lines_of_calls, python_calls


def _bare(text: str) -> Calls:
    """Calls as JSON or Python, or as code, which other answers consist of too."""
    if fenced := _fenced(text):
        language, code = fenced
        is_call = language == "tool_code"
        return (
            _in_template_tags(code) or json_calls(code) or (python_calls(code) if is_call else ())
        )
    if asked := action(text):
        return call_with_json(asked.tool, asked.input)
    return _first_reading(_BARE, text)


def _unfenced(body: str) -> str:
    """The code of what is one block of code; anything else as it is."""
    fenced = _fenced(body)
    return fenced[1] if fenced else body


def _fenced(text: str) -> tuple[str, str] | None:
    """The language and the code of a text that is one block of code; None of any other."""
    if not (text.startswith(_FENCE) and text.endswith(_FENCE)):
        return None
    first, line_break, code = text[len(_FENCE) : -len(_FENCE)].partition("\n")
    language = first.rstrip()
    return (language, code.strip()) if line_break and _LANGUAGE.fullmatch(language) else None


def _mentioned(text: str) -> Calls:
    """Calls in the form in which requests mention earlier calls: models imitate it."""
    lines = [_OUR_MENTION.fullmatch(line.strip()) for line in text.splitlines() if line.strip()]
    return all_or_none([call_with_json(line[1], line[2]) if line else () for line in lines])
