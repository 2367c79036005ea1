"""A chat completion, as the endpoint's response has it, read as a ModelMessage."""

import json
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from pydantic import BaseModel, Field, field_validator

from terrarium_mcp.irc_bridge.model.chat_types import (
    MAX_ARGUMENTS,
    NO_USAGE,
    UNNAMED,
    ModelMessage,
    TokenUsage,
    ToolCall,
)
from terrarium_mcp.irc_bridge.model.content_parts import words_of
from terrarium_mcp.irc_bridge.model.endpoint_json import parsed_json, portable_arguments
from terrarium_mcp.irc_bridge.model.event_stream import ErrorEvent, completion_of_events, is_error
from terrarium_mcp.irc_bridge.model.reasoning_tags import without_reasoning
from terrarium_mcp.irc_bridge.model.text_tool_calls import (
    calls_behind,
    text_tool_calls,
    without_calls_behind,
)

MAX_CALLS = 16
"""Calls kept of a message: each gets a part of the request's budget for its result."""

MAX_TOOL_NAME = 200
"""Characters kept of the name in a call; MCP asks for 128 at most, and OpenAI for 64."""

MAX_REASONING = 20_000
"""Characters kept of the reasoning that came with calls, and of the extra content of a call: as
many as the tokens of a request (answer/budget.py) have, for more could never be sent back."""

MAX_TEXT = 32_000
"""Characters kept of an answer: eighty lines on IRC, more than anybody asks for with `!more`."""

_CUT = " …"
"""How an answer ends that AGENT_MAX_TOKENS or a filter cut: it may stop in the middle of a word."""

_AT_LIMIT = {"length", "max_tokens"}
"""The finish reason of an answer that reached its limit: OpenAI's, and Anthropic's and Gemini's."""

REASONING_FIELDS = (
    "reasoning_content",
    "reasoning",
    "reasoning_details",
    "thinking",
    "thinking_blocks",
)
"""Where a message has its reasoning. vLLM and DeepSeek send reasoning_content; newer vLLM, Ollama
and OpenRouter send reasoning, OpenRouter also its details; Ollama's own name is thinking, LiteLLM's
thinking_blocks."""


class NotACompletion(ValueError):
    """The endpoint's answer is not a chat completion; the text is what it is instead.

    `is_foreign`: it is no error either, and no completion that broke off.
    """

    def __init__(self, text: str, *, is_foreign: bool = False) -> None:
        super().__init__(text)
        self.is_foreign = is_foreign


def read_message(body: bytes, offered: Collection[str] = ()) -> ModelMessage:
    """The message in a chat completion, its text without reasoning.

    Its usage is the endpoint's own, with 0 for what it did not count. `offered` are the names of
    the tools that calls written as text may be of.

    Raises:
        NotACompletion: `body` is not a chat completion.
    """
    try:
        completion = _completion(body)
    except ErrorEvent as error:
        raise NotACompletion(str(error)) from error
    except ValueError as error:
        text = body.decode(errors="replace")
        raise NotACompletion(text, is_foreign=not _is_of_an_endpoint(body)) from error
    choice = completion.choices[0]
    if failure := completion.failure:
        raise NotACompletion(failure)
    words = without_reasoning(choice.message.words).strip()
    said = ModelMessage(words[:MAX_TEXT], usage=completion.token_usage, finish=choice.finish)
    reasoning = _within_limit(choice.message.reasoning_by_field) or {}
    if calls := _within_limits(choice.message.calls):
        return replace(said, calls=calls, reasoning=reasoning)
    if calls := _within_limits(text_tool_calls(said.text, offered)):
        return replace(said, text="", calls=calls, reasoning=reasoning)
    if offered and (calls := _within_limits(calls_behind(said.text))):
        said = replace(said, calls_behind=calls, reasoning=reasoning)
    said = replace(said, text=without_calls_behind(said.text))
    if said.text and (choice.is_at_limit or choice.is_filtered):
        return replace(said, text=said.text + _CUT)
    return replace(said, only_reasoned=not said.text and choice.reasoned)


def _completion(body: bytes) -> "_Completion":
    """The completion in `body`, which may also be a stream of events that was not asked for.

    Raises:
        ValueError: it is none.
    """
    if (streamed := completion_of_events(body)) is not None:
        return _Completion.model_validate(streamed)
    return _Completion.model_validate(parsed_json(body))


def _is_of_an_endpoint(body: bytes) -> bool:
    """Whether what is no completion is an error, a stream that broke off, or without choices."""
    try:
        value = parsed_json(body)
    except ValueError:
        return completion_of_events(body) is not None
    return isinstance(value, dict) and (is_error(value) or "choices" in value)


def _within_limits(calls: Sequence[ToolCall]) -> tuple[ToolCall, ...]:
    """The first MAX_CALLS calls, each with what is kept of it."""
    named = (replace(call, name=call.name[:MAX_TOOL_NAME]) for call in calls[:MAX_CALLS])
    return tuple(
        replace(call, arguments="", is_too_long=True)
        if len(call.arguments) > MAX_ARGUMENTS
        else call
        for call in named
    )


def _within_limit(value: Any) -> Any:
    """`value`, or None if as JSON it has more than MAX_REASONING characters."""
    return value if len(json.dumps(value, ensure_ascii=False)) <= MAX_REASONING else None


class _Function(BaseModel):
    name: str | None = None
    arguments: Any = None


class _CompletionToolCall(BaseModel):
    id: Any = None
    function: _Function | None = None
    extra_content: Any = None

    @property
    def call(self) -> ToolCall:
        function = self.function or _Function()
        given = function.arguments
        # Some endpoints send the arguments parsed, or null for a call without any.
        arguments = given if isinstance(given, str) else json.dumps(given or {}, ensure_ascii=False)
        call_id = str(self.id) if isinstance(self.id, str | int | float) else ""
        return ToolCall(
            call_id,
            function.name or UNNAMED,
            portable_arguments(arguments),
            _within_limit(self.extra_content),
        )


class _CompletionMessage(BaseModel):
    content: str | list[Any] | None = None
    refusal: str | None = None
    """OpenAI's place for the words with which its model declines."""
    tool_calls: list[_CompletionToolCall] | None = None
    function_call: _Function | None = None
    """OpenAI's form of a call before there were tools."""
    # Named in REASONING_FIELDS.
    reasoning_content: Any = None
    reasoning: Any = None
    reasoning_details: Any = None
    thinking: Any = None
    thinking_blocks: Any = None

    @field_validator("tool_calls", mode="before")
    @classmethod
    def _calls_alone(cls, given: Any) -> list[Any]:
        """The calls: some endpoints send `""` or `[null]` where there are none."""
        return [one for one in given if one is not None] if isinstance(given, list) else []

    @property
    def words(self) -> str:
        return words_of(self.content) or self.refusal or ""

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        if self.function_call and not self.tool_calls:
            return (_CompletionToolCall(function=self.function_call).call,)
        return tuple(call.call for call in self.tool_calls or [])

    @property
    def reasoning_by_field(self) -> dict[str, Any]:
        """The reasoning beside its content, under the endpoint's names for it."""
        return {name: value for name in REASONING_FIELDS if (value := getattr(self, name))}


class _Choice(BaseModel):
    message: _CompletionMessage
    finish_reason: Any = None
    native_finish_reason: Any = None
    error: Any = None

    @property
    def finish(self) -> str:
        """The finish reason; "" where it is none, or a number."""
        return self.finish_reason if isinstance(self.finish_reason, str) else ""

    @property
    def reasoned(self) -> bool:
        """Whether it holds reasoning, or reached the token limit before the first word."""
        message = self.message
        in_parts = isinstance(message.content, list) and message.content
        thought = message.words.strip() or in_parts or message.reasoning_by_field
        return bool(thought) or self.is_at_limit

    @property
    def is_at_limit(self) -> bool:
        """Whether the token limit ended it."""
        return self.finish.lower() in _AT_LIMIT

    @property
    def is_filtered(self) -> bool:
        """Whether a filter of the endpoint ended it."""
        return self.finish == "content_filter"

    @property
    def failure(self) -> str:
        """Why the endpoint broke it off, as JSON; "" if it did not.

        OpenRouter does so with status 200 when its provider fails in the middle.
        """
        if not self.error and self.finish != "error":
            return ""
        cause = self.error or self.native_finish_reason or "the answer broke off"
        return json.dumps({"error": cause}, ensure_ascii=False)


class _Completion(BaseModel):
    choices: list[_Choice] = Field(min_length=1)
    usage: Any = None
    error: Any = None

    @property
    def failure(self) -> str:
        """Why the endpoint broke the answer off, as JSON; "" if it did not.

        A proxy may put the error of its provider beside the choices that there were until then.
        """
        if self.error:
            return json.dumps({"error": self.error}, ensure_ascii=False)
        return self.choices[0].failure

    @property
    def token_usage(self) -> TokenUsage:
        match self.usage:
            case {"prompt_tokens": int(prompt), "completion_tokens": int(completion)}:
                return TokenUsage(max(prompt, 0), max(completion, 0), estimated=False)
        return NO_USAGE
