"""What of another server's words reaches the model: bounded, and without what cannot be seen. Pure.

Such a server is chosen by the operator, but what it says may come from anywhere.
"""

import json
from collections.abc import Iterator

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
from terrarium_mcp.irc_bridge.toolbox.tools import ToolAnswer
from terrarium_mcp.wording import shown

MOST_CHARACTERS = 40_000
"""Characters of a result that are looked at: more than any share of tokens has room for."""

MOST_DESCRIPTION = 1_000
"""Characters of a tool's description that the model sees; our own have up to 440."""


def description_of(tool: Tool, server: str) -> str:
    """A tool's description for the model: where it comes from, and what it says of itself."""
    said = clean(tool.description or tool.name, MOST_DESCRIPTION)
    return f"From the MCP server {server}: {said}"


def answer_from(result: CallToolResult) -> ToolAnswer:
    """The answer for the model. Pictures, sound and resources are named, not embedded."""
    parts = "\n".join(_parts(result))
    text = clean(parts, MOST_CHARACTERS) or "(no text)"
    return ToolAnswer(text, failed=bool(result.is_error), foreign=True)


def clean(text: str, most: int) -> str:
    """The first `most` characters of a text, line by line without what forges or hides."""
    return "\n".join(harmless(line) for line in text[:most].splitlines()).strip()


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
