"""The form in which a talk goes to an OpenAI-compatible endpoint, and its answer comes back."""

import json
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, Field, ValidationError

from terrarium_mcp.irc_bridge.cleaning import without_reasoning
from terrarium_mcp.irc_bridge.textual_calls import textual_calls
from terrarium_mcp.irc_bridge.turns import Called, Said, TalkMessage, ToolCall, ToolSchema, Turn

SHORT = 200  # characters of arguments that the mention of a call shows


class NotATurn(ValueError):
    """The endpoint's answer is not a chat completion."""


def wire_talk(talk: Sequence[TalkMessage], *, with_tools: bool = True) -> list[dict[str, Any]]:
    """The talk as request messages.

    Content is always a string, since terrarium-agent answers null and parts with 422. It also
    drops `tool_calls`, so the content mentions each call. An endpoint without tools is shown calls
    and results as words alone, because its template may know no role for them.
    """
    return [_wired(message, with_tools=with_tools) for message in talk]


def wire_tool(tool: ToolSchema) -> dict[str, Any]:
    """A tool as request entry, without `strict`, which many endpoints reject."""
    return {
        "type": "function",
        "function": {
            "name": tool.name,
            "description": tool.description,
            "parameters": dict(tool.parameters),
        },
    }


def read_turn(body: bytes) -> Turn:
    """The turn in a chat completion, without its reasoning.

    Raises:
        NotATurn: `body` is no chat completion.
    """
    try:
        choice = _Completion.model_validate_json(body).choices[0]
    except ValidationError as error:
        raise NotATurn(body.decode(errors="replace")) from error
    text = without_reasoning(choice.message.words).strip()
    if calls := choice.message.calls:
        return Turn(text, calls)
    if calls := textual_calls(text):
        return Turn("", calls)
    return Turn(text, only_reasoned=not text and choice.reasoned)


def _wired(message: TalkMessage, *, with_tools: bool) -> dict[str, Any]:
    match message:
        case Said(role, text):
            return {"role": role, "content": text}
        case Called(turn) if with_tools:
            calls = [_wired_call(call) for call in turn.calls]
            return {"role": "assistant", "content": _mentioning(turn), "tool_calls": calls}
        case Called(turn):
            return {"role": "assistant", "content": _mentioning(turn)}
        case _ if with_tools:
            return {
                "role": "tool",
                "tool_call_id": message.call_id,
                "name": message.name,
                "content": message.text,
            }
        case _:
            return {"role": "user", "content": f"[{message.name} answered]\n{message.text}"}


def _wired_call(call: ToolCall) -> dict[str, Any]:
    return {
        "id": call.id,
        "type": "function",
        "function": {"name": call.name, "arguments": _as_object(call.arguments)},
    }


def _as_object(arguments: str) -> str:
    """`arguments` if it is a JSON object, else an empty one: chat templates parse it and fail."""
    try:
        return arguments if isinstance(json.loads(arguments), dict) else "{}"
    except (ValueError, RecursionError):
        return "{}"


def _mentioning(turn: Turn) -> str:
    """The words of `turn`, and a line for each of its calls."""
    return "\n".join([*([turn.text] if turn.text else []), *map(_mention, turn.calls)])


def _mention(call: ToolCall) -> str:
    arguments = " ".join(call.arguments.split())
    shown = arguments if len(arguments) <= SHORT else arguments[:SHORT] + "…"
    return f"[called {call.name} {shown}]"


class _Function(BaseModel):
    name: str = ""
    arguments: str | dict[str, Any] | None = None


class _Call(BaseModel):
    id: str | None = None
    function: _Function

    @property
    def call(self) -> ToolCall:
        given = self.function.arguments
        # Some endpoints hand out the arguments parsed, or nothing for a call without any.
        arguments = given if isinstance(given, str) else json.dumps(given or {}, ensure_ascii=False)
        return ToolCall(self.id or "", self.function.name, arguments)


class _Part(BaseModel):
    text: str = ""


class _Message(BaseModel):
    content: str | list[_Part] | None = None
    tool_calls: list[_Call] | None = None
    # vLLM and DeepSeek say reasoning_content; newer vLLM and OpenRouter say reasoning.
    reasoning_content: Any = None
    reasoning: Any = None

    @property
    def words(self) -> str:
        if isinstance(self.content, list):
            return "".join(part.text for part in self.content)
        return self.content or ""

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        return tuple(one.call for one in self.tool_calls or [])


class _Choice(BaseModel):
    message: _Message
    finish_reason: str | None = None

    @property
    def reasoned(self) -> bool:
        """Whether there was reasoning, or a limit that was reached before the first word."""
        message = self.message
        thought = message.words.strip() or message.reasoning_content or message.reasoning
        return bool(thought) or self.finish_reason == "length"


class _Completion(BaseModel):
    choices: list[_Choice] = Field(min_length=1)
