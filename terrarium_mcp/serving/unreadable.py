"""Lines that hold no message that can be read, and the JSON-RPC error that answers each."""

import json

from mcp.types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError, RequestId
from pydantic import ValidationError
from pydantic_core import from_json


class UnreadableMessage(Exception):
    """A line that is no JSON-RPC message.

    Its `answer` has the id of the message if that is certain, else null (JSON-RPC 2.0, section 5).
    """

    def __init__(self, text: str, code: int, request_id: RequestId | None) -> None:
        super().__init__(text)
        error = ErrorData(code=code, message=text)
        self.answer = JSONRPCError(jsonrpc="2.0", id=request_id, error=error)

    @classmethod
    def in_line(cls, line: bytes, error: ValidationError) -> "UnreadableMessage":
        """A line that failed to validate as a message."""
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        if first["type"] != "json_invalid":
            return cls.no_message(line)
        return cls(f"Parse error: {first['msg']}.", PARSE_ERROR, _id_in(line))

    @classmethod
    def no_message(cls, line: bytes) -> "UnreadableMessage":
        """A line of JSON that is not one message."""
        text = "Invalid request: the line is not one JSON-RPC message."
        return cls(text, INVALID_REQUEST, _id_in(line))

    @classmethod
    def too_long(cls, beginning: bytes, most: int) -> "UnreadableMessage":
        """A line of more than `most` bytes, of which only the `beginning` was kept."""
        text = f"Invalid request: the line is longer than {most:,} bytes."
        return cls(text, INVALID_REQUEST, _id_in(beginning, is_cut=True))


def has_id(line: bytes) -> bool:
    """Whether a line of valid JSON is an object with an id, of whatever kind."""
    return b"id" in line and "id" in from_json(line)


def _id_in(line: bytes, *, is_cut: bool = False) -> RequestId | None:
    """The id in a line that may be no message; None if it is not certain."""
    try:
        # The standard library accepts lone surrogates, and the other a line that is cut.
        message = from_json(line, allow_partial=True) if is_cut else json.loads(line)
    except (ValueError, RecursionError):
        return None
    if is_cut and isinstance(message, dict) and message:
        message.popitem()  # the last member is incomplete
    found = message.get("id") if isinstance(message, dict) else None
    if isinstance(found, str):
        return found if found.isprintable() else None  # no surrogates, which UTF-8 cannot hold
    return found if type(found) is int else None
