"""The result of a tool: text for every model, and structured content where it was asked for."""

from collections.abc import Mapping, Sequence
from typing import Any

from mcp.types import CallToolResult, TextContent

from terrarium_mcp.chat.records import Message
from terrarium_mcp.chat.transcript import as_json


def answer(text: str, structured: Mapping[str, Any] | None = None) -> CallToolResult:
    """An answer; `structured` holds the same facts for a program."""
    return CallToolResult(
        content=[TextContent(type="text", text=text)],
        structured_content=dict(structured) if structured is not None else None,
    )


def counted(number: int, noun: str) -> str:
    """`1 line`, `2 lines`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def lines_answer(
    text: str, form: str, messages: Sequence[Message], **facts: object
) -> CallToolResult:
    """An answer of lines.

    Only `format=json` adds structured content: some hosts show a model nothing but that.
    """
    if form != "json":
        return answer(text)
    return answer(text, {"messages": [as_json(message) for message in messages], **facts})
