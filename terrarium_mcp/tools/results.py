"""The result of a tool: text for every model, and structured content on request."""

from collections.abc import Mapping
from typing import Any

from mcp.types import CallToolResult, TextContent

from terrarium_mcp.chat.transcript import Transcript
from terrarium_mcp.tools.facts import lines_json


def tool_result(text: str, structured: Mapping[str, Any] | None = None) -> CallToolResult:
    """A result; `structured` holds the same facts for a program."""
    return CallToolResult(
        content=[TextContent(type="text", text=text)],
        structured_content=dict(structured) if structured is not None else None,
    )


def lines_result(
    text: str, form: str, transcript: Transcript, facts: Mapping[str, object]
) -> CallToolResult:
    """A result that shows the lines of a transcript.

    Only `format=json` adds structured content: some hosts show a model nothing else.
    """
    if form != "json":
        return tool_result(text)
    return tool_result(text, lines_json(transcript) | dict(facts))
