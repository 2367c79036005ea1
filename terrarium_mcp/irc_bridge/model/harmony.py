"""Finds the answer in the response format of gpt-oss, where an endpoint passes it on as it is.

    <|channel|>analysis<|message|>reasoning<|end|><|start|>assistant<|channel|>final<|message|>answer

A call of a tool is a message to it, whose name is before the channel or behind it:

    <|channel|>commentary to=functions.name <|constrain|>json<|message|>{"key": "value"}<|call|>

Some endpoints drop the tokens and leave `analysisreasoningassistantfinalanswer`
(sgl-project/sglang#9190). The format: OpenAI's "harmony response format".
"""

import json
import re
from itertools import takewhile

from terrarium_mcp.irc_bridge.model.code_spans import CodeSpans

_RECIPIENT = r"\s{{0,3}}(?:to=(?:functions\.)?(?P<{}>[\w.-]{{1,64}}))?\s{{0,3}}"
_MESSAGE = re.compile(
    r"(?:\A\s*+|<\|(?:start|end|call)\|>(?:assistant)?)"
    + _RECIPIENT.format("called_first")
    + r"<\|channel\|>\s{0,3}(?P<channel>\w{1,20})"
    + _RECIPIENT.format("called")
    + r"[^<]{0,200}(?:<\|constrain\|>[^<]{0,200})?<\|message\|>"
)
_END = re.compile(r"<\|(?:start|channel|end|return|call)\|>")
_BARE_FINAL = "assistantfinal"


def answer_or_calls(text: str) -> str:
    """The words of the last message in the final channel; `text` itself if it has no channels.

    If calls come before it, they are what is meant, each in `<tool_call>` as JSON: behind a call an
    answer is made up. Without a call, and without a message in that channel, there are no words.
    """
    if text.lstrip().startswith(("analysis", "commentary", _BARE_FINAL)) and _BARE_FINAL in text:
        return text.rpartition(_BARE_FINAL)[2]
    messages = list(_MESSAGE.finditer(text))
    if not messages or CodeSpans(text).holds(messages[0].start()):
        return text
    meant = [found for found in messages if _tool(found) or found["channel"] == "final"]
    if calls := list(takewhile(_tool, meant)):
        return "".join(_as_json(call, text) for call in calls)
    finals = [found for found in meant if not _tool(found)]
    return _words(finals[-1], text) if finals else ""


def _tool(message: re.Match[str]) -> str | None:
    """The tool that a message calls."""
    tool: str | None = message["called_first"] or message["called"]
    return tool


def _words(message: re.Match[str], text: str) -> str:
    end = _END.search(text, message.end())
    return text[message.end() : end.start() if end else len(text)]


def _as_json(call: re.Match[str], text: str) -> str:
    arguments = _words(call, text).strip() or "{}"
    return f'<tool_call>{{"name": {json.dumps(_tool(call))}, "arguments": {arguments}}}</tool_call>'
