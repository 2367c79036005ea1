"""A response that is being sent, and how far it got, so that it can be ended from outside."""

from starlette.types import Message, Send


class TrackedResponse:
    """What a handler sends through `send`: whether it has begun, and whether it is complete."""

    def __init__(self, send: Send) -> None:
        self.is_started = False
        self.is_complete = False
        self._send = send

    async def send(self, message: Message) -> None:
        """Pass on a part of the response."""
        self.is_started = True
        if message["type"] == "http.response.body":
            self.is_complete = not message.get("more_body", False)
        await self._send(message)


def as_event(json: bytes) -> bytes:
    """A JSON-RPC message as an event of a stream."""
    return b"event: message\r\ndata: " + json + b"\r\n\r\n"
