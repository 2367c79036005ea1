"""Messages as they arrive, and the JSON-RPC error that answers each that cannot be read."""

import json

from mcp.types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    RequestId,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError
from pydantic_core import from_json


class UnreadableMessage(Exception):
    """A line, or the body of a request, that is no JSON-RPC message.

    Its `answer` has the id of the message if that is certain, else null (JSON-RPC 2.0, section 5).
    """

    def __init__(self, text: str, code: int, request_id: RequestId | None) -> None:
        super().__init__(text)
        error = ErrorData(code=code, message=text)
        self.answer = JSONRPCError(jsonrpc="2.0", id=request_id, error=error)

    @classmethod
    def no_json(cls, text: bytes, error: ValueError) -> "UnreadableMessage":
        """A text that failed to parse."""
        return cls(f"Parse error: {error}.", PARSE_ERROR, _id_in(text))

    @classmethod
    def no_message(cls, text: bytes) -> "UnreadableMessage":
        """JSON that is not one message."""
        problem = "Invalid request: this is not one JSON-RPC message."
        return cls(problem, INVALID_REQUEST, _id_in(text))

    @classmethod
    def too_long(cls, beginning: bytes, most: int) -> "UnreadableMessage":
        """A line of more than `most` bytes, of which only the `beginning` was kept."""
        text = f"Invalid request: the line is longer than {most:,} bytes."
        return cls(text, INVALID_REQUEST, _id_in(beginning, is_cut=True))


def message_in(text: bytes) -> JSONRPCMessage:
    """The message that a text is.

    Raises:
        UnreadableMessage: it is none, or a request whose id cannot be one: its client waits for an
            answer, which a notification does not get.
    """
    # To parse first takes 7 ms for a list of 650 kB; `validate_json` makes of it each kind of
    # message that it could be, in 18 ms.
    try:
        raw = from_json(text)
    except ValueError as error:
        raise UnreadableMessage.no_json(text, error) from error
    try:
        message = jsonrpc_message_adapter.validate_python(raw, by_name=False)
    except ValidationError as error:
        raise UnreadableMessage.no_message(text) from error
    if isinstance(message, JSONRPCNotification) and "id" in raw:
        raise UnreadableMessage.no_message(text)
    return message


def _id_in(line: bytes, *, is_cut: bool = False) -> RequestId | None:
    """The id in a text that may be no message; None if it is not certain."""
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
