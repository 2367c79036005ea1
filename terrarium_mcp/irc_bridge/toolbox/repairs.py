"""A stream of messages from another server, in which its list of tools can be understood.

The SDK refuses a whole list for one tool that is not as the protocol has it, also for one that
nobody allowed.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from anyio import EndOfStream
from anyio.abc import ObjectReceiveStream
from mcp.types import JSONRPCResponse

from terrarium_mcp.irc_bridge.toolbox.foreign import MOST_DESCRIPTION
from terrarium_mcp.wording import shown

MOST_SCHEMA = 8_000
"""Characters of a tool's schema as JSON; the longest of our own has 1,100."""

MOST_NAME = 200
"""Characters of a tool's name: a model's endpoint takes 64."""

_KEPT_DESCRIPTION = MOST_DESCRIPTION + 1  # one more, by which it is known to be too long

_ANY_ARGUMENTS: Mapping[str, Any] = {"type": "object", "properties": {}}

Complain = Callable[[str], None]
"""Takes what is wrong with the server, as the rest of a sentence that begins with its name."""


class RepairedStream(ObjectReceiveStream[Any]):
    """The messages of another stream, each list of tools among them repaired."""

    def __init__(self, messages: Any, complain: Complain) -> None:
        self._messages = messages
        self._complain = complain

    async def receive(self) -> Any:
        """The next message."""
        try:
            received = await anext(self._messages)
        except StopAsyncIteration:
            raise EndOfStream from None
        if isinstance(received, Exception):
            self._complain("sends something that is not an MCP message")
        message = getattr(received, "message", None)
        if isinstance(message, JSONRPCResponse) and isinstance(message.result.get("tools"), list):
            message.result["tools"] = list(repaired(message.result["tools"], self._complain))
        return received

    async def aclose(self) -> None:
        """Close the other stream too."""
        await self._messages.aclose()


def repaired(tools: list[Any], complain: Complain) -> Iterator[dict[str, Any]]:
    """What we use of each tool: name, description, and a schema that a model can be sent."""
    for tool in tools:
        if not isinstance(tool, dict) or not isinstance(tool.get("name"), str):
            complain("lists a tool without a name")
            continue
        if len(tool["name"]) > MOST_NAME:
            complain(f"lists a tool with too long a name, {shown(tool['name'])}")
            continue
        schema, description = _usable(tool.get("inputSchema")), tool.get("description")
        if schema is None:
            complain(f"has no usable schema for {shown(tool['name'])}: accepting any arguments")
            schema = _ANY_ARGUMENTS
        yield {
            "name": tool["name"],
            "description": (
                description[:_KEPT_DESCRIPTION] if isinstance(description, str) else tool["name"]
            ),
            "inputSchema": schema,
        }


def _usable(schema: object) -> Mapping[str, Any] | None:
    """A schema that is one of an object and of a bearable size, with properties; None for another.

    A tool without arguments may leave `properties` out, or as PHP has it be a list without items.
    OpenAI then refuses the whole request: "object schema missing properties".
    """
    try:
        size = len(json.dumps(schema))
    except RecursionError:
        return None
    if not isinstance(schema, dict) or schema.get("type") != "object" or size > MOST_SCHEMA:
        return None
    properties = schema.get("properties") or {}
    return {**schema, "properties": properties} if isinstance(properties, dict) else None
