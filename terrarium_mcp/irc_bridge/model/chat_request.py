"""A talk as the messages of a chat-completion request."""

import json
import re
from collections.abc import Sequence
from typing import Any

from terrarium_mcp.irc_bridge.model.chat_types import (
    AssistantToolCalls,
    ChatMessage,
    ModelMessage,
    TalkMessage,
    ToolCall,
    ToolResult,
    ToolSchema,
)
from terrarium_mcp.irc_bridge.model.endpoint_json import portable_arguments
from terrarium_mcp.irc_bridge.model.template_tokens import broken_template_tokens

MAX_MENTIONED = 200  # characters of arguments shown in the mention of a call
MAX_NAME = 64  # characters of a function's name, at OpenAI

_NO_NAME_CHARACTER = re.compile(r"[^a-zA-Z0-9_-]")

RequestMessage = dict[str, Any]
"""A message of a request, as JSON."""


def request_messages(talk: Sequence[TalkMessage]) -> list[RequestMessage]:
    """The talk as request messages.

    Content is always a string: terrarium-agent rejects null and content parts with 422. It also
    drops `tool_calls`, so the content mentions each call. No text has a token of a chat template:
    most of it was written by strangers. Reasoning goes back as it came with its calls: DeepSeek and
    Gemini refuse calls without it, and templates of other models put it before them.
    """
    return [_request_message(message) for message in talk]


def request_tool(tool: ToolSchema) -> dict[str, Any]:
    """A tool as request entry, without `strict`, which many endpoints reject."""
    return {
        "type": "function",
        "function": {
            "name": tool.name,
            "description": tool.description,
            "parameters": dict(tool.parameters),
        },
    }


def _request_message(message: TalkMessage) -> RequestMessage:
    match message:
        case ChatMessage(role, text):
            return {"role": role, "content": broken_template_tokens(text)}
        case AssistantToolCalls(said):
            calls = [_request_call(call) for call in said.calls]
            content = broken_template_tokens(_mentioning(said))
            reasoning = _sendable(said.reasoning)
            return {"role": "assistant", "content": content, **reasoning, "tool_calls": calls}
        case ToolResult(call_id, name, text):
            return {
                "role": "tool",
                "tool_call_id": call_id,
                "name": _function_name(name),
                "content": broken_template_tokens(text),
            }


def _request_call(call: ToolCall) -> dict[str, Any]:
    arguments = broken_template_tokens(_as_object(call.arguments))
    function = {"name": _function_name(call.name), "arguments": arguments}
    sent = {"id": call.id, "type": "function", "function": function}
    return sent | ({"extra_content": _sendable(call.extra_content)} if call.extra_content else {})


def _sendable(value: Any) -> Any:
    """JSON that the endpoint gave, as any parser reads it and without tokens of a template."""
    text = portable_arguments(json.dumps(value, ensure_ascii=False))
    return json.loads(broken_template_tokens(text))


def _function_name(name: str) -> str:
    """A name that OpenAI accepts, also of a tool that the model made up."""
    return _NO_NAME_CHARACTER.sub("_", name)[:MAX_NAME]


def _as_object(arguments: str) -> str:
    """`arguments` if it is a JSON object, else `{}`: chat templates parse it and would fail.

    Those of a stored turn may be older than what keeps them portable.
    """
    portable = portable_arguments(arguments)
    try:
        return portable if isinstance(json.loads(portable), dict) else "{}"
    except (ValueError, RecursionError):
        return "{}"


def _mentioning(said: ModelMessage) -> str:
    """The words of `said`, then a line for each of its calls."""
    return "\n".join([*([said.text] if said.text else []), *map(mention, said.calls)])


def mention(call: ToolCall) -> str:
    """A call as the content of its message has it, for endpoints that drop calls."""
    arguments = " ".join(call.arguments.split())
    shown = arguments if len(arguments) <= MAX_MENTIONED else arguments[:MAX_MENTIONED] + "…"
    return f"[called {call.name} {shown}]"
