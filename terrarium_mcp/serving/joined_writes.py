"""A transport that sends two writes at once: uvicorn writes the head of a response, then its body.

Sent one by one they wake the client twice, and cost it and the server a system call more.
"""

import asyncio
from typing import Any


class JoinedWrites(asyncio.Transport):
    """Another transport, whose every first write waits for the second.

    It waits no longer than for the next turn of the event loop: the head of a stream is sent though
    nothing follows yet.
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__()
        self._transport = transport
        self._loop = loop
        self._held: bytes | bytearray | memoryview = b""

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Send `data` with what was held back, or hold it back."""
        if self._held:
            held, self._held = self._held, b""
            self._transport.write(b"".join((held, data)))
        elif data:
            self._held = data
            self._loop.call_soon(self._send_held)

    def close(self) -> None:
        """Close the connection once everything has been sent."""
        self._send_held()
        self._transport.close()

    def abort(self) -> None:
        """Close the connection now."""
        self._transport.abort()

    def is_closing(self) -> bool:
        """Whether it is closed, or about to be."""
        return self._transport.is_closing()

    def pause_reading(self) -> None:
        """Receive nothing for now."""
        self._transport.pause_reading()

    def resume_reading(self) -> None:
        """Receive again."""
        self._transport.resume_reading()

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """What is known about the connection, such as its socket."""
        return self._transport.get_extra_info(name, default)

    def _send_held(self) -> None:
        if self._held:
            held, self._held = self._held, b""
            self._transport.write(held)
