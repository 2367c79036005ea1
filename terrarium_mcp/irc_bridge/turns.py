"""What passes between the bridge and a model: turns, calls, and the talk it is shown."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model's wish to use a tool; `arguments` is the JSON text as the model wrote it."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Turn:
    """What a model answered: words, tool calls, both, or nothing but reasoning."""

    text: str
    calls: tuple[ToolCall, ...] = ()
    only_reasoned: bool = False


@dataclass(frozen=True, slots=True)
class ToolSchema:
    """A tool as the model sees it; `parameters` is a JSON schema."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Said:
    """A plain message of the talk."""

    role: Literal["system", "user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class Called:
    """The model's own earlier turn that asked for tools."""

    turn: Turn


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool answered to the call `call_id`."""

    call_id: str
    name: str
    text: str


TalkMessage = Said | Called | ToolResult
