"""The chat-completion format: a talk as request messages, a response body as a ModelMessage."""

import json
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, Field, ValidationError

from terrarium_mcp.irc_bridge.model.chat_types import (
    AssistantToolCalls,
    ChatMessage,
    ModelMessage,
    TalkMessage,
    ToolCall,
    ToolSchema,
)
from terrarium_mcp.irc_bridge.model.reasoning_tags import without_reasoning
from terrarium_mcp.irc_bridge.model.text_tool_calls import text_tool_calls

MAX_MENTIONED = 200  # characters of arguments shown in the mention of a call


class NotACompletion(ValueError):
    """The endpoint's answer is not a chat completion."""


def request_messages(
    talk: Sequence[TalkMessage], *, with_tools: bool = True
) -> list[dict[str, Any]]:
    """The talk as request messages.

    Content is always a string: terrarium-agent rejects null and content parts with 422. It also
    drops `tool_calls`, so the content mentions each call. An endpoint without tools gets calls
    and results as text only, because its chat template may have no role for them.
    """
    return [_request_message(message, with_tools=with_tools) for message in talk]


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


def read_message(body: bytes) -> ModelMessage:
    """The message in a chat completion, without its reasoning.

    Raises:
        NotACompletion: `body` is not a chat completion.
    """
    try:
        choice = _Completion.model_validate_json(body).choices[0]
    except ValidationError as error:
        raise NotACompletion(body.decode(errors="replace")) from error
    text = without_reasoning(choice.message.words).strip()
    if calls := choice.message.calls:
        return ModelMessage(text, calls)
    if calls := text_tool_calls(text):
        return ModelMessage("", calls)
    return ModelMessage(text, only_reasoned=not text and choice.reasoned)


def _request_message(message: TalkMessage, *, with_tools: bool) -> dict[str, Any]:
    match message:
        case ChatMessage(role, text):
            return {"role": role, "content": text}
        case AssistantToolCalls(said) if with_tools:
            calls = [_request_call(call) for call in said.calls]
            return {"role": "assistant", "content": _mentioning(said), "tool_calls": calls}
        case AssistantToolCalls(said):
            return {"role": "assistant", "content": _mentioning(said)}
        case _ if with_tools:
            return {
                "role": "tool",
                "tool_call_id": message.call_id,
                "name": message.name,
                "content": message.text,
            }
        case _:
            return {"role": "user", "content": f"[{message.name} answered]\n{message.text}"}


def _request_call(call: ToolCall) -> dict[str, Any]:
    return {
        "id": call.id,
        "type": "function",
        "function": {"name": call.name, "arguments": _as_object(call.arguments)},
    }


def _as_object(arguments: str) -> str:
    """`arguments` if it is a JSON object, else `{}`: chat templates parse it and would fail."""
    try:
        return arguments if isinstance(json.loads(arguments), dict) else "{}"
    except (ValueError, RecursionError):
        return "{}"


def _mentioning(said: ModelMessage) -> str:
    """The words of `said`, then a line for each of its calls."""
    return "\n".join([*([said.text] if said.text else []), *map(_mention, said.calls)])


def _mention(call: ToolCall) -> str:
    arguments = " ".join(call.arguments.split())
    shown = arguments if len(arguments) <= MAX_MENTIONED else arguments[:MAX_MENTIONED] + "…"
    return f"[called {call.name} {shown}]"


class _Function(BaseModel):
    name: str = ""
    arguments: str | dict[str, Any] | None = None


class _CompletionToolCall(BaseModel):
    id: str | None = None
    function: _Function

    @property
    def call(self) -> ToolCall:
        given = self.function.arguments
        # Some endpoints send the arguments parsed, or null for a call without any.
        arguments = given if isinstance(given, str) else json.dumps(given or {}, ensure_ascii=False)
        return ToolCall(self.id or "", self.function.name, arguments)


class _ContentPart(BaseModel):
    text: str = ""


class _CompletionMessage(BaseModel):
    content: str | list[_ContentPart] | None = None
    tool_calls: list[_CompletionToolCall] | None = None
    # vLLM and DeepSeek send reasoning_content; newer vLLM and OpenRouter send reasoning.
    reasoning_content: Any = None
    reasoning: Any = None

    @property
    def words(self) -> str:
        if isinstance(self.content, list):
            return "".join(part.text for part in self.content)
        return self.content or ""

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        return tuple(call.call for call in self.tool_calls or [])


class _Choice(BaseModel):
    message: _CompletionMessage
    finish_reason: str | None = None

    @property
    def reasoned(self) -> bool:
        """Whether it holds reasoning, or reached the token limit before the first word."""
        message = self.message
        thought = message.words.strip() or message.reasoning_content or message.reasoning
        return bool(thought) or self.finish_reason == "length"


class _Completion(BaseModel):
    choices: list[_Choice] = Field(min_length=1)
