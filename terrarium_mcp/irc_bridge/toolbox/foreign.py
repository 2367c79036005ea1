"""What of another server's words reaches the model: bounded, and without what cannot be seen. Pure.

Such a server is chosen by the operator, but what it says may come from anywhere.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mcp.types import (
    AudioContent,
    CallToolResult,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    Tool,
)

from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.errors import shown
from terrarium_mcp.irc_bridge.model.chat_types import ToolSchema
from terrarium_mcp.irc_bridge.toolbox.tools import ToolAnswer

MOST_CHARACTERS = 40_000
"""Characters of a result that are looked at: more than any share of tokens has room for."""

MOST_DESCRIPTION = 1_000
"""Characters of a tool's description; longest of our own: 800."""

MOST_SCHEMA = 8_000
"""Characters of a tool's schema as JSON; longest of our own: 2,600."""

_ANY_ARGUMENTS: Mapping[str, Any] = {"type": "object", "properties": {}}


def schema_of(tool: Tool, server: str, prefix: str) -> tuple[ToolSchema, Sequence[str]]:
    """A tool as the model sees it, and what of it had to be left out."""
    shortened = []
    said = tool.description or tool.title or tool.name
    description = clean(said, MOST_DESCRIPTION)
    if len(said) > MOST_DESCRIPTION:
        shortened.append(f"a description of {len(said):,} characters, which is cut")
    parameters: Mapping[str, Any] = tool.input_schema
    if not _is_usable(parameters):
        parameters = _ANY_ARGUMENTS
        shortened.append("a schema that is no object or too large, which is left out")
    schema = ToolSchema(
        f"{prefix}{tool.name}", f"From the MCP server {server}: {description}", parameters
    )
    return schema, shortened


def answer_from(result: CallToolResult) -> ToolAnswer:
    """The answer for the model. Pictures, sound and resources are named, not embedded."""
    parts = "\n".join(_parts(result))
    return ToolAnswer(clean(parts, MOST_CHARACTERS) or "(no text)", failed=bool(result.is_error))


def clean(text: str, most: int) -> str:
    """The first `most` characters of a text, line by line without what forges or hides."""
    return "\n".join(harmless(line) for line in text[:most].splitlines()).strip()


def _is_usable(schema: object) -> bool:
    """Whether an endpoint can be sent a schema."""
    try:
        size = len(json.dumps(schema))
    except (RecursionError, ValueError):
        return False
    return isinstance(schema, dict) and schema.get("type") == "object" and size <= MOST_SCHEMA


def _parts(result: CallToolResult) -> Iterator[str]:
    for part in result.content:
        match part:
            case TextContent(text=text):
                yield text
            case ImageContent(mime_type=kind, data=data) | AudioContent(mime_type=kind, data=data):
                yield f"[{shown(kind)}, {len(data) * 3 // 4:,} bytes, not shown]"
            case ResourceLink(uri=uri):
                yield _resource(str(uri))
            case EmbeddedResource(resource=resource):
                yield _resource(str(resource.uri))
    if not result.content and result.structured_content is not None:
        yield json.dumps(result.structured_content, ensure_ascii=False)


def _resource(uri: str) -> str:
    return f"[resource {shown(uri, 200)}, not shown]"
