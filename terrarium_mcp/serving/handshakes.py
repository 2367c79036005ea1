"""POSTed messages, where many sessions are open and each keeps the handshake it began with.

Over stdio there is one session, and a client holds up or fills nobody's process but its own.
"""

from mcp.types import INVALID_REQUEST, JSONRPCMessage, JSONRPCRequest, RequestId

from terrarium_mcp.serving.unreadable import UnreadableMessage, message_in

INITIALIZE = "initialize"
"""The method of the request that opens a session."""

LARGEST_HANDSHAKE = 8 * 2**10
"""Bytes of the largest `initialize`: those of clients have a few hundred. A session keeps all of
it, parsed, until it ends: 500 KiB where it is nothing but objects in objects, so 100 MB of 200
sessions. Of a megabyte it was 42 MB each."""


class TooLargeHandshake(UnreadableMessage):
    """A handshake that would fill the memory if many sessions kept such a one."""

    def __init__(self, call: RequestId) -> None:
        text = f"Invalid request: {INITIALIZE} is larger than {LARGEST_HANDSHAKE:,} bytes."
        super().__init__(text, INVALID_REQUEST, call)


def posted_message_in(body: bytes) -> JSONRPCMessage:
    """The message that the body of a request is.

    Raises:
        TooLargeHandshake: it is an `initialize` of more than `LARGEST_HANDSHAKE` bytes.
        UnreadableMessage: it is none, as in `message_in`.
    """
    message = message_in(body)
    is_large = len(body) > LARGEST_HANDSHAKE
    if is_large and isinstance(message, JSONRPCRequest) and message.method == INITIALIZE:
        raise TooLargeHandshake(message.id)
    return message
