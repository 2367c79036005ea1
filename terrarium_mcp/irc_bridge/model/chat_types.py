"""The messages between the bridge and a model: its answers, tool calls and the talk so far."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal

from pydantic import Field

from terrarium_mcp.chat.irctext import harmless

_MARKS = re.compile(r"[\s\u2800`~*_#>|=-]+")
"""What markdown is made of: a text of nothing else is an empty fence, a rule or an empty table. The
braille pattern without dots (U+2800) is a blank that is no space to Unicode."""


MAX_ARGUMENTS = 20_000
"""Characters kept of a call's arguments: as many as the tokens of a request (answer/budget.py)
have. Of longer ones nothing is kept, as a part is no JSON."""

UNNAMED = "unnamed"
"""The tool of a call that names none: the model is told that there is no such tool."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call by the model; `arguments` is the JSON text as the model wrote it.

    `extra_content` is JSON that the endpoint gave with it and wants back: Gemini's signature.
    `is_too_long`: the arguments are left out, as they have more than MAX_ARGUMENTS characters.
    """

    id: str
    name: str
    arguments: str
    extra_content: Any = field(default=None, compare=False)
    is_too_long: bool = False


Amount = Annotated[int, Field(ge=0, lt=2**63)]
"""A number of things, as a line of the talk log may have it."""


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Tokens of requests to a model: `prompt` sent and `completion` received.

    `estimated`: an endpoint did not count one of them, and we did (chat/tokens.py).
    """

    prompt: Amount
    completion: Amount
    estimated: bool

    def __add__(self, other: "TokenUsage") -> "TokenUsage":
        """The tokens of both."""
        return TokenUsage(
            self.prompt + other.prompt,
            self.completion + other.completion,
            self.estimated or other.estimated,
        )


NO_USAGE = TokenUsage(0, 0, estimated=True)
"""Of an endpoint that counts nothing."""


@dataclass(frozen=True, slots=True)
class ModelMessage:
    """One answer of the model: words, tool calls, both, or only reasoning.

    Messages that say the same are equal, whatever they cost. `finish` is why the message ended, as
    the endpoint calls it. `reasoning` came with calls, as JSON by the endpoint's names for it: it
    is sent back with them, and nobody else reads it. `calls_behind` were written behind the words,
    in tags of a template, while tools were offered: they are not to be made.
    """

    text: str
    calls: tuple[ToolCall, ...] = ()
    only_reasoned: bool = False
    usage: TokenUsage = field(default=NO_USAGE, compare=False)
    finish: str = field(default="", compare=False)
    reasoning: Mapping[str, Any] = field(default_factory=dict, compare=False)
    calls_behind: tuple[ToolCall, ...] = field(default=(), compare=False)

    @property
    def without_reasoning(self) -> "ModelMessage":
        """This message without its reasoning and what came with its calls."""
        calls = tuple(replace(call, extra_content=None) for call in self.calls)
        return replace(self, calls=calls, reasoning={})

    @property
    def has_words(self) -> bool:
        """Whether there is more in its text than blanks, marks and what cannot be seen."""
        return bool(_MARKS.sub("", harmless(self.text)))


@dataclass(frozen=True, slots=True)
class ToolSchema:
    """A tool as the model sees it; `parameters` is a JSON schema.

    `only_reads`: the server says that it changes nothing.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    only_reads: bool = False


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """A plain message of the talk."""

    role: Literal["system", "user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class AssistantToolCalls:
    """An earlier message of the model that called tools."""

    said: ModelMessage


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of the tool call `call_id`."""

    call_id: str
    name: str
    text: str


TalkMessage = ChatMessage | AssistantToolCalls | ToolResult
