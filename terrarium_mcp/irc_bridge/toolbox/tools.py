"""What the tool loop knows about tools: a menu for the model, and a way to call them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from terrarium_mcp.irc_bridge.model.chat_types import ToolSchema

ViewMeta = Mapping[str, object]
"""What a call to our own server is restricted to (`terrarium_mcp.policy`)."""


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """A tool's answer: `text` for the model, structured `facts` for the bridge.

    `error` is the kind of an expected failure (`TerrariumError.code`), where it has one. What is
    `foreign` comes from a mounted server, whatever it looks like.
    """

    text: str
    facts: Mapping[str, Any] = field(default_factory=dict)
    failed: bool = False
    error: str = ""
    foreign: bool = False


class ToolsAtHand(Protocol):
    """The tools for one question."""

    @property
    def menu(self) -> tuple[ToolSchema, ...]:
        """The tools offered to the model; none of a server that is away."""

    def offers(self, name: str, *, only_reads: bool = False) -> bool:
        """Whether the model may call this tool, also while its server is away.

        With `only_reads`, no tool that may change something.
        """

    def unknown(self, name: str) -> str:
        """The answer to a model that calls a tool which does not exist."""

    async def call(self, name: str, arguments: Mapping[str, object], view: ViewMeta) -> ToolAnswer:
        """Call a tool, one of our own under a view. A tool error is an answer with `failed` set.

        Raises:
            McpServerUnavailable: the server is unavailable or too slow.
        """
